#include "ir/bounds.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>

#include "ir/detail/increments.h"
#include "ir/ranges.h"
#include "ir/stored_fields.h"

namespace strc::ir {
namespace {

using types::TypeKind;

constexpr int kMostSteps = 1'000'000;  ///< operations looked at, of all bodies
constexpr int kPatience =
    1;  ///< iterations before what still grows in a loop is taken to grow for ever
constexpr int kMostPasses =
    24;  ///< over all bodies, until fields hold no more than they are thought to

bool isInt(const Type* type) { return type && type->is(TypeKind::Int); }

/// The facts at a point of the code: intervals of int locals and fields that are less than all ints, and how many items
/// have been popped.
struct BoundsState {
    std::map<std::uint32_t, Range> locals, fields;
    Range popped{0, 0};
    bool reachable = true;
    bool operator==(const BoundsState&) const = default;
};

using Known = std::map<std::uint32_t, Range>;

void joinAll(Known& into, const Known& other) {
    for (auto at = into.begin(); at != into.end();) {
        auto found = other.find(at->first);
        if (found == other.end()) {
            at = into.erase(at);
            continue;
        }
        at->second = join(at->second, found->second);
        ++at;
    }
}

BoundsState join(BoundsState a, const BoundsState& b) {
    if (!a.reachable) return b;
    if (!b.reachable) return a;
    joinAll(a.locals, b.locals);
    joinAll(a.fields, b.fields);
    a.popped = join(a.popped, b.popped);
    return a;
}

/// A comparison that holds, or does not.
struct Fact {
    const Instr* comparison = nullptr;
    bool holds = true;
};

/// Facts about ints that follow from a boolean.
struct Truth {
    std::optional<bool> constant;
    std::vector<Fact> ifTrue, ifFalse;
};

/// The facts that follow from `condition ? one : other`; && and || have that form, too.
Truth chosen(const Truth& condition, const Truth& one, const Truth& other) {
    Truth made;
    auto both = [](std::vector<Fact> a, const std::vector<Fact>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    if (other.constant == false) made.ifTrue = both(condition.ifTrue, one.ifTrue);
    if (one.constant == true) made.ifFalse = both(condition.ifFalse, other.ifFalse);
    return made;
}

std::vector<const Body*> bodiesOf(const StreamCode& code) {
    std::vector<const Body*> all;
    for (const auto* body : {&code.prework, &code.work})
        if (*body) all.push_back(&**body);
    for (const Body& body : code.functions) all.push_back(&body);
    return all;
}

class Prover {
public:
    Prover(const StreamCode& stream, const BoundsInput& known)
        : code(stream), input(known), stored(storedFields(stream)) {
        for (const Body* body : bodiesOf(code)) addThresholds(*body);
        std::sort(thresholds.begin(), thresholds.end());
    }

    Proofs run() {
        for (std::uint32_t k = 0; k < code.fields.size(); ++k)
            if (isInt(code.fields[k].type) && k < input.fields.size() && input.fields[k])
                held[k] = *input.fields[k];
        for (int iteration = 0;; ++iteration) {
            const Known before = held;
            proofs.clear();
            failed.clear();
            for (const Body* body : bodiesOf(code)) runBody(*body);
            if (stepsLeft <= 0) return {};
            if (held == before) break;
            for (auto& [field, range] : held) {
                const Range old = before.at(field);
                if (iteration >= kMostPasses) range = {};
                if (!(range == old)) range = widen(old, range, thresholds);
            }
            if (iteration > 2 * kMostPasses) return {};
        }
        for (const Instr* instr : failed) proofs.erase(instr);
        return std::move(proofs);
    }

private:
    struct Frame {
        explicit Frame(const Body& of)
            : body(of),
              regs(of.regs.size()),
              localOf(of.regs.size(), kNone),
              fieldOf(of.regs.size(), kNone),
              truths(of.regs.size()),
              contents(of.regs.size()) {
            returned.reachable = false;
        }

        const Body& body;
        std::vector<Range> regs;
        std::vector<std::uint32_t>
            localOf;  ///< by register: the local it was just loaded from, or kNone
        std::vector<std::uint32_t> fieldOf;
        std::vector<Truth> truths;  ///< by register
        std::vector<std::optional<Range>> contents;  ///< by ref: of the ints behind it
        BoundsState broken, continued, returned;
        Range yielded;
        Truth yieldedTruth;
        std::int64_t mostPeek = 0;
    };

    void addThresholds(const Body& body) {
        for (const Block& block : body.blocks)
            for (const Instr& instr : block.instrs)
                if (instr.op == Op::Const && isInt(instr.type))
                    for (std::int64_t near : {-1, 0, 1})
                        thresholds.push_back(instr.value.as<std::int32_t>() + near);
    }

    // ---------------------------------------------------------------- control

    void runBody(const Body& body) {
        Frame frame(body);
        const bool isFunction = body.kind == BodyKind::Function || body.kind == BodyKind::Handler;
        frame.mostPeek = body.kind == BodyKind::Prework ? input.preworkPeek : input.workPeek;
        if (isFunction && code.prework)
            frame.mostPeek = std::min(input.workPeek, input.preworkPeek);
        BoundsState state;
        state.fields = held;
        if (isFunction) state.popped = {0, INT32_MAX};
        records = true;
        state = runBlock(frame, body.entry, std::move(state));
        keepFields(join(std::move(state), frame.returned));
    }

    /// Others see the fields now.
    void keepFields(const BoundsState& state) {
        if (!state.reachable) return;
        for (auto& [field, range] : held) {
            auto found = state.fields.find(field);
            range = join(range, found == state.fields.end() ? Range{} : found->second);
        }
    }

    BoundsState runBlock(Frame& frame, BlockId id, BoundsState state) {
        if (id == kNone) return state;
        for (const Instr& instr : frame.body.blocks[id].instrs) {
            if (!state.reachable || --stepsLeft <= 0) break;
            step(frame, instr, state);
        }
        return state;
    }

    static void leave(BoundsState& to, BoundsState& from) {
        to = join(std::move(to), from);
        from.reachable = false;
    }

    void step(Frame& frame, const Instr& instr, BoundsState& state) {
        switch (instr.op) {
            case Op::If: return branch(frame, instr, state);
            case Op::Loop: return loop(frame, instr, state);
            case Op::Yield:
                frame.yielded = frame.regs[instr.operands[0]];
                frame.yieldedTruth = frame.truths[instr.operands[0]];
                return;
            case Op::Break: return leave(frame.broken, state);
            case Op::Continue: return leave(frame.continued, state);
            case Op::Return: return leave(frame.returned, state);
            case Op::Call: return call(frame, instr, state);
            default: break;
        }
        if (instr.result != kNone) {
            frame.regs[instr.result] = {};
            frame.truths[instr.result] = {};
        }
        memory(frame, instr, state);
        tape(frame, instr, state);
        scalar(frame, instr);
    }

    /// A function of the stream may change fields, and pop.
    void call(Frame& frame, const Instr& instr, BoundsState& state) {
        if (instr.result != kNone) frame.regs[instr.result] = {};
        if (instr.callee.kind != CalleeKind::Stream) return;
        keepFields(state);
        state.fields = held;
        forgetLoads(frame);
        state.popped = {0, INT32_MAX};
    }

    static void forgetLoads(Frame& frame) {
        std::fill(frame.fieldOf.begin(), frame.fieldOf.end(), kNone);
    }

    void branch(Frame& frame, const Instr& instr, BoundsState& state) {
        const Truth condition = frame.truths[instr.operands[0]];
        BoundsState one = state, other = std::move(state);
        assume(frame, condition.ifTrue, one);
        assume(frame, condition.ifFalse, other);
        std::optional<Range> value;
        auto run = [&](BlockId block, BoundsState from) {
            frame.yielded = {};
            frame.yieldedTruth = {};
            from = runBlock(frame, block, std::move(from));
            if (from.reachable) value = value ? join(*value, frame.yielded) : frame.yielded;
            return std::pair{std::move(from), frame.yieldedTruth};
        };
        auto [afterOne, oneTruth] = run(instr.blocks[0], std::move(one));
        auto [afterOther, otherTruth] = run(instr.blocks[1], std::move(other));
        state = join(std::move(afterOne), afterOther);
        if (instr.result == kNone) return;
        frame.regs[instr.result] = value.value_or(Range{});
        frame.truths[instr.result] = chosen(condition, oneTruth, otherTruth);
    }

    /// Where a local can be at the head of a loop that counts: not below `min`, and by `increment` further at most in
    /// each iteration that is over.
    struct Reach {
        std::uint32_t local = kNone;
        Range begin;
        std::int64_t increment = 0;
    };
    struct Reaches {
        std::int64_t trips = 0;  ///< at most
        std::vector<Reach> locals;
    };

    Reaches reachesOf(const Frame& frame, const Instr& instr, const BoundsState& begin) const {
        const std::optional<CountedLoop> counted = countedLoop(frame.body, instr);
        auto known = [&](std::uint32_t local) {
            auto found = begin.locals.find(local);
            return found == begin.locals.end() ? Range{} : found->second;
        };
        Reaches made;
        if (!counted) return made;
        const std::int64_t end =
            counted->limit == kNone ? counted->bound : known(counted->limit).max;
        if (end - 1 + counted->step > INT32_MAX) return made;
        const std::int64_t step = counted->step;
        made.trips =
            std::max<std::int64_t>((end - known(counted->counter).min + step - 1) / step, 0);
        auto add = [&](std::uint32_t local, std::int64_t increment) {
            const Range from = known(local);
            if (increment <= INT32_MAX && from.max + made.trips * increment <= INT32_MAX)
                made.locals.push_back({local, from, increment});
        };
        add(counted->counter, step);
        for (const auto& [local, increment] : incrementsOf(frame.body, instr))
            add(local, increment);
        return made;
    }

    /// After all iterations but so many.
    static void limit(const Reaches& reaches, std::int64_t less, BoundsState& state) {
        if (!state.reachable) return;
        const std::int64_t trips = std::max<std::int64_t>(reaches.trips - less, 0);
        for (const Reach& reach : reaches.locals) {
            Range& old = state.locals.try_emplace(reach.local).first->second;
            old.min = std::max(old.min, reach.begin.min);
            old.max = std::min(old.max, reach.begin.max + trips * reach.increment);
        }
    }

    /// Rounds are looked at until the state at the head holds for all of them, and then once more to see
    /// what they do.
    void loop(Frame& frame, const Instr& instr, BoundsState& state) {
        const BoundsState begin = state;
        const Reaches reaches = reachesOf(frame, instr, begin);
        const bool outerRecords = std::exchange(records, false);
        BoundsState head = begin;
        for (int iteration = 0; stepsLeft > 0; ++iteration) {
            BoundsState next = join(begin, oneIteration(frame, instr, head, reaches).second);
            if (isInside(next, head)) break;
            head = widened(head, next, iteration);
            limit(reaches, 0, head);
        }
        BoundsState narrow = join(begin, oneIteration(frame, instr, head, reaches).second);
        if (!isInside(narrow, head)) narrow = head;
        records = outerRecords;
        auto [exit, end] = oneIteration(frame, instr, narrow, reaches);
        // Loops inside may have been looked at more coarsely this time.
        if (!isInside(join(begin, end), narrow))
            exit = oneIteration(frame, instr, head, reaches).first;
        state = std::move(exit);
    }

    static bool isInside(const Known& inner, const Known& outer) {
        return std::all_of(outer.begin(), outer.end(), [&](const auto& each) {
            auto found = inner.find(each.first);
            return found != inner.end() && isWithin(found->second, each.second);
        });
    }
    static bool isInside(const BoundsState& inner, const BoundsState& outer) {
        return isInside(inner.locals, outer.locals) && isInside(inner.fields, outer.fields) &&
               isWithin(inner.popped, outer.popped);
    }

    BoundsState widened(const BoundsState& old, const BoundsState& next, int iteration) const {
        BoundsState made = join(old, next);
        auto grow = [&](const Known& before, Known& now) {
            for (auto& [key, range] : now) {
                auto found = before.find(key);
                if (found == before.end() || found->second == range) continue;
                range = iteration < kPatience ? widen(found->second, range, thresholds)
                                              : widen(found->second, range, {});
            }
        };
        grow(old.locals, made.locals);
        grow(old.fields, made.fields);
        if (!(made.popped == old.popped)) made.popped = widen(old.popped, made.popped, {});
        return made;
    }

    /// The state after the loop, and at its head before the next iteration.
    std::pair<BoundsState, BoundsState> oneIteration(Frame& frame, const Instr& instr,
                                                     const BoundsState& head,
                                                     const Reaches& reaches) {
        // A value that was loaded before is no longer the variable's value in other iterations.
        std::fill(frame.localOf.begin(), frame.localOf.end(), kNone);
        forgetLoads(frame);
        BoundsState broken, continued;
        broken.reachable = continued.reachable = false;
        std::swap(frame.broken, broken);
        std::swap(frame.continued, continued);
        BoundsState state = head, exit;
        exit.reachable = false;
        if (!instr.flag) state = test(frame, instr, std::move(state), exit);
        limit(reaches, 1, state);
        state = runBlock(frame, instr.blocks[1], std::move(state));
        state = join(std::move(state), frame.continued);
        frame.continued.reachable = false;
        state = runBlock(frame, instr.blocks[2], std::move(state));
        if (instr.flag) state = test(frame, instr, std::move(state), exit);
        exit = join(std::move(exit), frame.broken);
        std::swap(frame.broken, broken);
        std::swap(frame.continued, continued);
        return {std::move(exit), std::move(state)};
    }

    /// The state in which a further iteration begins; the one in which none does goes to `exit`.
    BoundsState test(Frame& frame, const Instr& instr, BoundsState state, BoundsState& exit) {
        frame.yieldedTruth = {};
        state = runBlock(frame, instr.blocks[0], std::move(state));
        BoundsState out = state;
        const Truth condition = frame.yieldedTruth;
        if (condition.constant == false) state.reachable = false;
        if (condition.constant == true) out.reachable = false;
        assume(frame, condition.ifTrue, state);
        assume(frame, condition.ifFalse, out);
        exit = join(std::move(exit), out);
        return state;
    }

    /// Narrows the intervals of variables by comparisons that hold.
    void assume(Frame& frame, const std::vector<Fact>& facts, BoundsState& state) {
        for (const Fact& fact : facts) {
            if (!state.reachable) return;
            const Reg a = fact.comparison->operands[0], b = fact.comparison->operands[1];
            auto [left, right] =
                assumed(fact.comparison->op, fact.holds, frame.regs[a], frame.regs[b]);
            if (left.min > left.max || right.min > right.max) state.reachable = false;
            learn(frame, a, left, state);
            learn(frame, b, right, state);
        }
    }

    static void learn(Frame& frame, Reg reg, Range range, BoundsState& state) {
        auto restrict = [&](Known& known, std::uint32_t variable) {
            if (variable == kNone) return;
            Range& old = known.try_emplace(variable).first->second;
            const Range both{std::max(old.min, range.min), std::min(old.max, range.max)};
            if (both.min <= both.max) old = both;
        };
        restrict(state.locals, frame.localOf[reg]);
        restrict(state.fields, frame.fieldOf[reg]);
    }

    // ---------------------------------------------------------------- variables

    void memory(Frame& frame, const Instr& instr, BoundsState& state) {
        switch (instr.op) {
            case Op::Load: return load(frame, instr, state);
            case Op::Store: return store(frame, instr, state);
            case Op::Declare:
                if (instr.var.space == Space::Local &&
                    isInt(frame.body.locals[instr.var.index].type)) {
                    state.locals[instr.var.index] = {0, 0};
                    forget(frame.localOf, instr.var.index);
                }
                return;
            case Op::Addr: frame.contents[instr.result] = contentsOf(instr); return;
            case Op::Elem:
                frame.contents[instr.result] = frame.contents[instr.operands[0]];
                return prove(instr, isWithin(frame.regs[instr.operands[1]],
                                             {0, frame.regs[instr.operands[2]].min - 1}));
            case Op::LoadAt:
                if (isInt(instr.type) && frame.contents[instr.operands[0]])
                    frame.regs[instr.result] = *frame.contents[instr.operands[0]];
                return;
            default: return;
        }
    }

    void load(Frame& frame, const Instr& instr, BoundsState& state) {
        frame.localOf[instr.result] = frame.fieldOf[instr.result] = kNone;
        if (!isInt(instr.type)) return;
        const bool isLocal = instr.var.space == Space::Local;
        if (!isLocal && instr.var.space != Space::Field) return;
        (isLocal ? frame.localOf : frame.fieldOf)[instr.result] = instr.var.index;
        const Known& known = isLocal ? state.locals : state.fields;
        auto found = known.find(instr.var.index);
        if (found != known.end()) frame.regs[instr.result] = found->second;
    }

    void store(Frame& frame, const Instr& instr, BoundsState& state) {
        if (!isInt(instr.type)) return;
        const bool isLocal = instr.var.space == Space::Local;
        if (!isLocal && instr.var.space != Space::Field) return;
        forget(isLocal ? frame.localOf : frame.fieldOf, instr.var.index);
        (isLocal ? state.locals : state.fields)[instr.var.index] = frame.regs[instr.operands[0]];
    }

    /// Registers no longer say what is in the variable.
    static void forget(std::vector<std::uint32_t>& loads, std::uint32_t variable) {
        std::replace(loads.begin(), loads.end(), variable, kNone);
    }

    /// The interval of all elements of an array that is never written.
    std::optional<Range> contentsOf(const Instr& instr) const {
        if (instr.var.space == Space::Field) {
            const std::uint32_t field = instr.var.index;
            const bool isTable = field < input.fields.size() && !stored[field] &&
                                 code.fields[field].type->is(TypeKind::Array);
            return isTable ? input.fields[field] : std::nullopt;
        }
        if (instr.var.space != Space::Constant || code.openSlot(instr.var.index) != kNone ||
            instr.var.index >= input.constants.size())
            return std::nullopt;
        return contentsOf(input.constants[instr.var.index]);
    }

    static std::optional<Range> contentsOf(const Value& value) {
        if (!value.type || !value.type->is(TypeKind::Array) || !isInt(types::innermost(value.type)))
            return std::nullopt;
        return rangeOfInts(value.bytes);
    }

    // ---------------------------------------------------------------- operations

    void tape(Frame& frame, const Instr& instr, BoundsState& state) {
        switch (instr.op) {
            case Op::Pop:
            case Op::PopInto:
            case Op::Discard:
                state.popped = {std::min<std::int64_t>(state.popped.min + 1, INT32_MAX),
                                std::min<std::int64_t>(state.popped.max + 1, INT32_MAX)};
                return;
            case Op::Peek:
            case Op::PeekInto: {
                const Range offset = frame.regs[instr.operands[instr.op == Op::Peek ? 0 : 1]];
                return prove(instr,
                             offset.min >= 0 && offset.max + state.popped.max < frame.mostPeek);
            }
            default: return;
        }
    }

    void scalar(Frame& frame, const Instr& instr) {
        if (instr.op == Op::Const) {
            if (instr.type->is(TypeKind::Boolean)) {
                frame.truths[instr.result].constant = instr.value.bytes[0] != 0;
            } else if (isInt(instr.type)) {
                const auto number = std::int64_t{instr.value.as<std::int32_t>()};
                frame.regs[instr.result] = {number, number};
            } else if (instr.type->isAggregate()) {
                frame.contents[instr.result] = contentsOf(instr.value);
            }
            return;
        }
        if (instr.operands.size() == 2 && isComparison(instr.op)) {
            if (isInt(instr.type))
                frame.truths[instr.result] = {{}, {{&instr, true}}, {{&instr, false}}};
            return;
        }
        if (instr.op == Op::Not && instr.type->is(TypeKind::Boolean)) {
            const Truth& operand = frame.truths[instr.operands[0]];
            frame.truths[instr.result] = {{}, operand.ifFalse, operand.ifTrue};
            return;
        }
        if (instr.op == Op::Div || instr.op == Op::Rem) {
            const Range divisor = frame.regs[instr.operands[1]];
            if (isInt(instr.type)) prove(instr, divisor.min > 0 || divisor.max < 0);
        }
        const bool isLoad = instr.op == Op::Load || instr.op == Op::LoadAt;
        if (instr.result == kNone || !isInt(instr.type) || isLoad) return;
        std::array<Range, 2> operands;
        for (std::size_t k = 0; k < std::min<std::size_t>(instr.operands.size(), 2); ++k)
            operands[k] = frame.regs[instr.operands[k]];
        frame.regs[instr.result] = rangeOf(instr, operands, typeOfOperand(frame, instr));
    }

    static const Type* typeOfOperand(const Frame& frame, const Instr& instr) {
        return instr.operands.empty() ? nullptr : frame.body.regs[instr.operands[0]].type;
    }

    void prove(const Instr& instr, bool holds) {
        if (!records) return;
        (holds ? proofs : failed).insert(&instr);
    }

    const StreamCode& code;
    const BoundsInput& input;
    const std::vector<bool> stored;  ///< by field: the stream changes it
    std::vector<std::int64_t> thresholds;  ///< in ascending order
    Known held;  ///< by field, between firings and when functions are called; absent: anything
    Proofs proofs, failed;
    bool records = true;
    int stepsLeft = kMostSteps;
};

}  // namespace

std::optional<Range> rangeOfInts(std::string_view bytes) {
    std::optional<Range> all;
    for (std::size_t at = 0; at + sizeof(std::int32_t) <= bytes.size();
         at += sizeof(std::int32_t)) {
        std::int32_t number = 0;
        std::memcpy(&number, bytes.data() + at, sizeof number);
        const Range range{number, number};
        all = all ? join(*all, range) : range;
    }
    return all;
}

bool hasCheck(const Instr& instr) {
    if (!instr.checked) return false;
    switch (instr.op) {
        case Op::Elem:
        case Op::Peek:
        case Op::PeekInto: return true;
        case Op::Div:
        case Op::Rem: return isInt(instr.type);
        default: return false;
    }
}

namespace {

/// (proved, in all)
std::pair<std::size_t, std::size_t> checksOf(const Body& body, const Proofs& proofs) {
    std::size_t checks = 0, proved = 0;
    for (const Block& block : body.blocks) {
        for (const Instr& instr : block.instrs) {
            checks += hasCheck(instr) ? 1 : 0;
            proved += proofs.contains(&instr) ? 1 : 0;
        }
    }
    return {proved, checks};
}

}  // namespace

bool hasChecks(const StreamCode& code) {
    const std::vector<const Body*> bodies = bodiesOf(code);
    return std::any_of(bodies.begin(), bodies.end(),
                       [](const Body* body) { return checksOf(*body, {}).second > 0; });
}

Proofs proveBounds(const StreamCode& code, const BoundsInput& input) {
    return Prover(code, input).run();
}

std::string print(const StreamCode& code, const Proofs& proofs) {
    std::string text;
    for (const Body* body : bodiesOf(code)) {
        const auto [proved, checks] = checksOf(*body, proofs);
        if (checks > 0)
            text += body->name + ": " + std::to_string(proved) + " of " + std::to_string(checks) +
                    (checks == 1 ? " check proved\n" : " checks proved\n");
    }
    return text;
}

}  // namespace strc::ir
