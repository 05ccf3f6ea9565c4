#include "device/detail/stage_kernels.h"

#include <algorithm>

#include "ir/writer.h"

namespace strc::device {

using ir::BlockId;
using ir::ContractionLoop;
using ir::Op;
using ir::Reg;
using types::TypeKind;

namespace {

constexpr std::uint32_t kThread = 0, kThreads = 1, kFirstArray = 2;  ///< parameters
/// Numbers of an operand that a thread keeps in registers.
constexpr std::int64_t kMostKept = 64;
constexpr std::int64_t kWord = 4;  ///< bytes

/// A body with the parameters of a kernel, and code that they all need.
class StageWriter {
public:
    explicit StageWriter(types::TypeTable& table) : w(table), types(table) {
        parameter("thread", types.intType());
        parameter("threads", types.intType());
        w.body.kind = ir::BodyKind::Function;
    }

    void addArray(const Array& array, const Type* element, std::int64_t length, bool isWritten) {
        parameter("array" + std::to_string(made.arrays.size()), types.array(element, length));
        made.arrays.push_back(array);
        made.isWritten.push_back(isWritten);
    }

    /// `stride`: bytes of each array that are an iteration's own; 0: there are none.
    Kernel finish(std::int64_t team, std::int64_t stride) {
        made.team = team;
        made.stride.assign(made.arrays.size(), stride);
        made.threads = kBlock;
        made.body = std::move(w.body);
        return std::move(made);
    }

    Reg array(std::size_t which) {
        return w.address(kFirstArray + static_cast<std::uint32_t>(which));
    }

    Reg operation(Op op, Reg a, Reg b) { return w.operation(op, types.intType(), {a, b}); }

    /// A quotient or rest of ints that cannot fail.
    Reg unchecked(Op op, Reg a, std::int64_t b) {
        const Reg result = operation(op, a, w.integer(b));
        w.body.blocks[w.block].instrs.back().checked = false;
        return result;
    }

    /// for (i = first; i < end; i += step) inside(i)
    template <typename Inside>
    void loop(Reg first, std::int64_t end, Reg step, Inside inside) {
        const std::uint32_t i = w.local("i", types.intType());
        w.store(i, first);
        const BlockId condition = w.inBlock(
            [&] { w.emit(Op::Yield, nullptr, {operation(Op::Lt, w.load(i), w.integer(end))}); });
        const BlockId iteration = w.inBlock([&] { inside(w.load(i)); });
        const BlockId next = w.inBlock([&] { w.store(i, operation(Op::Add, w.load(i), step)); });
        w.emit(Op::Loop, nullptr, {}).blocks = {condition, iteration, next};
    }

    template <typename Inside>
    void onlyIf(Reg condition, Inside inside) {
        const BlockId then = w.inBlock(inside);
        w.emit(Op::If, nullptr, {condition}).blocks = {then, ir::kNone, ir::kNone};
    }

    ir::Writer w;
    types::TypeTable& types;

private:
    void parameter(const std::string& name, const Type* type) {
        w.body.locals.push_back({name, type, {}});
        w.body.params = static_cast<std::uint32_t>(w.body.locals.size());
    }

    Kernel made;
};

/// Offsets of one iteration of some loops, in elements, by operand: result, a, b, addends.
constexpr std::size_t kOperands = 3 + ir::kMostAddends;
using Offsets = std::array<Reg, kOperands>;

std::int32_t stepOf(const ContractionLoop& loop, std::size_t operand) {
    const std::int32_t steps[kOperands] = {loop.out, loop.a, loop.b, loop.added[0], loop.added[1]};
    return steps[operand];
}

std::int64_t tripsOf(const std::vector<ContractionLoop>& loops) {
    std::int64_t trips = 1;
    for (const ContractionLoop& loop : loops) trips *= loop.trips;
    return trips;
}

bool isSum(const ContractionLoop& loop) { return loop.out == 0; }
bool isRow(const ContractionLoop& loop) { return loop.out != 0 && loop.b == 0; }

std::vector<ContractionLoop> some(const ir::Contraction& how, bool (*is)(const ContractionLoop&)) {
    std::vector<ContractionLoop> found;
    std::copy_if(how.loops.begin(), how.loops.end(), std::back_inserter(found), is);
    return found;
}

class SumsWriter {
public:
    SumsWriter(const Contract& of, std::int64_t warpCount, types::TypeTable& table)
        : sum(of),
          how(of.how),
          s(table),
          w(s.w),
          element(of.element),
          warps(warpCount),
          sums(some(how, isSum)),
          rows(some(how, isRow)),
          columns(some(how, [](const ContractionLoop& l) { return !isSum(l) && !isRow(l); })) {
        addArray(sum.out, 0, true);
        addArray(sum.a, 1, false);
        addArray(sum.b, 2, false);
        for (std::size_t k = 0; k < sum.added.size(); ++k) addArray(sum.added[k], 3 + k, false);
    }

    Kernel run(bool staysB) {
        lane = s.operation(Op::And, w.load(kThread), w.integer(kWarp - 1));
        warp = unchecked5(w.load(kThread));
        const std::int64_t kept = timesOf(columns, warps) * timesOf(sums, kWarp);
        if (staysB && kept <= kMostKept)
            keep();
        else
            goThrough();
        return s.finish(kWarp, 0);
    }

private:
    static std::int64_t timesOf(const std::vector<ContractionLoop>& loops, std::int64_t each) {
        return (tripsOf(loops) + each - 1) / each;
    }

    void addArray(const Array& array, std::size_t operand, bool isWritten) {
        std::int64_t length = first(operand) + 1;
        for (const ContractionLoop& loop : how.loops)
            length += std::max(0, stepOf(loop, operand)) * (loop.trips - std::int64_t{1});
        s.addArray(array, element, length, isWritten);
    }

    std::int32_t first(std::size_t operand) const {
        const std::int32_t all[kOperands] = {how.out, how.a, how.b, how.added[0], how.added[1]};
        return all[operand];
    }

    Reg unchecked5(Reg number) { return s.operation(Op::Shr, number, w.integer(5)); }

    // ---- places

    Offsets none() {
        Offsets offsets;
        for (std::size_t k = 0; k < kOperands; ++k) offsets[k] = w.integer(first(k));
        return offsets;
    }

    /// `from` and an iteration of the loops on top of it.
    Offsets plus(Offsets from, const std::vector<ContractionLoop>& loops, Reg iteration) {
        for (std::size_t k = loops.size(); k-- > 0;) {
            Reg item = iteration;
            if (k > 0) {
                item = s.unchecked(Op::Rem, iteration, loops[k].trips);
                iteration = s.unchecked(Op::Div, iteration, loops[k].trips);
            }
            for (std::size_t operand = 0; operand < kOperands; ++operand) {
                const std::int32_t step = stepOf(loops[k], operand);
                if (step == 0) continue;
                const Reg way = s.operation(Op::Mul, item, w.integer(step));
                from[operand] = s.operation(Op::Add, from[operand], way);
            }
        }
        return from;
    }

    Reg load(std::size_t operand, Reg place) { return w.element(s.array(operand), place); }

    // ---- with all of operand b that a thread needs in registers

    /// A result of a warp in each row, and what its threads have of b.
    struct Column {
        Reg number = ir::kNone;
        Reg inside = ir::kNone;  ///< the number, or the last one there is
        std::vector<std::uint32_t> kept;
    };

    Reg atMost(Reg number, std::int64_t most) {
        const std::uint32_t result = w.local("least", s.types.intType());
        w.store(result, number);
        s.onlyIf(s.operation(Op::Gt, number, w.integer(most)),
                 [&] { w.store(result, w.integer(most)); });
        return w.load(result);
    }

    /// Loads do not depend on what there is, so that they may go on before the loop that the code is put into.
    void keep() {
        std::vector<Reg> items;
        for (std::int64_t k = 0; k < timesOf(sums, kWarp); ++k)
            items.push_back(
                atMost(s.operation(Op::Add, lane, w.integer(k * kWarp)), tripsOf(sums) - 1));
        std::vector<Column> all;
        for (std::int64_t n = 0; n < timesOf(columns, warps); ++n) {
            Column column;
            column.number = s.operation(Op::Add, warp, w.integer(n * warps));
            column.inside = atMost(column.number, tripsOf(columns) - 1);
            const Offsets at = plus(none(), columns, column.inside);
            for (Reg item : items) {
                column.kept.push_back(w.local("kept", element));
                w.store(column.kept.back(), load(2, plus(at, sums, item)[2]));
            }
            all.push_back(column);
        }
        w.loop(tripsOf(rows), [&](Reg row) {
            for (const Column& column : all) sumUp(column, items, plus(none(), rows, row));
        });
    }

    void sumUp(const Column& column, const std::vector<Reg>& items, const Offsets& row) {
        const Offsets at = plus(row, columns, column.inside);
        const std::uint32_t total = w.local("sum", element);
        w.store(total, w.constant(types::Value::zero(element)));
        for (std::size_t k = 0; k < items.size(); ++k) {
            const Reg a = load(1, plus(at, sums, items[k])[1]);
            Reg product = w.operation(Op::Mul, element, {a, w.load(column.kept[k])});
            const std::int64_t rest = tripsOf(sums) - static_cast<std::int64_t>(k) * kWarp;
            if (rest < kWarp) product = onlyOf(rest, product);
            w.store(total, w.operation(Op::Add, element, {w.load(total), product}));
        }
        const Reg whole = combined(w.load(total));
        s.onlyIf(s.operation(Op::Lt, column.number, w.integer(tripsOf(columns))),
                 [&] { leave(whole, at); });
    }

    /// Zero in the other threads. What the number is made of stays where it is made, so that loads can leave the loop.
    Reg onlyOf(std::int64_t threads, Reg number) {
        const std::uint32_t result = w.local("part", element);
        w.store(result, number);
        s.onlyIf(s.operation(Op::Ge, lane, w.integer(threads)),
                 [&] { w.store(result, w.constant(types::Value::zero(element))); });
        return w.load(result);
    }

    // ---- with both from memory

    void goThrough() {
        std::vector<ContractionLoop> results = rows;
        results.insert(results.end(), columns.begin(), columns.end());
        const Reg step = unchecked5(w.load(kThreads));
        s.loop(warp, tripsOf(results), step, [&](Reg result) {
            const Offsets at = plus(none(), results, result);
            const std::uint32_t total = w.local("sum", element);
            w.store(total, w.constant(types::Value::zero(element)));
            s.loop(lane, tripsOf(sums), w.integer(kWarp), [&](Reg item) {
                const Offsets there = plus(at, sums, item);
                const Reg product =
                    w.operation(Op::Mul, element, {load(1, there[1]), load(2, there[2])});
                w.store(total, w.operation(Op::Add, element, {w.load(total), product}));
            });
            leave(combined(w.load(total)), at);
        });
    }

    // ---- sums

    /// What all threads of the warp have; each of them gets it.
    Reg combined(Reg part) {
        for (auto bit = static_cast<std::uint32_t>(kWarp / 2); bit > 0; bit /= 2) {
            w.emit(Op::TeamExchange, element, {part}).index = bit;
            part = w.operation(Op::Add, element, {part, w.result(element, false)});
        }
        return part;
    }

    /// With what follows it: addends, then bounds. Numbers that are none stay.
    void leave(Reg whole, const Offsets& at) {
        s.onlyIf(s.operation(Op::Eq, lane, w.integer(0)), [&] {
            for (std::size_t k = 0; k < sum.added.size(); ++k)
                whole = w.operation(Op::Add, element, {whole, load(3 + k, at[3 + k])});
            if (how.bounds.areAny()) whole = bounded(whole);
            w.setElement(s.array(0), at[0], whole);
        });
    }

    Reg bounded(Reg number) {
        const std::uint32_t result = w.local("bounded", element);
        w.store(result, number);
        auto bound = [&](Op beyond, float limit) {
            const Reg most = real(limit);
            const Reg isBeyond = w.operation(beyond, element, {number, most});
            s.onlyIf(isBeyond, [&] { w.store(result, most); });
        };
        bound(Op::Lt, how.bounds.low);
        bound(Op::Gt, how.bounds.high);
        return w.load(result);
    }

    Reg real(float value) {
        return w.constant(element->is(TypeKind::Double)
                              ? types::Value::of(element, static_cast<double>(value))
                              : types::Value::of(element, value));
    }

    const Contract& sum;
    const ir::Contraction& how;
    StageWriter s;
    ir::Writer& w;
    const Type* element;
    const std::int64_t warps;
    const std::vector<ContractionLoop> sums, rows, columns;
    Reg lane = ir::kNone, warp = ir::kNone;
};

/// for (i = thread; i < words; i += threads) inside(i)
template <typename Inside>
Kernel overWords(StageWriter& s, std::int64_t words, Inside inside) {
    const Reg first = s.w.load(kThread), step = s.w.load(kThreads);
    s.loop(first, words, step, inside);
    return s.finish(1, kWord);
}

}  // namespace

std::int64_t columnsOf(const ir::Contraction& how) {
    return tripsOf(some(how, [](const ContractionLoop& l) { return !isSum(l) && !isRow(l); }));
}

std::optional<Kernel> sumsKernel(const Contract& sum, bool staysB, std::int64_t warps,
                                 types::TypeTable& types) {
    const bool isReal = sum.element->is(TypeKind::Float) || sum.element->is(TypeKind::Double);
    const bool areForwards = std::all_of(
        sum.how.loops.begin(), sum.how.loops.end(),
        [](const ContractionLoop& loop) { return loop.out >= 0 && loop.a >= 0 && loop.b >= 0; });
    if (!isReal || sum.factor != sum.element || !areForwards) return std::nullopt;
    return SumsWriter(sum, warps, types).run(staysB);
}

std::optional<Kernel> copyKernel(const Copy& copy, types::TypeTable& types) {
    if (copy.bytes % kWord != 0 || copy.align < kWord) return std::nullopt;
    StageWriter s(types);
    const std::int64_t words = copy.bytes / kWord;
    s.addArray(copy.to, types.intType(), words, true);
    s.addArray(copy.from, types.intType(), words, false);
    return overWords(s, words, [&](Reg i) {
        const Reg word = s.w.element(s.array(1), i);
        s.w.setElement(s.array(0), i, word);
    });
}

std::optional<Kernel> zeroKernel(const Zero& zero, types::TypeTable& types) {
    if (zero.bytes % kWord != 0 || zero.align < kWord) return std::nullopt;
    StageWriter s(types);
    const std::int64_t words = zero.bytes / kWord;
    s.addArray(zero.to, types.intType(), words, true);
    return overWords(s, words, [&](Reg i) { s.w.setElement(s.array(0), i, s.w.integer(0)); });
}

}  // namespace strc::device
