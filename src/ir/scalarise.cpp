#include "ir/scalarise.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/assert.h"
#include "ir/writer.h"

namespace strc::ir {
namespace {

using types::lanesOf;
using types::laneType;
using types::TypeKind;

bool isComplex(const Type* type) { return laneType(type)->is(TypeKind::Complex); }

/// Writes the body anew, instruction by instruction. A register of the old body is a list of registers of the new one: one for
/// each lane, or a single one.
class Scalariser {
public:
    Scalariser(types::TypeTable& types, const Body& body)
        : types(types), old(body), w(types), regs(body.regs.size()) {}

    Body run() {
        w.body.name = old.name;
        w.body.kind = old.kind;
        w.body.params = old.params;
        w.body.result = old.result;
        w.body.checks = old.checks;
        w.body.sends = old.sends;
        w.body.rates = old.rates;
        w.body.range = old.range;
        w.body.header = old.header;
        w.range = old.range;
        for (const Variable& local : old.locals)
            w.body.locals.push_back({local.name, types.withoutVectors(local.type), local.range});
        for (std::uint32_t k = old.params; k < old.locals.size(); ++k)
            if (lanesOf(old.locals[k].type) != 0) declare({Space::Local, k}, true);
        block(old.entry);
        return std::move(w.body);
    }

private:
    using Lanes = std::vector<Reg>;

    void declare(VarRef var, bool isOverwritten) {
        Instr& made = w.emit(Op::Declare, w.body.locals[var.index].type, {});
        made.var = var;
        made.flag = isOverwritten;
    }

    void block(BlockId id) {
        for (const Instr& i : old.blocks[id].instrs) {
            w.range = i.range;
            instruction(i);
        }
    }

    void instruction(const Instr& i) {
        if (i.op == Op::If) return branch(i);
        if (i.op == Op::Loop) return loop(i);
        if (memory(i) || vector(i) || tape(i)) return;
        const std::int64_t lanes = i.result == kNone ? 0 : lanesOf(old.regs[i.result].type);
        for (std::int64_t lane = 0; lane < std::max<std::int64_t>(lanes, 1); ++lane)
            copy(i, static_cast<std::size_t>(lane));
    }

    /// The instruction with what its operands are in that lane.
    void copy(const Instr& i, std::size_t lane) {
        Instr made = i;
        made.result = kNone;
        made.type = i.type ? types.withoutVectors(laneType(i.type)) : nullptr;
        for (Reg& reg : made.operands) reg = laneOf(reg, lane);
        w.body.blocks[w.block].instrs.push_back(std::move(made));
        if (i.result == kNone) return;
        const RegInfo& info = old.regs[i.result];
        regs[i.result].push_back(w.result(types.withoutVectors(laneType(info.type)), info.ref));
    }

    Reg laneOf(Reg reg, std::size_t lane) const {
        const Lanes& all = regs[reg];
        return all.size() == 1 ? all[0] : all[lane];
    }
    Reg only(Reg reg) const { return regs[reg][0]; }

    // ---- control

    void branch(const Instr& i) {
        const std::int64_t lanes = i.result == kNone ? 0 : lanesOf(old.regs[i.result].type);
        if (lanes == 0) {
            const BlockId then = w.inBlock([&] { block(i.blocks[0]); });
            const BlockId other =
                i.blocks[1] == kNone ? kNone : w.inBlock([&] { block(i.blocks[1]); });
            return finish(i, {then, other, kNone});
        }
        const Type* type = old.regs[i.result].type;
        const std::uint32_t kept = w.local("chosen", types.withoutVectors(type));
        auto side = [&](BlockId id) {
            return w.inBlock([&] {
                for (const Instr& each : old.blocks[id].instrs) {
                    w.range = each.range;
                    if (each.op == Op::Yield)
                        store(w.address(kept), type, regs[each.operands[0]]);
                    else
                        instruction(each);
                }
            });
        };
        const BlockId then = side(i.blocks[0]), other = side(i.blocks[1]);
        w.emit(Op::If, nullptr, {only(i.operands[0])}).blocks = {then, other, kNone};
        regs[i.result] = load(w.address(kept), type);
    }

    void loop(const Instr& i) {
        std::array<BlockId, 3> blocks{kNone, kNone, kNone};
        for (std::size_t k = 0; k < 3; ++k)
            if (i.blocks[k] != kNone) blocks[k] = w.inBlock([&] { block(i.blocks[k]); });
        finish(i, blocks);
    }

    void finish(const Instr& i, std::array<BlockId, 3> blocks) {
        copy(i, 0);
        w.body.blocks[w.block].instrs.back().blocks = blocks;
    }

    // ---- memory

    /// The address of a lane's scalar, or of its real or imaginary part, in a vector's memory.
    Reg place(Reg ref, std::size_t lane, std::size_t part, bool inParts) {
        if (inParts) ref = w.reference(ref, w.integer(static_cast<std::int64_t>(part)));
        return w.reference(ref, w.integer(static_cast<std::int64_t>(lane)));
    }

    Reg loadLane(Reg ref, const Type* vector, std::size_t lane) {
        auto one = [&](std::size_t part) {
            const Reg at = place(ref, lane, part, isComplex(vector));
            return w.operation(Op::LoadAt, w.body.regs[at].type, {at});
        };
        if (!isComplex(vector)) return one(0);
        const Reg re = one(0), im = one(1);
        return w.operation(Op::Make, vector->element, {re, im});
    }

    void storeLane(Reg ref, const Type* vector, std::size_t lane, Reg value) {
        for (std::uint32_t part = 0; part < (isComplex(vector) ? 2 : 1); ++part) {
            const Reg at = place(ref, lane, part, isComplex(vector));
            Reg stored = value;
            if (isComplex(vector)) {
                w.emit(Op::Part, types.floatType(), {value}).index = part;
                stored = w.result(types.floatType(), false);
            }
            w.emit(Op::StoreAt, w.body.regs[at].type, {at, stored});
        }
    }

    Lanes load(Reg ref, const Type* vector) {
        Lanes made;
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(vector->extent); ++lane)
            made.push_back(loadLane(ref, vector, lane));
        return made;
    }

    void store(Reg ref, const Type* vector, const Lanes& values) {
        for (std::size_t lane = 0; lane < static_cast<std::size_t>(vector->extent); ++lane)
            storeLane(ref, vector, lane, values.size() == 1 ? values[0] : values[lane]);
    }

    bool memory(const Instr& i) {
        const bool isVector = i.type && lanesOf(i.type) != 0;
        switch (i.op) {
            case Op::Load:
                if (!isVector) return false;
                regs[i.result] = load(w.address(i.var, types.withoutVectors(i.type)), i.type);
                return true;
            case Op::Store:
                if (!isVector) return false;
                store(w.address(i.var, types.withoutVectors(i.type)), i.type, regs[i.operands[0]]);
                return true;
            case Op::Declare:
                if (i.var.space != Space::Local || lanesOf(old.locals[i.var.index].type) == 0)
                    return false;
                w.emit(Op::Zero, types.withoutVectors(old.locals[i.var.index].type),
                       {w.address(i.var.index)});
                return true;
            case Op::LoadAt:
                if (!isVector) return false;
                regs[i.result] = load(only(i.operands[0]), i.type);
                return true;
            case Op::StoreAt:
                if (!isVector) return false;
                store(only(i.operands[0]), i.type, regs[i.operands[1]]);
                return true;
            case Op::Elem:
            case Op::Member: {
                const std::uint32_t lanes = old.regs[i.result].lanes;
                for (std::size_t lane = 0; lane < std::max<std::size_t>(lanes, 1); ++lane) {
                    Instr made = i;
                    made.type = types.withoutVectors(i.type);
                    for (Reg& reg : made.operands) reg = laneOf(reg, lane);
                    w.body.blocks[w.block].instrs.push_back(std::move(made));
                    regs[i.result].push_back(w.result(types.withoutVectors(i.type), true));
                }
                return true;
            }
            case Op::Addr:
            case Op::Copy:
            case Op::Zero: {
                Instr made = i;
                made.type = types.withoutVectors(i.type);
                for (Reg& reg : made.operands) reg = only(reg);
                w.body.blocks[w.block].instrs.push_back(std::move(made));
                if (i.op == Op::Addr)
                    regs[i.result] = {w.result(types.withoutVectors(i.type), true)};
                return true;
            }
            default: return false;
        }
    }

    // ---- operations on vectors

    bool vector(const Instr& i) {
        switch (i.op) {
            case Op::Splat: regs[i.result].assign(lanes(i.type), only(i.operands[0])); return true;
            case Op::LaneNumbers:
                for (std::size_t lane = 0; lane < lanes(i.type); ++lane)
                    regs[i.result].push_back(w.integer(static_cast<std::int64_t>(lane)));
                return true;
            case Op::Lane: regs[i.result] = {regs[i.operands[0]][i.index]}; return true;
            case Op::Select: select(i); return true;
            case Op::Any:
            case Op::Every: {
                const Lanes& all = regs[i.operands[0]];
                const Op op = i.op == Op::Any ? Op::Or : Op::And;
                Reg made = all[0];
                for (std::size_t lane = 1; lane < all.size(); ++lane)
                    made = w.operation(op, types.boolean(), {made, all[lane]});
                regs[i.result] = {made};
                return true;
            }
            case Op::LoadVector:
            case Op::StoreVector: return apart(i);
            case Op::Transpose: transpose(i); return true;
            case Op::Gather: gather(i); return true;
            case Op::Scatter: scatter(i); return true;
            default: return false;
        }
    }

    static std::size_t lanes(const Type* type) { return static_cast<std::size_t>(type->extent); }

    /// By an `if`, since there is no other choice among scalars.
    Reg chosen(Reg condition, Reg one, Reg other) {
        const Type* type = w.body.regs[one].type;
        auto side = [&](Reg reg) { return w.inBlock([&] { w.emit(Op::Yield, nullptr, {reg}); }); };
        const BlockId then = side(one), otherwise = side(other);
        w.emit(Op::If, type, {condition}).blocks = {then, otherwise, kNone};
        return w.result(type, false);
    }

    void select(const Instr& i) {
        const std::size_t count =
            std::max<std::size_t>(1, static_cast<std::size_t>(lanesOf(i.type)));
        for (std::size_t lane = 0; lane < count; ++lane)
            regs[i.result].push_back(chosen(laneOf(i.operands[0], lane),
                                            laneOf(i.operands[1], lane),
                                            laneOf(i.operands[2], lane)));
    }

    /// The ref leads to the element of an array, whose neighbours are found by the array's address: refs have no arithmetic.
    bool apart(const Instr& i) {
        const Instr* element = elementOf(i.operands[0]);
        STRC_ASSERT(element, "a vector at a ref that no element of an array gave");
        const bool isLoad = i.op == Op::LoadVector;
        const Type* type = isLoad ? i.type : old.regs[i.operands[1]].type;
        const std::int64_t step = isLoad ? i.index : 1;
        for (std::size_t lane = 0; lane < lanes(type); ++lane) {
            const Reg further = w.integer(static_cast<std::int64_t>(lane) * step);
            const Reg index =
                w.operation(Op::Add, types.intType(), {only(element->operands[1]), further});
            const Reg at = w.reference(only(element->operands[0]), index);
            if (isLoad)
                regs[i.result].push_back(w.operation(Op::LoadAt, type->element, {at}));
            else
                w.emit(Op::StoreAt, type->element, {at, laneOf(i.operands[1], lane)});
        }
        return true;
    }

    void transpose(const Instr& i) {
        const Instr *to = elementOf(i.operands[0]), *from = elementOf(i.operands[1]);
        STRC_ASSERT(to && from, "a matrix at a ref that no element of an array gave");
        const Reg count = only(i.operands[2]), length = only(i.operands[3]);
        auto placeIn = [&](const Instr* element, Reg further) {
            return sum(only(element->operands[1]), further);
        };
        auto load = [&](Reg item) {
            return w.element(only(from->operands[0]), placeIn(from, item));
        };
        auto store = [&](Reg item, Reg value) {
            w.setElement(only(to->operands[0]), placeIn(to, item), value);
        };
        const bool joins = to->type != from->type && isComplex(to->type),
                   parts = to->type != from->type && !joins;
        if (!joins && !parts)
            return forItems(count, [&](Reg n) { store(columnPlace(n, i.index, length), load(n)); });
        if (parts)
            return forItems(natural(Op::Div, count, 2), [&](Reg item) {
                const Reg value = load(item);
                for (std::int64_t part : {0, 1}) {
                    const Reg number = sum(times(item, 2), w.integer(part));
                    store(columnPlace(number, i.index, length), partOf(value, part));
                }
            });
        joinParts(i, length, natural(Op::Div, count, 2 * std::int64_t{i.index}), load, store);
    }

    /// Every other row has real parts, and the row below it the imaginary ones.
    void joinParts(const Instr& i, Reg length, Reg pairs, const std::function<Reg(Reg)>& load,
                   const std::function<void(Reg, Reg)>& store) {
        const std::int64_t columns = i.index;
        forItems(pairs, [&](Reg pair) {
            w.loop(columns, [&](Reg column) {
                const Reg re = load(sum(times(pair, 2 * columns), column));
                const Reg im = load(sum(times(pair, 2 * columns), sum(column, w.integer(columns))));
                const Reg begin = w.operation(Op::Mul, types.intType(), {column, length});
                store(sum(natural(Op::Div, begin, 2), pair),
                      w.operation(Op::Make, old.regs[i.operands[0]].type, {re, im}));
            });
        });
    }

    const Instr* elementOf(Reg ref) const {
        for (const Block& each : old.blocks)
            for (const Instr& i : each.instrs)
                if (i.result == ref) return i.op == Op::Elem ? &i : nullptr;
        return nullptr;
    }

    void gather(const Instr& i) {
        const Type* led = old.regs[i.operands[0]].type;
        for (std::size_t lane = 0; lane < lanes(i.type); ++lane) {
            auto loaded = [&] {
                const Reg ref = laneOf(i.operands[0], lane);
                return lanesOf(led) != 0 ? loadLane(ref, led, lane)
                                         : w.operation(Op::LoadAt, led, {ref});
            };
            if (i.operands.size() == 1) {
                regs[i.result].push_back(loaded());
                continue;
            }
            const BlockId then = w.inBlock([&] { w.emit(Op::Yield, nullptr, {loaded()}); });
            const BlockId other = w.inBlock(
                [&] { w.emit(Op::Yield, nullptr, {w.constant(Value::zero(i.type->element))}); });
            w.emit(Op::If, i.type->element, {laneOf(i.operands[1], lane)}).blocks = {then, other,
                                                                                     kNone};
            regs[i.result].push_back(w.result(i.type->element, false));
        }
    }

    void scatter(const Instr& i) {
        const Type* led = old.regs[i.operands[0]].type;
        const auto count = static_cast<std::size_t>(old.regs[i.operands[0]].lanes);
        for (std::size_t lane = 0; lane < count; ++lane) {
            auto stored = [&] {
                const Reg ref = laneOf(i.operands[0], lane), value = laneOf(i.operands[1], lane);
                if (lanesOf(led) != 0) return storeLane(ref, led, lane, value);
                w.emit(Op::StoreAt, led, {ref, value});
            };
            if (i.operands.size() == 2) {
                stored();
                continue;
            }
            const BlockId then = w.inBlock(stored);
            w.emit(Op::If, nullptr, {laneOf(i.operands[2], lane)}).blocks = {then, kNone, kNone};
        }
    }

    // ---- tapes

    bool tape(const Instr& i) {
        switch (i.op) {
            case Op::PeekVector:
                for (std::size_t lane = 0; lane < lanes(i.type); ++lane) {
                    const Reg further = w.integer(static_cast<std::int64_t>(lane) * i.index);
                    regs[i.result].push_back(
                        peek(w.operation(Op::Add, types.intType(),
                                         {laneOf(i.operands[0], lane), further}),
                             i.type->element));
                }
                return true;
            case Op::PushVector:
                for (const Reg reg : regs[i.operands[0]])
                    w.emit(Op::Push, w.body.regs[reg].type, {reg});
                return true;
            case Op::PeekColumns: peekColumns(i); return true;
            case Op::PushRows: pushRows(i); return true;
            default: return false;
        }
    }

    Reg peek(Reg offset, const Type* item) {
        w.emit(Op::Peek, item, {offset}).checked = false;
        return w.result(item, false);
    }

    void peekColumns(const Instr& i) {
        const Reg array = only(i.operands[0]);
        const Type* type = w.body.regs[array].type;
        const bool inParts = i.type->is(TypeKind::Complex) && type->element->is(TypeKind::Float);
        const std::int64_t parts = inParts ? 2 : 1, columns = i.index * parts;
        const std::int64_t length = type->extent / columns;
        forItems(only(i.operands[1]), [&](Reg at) {
            const Reg value = peek(at, i.type);
            for (std::int64_t part = 0; part < parts; ++part) {
                const Reg number = sum(times(at, parts), w.integer(part));
                w.setElement(array, columnPlace(number, columns, w.integer(length)),
                             inParts ? partOf(value, part) : value);
            }
        });
    }

    void forItems(Reg count, const std::function<void(Reg)>& inside) {
        const std::uint32_t item = w.local("item", types.intType());
        w.store(item, w.integer(0));
        const BlockId condition = w.inBlock([&] {
            w.emit(Op::Yield, nullptr,
                   {w.operation(Op::Lt, types.intType(), {w.load(item), count})});
        });
        const BlockId body = w.inBlock([&] { inside(w.load(item)); });
        const BlockId step = w.inBlock([&] { w.store(item, sum(w.load(item), w.integer(1))); });
        w.emit(Op::Loop, nullptr, {}).blocks = {condition, body, step};
    }

    Reg sum(Reg x, Reg y) { return w.operation(Op::Add, types.intType(), {x, y}); }
    Reg times(Reg x, std::int64_t y) {
        return w.operation(Op::Mul, types.intType(), {x, w.integer(y)});
    }

    /// Of two numbers that are not negative.
    Reg natural(Op op, Reg x, std::int64_t y) {
        w.emit(op, types.intType(), {x, w.integer(y)}).checked = false;
        return w.result(types.intType(), false);
    }

    Reg partOf(Reg complex, std::int64_t part) {
        w.emit(Op::Part, types.floatType(), {complex}).index = static_cast<std::uint32_t>(part);
        return w.result(types.floatType(), false);
    }

    /// In column n % columns, row n / columns.
    Reg columnPlace(Reg n, std::int64_t columns, Reg length) {
        const Reg column =
            w.operation(Op::Mul, types.intType(), {natural(Op::Rem, n, columns), length});
        return sum(column, natural(Op::Div, n, columns));
    }

    void pushRows(const Instr& i) {
        const Reg array = only(i.operands[0]);
        const Type* type = w.body.regs[array].type;
        const bool inParts = i.type->is(TypeKind::Complex) && type->element->is(TypeKind::Float);
        const std::int64_t parts = inParts ? 2 : 1;
        const std::int64_t lanesInRow = i.index, items = type->extent / lanesInRow / parts;
        w.loop(lanesInRow, [&](Reg lane) {
            w.loop(items, [&](Reg item) {
                auto one = [&](std::int64_t part) {
                    const Reg row = w.operation(
                        Op::Add, types.intType(),
                        {w.operation(Op::Mul, types.intType(), {item, w.integer(parts)}),
                         w.integer(part)});
                    const Reg first =
                        w.operation(Op::Mul, types.intType(), {row, w.integer(lanesInRow)});
                    return w.element(array, w.operation(Op::Add, types.intType(), {first, lane}));
                };
                const Reg value =
                    inParts ? w.operation(Op::Make, i.type, {one(0), one(1)}) : one(0);
                w.emit(Op::Push, i.type, {value});
            });
        });
    }

    types::TypeTable& types;
    const Body& old;
    Writer w;
    std::vector<Lanes> regs;
};

}  // namespace

namespace {

bool hasOperation(const Body& body, bool (*is)(Op)) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [&](const Block& each) {
        return std::any_of(each.instrs.begin(), each.instrs.end(),
                           [&](const Instr& i) { return is(i.op); });
    });
}

bool movesManyItems(Op op) { return op == Op::DiscardMany || op == Op::PushMany; }

}  // namespace

bool hasVectors(const Body& body) { return hasLanes(body) || hasOperation(body, movesManyItems); }

bool hasLanes(const Body& body) {
    const bool isInRegister =
        std::any_of(body.regs.begin(), body.regs.end(), [](const RegInfo& info) {
            return info.lanes != 0 || (info.type && lanesOf(types::innermost(info.type)) != 0);
        });
    return isInRegister || hasOperation(body, [](Op op) {
               return (op >= Op::Splat && op <= Op::Scatter) ||
                      (op >= Op::PeekVector && op < Op::Iter);
           });
}

Body scalarise(types::TypeTable& types, const Body& body) { return Scalariser(types, body).run(); }

}  // namespace strc::ir
