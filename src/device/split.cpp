#include "device/split.h"

#include <algorithm>

#include "base/assert.h"
#include "base/pass.h"
#include "device/detail/groups.h"
#include "device/detail/kernel_writer.h"
#include "device/detail/persistent.h"
#include "device/detail/windows.h"

namespace strc::device {

using ir::Instr;
using ir::Op;
using ir::Space;
using types::TypeKind;

namespace {

constexpr std::int64_t kScratchAlign = 256;  ///< bytes, of arrays in scratch memory

class Splitter {
public:
    Splitter(base::Passes& which, const elab::Kernel& of, types::TypeTable& table)
        : passes(which), kernel(of), body(*of.code.work), affine(body), types(table) {}

    Firing run() {
        cutBody();
        findSlots(parts.groups);
        findTeams();
        layOutLocals();
        made.actions = actionsOf(parts.groups);
        made.scratchSize = end;
        made.isStateful = writesFields();
        const std::string subject = "filter '" + kernel.code.name + "'";
        for (base::Pass pass : applied)
            passes.show(pass, subject, [&] { return print(made, kernel.code.name); });
        makePersistent(passes, made, kernel.code.name, types);
        return std::move(made);
    }

private:
    void cutBody() {
        Ways ways;
        parts = cut(body, affine, ways);
        auto isAttention = [](const Group& group) { return group.kind == GroupKind::Attend; };
        if (has(parts.groups, isAttention) && !applies(base::Pass::DeviceAttention)) {
            ways.attends = false;
            parts = cut(body, affine, ways);
        }
        auto isApart = [](const Group& group) { return group.isApart; };
        if (has(parts.groups, isApart) && !applies(base::Pass::DeviceDistribution)) {
            ways.distributes = false;
            parts = cut(body, affine, ways);
        }
    }

    bool applies(base::Pass pass) {
        const bool runs(base::PassRun(passes, pass, "filter '" + kernel.code.name + "'"));
        if (runs) applied.push_back(pass);
        return runs;
    }

    static bool has(const std::vector<Group>& groups, bool (*is)(const Group&)) {
        return std::any_of(groups.begin(), groups.end(),
                           [is](const Group& group) { return is(group) || has(group.inside, is); });
    }

    // ---- teams

    void findTeams() {
        std::vector<std::pair<Group*, Team>> found;
        findTeams(parts.groups, found);
        if (found.empty() || !applies(base::Pass::DeviceTeams)) return;
        for (auto& [group, team] : found) group->team = std::move(team);
    }

    void findTeams(std::vector<Group>& groups, std::vector<std::pair<Group*, Team>>& found) {
        auto isShared = [&](std::uint32_t local) { return slotOf.contains({true, local}); };
        for (Group& group : groups) {
            Team team = findTeam(body, affine, group, isShared);
            if (!team.empty()) found.emplace_back(&group, std::move(team));
            findTeams(group.inside, found);
        }
    }

    // ---- what has to outlive a launch

    /// Values that one launch computes and another needs lie in memory: scalars that several use, and results.
    void findSlots(const std::vector<Group>& groups) {
        for (const Group& group : groups) {
            if (group.kind == GroupKind::Repeat) {
                findSlots(group.inside);
                continue;
            }
            std::set<ir::Reg> needed;
            for (const Instr* instr : group.instrs) need(group, *instr, needed);
        }
        for (auto& [local, users] : usersOf)
            if (users.size() > 1) slotOf.try_emplace({true, local}, Slot{0, loopsOf(local)});
    }

    void need(const Group& group, const Instr& instr, std::set<ir::Reg>& needed) {
        for (ir::Reg reg : instr.operands) needReg(group, reg, needed);
        const bool isVariable = (instr.op == Op::Load || instr.op == Op::Store ||
                                 (instr.op == Op::Declare && !instr.flag)) &&
                                instr.var.space == Space::Local;
        if (isVariable && !isCounterOf(group, instr.var.index) &&
            body.locals[instr.var.index].type->isScalar()) {
            usersOf[instr.var.index].insert(group.id);
            // The next iteration of a loop around may read the value that this launch has left in the variable.
            const bool stays = group.kind == GroupKind::Serial && !group.around.empty();
            if (stays) usersOf[instr.var.index].insert(UINT32_MAX);
        }
        if (group.kind == GroupKind::Attend) return;  // its loops are left out
        for (ir::BlockId block : instr.blocks)
            forEach(body, block, [&](const Instr& inner) {
                if (&inner != &instr) needInner(group, inner, needed);
            });
    }

    void needInner(const Group& group, const Instr& inner, std::set<ir::Reg>& needed) {
        Instr flat = inner;
        flat.blocks = {ir::kNone, ir::kNone, ir::kNone};
        need(group, flat, needed);
    }

    void needReg(const Group& group, ir::Reg reg, std::set<ir::Reg>& needed) {
        if (!needed.insert(reg).second) return;
        const Instr& instr = affine.definition(reg);
        auto owner = parts.groupOf.find(&instr);
        const bool isElsewhere = owner != parts.groupOf.end() && owner->second != group.id;
        const bool isHere = owner != parts.groupOf.end() && owner->second == group.id;
        if (isHere || (isElsewhere && isCounterLoad(group, instr))) return;
        // A place is looked up again; a value is kept.
        if (isElsewhere && !body.regs[reg].ref) {
            slotOf.try_emplace({false, reg}, Slot{0, parts.apartOf.at(owner->second)});
            return;
        }
        for (ir::Reg operand : instr.operands) needReg(group, operand, needed);
    }

    static bool isCounterLoad(const Group& group, const Instr& instr) {
        return instr.op == Op::Load && instr.var.space == Space::Local &&
               isCounterOf(group, instr.var.index);
    }

    static bool isCounterOf(const Group& group, std::uint32_t local) {
        auto is = [local](const Induction& loop) { return loop.counter == local; };
        return std::any_of(group.around.begin(), group.around.end(), is) ||
               std::any_of(group.apart.begin(), group.apart.end(), is) ||
               std::any_of(group.nests.begin(), group.nests.end(), [&](const Nest& nest) {
                   return std::any_of(nest.loops.begin(), nest.loops.end(), is);
               });
    }

    // ---- scratch memory

    std::uint32_t reserve(std::int64_t bytes) {
        made.scratch.push_back(end);
        end = (end + std::max<std::int64_t>(bytes, 1) + kScratchAlign - 1) / kScratchAlign *
              kScratchAlign;
        return static_cast<std::uint32_t>(made.scratch.size() - 1);
    }

    void layOutLocals() {
        for (auto& [name, slot] : slotOf)
            slot.scratch = reserve(sizeof(double) * 2 * product(slot.apart));
        std::set<std::uint32_t> own;
        findOwn(parts.groups, own);
        findLeftOut(parts.groups, own);
        for (std::uint32_t local = 0; local < body.locals.size(); ++local)
            if (body.locals[local].type->isAggregate() && !parts.aliases.contains(local) &&
                !own.contains(local))
                locals[local] = {
                    Home::Scratch,
                    reserve(types::sizeOf(body.locals[local].type) * product(loopsOf(local))), 0};
    }

    void findOwn(const std::vector<Group>& groups, std::set<std::uint32_t>& own) {
        for (const Group& group : groups) {
            if (!group.nests.empty()) placeOwn(group, own);
            findOwn(group.inside, own);
        }
    }

    /// Arrays that only loops use which nobody does.
    void findLeftOut(const std::vector<Group>& groups, std::set<std::uint32_t>& leftOut) {
        for (const Group& group : groups) {
            findLeftOut(group.inside, leftOut);
            if (group.kind != GroupKind::Attend) continue;
            forEach(body, group.instrs[0]->blocks[0], [&](const Instr& instr) {
                if (instr.op == Op::Declare) leftOut.insert(instr.var.index);
            });
        }
    }

    void placeOwn(const Group& group, std::set<std::uint32_t>& own) {
        for (std::uint32_t local : group.nests[0].own) {
            own.insert(local);
            const std::int64_t bytes = types::sizeOf(body.locals[local].type);
            if (bytes > kMostInThread || !group.team.empty())
                locals[local] = {Home::Own, reserve(bytes * group.trips()), 0};
        }
    }

    /// The loops of which each iteration has its own copy.
    std::vector<Induction> loopsOf(std::uint32_t local) const {
        auto found = parts.copied.find(local);
        return found == parts.copied.end() ? std::vector<Induction>{} : found->second;
    }

    // ---- actions

    Actions actionsOf(const std::vector<Group>& groups) {
        Actions actions;
        for (const Group& group : groups) add(group, actions);
        return actions;
    }

    void add(const Group& group, Actions& actions) {
        switch (group.kind) {
            case GroupKind::Serial:
            case GroupKind::Nest: return addKernel(group, actions);
            case GroupKind::Contract: return addContraction(group, actions);
            case GroupKind::Attend: return addAttention(group, actions);
            case GroupKind::Copy: return addCopy(group, actions);
            case GroupKind::Zero: return addZero(group, actions);
            case GroupKind::Repeat: return addRepeat(group, actions);
        }
    }

    void addRepeat(const Group& group, Actions& actions) {
        Actions inside = actionsOf(group.inside);
        if (!group.isApart) {
            actions.push_back({Repeat{group.repeat.trips, std::move(inside)}});
            return;
        }
        for (Action& action : inside) actions.push_back(std::move(action));
    }

    void addZero(const Group& group, Actions& actions) {
        const Instr& instr = *group.instrs[0];
        const Type* type = instr.op == Op::Zero ? instr.type : body.locals[instr.var.index].type;
        const Array array = instr.op == Op::Zero ? arrayAt(instr.operands[0]) : arrayOf(instr.var);
        actions.push_back(
            {Zero{array, types::sizeOf(type) * group.copies(), types::alignOf(type)}});
    }

    /// Loops apart are further loops of the result.
    void addContraction(const Group& group, Actions& actions) {
        const Instr& instr = *group.instrs[0];
        for (const Induction& loop : group.apart) affine.enter(loop);
        Contract made;
        made.how = ir::contractionOf(instr);
        auto element = [&](std::size_t k) { return body.regs[instr.operands[k]].type->element; };
        made.element = element(0);
        made.factor = element(1);
        std::vector<ir::ContractionLoop> loops;
        for (const Induction& loop : group.apart) {
            ir::ContractionLoop step;
            step.trips = static_cast<std::int32_t>(loop.trips);
            std::int32_t* steps[] = {&step.out, &step.a, &step.b, &step.added[0], &step.added[1]};
            for (std::size_t k = 0; k < instr.operands.size(); ++k)
                *steps[k] = static_cast<std::int32_t>(stepOf(instr.operands[k], loop) /
                                                      types::sizeOf(element(k)));
            loops.push_back(step);
        }
        made.how.loops.insert(made.how.loops.begin(), loops.begin(), loops.end());
        made.out = arrayAt(instr.operands[0]);
        made.a = arrayAt(instr.operands[1]);
        made.b = arrayAt(instr.operands[2]);
        for (std::size_t k = 3; k < instr.operands.size(); ++k)
            made.added.push_back(arrayAt(instr.operands[k]));
        for (const Induction& loop : group.apart) affine.leave(loop.counter);
        actions.push_back({std::move(made)});
    }

    /// Loops apart are further loops around.
    void addAttention(const Group& group, Actions& actions) {
        const Instr& instr = *group.instrs[0];
        for (const Induction& loop : group.apart) affine.enter(loop);
        Attend made;
        made.how = *ir::attentionOf(instr);
        std::vector<ir::AttentionLoop> loops;
        for (const Induction& loop : group.apart) {
            ir::AttentionLoop step;
            step.trips = static_cast<std::int32_t>(loop.trips);
            std::int32_t* steps[] = {&step.out, &step.query, &step.key, &step.value, &step.mask};
            for (std::size_t k = 1; k < instr.operands.size(); ++k)
                *steps[k - 1] = static_cast<std::int32_t>(stepOf(instr.operands[k], loop) /
                                                          static_cast<std::int64_t>(sizeof(float)));
            loops.push_back(step);
        }
        made.how.outer.insert(made.how.outer.begin(), loops.begin(), loops.end());
        for (std::size_t k = 1; k < instr.operands.size(); ++k)
            made.arrays.push_back(arrayAt(instr.operands[k]));
        for (const Induction& loop : group.apart) affine.leave(loop.counter);
        actions.push_back({std::move(made)});
    }

    /// Bytes from an iteration of the loop apart to the next one: of the place, and from copy to copy of the array.
    std::int64_t stepOf(ir::Reg ref, const Induction& loop) const {
        const auto address = affine.address(ref);
        auto trips = address->offset.trips.find(loop.counter);
        std::int64_t step = trips == address->offset.trips.end() ? 0 : trips->second;
        if (address->base.space != Space::Local) return step;
        std::int64_t copy = types::sizeOf(body.locals[address->base.index].type);
        const std::vector<Induction> loops = loopsOf(address->base.index);
        for (std::size_t k = loops.size(); k-- > 0; copy *= loops[k].trips)
            if (loops[k].counter == loop.counter) step += copy;
        return step;
    }

    void addCopy(const Group& group, Actions& actions) {
        const Instr& instr = *group.instrs[0];
        Copy copy;
        copy.bytes = types::sizeOf(instr.type) * group.copies();
        copy.align = types::alignOf(instr.type);
        const Array own = arrayAt(instr.operands[0]);
        switch (instr.op) {
            case Op::PopInto:
            case Op::PeekInto:
                copy.to = own;
                copy.from = {Home::Input, parts.items.at(&instr), 0};
                break;
            case Op::PushFrom:
                copy.to = {Home::Output, parts.items.at(&instr), 0};
                copy.from = own;
                break;
            default: copy.to = own; copy.from = arrayAt(instr.operands[1]);
        }
        if (copy.to != copy.from) actions.push_back({copy});
    }

    void addKernel(const Group& group, Actions& actions) {
        const bool isEmpty = group.kind == GroupKind::Serial &&
                             std::none_of(group.instrs.begin(), group.instrs.end(),
                                          [&](const Instr* i) { return matters(*i); });
        if (isEmpty) return;
        const KernelParts about{kernel,
                                body,
                                affine,
                                group,
                                [this](ir::VarRef var) { return arrayOf(var); },
                                slotOf,
                                parts.groupOf,
                                parts.copied};
        Kernel written = writeKernel(about, types);
        const std::string stream = kernel.code.name.empty() ? "filter" : kernel.code.name;
        written.name = stream + "." + std::to_string(made.kernels.size());
        written.stride = stridesOf(group, written);
        made.kernels.push_back(std::move(written));
        actions.push_back({Launch{static_cast<std::uint32_t>(made.kernels.size() - 1)}});
    }

    /// Kernel::stride of iterations that one thread each does.
    std::vector<std::int64_t> stridesOf(const Group& group, const Kernel& written) const {
        std::vector<std::int64_t> strides(written.arrays.size(), 0);
        if (group.kind != GroupKind::Nest || !group.apart.empty() || !group.team.empty())
            return strides;
        for (const auto& [name, accesses] : group.nests[0].touched.accesses) {
            const ir::VarRef var{static_cast<Space>(name.first), name.second};
            if (var.space == Space::Constant || var.space == Space::Global) continue;
            const bool isOwn = std::find(group.nests[0].own.begin(), group.nests[0].own.end(),
                                         name.second) != group.nests[0].own.end();
            if (var.space == Space::Local && isOwn) continue;
            const Array array = arrayOf(var);
            const auto ref = std::find(written.arrays.begin(), written.arrays.end(), array);
            if (ref == written.arrays.end() || group.nests[0].touched.unknown.contains(name))
                continue;
            strides[static_cast<std::size_t>(ref - written.arrays.begin())] =
                strideOf(group.nests[0], accesses);
        }
        return strides;
    }

    static std::int64_t strideOf(const Nest& nest, const std::vector<ir::Access>& accesses) {
        const std::int64_t stride = accesses.empty() ? 0 : accesses[0].size;
        for (const ir::Access& access : accesses) {
            const ir::AffineForm& at = access.address.offset;
            if (access.size != stride || !access.around.empty() || at.constant != 0 ||
                !at.fixed.empty() || at.trips.size() != nest.loops.size())
                return 0;
            std::int64_t step = stride;
            for (std::size_t k = nest.loops.size(); k-- > 0; step *= nest.loops[k].trips) {
                const auto found = at.trips.find(nest.loops[k].counter);
                if (found == at.trips.end() || found->second != step) return 0;
            }
        }
        return stride;
    }

    /// False: the instruction only reads, and no other launch needs its result.
    bool matters(const Instr& instr) const {
        if (instr.op == Op::Store || instr.op == Op::Declare) {
            if (instr.var.space != Space::Local) return true;
            return slotOf.contains({true, instr.var.index}) || isLoaded(instr.var.index);
        }
        const ir::Effects effects = ir::info(instr.op).effects;
        const bool onlyReads =
            effects == ir::Effects::Pure || (effects == ir::Effects::Read && instr.op != Op::Elem);
        return !onlyReads || slotOf.contains({false, instr.result});
    }

    bool isLoaded(std::uint32_t local) const {
        bool found = false;
        forEach(body, body.entry, [&](const Instr& instr) {
            found = found || (instr.op == Op::Load && instr.var == ir::VarRef{Space::Local, local});
        });
        return found;
    }

    Array arrayOf(ir::VarRef var) const {
        switch (var.space) {
            case Space::Field: return {Home::Field, var.index, 0};
            case Space::Stored: return {Home::Stored, var.index, 0};
            case Space::Local: break;
            default: STRC_UNREACHABLE("a constant is no array of a device");
        }
        if (auto alias = parts.aliases.find(var.index); alias != parts.aliases.end())
            return alias->second;
        auto found = locals.find(var.index);
        STRC_ASSERT(found != locals.end(), "a local without memory");
        return found->second;
    }

    Array arrayAt(ir::Reg ref) const {
        const auto address = affine.address(ref);
        STRC_ASSERT(address && address->offset.fixed.empty(), "a place that changes");
        Array array = arrayOf(address->base);
        array.offset = address->offset.constant;
        return array;
    }

    bool writesFields() const {
        bool found = false;
        forEach(body, body.entry, [&](const Instr& instr) {
            const bool isWrite = instr.op == Op::StoreAt || instr.op == Op::Copy ||
                                 instr.op == Op::Zero || instr.op == Op::Contract ||
                                 instr.op == Op::PopInto || instr.op == Op::PeekInto;
            if (instr.op == Op::Store && instr.var.space == Space::Field) found = true;
            if (!isWrite) return;
            const Instr* at = &affine.definition(instr.operands[0]);
            while (at->op == Op::Elem || at->op == Op::Member)
                at = &affine.definition(at->operands[0]);
            if (at->op != Op::Addr || at->var.space == Space::Field) found = true;
        });
        return found;
    }

    base::Passes& passes;
    const elab::Kernel& kernel;
    const ir::Body& body;
    Affine affine;
    types::TypeTable& types;
    std::vector<base::Pass> applied;
    Cut parts;
    std::map<std::uint32_t, std::set<std::uint32_t>> usersOf;  ///< of scalar locals: groups
    Slots slotOf;
    std::map<std::uint32_t, Array> locals;
    std::int64_t end = 0;
    Firing made;
};

/// Are all refs of parts that get launches of their own to variables?
std::string whyNotRefs(const ir::Body& body, const Affine& affine) {
    std::string why;
    forEach(body, body.entry, [&](const Instr& instr) {
        if (instr.result == ir::kNone || !body.regs[instr.result].ref) return;
        const Instr* at = &instr;
        while (at->op == Op::Elem || at->op == Op::Member) at = &affine.definition(at->operands[0]);
        if (at->op != Op::Addr && at->op != Op::Const) why = "it passes arrays by reference";
        if (at->op == Op::Addr && !types::isConcrete(body.regs[at->result].type))
            why = "it has arrays whose length only the run knows";
    });
    return why;
}

}  // namespace

base::Result<Firing> split(base::Passes& passes, const ir::Module& program,
                           const elab::Kernel& kernel, types::TypeTable& types) {
    if (std::string why = whyNot(program, kernel); !why.empty()) return base::Failure{why};
    if (std::string why = whyNotRefs(*kernel.code.work, Affine(*kernel.code.work)); !why.empty())
        return base::Failure{why};
    return Splitter(passes, kernel, types).run();
}

base::Result<Firing> splitNumbers(base::Passes& passes, const ir::Module& program,
                                  const elab::Kernel& kernel, types::TypeTable& types) {
    base::Result<ir::Body> body = withWindows(program, kernel, types);
    if (!body) return base::Failure{body.error()};
    elab::Kernel ofArrays = kernel;
    ofArrays.code.work = std::move(*body);
    base::Result<Firing> made = split(passes, program, ofArrays, types);
    if (!made) return made;
    if (made->isStateful)
        return base::Failure{"each of its firings needs what the last one has left"};
    for (Kernel& each : made->kernels) each.isThreadEach = each.threads == 1;
    return made;
}

}  // namespace strc::device
