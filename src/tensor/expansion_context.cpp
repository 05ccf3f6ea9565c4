#include "tensor/detail/expansion_context.h"

namespace strc::tensor {

using ir::Instr;
using ir::Reg;

ExpansionContext::ExpansionContext(const ir::StreamCode& ofStream, const ShapedBody& shaped,
                                   const ExpansionInput& input, ExpansionState& after,
                                   types::TypeTable& table)
    : code(ofStream),
      from(shaped.body),
      values(shaped.values),
      in(input),
      state(after),
      types(table),
      w(table),
      elements(w, in.options, in.channels.layouts.areValuesLast),
      regs(from.regs.size(), ir::kNone),
      nodes(from.regs.size()),
      uses(from.regs.size()) {
    for (const ir::Block& block : from.blocks)
        for (const Instr& instr : block.instrs)
            for (Reg operand : instr.operands) ++uses[operand];
}

void ExpansionContext::define(const Instr& instr, NodePtr node) {
    nodes[instr.result] = std::move(node);
    if (uses[instr.result] > 0) live.push_back(instr.result);
}

Instr ExpansionContext::copyOf(const Instr& instr) const {
    Instr copy = instr;
    for (Reg& operand : copy.operands) operand = regs[operand];
    return copy;
}

void ExpansionContext::materialise(const NodePtr& node) {
    if (node->kind != NodeKind::Operation) return;
    const NodePtr place = elements.compute(node, "");
    *node = *place;
}

void ExpansionContext::materialiseRowByRow(NodePtr& node) {
    if (node->kind == NodeKind::Operation)
        *node = *elements.computeRowByRow(node);
    else if (node->kind == NodeKind::Memory && !isRowByRow(*node))
        node = elements.computeRowByRow(node);
}

}  // namespace strc::tensor
