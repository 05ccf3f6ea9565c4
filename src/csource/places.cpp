#include "csource/detail/places.h"

#include <algorithm>

namespace strc::csource {

using ir::BlockId;
using ir::Instr;
using ir::Op;

Places::Places(const ir::Body& wanted, const Liveness& liveness)
    : body(wanted),
      parents(body.blocks.size(), ir::kNone),
      owners(body.blocks.size()),
      depths(body.blocks.size()),
      mentions(body.locals.size()) {
    visit(liveness, body.entry, ir::kNone, nullptr);
    for (std::uint32_t k = body.params; k < body.locals.size(); ++k)
        if (isUsed(k) && liveness.isLooked(k)) place(k);
}

void Places::visit(const Liveness& liveness, BlockId id, BlockId parent, const Instr* owner) {
    if (id == ir::kNone) return;
    parents[id] = parent;
    owners[id] = owner;
    depths[id] = parent == ir::kNone ? 0 : depths[parent] + 1;
    for (const Instr& instr : body.blocks[id].instrs) {
        if (!liveness.isLive(instr)) continue;
        const bool isLocal = instr.var.space == ir::Space::Local && instr.var.index != ir::kNone;
        if (isLocal && instr.op != Op::Extent) mentions[instr.var.index].push_back({&instr, id});
        for (BlockId inner : instr.blocks) visit(liveness, inner, id, &instr);
    }
}

void Places::place(std::uint32_t local) {
    const std::vector<Mention>& all = mentions[local];
    BlockId common = all.front().block;
    for (const Mention& mention : all) {
        BlockId other = mention.block;
        while (common != other) {
            if (depths[common] >= depths[other])
                common = parents[common];
            else
                other = parents[other];
        }
    }
    const Mention& first = all.front();
    const bool defines = first.instr->op == Op::Store || first.instr->op == Op::Declare;
    if (first.block == common && defines)
        definers.insert(first.instr);
    else if (!isInLoop(common))
        earlier[ownerWithin(first, common)].push_back(local);
    else
        hoisted.push_back(local);
}

/// The instruction of the outer block in which it is, or which it is.
const Instr* Places::ownerWithin(const Mention& mention, BlockId outer) const {
    const Instr* found = mention.instr;
    for (BlockId block = mention.block; block != outer; block = parents[block])
        found = owners[block];
    return found;
}

bool Places::isInLoop(BlockId block) const {
    for (; block != ir::kNone; block = parents[block])
        if (owners[block] && owners[block]->op == Op::Loop) return true;
    return false;
}

bool Places::isInside(BlockId inner, BlockId outer) const {
    while (inner != ir::kNone && inner != outer) inner = parents[inner];
    return inner == outer && outer != ir::kNone;
}

const std::vector<std::uint32_t>& Places::before(const Instr& instr) const {
    static const std::vector<std::uint32_t> none;
    const auto found = earlier.find(&instr);
    return found == earlier.end() ? none : found->second;
}

bool Places::isUsedOutside(std::uint32_t local, const Instr& loop, const Instr& store) const {
    return std::any_of(mentions[local].begin(), mentions[local].end(), [&](const Mention& each) {
        if (each.instr == &store) return false;
        return std::none_of(loop.blocks.begin(), loop.blocks.end(), [&](BlockId block) {
            return block != ir::kNone && isInside(each.block, block);
        });
    });
}

bool Places::isStoredIn(std::uint32_t local, BlockId block) const {
    return std::any_of(mentions[local].begin(), mentions[local].end(), [&](const Mention& each) {
        return each.instr->op != Op::Load && isInside(each.block, block);
    });
}

}  // namespace strc::csource
