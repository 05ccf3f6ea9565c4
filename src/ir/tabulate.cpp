#include "ir/tabulate.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/affine.h"
#include "ir/fold_op.h"
#include "ir/specialize.h"
#include "ir/writer.h"

namespace strc::ir {
namespace {

using types::MathFn;
using types::TypeKind;

constexpr std::size_t kMostOperations = 256;  ///< of one expression, shared ones counted each time
constexpr std::int64_t kMostTableBytes = 1 << 16;  ///< of all tables of a body

/// The loops that a value depends on, outermost first.
using Domain = std::vector<const Induction*>;

/// A register whose value is a function of loop counters.
struct Expression {
    Domain domain;
    std::size_t operations = 0;
    bool isTabulated =
        false;  ///< it is computed by an expensive function, or from such a value over the same domain
};

bool isExpensive(MathFn function) {
    switch (function) {
        case MathFn::Abs:
        case MathFn::Floor:
        case MathFn::Ceil:
        case MathFn::Round:
        case MathFn::Rint:
        case MathFn::Min:
        case MathFn::Max:
        case MathFn::Count: return false;
        default: return true;
    }
}

bool isArithmetic(const Instr& instr) {
    const bool isScalar = instr.op >= Op::Add && instr.op <= Op::Ge;
    const bool isOther = instr.op == Op::Convert || instr.op == Op::Math || instr.op == Op::Make ||
                         instr.op == Op::Part || instr.op == Op::WithPart;
    return (isScalar || isOther) && instr.type && !instr.type->isAggregate() &&
           !instr.type->is(TypeKind::String);
}

/// INT64_MAX: more than can be counted.
std::int64_t elementsOf(const Domain& domain) {
    std::int64_t count = 1;
    for (const Induction* loop : domain)
        if (__builtin_mul_overflow(count, loop->trips, &count)) return INT64_MAX;
    return count;
}

/// Finds registers that are functions of loop counters.
class ExpressionFinder {
public:
    ExpressionFinder(const Body& of, std::int64_t most)
        : expressions(of.regs.size()),
          forwarded(of.regs.size(), kNone),
          definitions(of.regs.size()),
          body(of),
          affine(of),
          mostElements(most) {
        for (const Block& block : body.blocks)
            for (const Instr& instr : block.instrs) {
                if (instr.result != kNone) definitions[instr.result] = &instr;
                if (instr.op == Op::Store && instr.var.space == Space::Local)
                    ++stores[instr.var.index];
            }
        visit(body.entry);
    }

    std::vector<std::optional<Expression>> expressions;  ///< by register
    std::vector<Reg> forwarded;  ///< by the register of a load: the value that was stored
    std::vector<const Instr*> definitions;

private:
    void visit(BlockId id) {
        if (id == kNone) return;
        std::vector<std::pair<std::uint32_t, Reg>> outer(stored.begin(), stored.end());
        const std::span<const Instr> instrs = body.blocks[id].instrs;
        for (std::size_t k = 0; k < instrs.size(); ++k) {
            if (instrs[k].op == Op::Loop)
                visitLoop(instrs.first(k), instrs[k]);
            else
                visitInstr(instrs[k]);
        }
        stored = {outer.begin(), outer.end()};
    }

    void visitLoop(std::span<const Instr> before, const Instr& loop) {
        const auto counted = affine.induction(before, loop);
        if (counted) active.push_back(&loops.emplace_back(*counted));
        visit(loop.blocks[1]);
        if (counted) active.pop_back();
    }

    void visitInstr(const Instr& instr) {
        for (BlockId block : instr.blocks) visit(block);
        if (instr.var.space == Space::Local && instr.op == Op::Declare)
            stored.erase(instr.var.index);
        if (instr.var.space == Space::Local && instr.op == Op::Store &&
            stores[instr.var.index] == 1)
            stored[instr.var.index] = instr.operands[0];
        if (instr.result != kNone) expressions[instr.result] = expressionOf(instr);
    }

    std::optional<Expression> expressionOf(const Instr& instr) {
        if (instr.op == Op::Const && !instr.type->isAggregate()) return Expression{};
        if (instr.op == Op::Load && instr.var.space == Space::Local) return loaded(instr);
        if (instr.op == Op::If) return chosen(instr);
        if (isArithmetic(instr)) return combined(instr, instr.operands);
        return std::nullopt;
    }

    std::optional<Expression> loaded(const Instr& load) {
        for (const Induction* loop : active)
            if (loop->counter == load.var.index) return Expression{{loop}, 1};
        const auto value = stored.find(load.var.index);
        if (value == stored.end()) return std::nullopt;
        forwarded[load.result] = value->second;
        return combined(load, std::span(&value->second, 1));
    }

    /// `c ? a : b`.
    std::optional<Expression> chosen(const Instr& choice) {
        std::vector<Reg> parts = choice.operands;
        for (int side = 0; side < 2; ++side) {
            const BlockId block = choice.blocks[static_cast<std::size_t>(side)];
            if (block == kNone || body.blocks[block].instrs.back().op != Op::Yield)
                return std::nullopt;
            parts.push_back(body.blocks[block].instrs.back().operands[0]);
        }
        return combined(choice, parts);
    }

    std::optional<Expression> combined(const Instr& instr, std::span<const Reg> operands) const {
        Expression made{{}, 1};
        for (Reg operand : operands) {
            if (!expressions[operand]) return std::nullopt;
            made.operations += expressions[operand]->operations;
        }
        for (const Induction* loop : active)  // outermost first
            if (dependOn(operands, loop)) made.domain.push_back(loop);
        if (made.operations > kMostOperations) return std::nullopt;
        const bool isFunction = instr.op == Op::Math && isExpensive(instr.math);
        const bool keepsDomain = std::any_of(operands.begin(), operands.end(), [&](Reg operand) {
            return expressions[operand]->isTabulated && expressions[operand]->domain == made.domain;
        });
        const std::int64_t elements = elementsOf(made.domain);
        made.isTabulated = (isFunction || keepsDomain) && elements > 0 && elements <= mostElements;
        return made;
    }

    bool dependOn(std::span<const Reg> operands, const Induction* loop) const {
        return std::any_of(operands.begin(), operands.end(), [&](Reg operand) {
            const Domain& domain = expressions[operand]->domain;
            return std::find(domain.begin(), domain.end(), loop) != domain.end();
        });
    }

    const Body& body;
    const Affine affine;
    const std::int64_t mostElements;
    std::map<std::uint32_t, int> stores;  ///< by local
    std::map<std::uint32_t, Reg>
        stored;  ///< by local with one store: its value, where that is behind
    std::deque<Induction> loops;
    std::vector<const Induction*> active;
};

/// Computes an expression for given counters.
class Evaluation {
public:
    Evaluation(const Body& of, const ExpressionFinder& finder) : body(of), found(finder) {}

    /// No type: it cannot be computed.
    Value at(Reg reg, const std::map<std::uint32_t, std::int64_t>& counters) {
        values.clear();
        point = &counters;
        const Value* value = of(reg);
        return value ? *value : Value{};
    }

private:
    /// The depth is bounded by kMostOperations.
    const Value* of(Reg reg) {
        const auto known = values.find(reg);
        if (known != values.end()) return &known->second;
        std::optional<Value> value = compute(*found.definitions[reg]);
        return value ? &values.emplace(reg, std::move(*value)).first->second : nullptr;
    }

    std::optional<Value> compute(const Instr& instr) {
        if (instr.op == Op::Const) return instr.value;
        if (instr.op == Op::If) return choose(instr);
        if (instr.op == Op::Load) {
            const Reg from = found.forwarded[instr.result];
            if (from == kNone)
                return Value::of(instr.type, static_cast<std::int32_t>(point->at(instr.var.index)));
            const Value* value = of(from);
            return value ? std::optional(*value) : std::nullopt;
        }
        std::vector<const Value*> operands;
        for (Reg operand : instr.operands) {
            operands.push_back(of(operand));
            if (!operands.back()) return std::nullopt;
        }
        if (instr.op < Op::Eq || instr.op > Op::Ge) return foldOp(instr, operands);
        const auto truth = foldCompare(instr, *operands[0], *operands[1]);
        if (!truth) return std::nullopt;
        return Value::of(body.regs[instr.result].type, static_cast<std::uint8_t>(*truth));
    }

    std::optional<Value> choose(const Instr& choice) {
        const Value* condition = of(choice.operands[0]);
        if (!condition) return std::nullopt;
        const BlockId side = choice.blocks[condition->toInt() != 0 ? 0 : 1];
        const Value* value = of(body.blocks[side].instrs.back().operands[0]);
        return value ? std::optional(*value) : std::nullopt;
    }

    const Body& body;
    const ExpressionFinder& found;
    std::map<Reg, Value> values;
    const std::map<std::uint32_t, std::int64_t>* point = nullptr;
};

/// A value that is to be loaded from a table, and its elements in row-major order.
struct Table {
    Reg value = kNone;
    std::vector<Induction> domain;
    std::string bytes;
};

class Tabulator {
public:
    Tabulator(Body& of, types::TypeTable& table, std::int64_t most)
        : body(of), types(table), mostElements(most) {}

    int run() {
        std::vector<Table> tables = findTables();
        for (const Table& table : tables) replace(table);
        if (tables.empty()) return 0;
        do fold(body);
        while (removeDeadStores());
        return static_cast<int>(tables.size());
    }

private:
    std::vector<Table> findTables() const {
        const ExpressionFinder found(body, mostElements);
        Evaluation evaluation(body, found);
        std::vector<Table> tables;
        std::int64_t bytes = 0;
        for (Reg reg : rootsOf(found)) {
            auto table = tableOf(reg, *found.expressions[reg], evaluation);
            if (!table) continue;
            bytes += static_cast<std::int64_t>(table->bytes.size());
            if (bytes > kMostTableBytes) break;
            tables.push_back(std::move(*table));
        }
        return tables;
    }

    /// Tabulated values that something uses which is not.
    std::vector<Reg> rootsOf(const ExpressionFinder& found) const {
        const auto isTabulated = [&](Reg reg) {
            return found.expressions[reg] && found.expressions[reg]->isTabulated;
        };
        std::vector<bool> isForwarded(body.locals.size(), true);
        forEach(body, body.entry, [&](const Instr& instr) {
            if (instr.op == Op::Load && instr.var.space == Space::Local &&
                found.forwarded[instr.result] == kNone)
                isForwarded[instr.var.index] = false;
        });
        std::vector<bool> isUsed(body.regs.size());
        forEach(body, body.entry, [&](const Instr& instr) {
            if (instr.op == Op::Store && instr.var.space == Space::Local &&
                isForwarded[instr.var.index])
                return;
            if (instr.result != kNone && isTabulated(instr.result)) return;
            for (Reg operand : instr.operands) isUsed[operand] = true;
        });
        std::vector<Reg> roots;
        for (Reg reg = 0; reg < body.regs.size(); ++reg)
            if (isUsed[reg] && isTabulated(reg)) roots.push_back(reg);
        return roots;
    }

    static std::optional<Table> tableOf(Reg reg, const Expression& expression,
                                        Evaluation& evaluation) {
        Table table{reg, {}, {}};
        std::map<std::uint32_t, std::int64_t> counters;
        for (const Induction* loop : expression.domain) {
            table.domain.push_back(*loop);
            counters[loop->counter] = loop->start;
        }
        const std::int64_t count = elementsOf(expression.domain);
        for (std::int64_t element = 0; element < count; ++element) {
            std::int64_t rest = element;
            for (std::size_t k = table.domain.size(); k-- > 0;) {
                const Induction& loop = table.domain[k];
                counters[loop.counter] = loop.start + rest % loop.trips * loop.step;
                rest /= loop.trips;
            }
            const Value value = evaluation.at(reg, counters);
            if (!value.type) return std::nullopt;
            table.bytes += value.bytes;
        }
        return table;
    }

    /// Puts the load behind the definition, where all counters of the domain have their values.
    void replace(const Table& table) {
        for (BlockId id = 0; id < body.blocks.size(); ++id)
            for (std::size_t k = 0; k < body.blocks[id].instrs.size(); ++k)
                if (body.blocks[id].instrs[k].result == table.value) return replace(table, id, k);
    }

    void replace(const Table& table, BlockId block, std::size_t definition) {
        Writer writer(types);
        writer.range = body.blocks[block].instrs[definition].range;
        writer.body = std::move(body);
        Reg loaded = kNone;
        const BlockId made = writer.inBlock([&] { loaded = loadFrom(table, writer); });
        body = std::move(writer.body);
        const std::vector<Instr> code = std::move(body.blocks[made].instrs);
        body.blocks.pop_back();
        renameUses(table.value, loaded);
        std::vector<Instr>& instrs = body.blocks[block].instrs;
        instrs.insert(instrs.begin() + static_cast<std::ptrdiff_t>(definition) + 1, code.begin(),
                      code.end());
    }

    static Reg loadFrom(const Table& table, Writer& writer) {
        const Type* type = writer.body.regs[table.value].type;
        if (table.domain.empty()) return writer.constant({type, table.bytes});
        const std::int64_t count =
            static_cast<std::int64_t>(table.bytes.size()) / types::sizeOf(type);
        const Reg array = writer.constant({writer.types.array(type, count), table.bytes});
        return writer.element(array, indexOf(table, writer));
    }

    /// Row-major, Horner's scheme.
    static Reg indexOf(const Table& table, Writer& writer) {
        const auto with = [&](Op op, Reg left, std::int64_t right) {
            return writer.operation(op, writer.types.intType(), {left, writer.integer(right)});
        };
        Reg index = kNone;
        for (const Induction& loop : table.domain) {
            Reg trip = writer.load(loop.counter);
            if (loop.start != 0) trip = with(Op::Sub, trip, loop.start);
            if (loop.step != 1) trip = with(Op::Div, trip, loop.step);
            if (index != kNone)
                trip = writer.operation(Op::Add, writer.types.intType(),
                                        {with(Op::Mul, index, loop.trips), trip});
            index = trip;
        }
        return index;
    }

    void renameUses(Reg from, Reg to) {
        for (Block& block : body.blocks)
            for (Instr& instr : block.instrs)
                std::replace(instr.operands.begin(), instr.operands.end(), from, to);
    }

    /// Removes stores to locals that nothing loads any more. False: there are none.
    bool removeDeadStores() {
        std::vector<bool> isLoaded(body.locals.size());
        forEach(body, body.entry, [&](const Instr& instr) {
            if (instr.op != Op::Store && instr.op != Op::Declare &&
                instr.var.space == Space::Local && instr.var.index != kNone)
                isLoaded[instr.var.index] = true;
        });
        std::size_t removed = 0;
        for (Block& block : body.blocks)
            removed += std::erase_if(block.instrs, [&](const Instr& instr) {
                return instr.op == Op::Store && instr.var.space == Space::Local &&
                       !isLoaded[instr.var.index];
            });
        return removed != 0;
    }

    Body& body;
    types::TypeTable& types;
    const std::int64_t mostElements;
};

}  // namespace

int tabulate(Body& body, types::TypeTable& types, std::int64_t mostElements) {
    return Tabulator(body, types, mostElements).run();
}

}  // namespace strc::ir
