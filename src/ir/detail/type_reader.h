#pragma once
/// Reads types, and variables with theirs, from the IR's text; knows the structs that have been declared.

#include <map>

#include "ir/detail/token_reader.h"

namespace strc::ir::detail {

class TypeReader {
public:
    TypeReader(TokenReader& tokens, types::TypeTable& types, base::NameTable& names)
        : tokens(tokens), types(types), names(names) {}

    const Type* type();
    Variable variable();
    /// A declaration behind the word `struct`.
    void structure();

private:
    std::int64_t extent(std::string_view open);
    const Type* tensorType();
    const Type* baseType(const std::string& name);

    TokenReader& tokens;
    types::TypeTable& types;
    base::NameTable& names;
    std::map<std::string, const Type*> structs;
};

}  // namespace strc::ir::detail
