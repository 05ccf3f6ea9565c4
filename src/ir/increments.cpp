#include "ir/detail/increments.h"

#include <algorithm>
#include <set>

namespace strc::ir {
namespace {

bool isIntLocal(const Instr& instr) {
    return instr.var.space == Space::Local && instr.type && instr.type->is(types::TypeKind::Int);
}

using Increments = std::map<std::uint32_t, std::int64_t>;

/// The effect of a block on int locals: it adds constants to them, or changes them in an unknown way.
class Effect {
public:
    explicit Effect(const Body& body) : body(body) {}

    void add(BlockId id, bool repeats) {
        if (id == kNone) return;
        std::map<Reg, std::uint32_t> loads;  // of this block, by register
        std::map<Reg, std::int64_t> constants;
        std::map<Reg, std::pair<std::uint32_t, std::int64_t>> sums;
        for (const Instr& instr : body.blocks[id].instrs) {
            switch (instr.op) {
                case Op::Load:
                    if (isIntLocal(instr)) loads[instr.result] = instr.var.index;
                    break;
                case Op::Const:
                    if (instr.type->is(types::TypeKind::Int))
                        constants[instr.result] = instr.value.as<std::int32_t>();
                    break;
                case Op::Add: {
                    auto load = loads.find(instr.operands[0]);
                    auto by = constants.find(instr.operands[1]);
                    if (load != loads.end() && by != constants.end() && by->second > 0)
                        sums[instr.result] = {load->second, by->second};
                    break;
                }
                case Op::Store: {
                    if (!isIntLocal(instr)) break;
                    auto sum = sums.find(instr.operands[0]);
                    const bool grows = sum != sums.end() && sum->second.first == instr.var.index;
                    if (grows && !repeats)
                        greater[instr.var.index] += sum->second.second;
                    else
                        anything.insert(instr.var.index);
                    forget(instr.var.index, loads, sums);
                    break;
                }
                case Op::Declare:
                    if (instr.var.space == Space::Local) anything.insert(instr.var.index);
                    break;
                case Op::If: branch(instr, repeats, loads, sums); break;
                case Op::Loop:
                    for (BlockId inner : instr.blocks) add(inner, true);
                    loads.clear();
                    sums.clear();
                    break;
                default: break;
            }
        }
    }

    Increments greater;
    std::set<std::uint32_t> anything;

private:
    template <typename Loads, typename Sums>
    static void forget(std::uint32_t local, Loads& loads, Sums& sums) {
        std::erase_if(loads, [&](const auto& load) { return load.second == local; });
        std::erase_if(sums, [&](const auto& sum) { return sum.second.first == local; });
    }

    template <typename Loads, typename Sums>
    void branch(const Instr& instr, bool repeats, Loads& loads, Sums& sums) {
        Effect one(body), other(body);
        one.add(instr.blocks[0], repeats);
        other.add(instr.blocks[1], repeats);
        for (Effect* side : {&one, &other}) {
            anything.insert(side->anything.begin(), side->anything.end());
            for (const auto& [local, by] : side->greater) forget(local, loads, sums);
            for (std::uint32_t local : side->anything) forget(local, loads, sums);
        }
        for (const auto& [local, by] : other.greater)
            one.greater[local] = std::max(one.greater[local], by);
        for (const auto& [local, by] : one.greater) greater[local] += by;
    }

    const Body& body;
};

bool isStored(const Body& body, BlockId block, std::uint32_t local) {
    Effect effect(body);
    effect.add(block, false);
    return effect.anything.contains(local) || effect.greater.contains(local);
}

}  // namespace

std::optional<CountedLoop> countedLoop(const Body& body, const Instr& loop) {
    if (loop.flag || loop.blocks[2] == kNone) return std::nullopt;
    const std::vector<Instr>& test = body.blocks[loop.blocks[0]].instrs;
    if (test.size() != 4 || test[0].op != Op::Load || !isIntLocal(test[0]) ||
        test[2].op != Op::Lt || test[3].op != Op::Yield ||
        test[2].operands != std::vector{test[0].result, test[1].result})
        return std::nullopt;
    CountedLoop found{test[0].var.index};
    if (test[1].op == Op::Load && isIntLocal(test[1]))
        found.limit = test[1].var.index;
    else if (test[1].op == Op::Const)
        found.bound = test[1].value.as<std::int32_t>();
    else
        return std::nullopt;
    Effect step(body);
    step.add(loop.blocks[2], false);
    auto by = step.greater.find(found.counter);
    if (by == step.greater.end() || step.anything.contains(found.counter) ||
        isStored(body, loop.blocks[1], found.counter))
        return std::nullopt;
    found.step = by->second;
    for (BlockId block : {loop.blocks[1], loop.blocks[2]})
        if (found.limit != kNone && isStored(body, block, found.limit)) return std::nullopt;
    return found;
}

std::map<std::uint32_t, std::int64_t> incrementsOf(const Body& body, const Instr& loop) {
    Effect iteration(body), step(body);
    iteration.add(loop.blocks[1], false);
    step.add(loop.blocks[2], false);
    std::erase_if(iteration.greater, [&](const auto& each) {
        return iteration.anything.contains(each.first) || step.anything.contains(each.first) ||
               step.greater.contains(each.first);
    });
    return std::move(iteration.greater);
}

}  // namespace strc::ir
