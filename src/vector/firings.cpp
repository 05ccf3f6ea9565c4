#include "vector/firings.h"

#include "vector/detail/widener.h"

namespace strc::vector {
namespace {

std::uint32_t parameter(ir::Writer& w, const char* name, const Type* type) {
    w.body.locals.push_back({name, type, {}});
    return w.body.params++;
}

/// A window's first items, so many, to columns of the array.
void peekColumns(ir::Writer& w, const Type* item, Reg array, std::int64_t columns,
                 std::int64_t count) {
    const Reg end = w.integer(count);
    w.emit(Op::PeekColumns, item, {array, end}).index = static_cast<std::uint32_t>(columns);
}

class FiringLanes final : public LaneItems {
public:
    FiringLanes(ir::Writer& writer, const FiringFacts& filter, const FiringShape& what)
        : w(writer), facts(filter), shape(what), parts{what.partsComplex} {}

    void declare() {
        const graph::Rates& rates = facts.rates;
        if (facts.input && (shape.takesColumns || usesColumns(rates)) && !facts.isDealt) {
            const std::int64_t count = parts.countOf(facts.input);
            length = shape.inLength != 0 ? shape.inLength : columnLength(rates, shape.lanes);
            const Type* type =
                w.types.array(parts.typeOf(w.types, facts.input), rates.pop.max * count * length);
            hasColumns = true;
            if (shape.takesColumns) columns = parameter(w, "columns", type);
            if (shape.hasPlaces && shape.inLength != 0)
                columnsAt = parameter(w, "columns_at", w.types.intType());
        }
        rowLength = shape.outLength != 0 ? shape.outLength : shape.lanes;
        const std::int64_t items = rates.push.max * parts.countOf(facts.output) * rowLength;
        const Type* type = w.types.array(parts.typeOf(w.types, facts.output), items);
        if (shape.leavesRows)
            rows = parameter(w, "rows", type);
        else
            rows = w.local("rows", type);
        if (shape.hasPlaces && shape.outLength != 0)
            rowsAt = parameter(w, "rows_at", w.types.intType());
        if (!hasColumns || shape.takesColumns) return;
        columns = w.local("columns", w.types.array(facts.input, rates.pop.max * length));
        peekColumns(w, facts.input, w.address(columns), rates.pop.max,
                    windowOf(rates, shape.lanes));
    }

    /// Each lane has the state that its firing finds.
    void begin(Widener& to) override {
        const std::vector<std::uint32_t>& locals = to.localsMade();
        const std::size_t first = locals.size() - facts.state.size();
        for (std::size_t k = 0; k < facts.state.size(); ++k) {
            const ir::AffineField& field = facts.state[k];
            const Type* type = w.types.intType();
            before.push_back(w.load({ir::Space::Field, field.field}, type));
            const Type* vector = to.vectorOf(type);
            std::vector<std::uint32_t> factors{1}, summands{0}, masks{UINT32_MAX};
            for (std::int64_t lane = 1; lane < shape.lanes; ++lane) {
                const ir::AffineField ahead = field.times(lane);
                factors.push_back(ahead.factor);
                summands.push_back(ahead.summand);
                masks.push_back(ahead.mask);
            }
            Reg x = w.operation(Op::Mul, vector, {to.widened(before.back()), numbers(to, factors)});
            x = w.operation(Op::Add, vector, {x, numbers(to, summands)});
            if (field.mask != UINT32_MAX) x = w.operation(Op::And, vector, {x, numbers(to, masks)});
            w.store(locals[first + k], x);
        }
    }

    Reg input(Widener& to, const Instr& i, Reg index) override {
        if (hasColumns && !to.isVector(index)) return loadColumns(to, index);
        w.emit(Op::PeekVector, to.vectorOf(i.type), {index}).index =
            static_cast<std::uint32_t>(facts.rates.pop.max);
        return w.result(to.vectorOf(i.type), false);
    }

    void output(Widener& to, const Instr& i, Reg value, Reg index) override {
        const std::int64_t count = parts.countOf(i.type);
        const Type* type = parts.typeOf(w.types, i.type);
        for (std::int64_t part = 0; part < count; ++part) {
            Reg stored = value;
            if (count == 2) {
                w.emit(Op::Part, to.vectorOf(type), {to.widened(value)}).index =
                    static_cast<std::uint32_t>(part);
                stored = w.result(to.vectorOf(type), false);
            }
            const Reg at = place(rows, partOf(index, count, part), rowLength, kNone);
            stored = to.masked(stored, [&] { return loadVector(to.vectorOf(type), at); });
            w.emit(Op::StoreVector, w.body.regs[stored].type, {at, stored});
        }
    }

    void require(Widener& /*to*/, Reg holds) override {
        const Reg fails = w.operation(Op::Not, w.types.boolean(), {holds});
        const BlockId giveUp = w.inBlock([&] { leave(false); });
        w.emit(Op::If, nullptr, {fails}).blocks = {giveUp, kNone, kNone};
    }

    void finish(Widener& /*to*/) override {
        if (!shape.leavesRows && facts.rates.push.max != 0)
            w.emit(Op::PushRows, facts.output, {w.address(rows)}).index =
                static_cast<std::uint32_t>(shape.lanes);
        skipAhead();
        leave(true);
    }

    bool isRateProved(Op rate) const override {
        return rate == Op::Pop ? facts.popsProved : facts.pushesProved;
    }
    std::int64_t peekLimit() const override { return facts.rates.peek.max; }
    std::int64_t rateOf(Op rate) const override {
        return rate == Op::Pop ? facts.rates.pop.max : facts.rates.push.max;
    }

private:
    void skipAhead() {
        const Type* type = w.types.intType();
        for (std::size_t k = 0; k < facts.state.size(); ++k) {
            const ir::AffineField all = facts.state[k].times(shape.lanes);
            auto number = [&](std::uint32_t n) { return w.integer(static_cast<std::int32_t>(n)); };
            Reg x = w.operation(Op::Mul, type, {before[k], number(all.factor)});
            x = w.operation(Op::Add, type, {x, number(all.summand)});
            if (all.mask != UINT32_MAX) x = w.operation(Op::And, type, {x, number(all.mask)});
            w.store({ir::Space::Field, all.field}, type, x);
        }
    }

    /// A vector of constants.
    Reg numbers(Widener& to, const std::vector<std::uint32_t>& list) {
        const Type* type = w.types.intType();
        const std::string bytes(reinterpret_cast<const char*>(list.data()),
                                list.size() * sizeof list[0]);
        const Reg array = w.constant({w.types.array(type, shape.lanes), bytes});
        return loadVector(to.vectorOf(type), w.reference(array, w.integer(0)));
    }

    void leave(bool isDone) {
        const Reg done =
            w.constant(types::Value::of(w.types.boolean(), static_cast<std::uint8_t>(isDone)));
        w.emit(Op::Return, nullptr, {done});
    }

    Reg arithmetic(Op op, Reg x, std::int64_t y) {
        const Reg other = w.integer(y);
        Instr& made = w.emit(op, w.types.intType(), {x, other});
        made.checked = false;
        made.isNatural = op == Op::Div || op == Op::Rem;
        return w.result(w.types.intType(), false);
    }

    Reg partOf(Reg number, std::int64_t count, std::int64_t part) {
        if (count == 1) return number;
        return arithmetic(Op::Add, arithmetic(Op::Mul, number, count), part);
    }

    /// Row `row` (kNone: the first) of a column, or column `column` of a row.
    Reg place(std::uint32_t array, Reg line, std::int64_t lineLength, Reg within) {
        Reg index = arithmetic(Op::Mul, line, lineLength);
        if (within != kNone) index = w.operation(Op::Add, w.types.intType(), {index, within});
        const std::uint32_t begin = array == columns ? columnsAt : rowsAt;
        if (begin != kNone) index = w.operation(Op::Add, w.types.intType(), {index, w.load(begin)});
        return w.reference(w.address(array), index);
    }

    Reg loadVector(const Type* type, Reg at) {
        w.emit(Op::LoadVector, type, {at}).index = 1;
        return w.result(type, false);
    }

    /// Item q * pop + r of a lane is in column r, q rows further on.
    Reg loadColumns(Widener& to, Reg index) {
        const std::int64_t pop = facts.rates.pop.max, count = parts.countOf(facts.input);
        const Type* type = to.vectorOf(parts.typeOf(w.types, facts.input));
        const Reg column = arithmetic(Op::Rem, index, pop), row = arithmetic(Op::Div, index, pop);
        auto load = [&](std::int64_t part) {
            return loadVector(type, place(columns, partOf(column, count, part), length, row));
        };
        if (count == 1) return load(0);
        const Reg re = load(0), im = load(1);
        return w.operation(Op::Make, to.vectorOf(facts.input), {re, im});
    }

    ir::Writer& w;
    const FiringFacts& facts;
    const FiringShape& shape;
    const ItemParts parts;
    bool hasColumns = false;
    std::uint32_t columns = kNone, rows = kNone;  ///< locals
    std::uint32_t columnsAt = kNone, rowsAt = kNone;  ///< where in them the firings begin
    std::int64_t length = 0, rowLength = 0;  ///< of a column, of a row
    std::vector<Reg> before;  ///< the state that the first firing finds
};

}  // namespace

Body vectoriseFirings(types::TypeTable& types, const Body& work, const ir::Varying& varying,
                      const FiringFacts& facts, const FiringShape& shape) {
    ir::Writer w(types);
    w.range = work.range;
    w.body.name = work.name;
    w.body.range = work.range;
    w.body.header = work.header;
    w.body.result = types.boolean();
    FiringLanes lanes(w, facts, shape);
    lanes.declare();
    Widener(w, work, varying, shape.lanes, lanes, facts.isSafe).whole();
    return std::move(w.body);
}

Body transposeWindow(types::TypeTable& types, const FiringFacts& facts, std::int64_t lanes,
                     std::int64_t repeat, ItemParts parts) {
    graph::Rates rates = facts.rates;
    rates.pop.max *= repeat;
    ir::Writer w(types);
    const std::int64_t count = parts.countOf(facts.input);
    const Type* type =
        types.array(parts.typeOf(types, facts.input), count * columnItems(rates, lanes));
    const std::uint32_t columns = parameter(w, "columns", type);
    peekColumns(w, facts.input, w.address(columns), rates.pop.max, windowOf(rates, lanes));
    return std::move(w.body);
}

Body pushRows(types::TypeTable& types, const FiringFacts& facts, std::int64_t lanes,
              std::int64_t repeat, ItemParts parts) {
    ir::Writer w(types);
    const std::int64_t count = parts.countOf(facts.output);
    const Type* type = types.array(parts.typeOf(types, facts.output),
                                   facts.rates.push.max * repeat * count * lanes);
    const std::uint32_t rows = parameter(w, "rows", type);
    w.emit(Op::PushRows, facts.output, {w.address(rows)}).index = static_cast<std::uint32_t>(lanes);
    return std::move(w.body);
}

}  // namespace strc::vector
