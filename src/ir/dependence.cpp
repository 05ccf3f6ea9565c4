#include "ir/dependence.h"

#include <algorithm>
#include <bit>

#include "ir/calls.h"
#include "ir/fold_op.h"

namespace strc::ir {
namespace {

constexpr int kDeepestCall = 24;  ///< functions in functions
constexpr std::size_t kMostLooks = 4'000'000;  ///< instructions that are looked at

Origin joined(const Origin& a, const Origin& b) {
    return {a.marks | b.marks, a.value == b.value ? a.value : std::nullopt};
}

bool join(std::vector<Origin>& into, const std::vector<Origin>& from) {
    bool isNew = false;
    for (std::size_t k = 0; k < into.size(); ++k) {
        Origin both = joined(into[k], from[k]);
        isNew = isNew || both != into[k];
        into[k] = std::move(both);
    }
    return isNew;
}

class Walk {
public:
    Walk(const Module& module, const StreamCode& code, std::span<const Origin> constants)
        : module(module), code(code), constants(constants) {
        found.fields.resize(code.fields.size());
    }

    void run(const Body& body) {
        Frame frame(body, 0);
        runFrame(frame);
    }

    Dependence found;

private:
    struct Frame;
    /// A variable, where it lives.
    struct FrameVariable {
        Frame* frame = nullptr;
        VarRef var;
    };

    struct Frame {
        Frame(const Body& of, int depth)
            : body(of),
              depth(depth),
              regs(of.regs.size()),
              roots(of.regs.size()),
              locals(of.locals.size()),
              aliases(of.locals.size()) {}

        const Body& body;
        int depth;
        std::vector<Origin> regs;
        std::vector<std::optional<FrameVariable>> roots;  ///< by register: where a ref leads to
        std::vector<Origin> locals;
        std::vector<std::optional<FrameVariable>> aliases;  ///< by parameter that is a ref
        Marks control = 0;
        Origin yielded;
        std::optional<Origin> result;
        std::vector<Origin> leftLocals, leftFields;  ///< where a jump left from; empty: nowhere
    };

    /// Variables as they are at some point.
    struct State {
        std::vector<Origin> locals, fields;
        bool operator==(const State&) const = default;
    };

    State save(const Frame& f) const { return {f.locals, found.fields}; }
    void restore(Frame& f, const State& state) {
        f.locals = state.locals;
        found.fields = state.fields;
    }
    bool joinInto(Frame& f, const State& state) {
        const bool locals = join(f.locals, state.locals);
        return join(found.fields, state.fields) || locals;
    }

    void leave(Frame& f) {
        if (f.leftLocals.empty() && f.leftFields.empty()) {
            f.leftLocals = f.locals;
            f.leftFields = found.fields;
            return;
        }
        join(f.leftLocals, f.locals);
        join(f.leftFields, found.fields);
    }

    void arrive(Frame& f) {
        if (!f.leftLocals.empty()) join(f.locals, f.leftLocals);
        if (!f.leftFields.empty()) join(found.fields, f.leftFields);
    }

    void runFrame(Frame& f) {
        runBlock(f, f.body.entry);
        arrive(f);
    }

    // ---- variables

    Origin* variable(FrameVariable place) {
        if (place.var.space == Space::Field) return &found.fields[place.var.index];
        if (place.var.space != Space::Local) return nullptr;
        if (place.frame->aliases[place.var.index])
            return variable(*place.frame->aliases[place.var.index]);
        return &place.frame->locals[place.var.index];
    }

    Origin read(FrameVariable place) {
        if (place.var.space == Space::Constant) return constants[place.var.index];
        const Origin* at = variable(place);
        return at ? *at : Origin{};
    }

    /// A part of a variable changes: its value is no longer known.
    void mark(const std::optional<FrameVariable>& place, Marks marks) {
        Origin* at = place ? variable(*place) : nullptr;
        if (!at) return;
        at->marks |= marks;
        at->value.reset();
    }

    Marks of(const Frame& f, Reg reg) {
        return f.regs[reg].marks | (f.roots[reg] ? read(*f.roots[reg]).marks : 0);
    }

    // ---- instructions

    /// False: what follows in the block is not reached.
    bool runBlock(Frame& f, BlockId id) {
        if (id == kNone) return true;
        for (const Instr& i : f.body.blocks[id].instrs) {
            if (++steps > kMostLooks) found.gaveUp = true;
            if (found.gaveUp) return false;
            if (!runInstr(f, i)) return false;
        }
        return true;
    }

    bool runInstr(Frame& f, const Instr& i) {
        switch (i.op) {
            case Op::If: return runIf(f, i);
            case Op::Loop: runLoop(f, i); return true;
            case Op::Yield:
                f.yielded = f.regs[i.operands[0]];
                f.yielded.marks |= f.control;
                return true;
            case Op::Break:
            case Op::Continue: leave(f); return false;
            case Op::Return: runReturn(f, i); return false;
            case Op::Call: runCall(f, i); return true;
            default: runPlain(f, i); return true;
        }
    }

    void note(Frame& f, const Instr& i) {
        const auto [at, isNew] = found.visits.try_emplace(&i);
        Visit& visit = at->second;
        if (isNew) visit.order = found.visits.size();
        visit.operands.resize(i.operands.size());
        for (std::size_t k = 0; k < i.operands.size(); ++k)
            visit.operands[k] |= of(f, i.operands[k]);
        visit.control |= f.control;
    }

    Marks ofOperands(const Frame& f, const Instr& i) {
        Marks marks = 0;
        for (Reg operand : i.operands) marks |= of(f, operand);
        return marks;
    }

    void runPlain(Frame& f, const Instr& i) {
        const Effects effects = info(i.op).effects;
        if (effects == Effects::Ordered || effects == Effects::Build || i.result == kNone)
            note(f, i);
        switch (i.op) {
            case Op::Const:
                if (i.type->isScalar()) f.regs[i.result].value = i.value;
                return;
            case Op::Load: f.regs[i.result] = read({&f, i.var}); return;
            case Op::Store: return store(f, i);
            case Op::Addr: f.roots[i.result] = FrameVariable{&f, i.var}; return;
            case Op::Extent: return;
            case Op::Declare: return declare(f, i);
            case Op::Elem:
            case Op::Member:
                f.roots[i.result] = f.roots[i.operands[0]];
                for (Reg operand : i.operands) f.regs[i.result].marks |= f.regs[operand].marks;
                return;
            case Op::Random: f.regs[i.result] = {kDrawn, {}}; return;
            case Op::FileNumber: f.regs[i.result] = {kDrawn | ofOperands(f, i), {}}; return;
            case Op::ReadArray:
            case Op::ReadItems: return mark(f.roots[i.operands[0]], kDrawn | ofOperands(f, i));
            case Op::StoreAt:
            case Op::Copy:
            case Op::Zero:
            case Op::Contract:
            case Op::PopInto:
            case Op::PeekInto: return mark(f.roots[i.operands[0]], f.control | ofOperands(f, i));
            default: return compute(f, i);
        }
    }

    void store(Frame& f, const Instr& i) {
        Origin* at = variable({&f, i.var});
        if (!at) return;
        *at = f.regs[i.operands[0]];
        at->marks |= f.control;
    }

    void declare(Frame& f, const Instr& i) {
        const bool isParameter = i.var.space == Space::Local && f.aliases[i.var.index];
        if (Origin* at = variable({&f, i.var}); at && !isParameter) *at = {f.control, {}};
    }

    void compute(Frame& f, const Instr& i) {
        if (i.result == kNone) return;
        Origin origin{ofOperands(f, i), {}};
        std::vector<const Value*> values;
        for (Reg operand : i.operands)
            if (f.regs[operand].value) values.push_back(&*f.regs[operand].value);
        const bool isKnown = info(i.op).effects == Effects::Pure && !values.empty() &&
                             values.size() == i.operands.size();
        if (isKnown && i.op >= Op::Eq && i.op <= Op::Ge) {
            if (const auto holds = foldCompare(i, *values[0], *values[1]))
                origin.value =
                    Value::of(f.body.regs[i.result].type, static_cast<std::uint8_t>(*holds));
        } else if (isKnown) {
            origin.value = foldOp(i, values);
        }
        f.regs[i.result] = std::move(origin);
    }

    // ---- control

    /// The value of a condition, if it is the same each time.
    static std::optional<bool> decided(const Origin& condition) {
        if (!condition.value || condition.marks != 0) return std::nullopt;
        return condition.value->bytes[0] != 0;
    }

    bool runIf(Frame& f, const Instr& i) {
        const Origin condition = f.regs[i.operands[0]];
        if (const auto taken = decided(condition)) {
            const bool goesOn = runBlock(f, i.blocks[*taken ? 0 : 1]);
            if (i.result != kNone) f.regs[i.result] = f.yielded;
            return goesOn;
        }
        const Marks outside = f.control;
        f.control |= condition.marks;
        const State before = save(f);
        const bool first = runBlock(f, i.blocks[0]);
        const Origin one = f.yielded;
        const State after = save(f);
        restore(f, before);
        const bool second = runBlock(f, i.blocks[1]);
        if (i.result != kNone) {
            f.regs[i.result] = joined(one, f.yielded);
            f.regs[i.result].marks |= condition.marks;
        }
        if (first && second) f.control = outside;  // else what follows depends on it, too
        if (!first) return second;
        if (second)
            joinInto(f, after);
        else
            restore(f, after);
        return true;
    }

    void runLoop(Frame& f, const Instr& i) {
        const Marks outside = f.control;
        for (bool isFirst = true;; isFirst = false) {
            const State before = save(f);
            const bool isTested = !i.flag || !isFirst;
            if (isTested) {
                runBlock(f, i.blocks[0]);
                if (isFirst && decided(f.yielded) == false) break;
                f.control |= f.yielded.marks;
            }
            runBlock(f, i.blocks[1]);
            arrive(f);
            runBlock(f, i.blocks[2]);
            joinInto(f, before);
            if (found.gaveUp || (isTested && save(f) == before)) break;
        }
        arrive(f);
        if (!hasJumpOut(f, i)) f.control = outside;
    }

    /// A return under a condition leaves the loop and the function: whether what follows is done, or how often, may depend on it.
    bool hasJumpOut(const Frame& f, const Instr& i) const {
        for (BlockId id : i.blocks) {
            if (id == kNone) continue;
            for (const Instr& inner : f.body.blocks[id].instrs)
                if (inner.op == Op::Return || hasJumpOut(f, inner)) return true;
        }
        return false;
    }

    void runReturn(Frame& f, const Instr& i) {
        if (!i.operands.empty()) {
            Origin origin = f.regs[i.operands[0]];
            origin.marks |= f.control;
            f.result = f.result ? joined(*f.result, origin) : origin;
        }
        leave(f);
    }

    // ---- calls

    void runCall(Frame& f, const Instr& i) {
        note(f, i);
        if (!i.callee.hasBody()) {
            for (Reg operand : i.operands) mark(f.roots[operand], kDrawn | ofOperands(f, i));
            if (i.result != kNone) f.regs[i.result] = {kDrawn | ofOperands(f, i), {}};
            return;
        }
        if (f.depth >= kDeepestCall) {
            found.gaveUp = true;
            return;
        }
        Frame callee(calleeBody(module, code, i.callee), f.depth + 1);
        callee.control = f.control;
        for (std::size_t k = 0; k < i.operands.size() && k < callee.body.params; ++k) {
            callee.locals[k] = f.regs[i.operands[k]];
            callee.aliases[k] = f.roots[i.operands[k]];
        }
        runFrame(callee);
        if (i.result != kNone && callee.result) f.regs[i.result] = *callee.result;
    }

    const Module& module;
    const StreamCode& code;
    std::span<const Origin> constants;
    std::size_t steps = 0;
};

}  // namespace

std::uint32_t slotOf(Marks marks) { return static_cast<std::uint32_t>(std::countr_zero(marks)); }

Marks Visit::all() const {
    Marks marks = control;
    for (Marks operand : operands) marks |= operand;
    return marks;
}

Dependence dependenceOf(const Module& module, const StreamCode& code,
                        std::span<const Origin> constants, std::span<const Body* const> bodies) {
    Walk walk(module, code, constants);
    for (const Body* body : bodies) walk.run(*body);
    return std::move(walk.found);
}

std::vector<Origin> originsOf(const StreamCode& code, std::span<const Value> constants,
                              std::span<const Marks> marks) {
    std::vector<Origin> origins(constants.size());
    for (std::uint32_t k = 0; k < origins.size(); ++k) {
        if (k < marks.size()) origins[k].marks = marks[k];
        if (const std::uint32_t slot = code.openSlot(k); slot != kNone)
            origins[k].marks |= markOf(slot);
        if (origins[k].marks == 0 && constants[k].type && constants[k].type->isScalar())
            origins[k].value = constants[k];
    }
    return origins;
}

}  // namespace strc::ir
