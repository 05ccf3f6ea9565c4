#include "device/detail/kernel_writer.h"

#include <algorithm>

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

class KernelWriter {
public:
    KernelWriter(const KernelParts& parts, types::TypeTable& table,
                 const std::vector<std::pair<Array, const Type*>>& known)
        : arrays(known), p(parts), types(table), w(table) {
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
        if (p.group.kind == GroupKind::Nest)
            nest();
        else
            for (const Instr* instr : p.group.instrs) top(*instr);
    }

    ir::Writer& writer() { return w; }
    std::vector<std::pair<Array, const Type*>> arrays;  ///< those that were needed
    std::vector<bool> written;

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

    const Type* slotType(const Type* scalar) { return types.array(scalar, 1); }

    Reg slot(std::uint32_t index, const Type* scalar) {
        return refTo({Home::Scratch, index, 0}, slotType(scalar));
    }

    void markWritten(const Array& array) {
        for (std::size_t k = 0; k < arrays.size(); ++k)
            if (arrays[k].first == array) written[k] = true;
    }

    void setSlot(std::uint32_t index, const Type* scalar, Reg value) {
        const Reg ref = slot(index, scalar);
        w.setElement(ref, w.integer(0), value);
        markWritten({Home::Scratch, index, 0});
    }

    Reg address(ir::VarRef var, const Type* type) {
        if (var.space == Space::Constant || var.space == Space::Global) return w.address(var, type);
        if (var.space == Space::Local && isOwn(var.index)) return own(var.index, type);
        return refTo(p.arrayOf(var), type);
    }

    bool isOwn(std::uint32_t local) const {
        if (p.group.nests.empty()) return false;
        const auto& own = p.group.nests[0].own;
        return std::find(own.begin(), own.end(), local) != own.end();
    }

    /// A ref to the copy of an array that this iteration has for itself.
    Reg own(std::uint32_t local, const Type* type) {
        if (types::sizeOf(type) <= kMostInThread) {
            auto [known, isNew] = locals.try_emplace(local, 0);
            if (isNew) known->second = w.local(p.body.locals[local].name, type);
            return w.address(known->second);
        }
        const Array array = p.arrayOf({Space::Local, local});
        const Reg all = refTo(array, types.array(type, p.group.nests[0].trips()));
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
                           *loop, w.load(kFirstIteration + static_cast<std::uint32_t>(depth)));
        if (isLoad && counters.contains(instr.var.index))
            return regs[reg] = w.load(counters.at(instr.var.index));
        if (auto slotted = p.slots.find({false, reg}); slotted != p.slots.end())
            return regs[reg] = w.element(slot(slotted->second, instr.type), w.integer(0));
        STRC_ASSERT(isRemade(instr) || instr.op == Op::Elem, "a value that is not there");
        for (Reg operand : instr.operands) need(operand);
        copy(instr);
        return regs.at(reg);
    }

    Reg counterOf(const Induction& loop, Reg iteration) {
        const Type* type = types.intType();
        Reg value = iteration;
        if (loop.step != 1) value = w.operation(Op::Mul, type, {value, w.integer(loop.step)});
        if (loop.start != 0) value = w.operation(Op::Add, type, {value, w.integer(loop.start)});
        return value;
    }

    // ---- code

    /// An instruction of the outermost level: what it needs is made in front of it.
    void top(const Instr& instr) {
        needAll(instr);
        copy(instr);
        auto slotted = p.slots.find({false, instr.result});
        if (instr.result != ir::kNone && slotted != p.slots.end())
            setSlot(slotted->second, p.body.regs[instr.result].type, regs.at(instr.result));
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
            const Reg ref = refTo(p.arrayOf(instr.var), slotType(instr.type));
            regs[instr.result] = w.element(ref, w.integer(0));
            return;
        }
        std::size_t depth = 0;
        if (const Induction* loop = around(local, depth))
            regs[instr.result] =
                counterOf(*loop, w.load(kFirstIteration + static_cast<std::uint32_t>(depth)));
        else if (counters.contains(local))
            regs[instr.result] = w.load(counters.at(local));
        else if (auto slotted = p.slots.find({true, local}); slotted != p.slots.end())
            regs[instr.result] = w.element(slot(slotted->second, instr.type), w.integer(0));
        else
            regs[instr.result] = w.load(localFor(local));
    }

    void store(const Instr& instr) { set(instr.var, instr.type, regs.at(instr.operands[0])); }

    void set(ir::VarRef var, const Type* type, Reg value) {
        if (var.space == Space::Field) {
            const Array field = p.arrayOf(var);
            w.setElement(refTo(field, slotType(type)), w.integer(0), value);
            return markWritten(field);
        }
        if (auto slotted = p.slots.find({true, var.index}); slotted != p.slots.end())
            return setSlot(slotted->second, type, value);
        w.store(localFor(var.index), value);
    }

    // ---- nests

    /// for (i = thread; i < iterations; i += threads) with the counters that make i.
    void nest() {
        const Type* type = types.intType();
        flat = w.local("i", type);
        for (const Nest& nest : p.group.nests)
            for (const Induction& loop : nest.loops)
                counters[loop.counter] = w.local(p.body.locals[loop.counter].name, type);
        w.store(flat, w.load(kThread));
        const BlockId condition = w.inBlock([&] {
            const Reg more =
                w.operation(Op::Lt, type, {w.load(flat), w.integer(p.group.nests[0].trips())});
            w.emit(Op::Yield, nullptr, {more});
        });
        const BlockId iteration = w.inBlock([&] {
            for (const Nest& each : p.group.nests) iterationOf(each);
        });
        const BlockId step = w.inBlock(
            [&] { w.store(flat, w.operation(Op::Add, type, {w.load(flat), w.load(kThreads)})); });
        w.emit(Op::Loop, nullptr, {}).blocks = {condition, iteration, step};
    }

    void iterationOf(const Nest& each) {
        findCounters(each.loops);
        regs.clear();
        const BlockId block = each.innermost->blocks[1];
        std::set<Reg> inside;
        forEach(p.body, block, [&](const Instr& instr) { inside.insert(instr.result); });
        forEach(p.body, block, [&](const Instr& instr) {
            for (Reg reg : instr.operands)
                if (!inside.contains(reg)) need(reg);
        });
        for (const Instr& instr : p.body.blocks[block].instrs) copy(instr);
    }

    /// The innermost loop's iterations are neighbours.
    void findCounters(const std::vector<Induction>& loops) {
        Reg rest = w.load(flat);
        for (std::size_t k = loops.size(); k-- > 0;) {
            Reg iteration = rest;
            if (k > 0) {
                const Reg trips = w.integer(loops[k].trips);
                iteration = unchecked(Op::Rem, rest, trips);
                rest = unchecked(Op::Div, rest, trips);
            }
            w.store(counters.at(loops[k].counter), counterOf(loops[k], iteration));
        }
    }

    Reg unchecked(Op op, Reg a, Reg b) {
        const Reg made = w.operation(op, types.intType(), {a, b});
        w.body.blocks[w.block].instrs.back().checked = false;
        return made;
    }

    const KernelParts& p;
    types::TypeTable& types;
    ir::Writer w;
    std::uint32_t firstArray = 0;
    std::map<Reg, Reg> regs;
    std::map<std::uint32_t, std::uint32_t> locals;  ///< that only this launch uses
    std::map<std::uint32_t, std::uint32_t> counters;  ///< of the nest
    std::uint32_t flat = 0;  ///< which of its iterations
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
        made.threads = parts.group.kind == GroupKind::Nest ? parts.group.nests[0].trips() : 1;
        return made;
    }
}

}  // namespace strc::device
