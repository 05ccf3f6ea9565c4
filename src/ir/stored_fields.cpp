#include "ir/stored_fields.h"

namespace strc::ir {
namespace {

/// May the operation change what its operand `k`, a ref, leads to?
bool mayStore(const Instr& i, std::size_t k) {
    switch (i.op) {
        case Op::LoadAt:
        case Op::LoadVector:
        case Op::Gather:
        case Op::PushFrom:
        case Op::PushRows:
        case Op::Tensor: return false;
        case Op::Copy:
        case Op::Transpose:
        case Op::Contract: return k == 0;
        default: return true;
    }
}

/// An address is taken before it is used.
void noteStores(const Body& body, std::vector<bool>& stored) {
    std::vector<std::uint32_t> fieldOf(body.regs.size(), kNone);  // by register: where it leads to
    const auto visit = [&](const auto& self, BlockId id) -> void {
        if (id == kNone) return;
        for (const Instr& i : body.blocks[id].instrs) {
            if (i.op == Op::Store && i.var.space == Space::Field) stored[i.var.index] = true;
            if (i.op == Op::Addr && i.var.space == Space::Field) fieldOf[i.result] = i.var.index;
            for (std::size_t k = 0; k < i.operands.size(); ++k) {
                const std::uint32_t field = fieldOf[i.operands[k]];
                if (field == kNone) continue;
                if (info(i.op).result == ResultKind::Ref)
                    fieldOf[i.result] = field;
                else if (mayStore(i, k))
                    stored[field] = true;
            }
            for (BlockId block : i.blocks) self(self, block);
        }
    };
    visit(visit, body.entry);
}

}  // namespace

std::vector<bool> storedFields(const Body& body, std::size_t fields) {
    std::vector<bool> stored(fields);
    noteStores(body, stored);
    return stored;
}

std::vector<bool> storedFields(const StreamCode& code) {
    std::vector<bool> stored(code.fields.size());
    if (code.work) noteStores(*code.work, stored);
    if (code.prework) noteStores(*code.prework, stored);
    for (const Body& function : code.functions) noteStores(function, stored);
    for (std::uint32_t field : code.inputFields) stored[field] = true;  // before each firing
    return stored;
}

}  // namespace strc::ir
