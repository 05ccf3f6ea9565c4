#include "plan/detail/own_messages.h"

#include <algorithm>
#include <unordered_map>

namespace strc::plan {
namespace {

/// May it send to one of `portals`? A portal that is no constant may be any.
bool sendsToAny(const ir::Body& body, const std::vector<std::int32_t>& portals) {
    if (body.sends.empty()) return false;
    std::unordered_map<ir::Reg, std::int32_t> constants;
    for (const ir::Block& block : body.blocks)
        for (const ir::Instr& instr : block.instrs)
            if (instr.op == ir::Op::Const && instr.value.type->kind == types::TypeKind::Portal)
                constants[instr.result] = instr.value.as<std::int32_t>();
    const auto isOne = [&](const ir::Instr& instr) {
        if (instr.op != ir::Op::Send) return false;
        const auto portal = constants.find(instr.operands[0]);
        return portal == constants.end() ||
               std::find(portals.begin(), portals.end(), portal->second) != portals.end();
    };
    return std::any_of(body.blocks.begin(), body.blocks.end(), [&](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(), isOne);
    });
}

}  // namespace

bool sendsToItself(const elab::Elaboration& program, NodeId id) {
    std::vector<std::int32_t> portals;  // in which it is
    for (std::size_t k = 0; k < program.portals.size(); ++k)
        if (std::count(program.portals[k].begin(), program.portals[k].end(), id) != 0)
            portals.push_back(static_cast<std::int32_t>(k));
    const graph::KernelId kernel = program.graph.nodes[id].kernel;
    if (portals.empty() || kernel == graph::kNone) return false;
    const ir::StreamCode& code = program.kernels[kernel].code;
    const auto sends = [&](const ir::Body& body) { return sendsToAny(body, portals); };
    return (code.work && sends(*code.work)) || (code.prework && sends(*code.prework)) ||
           std::any_of(code.functions.begin(), code.functions.end(), sends);
}

}  // namespace strc::plan
