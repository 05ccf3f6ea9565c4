#include "ir/ir.h"

#include "base/assert.h"

namespace strc::ir {

const OpInfo& info(Op op) {
    static constexpr OpInfo table[] = {
#define OP(Id, mnemonic, operands, result, effects) \
    {mnemonic, operands, ResultKind::result, Effects::effects},
#include "ir/ops.def"
#undef OP
    };
    STRC_ASSERT(op < Op::Count, "no such operation");
    return table[static_cast<int>(op)];
}

std::uint32_t Module::find(const std::string& streamName) const {
    for (std::size_t i = 0; i < streams.size(); ++i)
        if (streams[i].name == streamName) return static_cast<std::uint32_t>(i);
    return kNone;
}

}  // namespace strc::ir
