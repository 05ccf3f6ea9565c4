#pragma once
/// Reads bodies from the IR's text: their variables, blocks and instructions.

#include "ir/detail/argument_reader.h"

namespace strc::ir::detail {

class BodyReader {
public:
    /// `buffer`: where the text stands, or none.
    BodyReader(TokenReader& tokens, TypeReader& types, NameScope& names, const Type* voidType,
               base::BufferId buffer)
        : tokens(tokens),
          types(types),
          names(names),
          argumentReader(tokens, types, names),
          voidType(voidType),
          buffer(buffer) {}

    /// `stream`: whose body it is, with what stands before it; or null.
    Body body(const StreamCode* stream);

private:
    void instructions(Body&, BlockId);
    BlockId block(Body&);
    void blocksOf(Body&, Instr&);
    Instr instruction(Body&);
    base::SourceRange rangeOf(const Token& first, const Token& last) const;

    TokenReader& tokens;
    TypeReader& types;
    NameScope& names;
    ArgumentReader argumentReader;
    const Type* voidType;
    base::BufferId buffer;
    int depth = 0;
};

}  // namespace strc::ir::detail
