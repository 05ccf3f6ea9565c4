#include "tensor/detail/iteration_locals.h"

#include <functional>

namespace strc::tensor {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;

bool concerns(const Instr& instr) {
    return (instr.op == Op::Load || instr.op == Op::Store || instr.op == Op::Declare) &&
           instr.var.space == ir::Space::Local;
}

/// With how many loops around it.
using Visit = std::function<void(const Instr&, int depth)>;
void forEach(const Body& body, BlockId id, int depth, const Visit& visit) {
    if (id == ir::kNone) return;
    for (const Instr& instr : body.blocks[id].instrs) {
        visit(instr, depth);
        for (BlockId block : instr.blocks)
            forEach(body, block, instr.op == Op::Loop ? depth + 1 : depth, visit);
    }
}

std::map<std::uint32_t, int> accessesIn(const Body& body, BlockId id) {
    std::map<std::uint32_t, int> count;
    forEach(body, id, 0, [&](const Instr& instr, int) {
        if (concerns(instr)) ++count[instr.var.index];
    });
    return count;
}

/// Variables whose first access in the block, or in what is inside of it, is a store in the block itself.
std::map<std::uint32_t, bool> storedFirst(const Body& body, BlockId id) {
    std::map<std::uint32_t, bool> found;
    for (const Instr& instr : body.blocks[id].instrs) {
        if (concerns(instr)) found.emplace(instr.var.index, instr.op == Op::Store);
        for (BlockId block : instr.blocks)
            for (auto [local, count] : accessesIn(body, block)) found.emplace(local, false);
    }
    return found;
}

}  // namespace

IterationLocals::IterationLocals(const Body& body) {
    const std::map<std::uint32_t, int> all = accessesIn(body, body.entry);
    auto isTensor = [&](std::uint32_t local) {
        return body.locals[local].type->is(types::TypeKind::Tensor);
    };
    forEach(body, body.entry, 0, [&](const Instr& loop, int depth) {
        if (loop.op != Op::Loop) return;
        const std::map<std::uint32_t, int> inside = accessesIn(body, loop.blocks[1]);
        for (auto [local, isStored] : storedFirst(body, loop.blocks[1]))
            if (isTensor(local) && isStored && inside.at(local) == all.at(local))
                homes[local] = {&loop, depth + 1};
    });
    forEach(body, body.entry, 0, [&](const Instr& instr, int depth) {
        if (instr.op != Op::Load || !concerns(instr) || !isTensor(instr.var.index)) return;
        const auto home = homes.find(instr.var.index);
        const bool isRepeated = depth > (home == homes.end() ? 0 : home->second.depth);
        counts[instr.var.index] += isRepeated ? 2 : 1;
    });
}

int IterationLocals::loads(std::uint32_t local) const {
    const auto found = counts.find(local);
    return found == counts.end() ? 0 : found->second;
}

bool IterationLocals::isInside(std::uint32_t local) const {
    const auto home = homes.find(local);
    return home != homes.end() && !entered.contains(home->second.loop);
}

std::vector<std::uint32_t> IterationLocals::ofLoop(const Instr& loop) const {
    std::vector<std::uint32_t> found;
    for (const auto& [local, home] : homes)
        if (home.loop == &loop) found.push_back(local);
    return found;
}

}  // namespace strc::tensor
