#include "ir/affine_state.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ir/bounds.h"

namespace strc::ir {
namespace {

using types::TypeKind;

/// What a register holds: field * factor + summand, or a number (no field).
struct Affine {
    std::uint32_t field = kNone;
    std::uint32_t factor = 0, summand = 0;
    std::uint32_t mask = UINT32_MAX;

    bool isNumber() const { return field == kNone; }
};

bool isLowBits(std::uint32_t mask) { return (mask & (mask + 1)) == 0; }

/// Looks at the instructions of the entry block, one after the other. What branches and loops compute is unknown; what they store
/// is not affine.
class StateFinder {
public:
    explicit StateFinder(const Body& work) : body(work), regs(work.regs.size()) {}

    std::optional<std::vector<AffineField>> run() {
        const std::vector<Instr>& entry = body.blocks[body.entry].instrs;
        for (const Instr& i : entry) {
            instruction(i);
            for (BlockId inner : i.blocks) block(inner);
            if (i.op == Op::Return && &i != &entry.back()) isKnown = false;
        }
        if (!isKnown) return std::nullopt;
        std::vector<AffineField> all;
        for (const auto& [field, made] : stored)
            all.push_back({field, made.factor, made.summand, made.mask});
        return all;
    }

private:
    /// Of a branch or a loop.
    void block(BlockId id) {
        if (id == kNone) return;
        for (const Instr& i : body.blocks[id].instrs) {
            if (writesState(i) || i.op == Op::Return) isKnown = false;
            if (i.op == Op::Store && i.var.space == Space::Local) lost.push_back(i.var.index);
            for (BlockId inner : i.blocks) block(inner);
        }
    }

    /// Arrays of fields are not written at all.
    bool writesState(const Instr& i) const {
        switch (i.op) {
            case Op::Store: return i.var.space == Space::Field;
            case Op::StoreAt:
            case Op::StoreVector:
            case Op::Transpose:
            case Op::Scatter:
            case Op::Copy:
            case Op::Zero:
            case Op::PopInto:
            case Op::PeekInto: return !isLocal(i.operands[0]);
            case Op::Call: return true;
            default: return false;
        }
    }

    /// Does the ref lead into a local?
    bool isLocal(Reg ref) const {
        for (const Block& each : body.blocks)
            for (const Instr& i : each.instrs) {
                if (i.result != ref) continue;
                if (i.op == Op::Elem || i.op == Op::Member) return isLocal(i.operands[0]);
                return i.op == Op::Addr && i.var.space == Space::Local;
            }
        return false;
    }

    void instruction(const Instr& i) {
        if (i.op == Op::Store) return store(i);
        if (i.op == Op::Declare) locals.erase(i.var.index);  // its life begins anew
        if (writesState(i)) isKnown = false;
        if (i.result == kNone || !i.type || !i.type->is(TypeKind::Int)) return;
        regs[i.result] = valueOf(i);
    }

    void store(const Instr& i) {
        const std::optional<Affine>& value = regs[i.operands[0]];
        if (i.var.space == Space::Local) {
            if (value)
                locals[i.var.index] = *value;
            else
                locals.erase(i.var.index);
            return;
        }
        const bool fits = i.var.space == Space::Field && i.type->is(TypeKind::Int) && value &&
                          value->field == i.var.index && !stored.contains(i.var.index);
        if (!fits)
            isKnown = false;
        else
            stored[i.var.index] = *value;
    }

    std::optional<Affine> valueOf(const Instr& i) const {
        switch (i.op) {
            case Op::Const:
                return Affine{kNone, 0, static_cast<std::uint32_t>(i.value.as<std::int32_t>())};
            case Op::Load: return loaded(i.var);
            case Op::Add:
            case Op::Sub:
            case Op::Mul:
            case Op::Shl:
            case Op::And: {
                const auto &x = regs[i.operands[0]], &y = regs[i.operands[1]];
                if (!x || !y) return std::nullopt;
                return combined(i.op, *x, *y);
            }
            default: return std::nullopt;
        }
    }

    std::optional<Affine> loaded(VarRef var) const {
        if (var.space == Space::Local) {
            const bool isLost = std::find(lost.begin(), lost.end(), var.index) != lost.end();
            auto found = locals.find(var.index);
            return found == locals.end() || isLost ? std::nullopt : std::optional(found->second);
        }
        if (var.space != Space::Field) return std::nullopt;
        auto found = stored.find(var.index);
        return found == stored.end() ? Affine{var.index, 1, 0} : found->second;
    }

    /// Behind a mask only another mask is possible.
    static std::optional<Affine> combined(Op op, Affine x, Affine y) {
        if (op == Op::And) {
            if (x.isNumber()) std::swap(x, y);
            if (!y.isNumber() || x.isNumber() || !isLowBits(y.summand)) return std::nullopt;
            x.mask &= y.summand;
            return x;
        }
        if (x.mask != UINT32_MAX || y.mask != UINT32_MAX) return std::nullopt;
        if (!x.isNumber() && !y.isNumber()) return std::nullopt;
        const std::uint32_t field = x.isNumber() ? y.field : x.field;
        switch (op) {
            case Op::Add: return Affine{field, x.factor + y.factor, x.summand + y.summand};
            case Op::Sub: return Affine{field, x.factor - y.factor, x.summand - y.summand};
            case Op::Mul: {
                const std::uint32_t times = x.isNumber() ? x.summand : y.summand;
                const Affine& other = x.isNumber() ? y : x;
                return Affine{field, other.factor * times, other.summand * times};
            }
            case Op::Shl:
                if (!y.isNumber()) return std::nullopt;
                return Affine{field, x.factor << (y.summand & 31), x.summand << (y.summand & 31)};
            default: return std::nullopt;
        }
    }

    const Body& body;
    std::vector<std::optional<Affine>> regs;
    std::map<std::uint32_t, Affine> locals, stored;
    std::vector<std::uint32_t> lost;  ///< locals that branches and loops store
    bool isKnown = true;
};

}  // namespace

AffineField AffineField::times(std::int64_t firings) const {
    AffineField all{field, 1, 0, mask};
    AffineField power = *this;  // of 1, 2, 4, … firings
    for (; firings != 0; firings >>= 1) {
        if ((firings & 1) != 0) {
            all.summand = all.summand * power.factor + power.summand;
            all.factor *= power.factor;
        }
        power.summand = power.summand * power.factor + power.summand;
        power.factor *= power.factor;
    }
    return all;
}

std::optional<std::vector<AffineField>> findAffineState(const Body& work) {
    return StateFinder(work).run();
}

namespace {

Body withStateInLocals(const Body& work, const std::vector<AffineField>& state,
                       const std::function<bool(const Instr&)>& isSafe) {
    Body made = work;
    const auto first = static_cast<std::uint32_t>(work.locals.size());
    for (std::size_t block = 0; block < made.blocks.size(); ++block)
        for (std::size_t k = 0; k < made.blocks[block].instrs.size(); ++k) {
            Instr& i = made.blocks[block].instrs[k];
            if (isSafe && hasCheck(i) && isSafe(work.blocks[block].instrs[k])) i.checked = false;
            if (i.var.space != Space::Field || (i.op != Op::Load && i.op != Op::Store)) continue;
            for (std::uint32_t each = 0; each < state.size(); ++each)
                if (state[each].field == i.var.index) {
                    i.var = {Space::Local, first + each};
                    break;
                }
        }
    const Type* intType = nullptr;
    for (const Block& block : work.blocks)
        for (const Instr& i : block.instrs)
            if (i.op == Op::Store && i.var.space == Space::Field) intType = i.type;
    for (std::size_t each = 0; each < state.size(); ++each)
        made.locals.push_back({"state", intType, {}});
    return made;
}

}  // namespace

std::optional<SkippingFirings> firingsThatSkipAhead(
    const Body& work, const std::function<bool(const Instr&)>& isSafe) {
    auto state = findAffineState(work);
    if (!state || state->empty()) return std::nullopt;
    SkippingFirings made{std::move(*state), {}, {}};
    made.body = withStateInLocals(work, made.state, isSafe);
    std::vector<std::uint32_t> own;
    for (std::size_t k = work.locals.size(); k < made.body.locals.size(); ++k)
        own.push_back(static_cast<std::uint32_t>(k));
    made.varying = findVarying(made.body, own);
    if (!made.varying.whyNot.empty()) return std::nullopt;
    return made;
}

std::string print(const StreamCode& code, const std::vector<AffineField>& state) {
    std::string text;
    for (const AffineField& each : state)
        text += fmt::format(
            "{}: {} * x + {}{}\n", code.fields[each.field].name,
            static_cast<std::int32_t>(each.factor), static_cast<std::int32_t>(each.summand),
            each.mask == UINT32_MAX ? "" : fmt::format(", masked by {}", each.mask));
    return text;
}

}  // namespace strc::ir
