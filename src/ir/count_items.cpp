#include "ir/count_items.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/detail/increments.h"
#include "ir/fold_op.h"

namespace strc::ir {
namespace {

using types::TypeKind;

std::int64_t plus(std::int64_t a, std::int64_t b) {
    return a == kUnknown || b == kUnknown ? kUnknown : a + b;
}

/// Known scalar locals; absent: unknown.
using Locals = std::map<std::uint32_t, Value>;

/// By int local: its value plus the pushes so far.
using Sums = std::map<std::uint32_t, Interval>;

/// Where a path stands: what it did so far, and what it knows.
struct CountState {
    ItemCounts counts;
    Locals locals;
    Sums sums;  ///< Counting::Whole
    bool reachable = true;
};

CountState unreachable() {
    CountState state;
    state.reachable = false;
    return state;
}

Interval hull(Interval a, Interval b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

/// The paths of `a` and `b` meet.
CountState merge(CountState a, CountState b) {
    if (!a.reachable) return b;
    if (!b.reachable) return a;
    a.counts.pops = hull(a.counts.pops, b.counts.pops);
    a.counts.pushes = hull(a.counts.pushes, b.counts.pushes);
    a.counts.peeks = hull(a.counts.peeks, b.counts.peeks);
    if (b.counts.certainNegativePeek == 0) a.counts.certainNegativePeek = 0;
    std::erase_if(a.locals, [&](const auto& entry) {
        auto other = b.locals.find(entry.first);
        return other == b.locals.end() || !(other->second == entry.second);
    });
    std::erase_if(a.sums, [&](const auto& entry) { return !b.sums.contains(entry.first); });
    for (auto& [local, sum] : a.sums) sum = hull(sum, b.sums.at(local));
    return a;
}

/// The variables and counts that a loop or call may change, collected once for each block.
struct Summary {
    bool touchesTape = false;
    bool leaves = false;               ///< break, continue or return inside
    std::set<std::uint32_t> stores;    ///< scalar locals
};

class ItemCounter {
public:
    ItemCounter(const StreamCode& code, std::uint64_t steps, Counting counting)
        : code(code), stepsLeft(steps), isWhole(counting == Counting::Whole) {}

    ItemCounts count(const Body& start) {
        CountState end = runBody(start, CountState{});
        if (gaveUp) {
            end.counts = ItemCounts{};
            end.counts.pops.max = end.counts.pushes.max = end.counts.peeks.max = kUnknown;
        }
        return end.counts;
    }

private:
    /// So much more than a local, which has not changed since.
    struct Further {
        std::uint32_t local = kNone;
        std::int64_t by = 0;
    };

    /// One activation of a body.
    struct Frame {
        const Body& body;
        std::vector<std::optional<Value>> regs;
        CountState returned = unreachable();
        CountState broken = unreachable();
        CountState continued = unreachable();
        std::optional<Value> yielded = {};
        std::map<Reg, Further> further = {};  ///< what is known of registers, beside their values
    };

    static constexpr int kMaxCalls = 64;

    CountState runBody(const Body& body, CountState state) {
        Frame frame{body, std::vector<std::optional<Value>>(body.regs.size())};
        state = runBlock(frame, body.entry, std::move(state));
        return merge(std::move(state), std::move(frame.returned));
    }

    CountState runBlock(Frame& frame, BlockId id, CountState state) {
        if (id == kNone) return state;
        for (const Instr& instr : frame.body.blocks[id].instrs) {
            if (!state.reachable) break;
            if (gaveUp || stepsLeft-- == 0) {
                gaveUp = true;
                break;
            }
            step(frame, instr, state);
        }
        return state;
    }

    void step(Frame& frame, const Instr& instr, CountState& state) {
        switch (instr.op) {
            case Op::Const:
                if (instr.type->isScalar()) frame.regs[instr.result] = instr.value;
                break;
            case Op::Load: load(frame, instr, state); break;
            case Op::Store: store(frame, instr, state); break;
            case Op::Declare: declare(frame, instr, state); break;
            case Op::Addr:
                if (instr.var.space == Space::Input)
                    look(instr, state, {instr.type->extent, instr.type->extent});
                break;
            case Op::If: branch(frame, instr, state); break;
            case Op::Loop: loop(frame, instr, state); break;
            case Op::Yield: frame.yielded = frame.regs[instr.operands[0]]; break;
            case Op::Break: leave(frame.broken, state); break;
            case Op::Continue: leave(frame.continued, state); break;
            case Op::Return: leave(frame.returned, state); break;
            case Op::Push:
            case Op::PushFrom: push(instr, 1, state); break;
            case Op::PushVector:
                push(instr, types::lanesOf(frame.body.regs[instr.operands[0]].type), state);
                break;
            case Op::PushRows: pushRows(frame, instr, state); break;
            case Op::DiscardMany: pop(instr, instr.index, state); break;
            case Op::PushMany: push(instr, instr.index, state); break;
            case Op::Pop:
            case Op::PopInto:
            case Op::Discard:
                forget(frame, instr);
                pop(instr, 1, state);
                break;
            case Op::Peek: peek(frame, instr, instr.operands[0], state); break;
            case Op::PeekInto: peek(frame, instr, instr.operands[1], state); break;
            case Op::Call: call(frame, instr, state); break;
            default: compute(frame, instr);
        }
    }

    static void forget(Frame& frame, const Instr& instr) {
        if (instr.result != kNone) frame.regs[instr.result].reset();
    }

    static void leave(CountState& exit, CountState& state) {
        exit = merge(std::move(exit), state);
        state.reachable = false;
    }

    static void load(Frame& frame, const Instr& instr, const CountState& state) {
        forget(frame, instr);
        if (instr.var.space != Space::Local) return;
        auto known = state.locals.find(instr.var.index);
        if (known != state.locals.end()) frame.regs[instr.result] = known->second;
        frame.further[instr.result] = {instr.var.index, 0};
    }

    static void store(Frame& frame, const Instr& instr, CountState& state) {
        if (instr.var.space != Space::Local) return;
        const auto& value = frame.regs[instr.operands[0]];
        if (value)
            state.locals[instr.var.index] = *value;
        else
            state.locals.erase(instr.var.index);
        sumUp(frame, instr, state, instr.operands[0]);
    }

    /// A local gets a value: a known one (of a register, or 0), or one further than its last.
    static void sumUp(Frame& frame, const Instr& instr, CountState& state,
                      std::optional<Reg> from) {
        const std::uint32_t local = instr.var.index;
        const bool isKnown =
            state.locals.contains(local) && frame.body.locals[local].type->is(TypeKind::Int);
        auto further = from ? frame.further.find(*from) : frame.further.end();
        auto sum = state.sums.find(local);
        const Interval& pushes = state.counts.pushes;
        if (isKnown && pushes.max != kUnknown) {
            const std::int64_t value = state.locals.at(local).toInt();
            state.sums[local] = {pushes.min + value, pushes.max + value};
        } else if (sum != state.sums.end() && further != frame.further.end() &&
                   further->second.local == local) {
            sum->second.min += further->second.by;
            sum->second.max += further->second.by;
            // An int that could have wrapped is not known any more.
            if (sum->second.min - pushes.max < INT32_MIN ||
                sum->second.max - pushes.min > INT32_MAX)
                state.sums.erase(sum);
        } else {
            state.sums.erase(local);
        }
        std::erase_if(frame.further, [&](const auto& each) { return each.second.local == local; });
    }

    /// A constant further than a local.
    static void goFurther(Frame& frame, const Instr& instr) {
        frame.further.erase(instr.result);
        if (instr.op != Op::Add || !instr.type->is(TypeKind::Int)) return;
        for (std::size_t k : {0, 1}) {
            auto base = frame.further.find(instr.operands[k]);
            const std::optional<Value>& by = frame.regs[instr.operands[1 - k]];
            if (base == frame.further.end() || !by) continue;
            frame.further[instr.result] = {base->second.local, base->second.by + by->toInt()};
            return;
        }
    }

    static void declare(Frame& frame, const Instr& instr, CountState& state) {
        if (instr.var.space != Space::Local) return;
        const Type* type = frame.body.locals[instr.var.index].type;
        if (!type->isScalar() || type->is(TypeKind::Tensor)) return;
        state.locals[instr.var.index] = Value::zero(type);
        sumUp(frame, instr, state, std::nullopt);
    }

    static void compute(Frame& frame, const Instr& instr) {
        if (instr.result == kNone) return;
        goFurther(frame, instr);
        forget(frame, instr);
        const bool isVector = types::lanesOf(frame.body.regs[instr.result].type) != 0;
        if (info(instr.op).effects != Effects::Pure || instr.operands.empty() || isVector) return;
        std::vector<const Value*> operands;
        for (Reg reg : instr.operands) {
            if (!frame.regs[reg]) return;
            operands.push_back(&*frame.regs[reg]);
        }
        if (instr.op >= Op::Eq && instr.op <= Op::Ge) {
            if (auto result = foldCompare(instr, *operands[0], *operands[1]))
                frame.regs[instr.result] = Value::of(frame.body.regs[instr.result].type,
                                                     static_cast<std::uint8_t>(*result));
            return;
        }
        frame.regs[instr.result] = foldOp(instr, operands);
    }

    // ---- tapes

    static void push(const Instr& instr, std::int64_t items, CountState& state) {
        Interval& pushes = state.counts.pushes;
        pushes = {plus(pushes.min, items), plus(pushes.max, items)};
        for (auto& [local, sum] : state.sums) sum = {sum.min + items, sum.max + items};
        if (!state.counts.firstPush.valid()) state.counts.firstPush = instr.range;
        state.counts.lastPush = instr.range;
    }

    /// An array of floats has two of them for each complex item.
    static void pushRows(const Frame& frame, const Instr& instr, CountState& state) {
        const Type* array = frame.body.regs[instr.operands[0]].type;
        push(instr, array->extent / (array->element == instr.type ? 1 : 2), state);
    }

    static void pop(const Instr& instr, std::int64_t items, CountState& state) {
        Interval& pops = state.counts.pops;
        pops = {plus(pops.min, items), plus(pops.max, items)};
        state.counts.lastPop = instr.range;
        look(instr, state, pops);
    }

    static void look(const Instr& instr, CountState& state, Interval position) {
        Interval& peeks = state.counts.peeks;
        if (position.min > peeks.min || (position.max != kUnknown && position.max > peeks.max))
            state.counts.farthestPeek = instr.range;
        peeks = {std::max(peeks.min, position.min), std::max(peeks.max, position.max)};
    }

    static void peek(Frame& frame, const Instr& instr, Reg offset, CountState& state) {
        forget(frame, instr);
        const auto& known = frame.regs[offset];
        if (!known) {
            state.counts.peeks.max = kUnknown;
            return;
        }
        std::int64_t position = known->toInt();
        if (position < 0) {
            if (state.counts.certainNegativePeek == 0) {
                state.counts.certainNegativePeek = position;
                state.counts.farthestPeek = instr.range;
            }
            return;
        }
        const Interval& pops = state.counts.pops;
        look(instr, state, {plus(pops.min, position + 1), plus(pops.max, position + 1)});
    }

    // ---- control

    void branch(Frame& frame, const Instr& instr, CountState& state) {
        const std::optional<Value> condition = frame.regs[instr.operands[0]];
        if (instr.result != kNone) frame.regs[instr.result].reset();
        if (condition) {
            state = runBlock(frame, instr.blocks[condition->bytes[0] ? 0 : 1], std::move(state));
            if (instr.result != kNone) frame.regs[instr.result] = frame.yielded;
            return;
        }
        CountState thenState = runBlock(frame, instr.blocks[0], state);
        std::optional<Value> thenValue = frame.yielded;
        CountState elseState = runBlock(frame, instr.blocks[1], std::move(state));
        if (instr.result != kNone && thenValue && frame.yielded && *thenValue == *frame.yielded)
            frame.regs[instr.result] = thenValue;
        state = merge(std::move(thenState), std::move(elseState));
    }

    void loop(Frame& frame, const Instr& instr, CountState& state) {
        const Summary& summary = summarize(frame.body, instr);
        if (!summary.touchesTape && !summary.leaves) {
            forgetStored(frame, summary, state);
            return;
        }
        CountState outerBroken = std::exchange(frame.broken, unreachable());
        CountState outerContinued = std::exchange(frame.continued, unreachable());
        bool first = true;
        while (state.reachable && !gaveUp) {
            if (!(instr.flag && first)) {
                state = runBlock(frame, instr.blocks[0], std::move(state));
                if (!frame.yielded) {
                    if (upToCounter(frame, instr, summary, state)) break;
                    widen(frame, instr, summary, state);
                    break;
                }
                if (!frame.yielded->bytes[0]) break;
            }
            first = false;
            state = runBlock(frame, instr.blocks[1], std::move(state));
            state = merge(std::move(state), std::exchange(frame.continued, unreachable()));
            state = runBlock(frame, instr.blocks[2], std::move(state));
        }
        state = merge(std::move(state), std::move(frame.broken));
        frame.broken = std::move(outerBroken);
        frame.continued = std::move(outerContinued);
    }

    /// The loop may go round any number of times more: what it does to tapes has no upper bound.
    void widen(Frame& frame, const Instr& instr, const Summary& summary, CountState& state) {
        forgetStored(frame, summary, state);
        CountState once = state;
        once = runBlock(frame, instr.blocks[1], std::move(once));
        once = merge(std::move(once), std::exchange(frame.continued, unreachable()));
        once = runBlock(frame, instr.blocks[2], std::move(once));
        once = runBlock(frame, instr.blocks[0], std::move(once));
        auto grow = [](Interval before, Interval after) {
            return after == before ? before : Interval{before.min, kUnknown};
        };
        auto unbounded = [&](CountState& at, const CountState& seen) {
            at.counts.pops = grow(at.counts.pops, seen.counts.pops);
            at.counts.pushes = grow(at.counts.pushes, seen.counts.pushes);
            at.counts.peeks = grow(at.counts.peeks, seen.counts.peeks);
            if (at.counts.pops.max == kUnknown) at.counts.peeks.max = kUnknown;
        };
        CountState* exits[] = {&once, &frame.broken, &frame.returned};
        for (CountState* exit : exits)
            if (exit->reachable) unbounded(state, *exit);
        for (CountState* exit : {&frame.broken, &frame.returned}) {
            if (!exit->reachable) continue;
            if (state.counts.pops.max == kUnknown) exit->counts.pops.max = kUnknown;
            if (state.counts.pushes.max == kUnknown) exit->counts.pushes.max = kUnknown;
            if (state.counts.peeks.max == kUnknown) exit->counts.peeks.max = kUnknown;
        }
        forgetStored(frame, summary, state);
        state.sums.clear();
    }

    static void forgetStored(Frame& frame, const Summary& summary, CountState& state) {
        for (std::uint32_t local : summary.stores) {
            state.locals.erase(local);
            state.sums.erase(local);
        }
        frame.further.clear();
    }

    /// `for (i = …; i < n; i++)` that pushes an item in each iteration: the pushes are then what they were with n, less
    /// what i began with. True: so it is, and the state is that behind the loop.
    bool upToCounter(Frame& frame, const Instr& instr, const Summary& summary, CountState& state) {
        if (!isWhole || summary.leaves) return false;
        const std::optional<CountedLoop> counted = countedLoop(frame.body, instr);
        if (!counted || counted->limit == kNone || counted->step != 1) return false;
        auto begin = state.locals.find(counted->counter);
        auto sum = state.sums.find(counted->limit);
        if (begin == state.locals.end() || sum == state.sums.end()) return false;
        const std::int64_t from = begin->second.toInt();
        const Interval pushes = state.counts.pushes, all = sum->second;
        if (all.min - pushes.max < from)
            return false;  // then it could be that no iteration is done
        forgetStored(frame, summary, state);
        CountState once = runBlock(frame, instr.blocks[1], state);
        const bool isOne =
            once.reachable && once.counts.pushes == Interval{pushes.min + 1, pushes.max + 1};
        if (!isOne || once.counts.pops != state.counts.pops ||
            once.counts.peeks != state.counts.peeks)
            return false;
        state.counts.pushes = {all.min - from, all.max - from};
        state.counts.lastPush = once.counts.lastPush;
        if (!state.counts.firstPush.valid()) state.counts.firstPush = once.counts.firstPush;
        state.sums.clear();
        return true;
    }

    const Summary& summarize(const Body& body, const Instr& loop) {
        auto [found, fresh] = summaries.try_emplace(&loop);
        if (fresh) {
            for (BlockId block : loop.blocks) summarize(body, block, found->second);
        }
        return found->second;
    }

    /// Recursion follows the nesting of the code.
    void summarize(const Body& body, BlockId id, Summary& summary) {
        if (id == kNone) return;
        for (const Instr& instr : body.blocks[id].instrs) {
            if (instr.op >= Op::Push && instr.op < Op::Iter) summary.touchesTape = true;
            if (instr.op == Op::Call && instr.callee.kind == CalleeKind::Stream)
                summary.touchesTape = true;
            if (instr.op == Op::Break || instr.op == Op::Continue || instr.op == Op::Return)
                summary.leaves = true;
            bool stores = instr.op == Op::Store || instr.op == Op::Declare;
            if (stores && instr.var.space == Space::Local) summary.stores.insert(instr.var.index);
            if (instr.op == Op::If || instr.op == Op::Loop)
                for (BlockId block : instr.blocks) summarize(body, block, summary);
        }
    }

    void call(Frame& frame, const Instr& instr, CountState& state) {
        forget(frame, instr);
        if (instr.callee.kind != CalleeKind::Stream) return;
        const Body& callee = code.functions[instr.callee.index];
        if (!usesTape(instr.callee.index)) return;
        state.sums.clear();
        if (depth == kMaxCalls) {  // what it adds is unknown; it takes nothing away
            state.counts.pops.max = state.counts.pushes.max = state.counts.peeks.max = kUnknown;
            return;
        }
        ++depth;
        CountState inside;
        inside.counts = state.counts;
        for (std::size_t k = 0; k < instr.operands.size() && k < callee.params; ++k)
            if (frame.regs[instr.operands[k]] && callee.locals[k].type->isScalar())
                inside.locals[static_cast<std::uint32_t>(k)] = *frame.regs[instr.operands[k]];
        state.counts = runBody(callee, std::move(inside)).counts;
        --depth;
    }

    /// Directly or through other functions of the stream, which may call each other in circles.
    bool usesTape(std::uint32_t function) {
        if (tapeUsers.empty()) findTapeUsers();
        return tapeUsers[function];
    }

    void findTapeUsers() {
        std::vector<std::vector<std::uint32_t>> callers(code.functions.size());
        std::vector<std::uint32_t> pending;
        tapeUsers.resize(code.functions.size());
        auto add = [&](std::uint32_t function) {
            if (tapeUsers[function]) return;
            tapeUsers[function] = true;
            pending.push_back(function);
        };
        for (std::uint32_t k = 0; k < code.functions.size(); ++k)
            for (const Block& block : code.functions[k].blocks)
                for (const Instr& instr : block.instrs) {
                    if (instr.op >= Op::Push && instr.op < Op::Iter) add(k);
                    if (instr.op == Op::Call && instr.callee.kind == CalleeKind::Stream)
                        callers[instr.callee.index].push_back(k);
                }
        while (!pending.empty()) {
            std::uint32_t function = pending.back();
            pending.pop_back();
            for (std::uint32_t caller : callers[function]) add(caller);
        }
    }

    const StreamCode& code;
    std::uint64_t stepsLeft;
    bool isWhole;
    bool gaveUp = false;
    int depth = 0;
    std::map<const Instr*, Summary> summaries;
    std::vector<bool> tapeUsers;  ///< by function, once they are known
};

}  // namespace

ItemCounts countItems(const Module&, const StreamCode& code, const Body& body, std::uint64_t steps,
                      Counting counting) {
    return ItemCounter(code, steps, counting).count(body);
}

}  // namespace strc::ir
