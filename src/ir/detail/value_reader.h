#pragma once
/// Reads values of concrete types from the IR's text.

#include "ir/detail/token_reader.h"

namespace strc::ir::detail {

class ValueReader {
public:
    explicit ValueReader(TokenReader& tokens) : tokens(tokens) {}

    Value value(const Type*);

private:
    void fill(const Type*, char* to);
    template <typename Item>
    void list(char open, char close, std::int64_t count, Item);
    void parts(int count, char* to);
    template <typename Integer>
    Integer integer();
    template <typename Real>
    Real real();

    TokenReader& tokens;
};

}  // namespace strc::ir::detail
