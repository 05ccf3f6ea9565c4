#include "vector/branches.h"

#include <algorithm>

#include "vector/detail/widener.h"

namespace strc::vector {
namespace {

constexpr std::int64_t kMostLanes = 16;

/// Of branches from a first one on.
class BranchLanes final : public LaneItems {
public:
    BranchLanes(ir::Writer& writer, const Branches& what, Reg number, std::uint32_t array)
        : w(writer), branches(what), first(number), pushed(array) {}

    Reg input(Widener& to, const Instr& i, Reg index) override {
        if (branches.isShared) {
            w.emit(Op::Peek, i.type, {index}).checked = false;
            return w.result(i.type, false);
        }
        const Type* type = to.vectorOf(i.type);
        w.emit(Op::PeekVector, type, {place(index)}).index = 1;
        return w.result(type, false);
    }

    void output(Widener& to, const Instr& /*i*/, Reg value, Reg index) override {
        const Reg all = to.widened(value);
        const Type* type = w.body.regs[all].type;
        if (pushed == kNone)
            w.emit(Op::PushVector, type, {all});
        else
            w.emit(Op::StoreVector, type, {w.reference(w.address(pushed), place(index)), all});
    }

    void require(Widener& /*to*/, Reg /*holds*/) override {}
    void finish(Widener& /*to*/) override {}

private:
    /// Of item `index` of the first branch among those of all.
    Reg place(Reg index) {
        const Type* type = w.types.intType();
        const Reg row = w.operation(Op::Mul, type, {index, w.integer(branches.count)});
        return w.operation(Op::Add, type, {row, first});
    }

    ir::Writer& w;
    const Branches& branches;
    const Reg first;
    const std::uint32_t pushed;  ///< a local; kNone: items go to the tape at once
};

class BranchFuser {
public:
    BranchFuser(types::TypeTable& types, const Body& one, const ir::Varying& varying,
                const Branches& what)
        : w(types), body(one), facts(varying), branches(what) {}

    FusedBranches run() {
        w.range = body.range;
        w.body.name = body.name;
        w.body.kind = body.kind;
        w.body.range = body.range;
        w.body.header = body.header;
        const std::vector<LaneGroup> sizes = groupsOf(branches.count);
        const bool areInOrder =
            branches.rates.push.max == 1 || (sizes.size() == 1 && sizes[0].groups == 1);
        const std::int64_t items = branches.rates.push.max * branches.count;
        if (!areInOrder) pushed = w.local("pushed", w.types.array(branches.output, items));
        std::int64_t first = 0;
        for (const LaneGroup& size : sizes) {
            w.loop(size.groups, [&](Reg group) { fire(size, first, group); });
            first += size.lanes * size.groups;
            nextField += branches.own.size();
        }
        if (!areInOrder) w.emit(Op::PushRows, branches.output, {w.address(pushed)}).index = 1;
        const std::int64_t taken =
            branches.rates.pop.max * (branches.isShared ? 1 : branches.count);
        if (taken > 0)
            w.emit(Op::DiscardMany, branches.input, {}).index = static_cast<std::uint32_t>(taken);
        made.work = std::move(w.body);
        return std::move(made);
    }

private:
    void fire(const LaneGroup& size, std::int64_t begin, Reg group) {
        const Type* type = w.types.intType();
        const Reg within = w.operation(Op::Mul, type, {group, w.integer(size.lanes)});
        const Reg first = w.operation(Op::Add, type, {within, w.integer(begin)});
        BranchLanes items(w, branches, first, pushed);
        Widener to(w, body, facts, size.lanes, items, [](const Instr&) { return true; });
        for (std::size_t k = 0; k < branches.own.size(); ++k) {
            const Type* one = body.locals[branches.own[k]].type;
            const Type* all = w.types.array(w.types.inLanes(one, size.lanes), size.groups);
            made.fields.push_back(all);
            const ir::VarRef field{ir::Space::Field, static_cast<std::uint32_t>(nextField + k)};
            to.bindPlace(branches.own[k], w.reference(w.address(field, all), group));
        }
        to.whole();
    }

    ir::Writer w;
    const Body& body;
    const ir::Varying& facts;
    const Branches& branches;
    std::uint32_t pushed = kNone;
    std::size_t nextField = 0;
    FusedBranches made;
};

}  // namespace

std::vector<LaneGroup> groupsOf(std::int64_t count) {
    std::int64_t lanes = std::min(count, kMostLanes);
    while (count % lanes == 1) --lanes;
    std::vector<LaneGroup> all{{lanes, count / lanes}};
    if (count % lanes != 0) all.push_back({count % lanes, 1});
    return all;
}

FusedBranches fuseBranches(types::TypeTable& types, const Body& one, const ir::Varying& varying,
                           const Branches& branches) {
    return BranchFuser(types, one, varying, branches).run();
}

}  // namespace strc::vector
