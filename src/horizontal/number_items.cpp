#include "horizontal/detail/number_items.h"

#include <utility>

#include "horizontal/merge.h"
#include "ir/writer.h"

namespace strc::horizontal {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::Type;

/// Of the tapes: the numbers, and how many an item of the body has; 0: its items are those of the tape.
struct Numbers {
    const Type* type = nullptr;
    std::int64_t count = 0;
};

/// What the channel has, if it is not what the body takes or gives.
Numbers numbersOf(const Type* item, const std::vector<graph::EdgeId>& edges,
                  const graph::Graph& graph) {
    if (edges.size() != 1 || !item->is(types::TypeKind::Array) ||
        graph.edges[edges[0]].type != item->element)
        return {};
    return {item->element, item->extent};
}

class Rewriter {
public:
    Rewriter(types::TypeTable& types, ir::Body body, Numbers taken, Numbers given)
        : w(types), in(taken), out(given) {
        w.body = std::move(body);
    }

    ir::Body run() {
        const std::size_t blocks = w.body.blocks.size();
        for (ir::BlockId id = 0; id < blocks; ++id) {
            const std::vector<Instr> before = std::exchange(w.body.blocks[id].instrs, {});
            w.block = id;
            for (const Instr& i : before) {
                w.range = i.range;
                if (!tape(i)) w.body.blocks[id].instrs.push_back(i);
            }
        }
        return std::move(w.body);
    }

private:
    bool tape(const Instr& i) {
        switch (i.op) {
            case Op::PopInto: return in.count > 0 && (pop(i), true);
            case Op::PeekInto: return in.count > 0 && (peek(i), true);
            case Op::Discard: return in.count > 0 && (discard(in.count), true);
            case Op::DiscardMany: return in.count > 0 && (discard(in.count * i.index), true);
            case Op::PushFrom: return out.count > 0 && (push(i), true);
            default: return false;
        }
    }

    void pop(const Instr& i) {
        w.loop(in.count,
               [&](Reg k) { w.setElement(i.operands[0], k, w.operation(Op::Pop, in.type, {})); });
    }

    void peek(const Instr& i) {
        const Type* number = w.types.intType();
        const Reg first = w.operation(Op::Mul, number, {i.operands[1], w.integer(in.count)});
        w.loop(in.count, [&](Reg k) {
            const Reg place = w.operation(Op::Add, number, {first, k});
            w.emit(Op::Peek, in.type, {place}).checked = i.checked;
            w.setElement(i.operands[0], k, w.result(in.type, false));
        });
    }

    void discard(std::int64_t count) {
        w.loop(count, [&](Reg) { w.emit(Op::Discard, in.type, {}); });
    }

    void push(const Instr& i) {
        w.loop(out.count,
               [&](Reg k) { w.emit(Op::Push, out.type, {w.element(i.operands[0], k)}); });
    }

    ir::Writer w;
    const Numbers in, out;
};

}  // namespace

bool hasTensorsOfNumbers(const elab::Elaboration& program, graph::NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    const elab::Kernel& kernel = program.kernels[node.kernel];
    return numbersOf(kernel.input, node.inputs, program.graph).count > 0 ||
           numbersOf(kernel.output, node.outputs, program.graph).count > 0;
}

elab::Kernel withNumbers(types::TypeTable& types, const elab::Elaboration& program,
                         graph::NodeId id, bool mayProve) {
    const graph::Node& node = program.graph.nodes[id];
    elab::Kernel kernel = program.kernels[node.kernel];
    const Numbers in = numbersOf(kernel.input, node.inputs, program.graph);
    const Numbers out = numbersOf(kernel.output, node.outputs, program.graph);
    kernel.code.work = Rewriter(types, withoutProvedChecks(program, id, mayProve), in, out).run();
    if (in.count > 0) kernel.input = kernel.code.input = in.type;
    if (out.count > 0) kernel.output = kernel.code.output = out.type;
    kernel.work = node.work;
    kernel.prework = node.prework;
    kernel.code.prework.reset();
    return kernel;
}

}  // namespace strc::horizontal
