#include "device/detail/kernel_writer.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "ir/writer.h"

namespace strc::device {

using ir::BlockId;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::Type;

namespace {

constexpr std::uint32_t kThread = 0, kThreads = 1, kFirstIteration = 2;  ///< parameters

/// What the counter is in that iteration.
Reg counterOf(ir::Writer& w, const Induction& loop, Reg iteration) {
    const Type* type = w.types.intType();
    Reg value = iteration;
    if (loop.step != 1) value = w.operation(Op::Mul, type, {value, w.integer(loop.step)});
    if (loop.start != 0) value = w.operation(Op::Add, type, {value, w.integer(loop.start)});
    return value;
}

/// A quotient or rest of ints that cannot fail.
Reg unchecked(ir::Writer& w, Op op, Reg a, Reg b) {
    const Reg made = w.operation(op, w.types.intType(), {a, b});
    w.body.blocks[w.block].instrs.back().checked = false;
    return made;
}

/// The operation of a reduction, on two numbers of the variable's type.
Reg combine(ir::Writer& w, const Reduction& how, const Type* type, Reg a, Reg b) {
    const Type* wide = how.combined->type;
    auto converted = [&](Reg reg, const Type* to, const Type* from) {
        return to == from ? reg : w.operation(Op::Convert, to, {reg});
    };
    Instr made = *how.combined;
    made.operands = {converted(a, wide, type), converted(b, wide, type)};
    w.body.blocks[w.block].instrs.push_back(std::move(made));
    return converted(w.result(wide, false), type, wide);
}

class KernelWriter {
public:
    KernelWriter(const KernelParts& parts, types::TypeTable& table,
                 const std::vector<std::pair<Array, const Type*>>& known)
        : arrays(known),
          team(teamSize(parts.group.team, parts.group.trips())),
          p(parts),
          types(table),
          w(table) {
        parameter("thread", types.intType());
        parameter("threads", types.intType());
        for (std::size_t k = 0; k < p.group.around.size(); ++k)
            parameter("round" + std::to_string(k), types.intType());
        firstArray = static_cast<std::uint32_t>(w.body.locals.size());
        for (const auto& [array, type] : arrays)
            parameter("array" + std::to_string(w.body.locals.size() - firstArray), type);
        w.body.params = static_cast<std::uint32_t>(w.body.locals.size());
        w.body.kind = ir::BodyKind::Function;
        w.body.range = p.body.range;
        w.body.header = p.body.header;
        written.resize(arrays.size());
    }

    void write() {
        if (isShared())
            spread();
        else
            for (const Instr* instr : p.group.instrs) top(*instr);
    }

    bool isTeamEach() const { return !p.group.team.empty(); }

    /// False: one thread does it once.
    bool isShared() const {
        return p.group.kind == GroupKind::Nest || !p.group.apart.empty() || isTeamEach();
    }

    ir::Writer& writer() { return w; }
    std::vector<std::pair<Array, const Type*>> arrays;  ///< those that were needed
    std::vector<bool> written;
    const std::int64_t team;  ///< threads of each iteration

private:
    void parameter(const std::string& name, const Type* type) {
        w.body.locals.push_back({name, type, p.body.range});
    }

    // ---- arrays

    /// The parameter that is that array; a new one is known in the next attempt.
    std::uint32_t parameterOf(const Array& array, const Type* type) {
        for (std::size_t k = 0; k < arrays.size(); ++k)
            if (arrays[k].first == array) return firstArray + static_cast<std::uint32_t>(k);
        arrays.emplace_back(array, type);
        written.push_back(false);
        return UINT32_MAX;
    }

    Reg refTo(const Array& array, const Type* type) {
        const std::uint32_t local = parameterOf(array, type);
        // The first attempt only finds out which arrays are needed; it works on this one and is thrown away.
        if (local == UINT32_MAX) return w.address(w.local("unknown", type));
        return w.address(local);
    }

    /// Which copy the iteration at hand has, of what each iteration of these loops has for itself.
    Reg copyOf(const std::vector<Induction>& loops) {
        Reg number = w.integer(0);
        for (const Induction& loop : loops) {
            if (&loop != &loops[0])
                number = w.operation(Op::Mul, types.intType(), {number, w.integer(loop.trips)});
            number = w.operation(Op::Add, types.intType(),
                                 {number, w.load(iterations.at(loop.counter))});
        }
        return number;
    }

    Reg slot(const Slot& slot, const Type* scalar) {
        const Reg all =
            refTo({Home::Scratch, slot.scratch, 0}, types.array(scalar, product(slot.apart)));
        return w.reference(all, copyOf(slot.apart));
    }

    void markWritten(const Array& array) {
        for (std::size_t k = 0; k < arrays.size(); ++k)
            if (arrays[k].first == array) written[k] = true;
    }

    Reg loadSlot(const Slot& from, const Type* scalar) {
        const Reg ref = slot(from, scalar);
        return w.operation(Op::LoadAt, scalar, {ref});
    }

    void setSlot(const Slot& to, const Type* scalar, Reg value) {
        const Reg ref = slot(to, scalar);
        w.emit(Op::StoreAt, scalar, {ref, value});
        markWritten({Home::Scratch, to.scratch, 0});
    }

    Reg address(ir::VarRef var, const Type* type) {
        if (var.space == Space::Constant || var.space == Space::Global) return w.address(var, type);
        if (var.space == Space::Local && isOwn(var.index)) return own(var.index, type);
        auto loops = p.copied.find(var.index);
        if (var.space != Space::Local || loops == p.copied.end())
            return refTo(p.arrayOf(var), type);
        const Reg all = refTo(p.arrayOf(var), types.array(type, product(loops->second)));
        return w.reference(all, copyOf(loops->second));
    }

    bool isOwn(std::uint32_t local) const {
        if (p.group.nests.empty()) return false;
        const auto& own = p.group.nests[0].own;
        return std::find(own.begin(), own.end(), local) != own.end();
    }

    /// A ref to the copy of an array that this iteration has for itself.
    Reg own(std::uint32_t local, const Type* type) {
        if (types::sizeOf(type) <= kMostInThread && !isTeamEach()) {
            auto [known, isNew] = locals.try_emplace(local, 0);
            if (isNew) known->second = w.local(p.body.locals[local].name, type);
            return w.address(known->second);
        }
        const Array array = p.arrayOf({Space::Local, local});
        const Reg all = refTo(array, types.array(type, p.group.trips()));
        markWritten(array);
        return w.reference(all, w.load(flat));
    }

    /// Notes which memory a store of the body goes to.
    void noteWrite(Reg ref) {
        const Instr* at = &p.affine.definition(ref);
        while (at->op == Op::Elem || at->op == Op::Member)
            at = &p.affine.definition(at->operands[0]);
        const bool isElsewhere = at->op != Op::Addr || at->var.space == Space::Constant ||
                                 at->var.space == Space::Global;
        if (isElsewhere || (at->var.space == Space::Local && isOwn(at->var.index))) return;
        markWritten(p.arrayOf(at->var));
    }

    // ---- values

    const Induction* around(std::uint32_t local, std::size_t& depth) const {
        for (depth = 0; depth < p.group.around.size(); ++depth)
            if (p.group.around[depth].counter == local) return &p.group.around[depth];
        return nullptr;
    }

    /// The register of the kernel with the same value; values from outside of the group are computed again or loaded.
    Reg need(Reg reg) {
        if (auto found = regs.find(reg); found != regs.end()) return found->second;
        const Instr& instr = p.affine.definition(reg);
        const bool isLoad = instr.op == Op::Load && instr.var.space == Space::Local;
        std::size_t depth = 0;
        if (isLoad)
            if (const Induction* loop = around(instr.var.index, depth))
                return regs[reg] = counterOf(
                           w, *loop, w.load(kFirstIteration + static_cast<std::uint32_t>(depth)));
        if (isLoad && counters.contains(instr.var.index))
            return regs[reg] = w.load(counters.at(instr.var.index));
        if (auto slotted = p.slots.find({false, reg}); slotted != p.slots.end())
            return regs[reg] = loadSlot(slotted->second, instr.type);
        if (isLoad) return regs[reg] = loaded(instr.var.index, instr.type);
        STRC_ASSERT(isRemade(instr) || instr.op == Op::Elem, "a value that is not there");
        for (Reg operand : instr.operands) need(operand);
        copy(instr);
        return regs.at(reg);
    }

    // ---- code

    /// An instruction of the outermost level: what it needs is made in front of it.
    void top(const Instr& instr) {
        needAll(instr);
        inTeam(instr);
        auto slotted = p.slots.find({false, instr.result});
        if (instr.result == ir::kNone || slotted == p.slots.end()) return;
        auto leave = [&] {
            setSlot(slotted->second, p.body.regs[instr.result].type, regs.at(instr.result));
        };
        if (isTeamEach())
            apart([&] { first(leave); });
        else
            leave();
    }

    void needAll(const Instr& instr) {
        std::set<Reg> madeInside;
        for (BlockId block : instr.blocks)
            forEach(p.body, block, [&](const Instr& inner) { madeInside.insert(inner.result); });
        auto needOperands = [&](const Instr& user) {
            for (Reg reg : user.operands)
                if (!madeInside.contains(reg)) need(reg);
        };
        needOperands(instr);
        for (BlockId block : instr.blocks) forEach(p.body, block, needOperands);
    }

    /// Variables are copied as what they have become; everything else as it is.
    void copy(const Instr& instr) {
        w.range = instr.range;
        const bool isLocal = instr.var.space == Space::Local;
        switch (instr.op) {
            case Op::Addr: regs[instr.result] = address(instr.var, instr.type); return;
            case Op::Declare: return declare(instr);
            case Op::Load:
                if (isLocal || instr.var.space == Space::Field) return load(instr);
                break;
            case Op::Store: return store(instr);
            case Op::StoreAt:
            case Op::Copy:
            case Op::Zero:
            case Op::Contract: noteWrite(instr.operands[0]); break;
            default: break;
        }
        Instr made = instr;
        for (Reg& operand : made.operands) operand = regs.at(operand);
        for (BlockId& block : made.blocks)
            if (block != ir::kNone) block = copyBlock(block);
        w.body.blocks[w.block].instrs.push_back(std::move(made));
        if (instr.result == ir::kNone) return;
        const ir::RegInfo& info = p.body.regs[instr.result];
        regs[instr.result] = w.result(info.type, info.ref);
    }

    BlockId copyBlock(BlockId id) {
        return w.inBlock([&] {
            for (const Instr& instr : p.body.blocks[id].instrs) copy(instr);
        });
    }

    std::uint32_t localFor(std::uint32_t local) {
        auto [known, isNew] = locals.try_emplace(local, 0);
        if (isNew) known->second = w.local(p.body.locals[local].name, p.body.locals[local].type);
        return known->second;
    }

    void declare(const Instr& instr) {
        const Type* type = p.body.locals[instr.var.index].type;
        if (type->isAggregate()) {
            STRC_ASSERT(instr.flag, "zeroes that nobody writes");
            return;
        }
        if (!instr.flag) set(instr.var, type, w.constant(types::Value::zero(type)));
    }

    void load(const Instr& instr) {
        const std::uint32_t local = instr.var.index;
        if (instr.var.space == Space::Field) {
            const Reg ref = refTo(p.arrayOf(instr.var), types.array(instr.type, 1));
            regs[instr.result] = w.element(ref, w.integer(0));
            return;
        }
        std::size_t depth = 0;
        if (const Induction* loop = around(local, depth))
            regs[instr.result] =
                counterOf(w, *loop, w.load(kFirstIteration + static_cast<std::uint32_t>(depth)));
        else if (counters.contains(local))
            regs[instr.result] = w.load(counters.at(local));
        else if (parts.contains(local))
            regs[instr.result] = w.load(parts.at(local));
        else
            regs[instr.result] = loaded(local, instr.type);
    }

    Reg loaded(std::uint32_t local, const Type* type) {
        auto slotted = p.slots.find({true, local});
        return slotted != p.slots.end() ? loadSlot(slotted->second, type) : w.load(localFor(local));
    }

    void store(const Instr& instr) { set(instr.var, instr.type, regs.at(instr.operands[0])); }

    void set(ir::VarRef var, const Type* type, Reg value) {
        if (var.space == Space::Field) {
            const Array field = p.arrayOf(var);
            w.setElement(refTo(field, types.array(type, 1)), w.integer(0), value);
            return markWritten(field);
        }
        if (auto part = parts.find(var.index); part != parts.end())
            return w.store(part->second, value);
        if (auto slotted = p.slots.find({true, var.index}); slotted != p.slots.end())
            return setSlot(slotted->second, type, value);
        w.store(localFor(var.index), value);
    }

    // ---- iterations

    /// for (i = thread; i < iterations; i += threads) with the counters that make i.
    void spread() {
        const Type* type = types.intType();
        flat = w.local("i", type);
        auto addCounter = [&](const Induction& loop) {
            counters[loop.counter] = w.local(p.body.locals[loop.counter].name, type);
        };
        for (const Induction& loop : p.group.apart) {
            addCounter(loop);
            iterations[loop.counter] = w.local("copy", type);
        }
        for (const Nest& nest : p.group.nests)
            for (const Induction& loop : nest.loops) addCounter(loop);
        Reg first = w.load(kThread), by = w.load(kThreads);
        if (isTeamEach()) {
            member = w.local("member", type);
            const auto bits = std::countr_zero(static_cast<std::uint64_t>(team));
            w.store(member, w.operation(Op::And, type, {first, w.integer(team - 1)}));
            first = w.operation(Op::Shr, type, {first, w.integer(bits)});
            by = w.operation(Op::Shr, type, {by, w.integer(bits)});
        }
        w.store(flat, first);
        const BlockId condition = w.inBlock([&] {
            const Reg more = w.operation(Op::Lt, type, {w.load(flat), w.integer(p.group.trips())});
            w.emit(Op::Yield, nullptr, {more});
        });
        const BlockId iteration = w.inBlock([&] {
            for (const Nest& each : p.group.nests) iterationOf(each);
            if (!p.group.nests.empty()) return;
            findIteration({});
            for (const Instr* instr : p.group.instrs) top(*instr);
        });
        const BlockId step =
            w.inBlock([&] { w.store(flat, w.operation(Op::Add, type, {w.load(flat), by})); });
        w.emit(Op::Loop, nullptr, {}).blocks = {condition, iteration, step};
    }

    void iterationOf(const Nest& each) {
        findIteration(each.loops);
        regs.clear();
        const BlockId block = each.innermost->blocks[1];
        needOutside(block);
        for (const Instr& instr : p.body.blocks[block].instrs) inTeam(instr);
    }

    void needOutside(BlockId block) {
        std::set<Reg> inside;
        forEach(p.body, block, [&](const Instr& instr) { inside.insert(instr.result); });
        forEach(p.body, block, [&](const Instr& instr) {
            for (Reg reg : instr.operands)
                if (!inside.contains(reg)) need(reg);
        });
    }

    // ---- what a team does together (device/detail/teams.h)

    /// An instruction of the outermost level of an iteration.
    void inTeam(const Instr& instr) {
        if (!isTeamEach()) return copy(instr);
        auto isSlot = [&](std::uint32_t local) { return p.slots.contains({true, local}); };
        auto loop = p.group.team.find(&instr);
        if (loop != p.group.team.end())
            share(loop->second);
        else if (writesMemory(p.body, instr, isSlot))
            apart([&] { first([&] { copy(instr); }); });
        else
            copy(instr);
    }

    /// Others have read what is to be overwritten, and see what has been written.
    void apart(const std::function<void()>& inside) {
        const auto size = static_cast<std::uint32_t>(team);
        w.emit(Op::TeamWait, nullptr, {}).index = size;
        inside();
        w.emit(Op::TeamWait, nullptr, {}).index = size;
    }

    void first(const std::function<void()>& inside) {
        const Reg is = w.operation(Op::Eq, types.intType(), {w.load(member), w.integer(0)});
        const BlockId then = w.inBlock(inside);
        w.emit(Op::If, nullptr, {is}).blocks = {then, ir::kNone, ir::kNone};
    }

    /// Each thread has parts of the reductions while it does its iterations.
    void share(const TeamLoop& how) {
        std::vector<Reg> before;
        for (const Reduction& each : how.reductions) {
            const Type* type = p.body.locals[each.local].type;
            before.push_back(loaded(each.local, type));
            const std::uint32_t part = w.local("part", type);
            w.store(part, each.isSum ? w.constant(types::Value::zero(type)) : before.back());
            parts[each.local] = part;
        }
        apart([&] { iterate(how.nest); });
        for (std::size_t k = 0; k < how.reductions.size(); ++k)
            reduce(how.reductions[k], before[k]);
    }

    /// for (i = member; i < trips; i += team) an iteration of the nest.
    void iterate(const Nest& nest) {
        const Type* type = types.intType();
        const std::uint32_t i = w.local("own", type);
        for (const Induction& loop : nest.loops)
            counters[loop.counter] = w.local(p.body.locals[loop.counter].name, type);
        w.store(i, w.load(member));
        const BlockId condition = w.inBlock([&] {
            const Reg more = w.operation(Op::Lt, type, {w.load(i), w.integer(nest.trips())});
            w.emit(Op::Yield, nullptr, {more});
        });
        const std::map<Reg, Reg> known = regs;
        const BlockId iteration = w.inBlock([&] {
            findCounters(nest.loops, w.load(i));
            needOutside(nest.innermost->blocks[1]);
            for (const Instr& instr : p.body.blocks[nest.innermost->blocks[1]].instrs) copy(instr);
        });
        regs = known;
        for (const Induction& loop : nest.loops) counters.erase(loop.counter);
        const BlockId step = w.inBlock(
            [&] { w.store(i, w.operation(Op::Add, type, {w.load(i), w.integer(team)})); });
        w.emit(Op::Loop, nullptr, {}).blocks = {condition, iteration, step};
    }

    /// Pairs of threads add up their parts until all have the whole: halves, quarters, ….
    void reduce(const Reduction& how, Reg before) {
        const Type* type = p.body.locals[how.local].type;
        Reg value = w.load(parts.at(how.local));
        parts.erase(how.local);
        for (auto bit = static_cast<std::uint32_t>(team / 2); bit > 0; bit /= 2) {
            w.emit(Op::TeamExchange, type, {value}).index = bit;
            value = combine(w, how, type, value, w.result(type, false));
        }
        if (how.isSum) value = combine(w, how, type, before, value);
        auto leave = [&] { set({Space::Local, how.local}, type, value); };
        if (p.slots.contains({true, how.local}))
            apart([&] { first(leave); });
        else
            leave();
    }

    /// The counters of the loops apart, and of these.
    void findIteration(const std::vector<Induction>& inner) {
        std::vector<Induction> loops = p.group.apart;
        loops.insert(loops.end(), inner.begin(), inner.end());
        const std::vector<Reg> found = findCounters(loops, w.load(flat));
        for (std::size_t k = 0; k < p.group.apart.size(); ++k)
            w.store(iterations.at(loops[k].counter), found[k]);
    }

    /// Of the iteration of a nest with that number; the innermost loop's iterations are neighbours. Returns the iterations.
    std::vector<Reg> findCounters(const std::vector<Induction>& loops, Reg number) {
        std::vector<Reg> found(loops.size());
        for (std::size_t k = loops.size(); k-- > 0;) {
            found[k] = number;
            if (k > 0) {
                const Reg trips = w.integer(loops[k].trips);
                found[k] = unchecked(w, Op::Rem, number, trips);
                number = unchecked(w, Op::Div, number, trips);
            }
            w.store(counters.at(loops[k].counter), counterOf(w, loops[k], found[k]));
        }
        return found;
    }

    const KernelParts& p;
    types::TypeTable& types;
    ir::Writer w;
    std::uint32_t firstArray = 0;
    std::map<Reg, Reg> regs;
    std::map<std::uint32_t, std::uint32_t> locals;  ///< that only this launch uses
    std::map<std::uint32_t, std::uint32_t> parts;  ///< of variables to which a team adds
    std::map<std::uint32_t, std::uint32_t> counters;  ///< of the loops apart and of the nest
    std::map<std::uint32_t, std::uint32_t> iterations;  ///< of the loops apart, by counter
    std::uint32_t flat = 0;  ///< which iteration of all of them
    std::uint32_t member = 0;  ///< which thread of its team it is
};

}  // namespace

Kernel writeKernel(const KernelParts& parts, types::TypeTable& types) {
    std::vector<std::pair<Array, const Type*>> known;
    for (;;) {
        KernelWriter attempt(parts, types, known);
        attempt.write();
        if (attempt.arrays.size() > known.size()) {
            known = attempt.arrays;
            continue;
        }
        Kernel made;
        made.body = std::move(attempt.writer().body);
        for (const auto& [array, type] : known) made.arrays.push_back(array);
        made.isWritten = attempt.written;
        made.iterationCount = static_cast<std::uint32_t>(parts.group.around.size());
        made.team = attempt.team;
        made.threads = parts.group.trips() * made.team;
        return made;
    }
}

}  // namespace strc::device
