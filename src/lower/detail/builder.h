#pragma once
/// Makes the body of a program's text: an ir::Writer whose instructions each have a range, and whose blocks may have ended.

#include <string>

#include "base/limits.h"
#include "ir/writer.h"

namespace strc::lower::detail {

using base::SourceRange;
using ir::BlockId;
using ir::Instr;
using ir::kNone;
using ir::Op;
using ir::Reg;
using ir::VarRef;
using types::Type;
using types::Value;

class Builder : private ir::Writer {
public:
    Builder(types::TypeTable& types, std::string name, ir::BodyKind kind, SourceRange range);

    using ir::Writer::body;
    using ir::Writer::types;

    /// Adds an instruction to the current block; it may be completed until the next one is added.
    Instr& emit(Op, const Type*, std::vector<Reg> operands, SourceRange);
    /// The instruction added last.
    Instr& last() { return body.blocks[block].instrs.back(); }
    /// The same with a result: of the instruction's type, a boolean of comparisons.
    Reg value(Op, const Type*, std::vector<Reg> operands, SourceRange);
    Reg ref(Op, const Type*, std::vector<Reg> operands, SourceRange, std::uint32_t index = kNone);
    /// A literal; an aggregate one gives a ref.
    Reg constant(Value, SourceRange);
    Reg integer(std::int64_t, SourceRange);
    Reg boolean(bool, SourceRange);

    Reg load(VarRef, const Type*, SourceRange);
    void store(VarRef, const Type*, Reg, SourceRange);
    Reg address(VarRef, const Type*, SourceRange);
    Reg extent(VarRef, std::uint32_t dimension, SourceRange);

    /// A variable that is declared where its type is known.
    std::uint32_t addLocal(std::string name, const Type*, SourceRange);

    /// Makes a block the current one; `leave` goes back. Emission after `break`, `continue` or
    /// `return` (`ended`) is the caller's business to avoid.
    struct Outside {
        BlockId block;
        bool ended;
    };
    BlockId newBlock();
    Outside enter(BlockId);
    /// True if the block that is left has ended.
    bool leave(Outside);
    void yield(Reg, SourceRange);
    void end(Op, std::vector<Reg> operands, SourceRange);

    bool ended = false;

private:
    /// For the instructions to come.
    ir::Writer& at(SourceRange);
};

}  // namespace strc::lower::detail
