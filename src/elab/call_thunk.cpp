#include "elab/detail/call_thunk.h"

#include "dynamic_shapes/program.h"
#include "ir/writer.h"

namespace strc::elab {
namespace {

using dynamic_shapes::isHandedOverWhole;
using ir::Op;
using ir::Reg;
using types::Type;

class CallThunk {
public:
    CallThunk(types::TypeTable& table, graph::NodeId id, const ItemTypes& items)
        : w(table), node(id), input(items.input), output(items.output) {}

    ir::Body make(const graph::Rates& rates, const ir::Body& body) {
        w.range = body.header;
        std::vector<Reg> parts = arrays(input, rates.peek.max);
        const auto taken = static_cast<std::uint32_t>(parts.size());
        take(rates, parts);
        if (rates.push.dynamic) {
            call(std::move(parts), taken);
            giveAll(w.result(w.types.intType(), false));
        } else {
            const std::vector<Reg> given = arrays(output, rates.push.max);
            parts.insert(parts.end(), given.begin(), given.end());
            call(std::move(parts), taken);
            give(given, rates.push.max);
        }
        w.body.kind = body.kind;
        w.body.range = w.body.header = body.header;
        return std::move(w.body);
    }

private:
    std::vector<Reg> arrays(const Type* item, std::int64_t items) {
        std::vector<Reg> made;
        if (items == 0) return made;
        const bool isWhole = isHandedOverWhole(item, items);
        const Type* type = isWhole ? w.types.array(item, items) : item;
        for (std::int64_t k = 0; k < (isWhole ? 1 : items); ++k)
            made.push_back(w.address(w.local("", type)));
        return made;
    }

    void call(std::vector<Reg> parts, std::uint32_t taken) {
        ir::Instr& made = w.emit(Op::Call, w.types.intType(), std::move(parts));
        made.callee = {ir::CalleeKind::DynamicShape, node};
        made.index = taken;
    }

    /// As many as there are.
    void giveAll(Reg count) {
        const std::uint32_t left = w.local("left", w.types.intType());
        w.store(left, count);
        const std::uint32_t item = w.local("item", output);
        const ir::BlockId condition = w.inBlock([&] {
            const Reg more = w.operation(Op::Gt, w.types.intType(), {w.load(left), w.integer(0)});
            w.emit(Op::Yield, nullptr, {more});
        });
        const ir::BlockId iteration = w.inBlock([&] {
            call({w.address(item)}, 0);
            w.body.blocks[w.block].instrs.back().flag = true;
            if (output->isAggregate())
                w.emit(Op::PushFrom, output, {w.address(item)});
            else
                w.emit(Op::Push, output, {w.load(item)});
        });
        const ir::BlockId step = w.inBlock([&] {
            w.store(left, w.operation(Op::Sub, w.types.intType(), {w.load(left), w.integer(1)}));
        });
        w.emit(Op::Loop, nullptr, {}).blocks = {condition, iteration, step};
    }

    void take(const graph::Rates& rates, const std::vector<Reg>& to) {
        const std::int64_t pops = rates.pop.max, all = rates.peek.max;
        if (all == 0) return;
        if (isHandedOverWhole(input, all)) {
            w.loop(all, [&](Reg k) { peek(w.reference(to[0], k), k); });
            if (pops > 0) w.loop(pops, [&](Reg) { w.emit(Op::Discard, input, {}); });
            return;
        }
        for (std::int64_t k = pops; k < all; ++k)
            peek(to[static_cast<std::size_t>(k)], w.integer(k));
        for (std::int64_t k = 0; k < pops; ++k)
            w.emit(Op::PopInto, input, {to[static_cast<std::size_t>(k)]});
    }

    void peek(Reg to, Reg offset) {
        if (input->isAggregate()) {
            w.emit(Op::PeekInto, input, {to, offset});
            return;
        }
        const Reg item = w.operation(Op::Peek, input, {offset});
        w.emit(Op::StoreAt, input, {to, item});
    }

    void give(const std::vector<Reg>& from, std::int64_t items) {
        if (items == 0) return;
        if (!isHandedOverWhole(output, items)) {
            for (Reg item : from) w.emit(Op::PushFrom, output, {item});
            return;
        }
        w.loop(items, [&](Reg k) {
            if (output->isAggregate())
                w.emit(Op::PushFrom, output, {w.reference(from[0], k)});
            else
                w.emit(Op::Push, output, {w.element(from[0], k)});
        });
    }

    ir::Writer w;
    graph::NodeId node;
    const Type* input;
    const Type* output;
};

}  // namespace

ir::Body callThunk(graph::NodeId node, const ItemTypes& items, const graph::Rates& rates,
                   const ir::Body& body, types::TypeTable& types) {
    return CallThunk(types, node, items).make(rates, body);
}

}  // namespace strc::elab
