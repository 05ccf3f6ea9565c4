#include "lowered/detail/dealer.h"

#include <algorithm>

namespace strc::lowered {

using ir::Op;
using plan::Step;

std::uint32_t Dealer::array(const std::vector<EdgeId>& edges, std::int64_t lanes) {
    const Type* item = items.tapeType(edges[0])->element;
    const std::int64_t length =
        static_cast<std::int64_t>(edges.size()) * std::max<std::int64_t>(lanes, 1);
    return w.local("dealt" + std::to_string(w.body.locals.size()), w.types.array(item, length));
}

/// An item, or so many neighbours.
void Dealer::move(Reg to, Reg from, std::int64_t lanes) {
    if (lanes == 0) return items.copy(to, from);
    const Type* vector = w.types.vector(w.body.regs[from].type, lanes);
    w.emit(Op::LoadVector, vector, {from}).index = 1;
    const Reg loaded = w.result(vector, false);
    w.emit(Op::StoreVector, vector, {to, loaded});
}

std::uint32_t Dealer::take(const Step& step, const Index& firing, std::int64_t lanes) {
    const std::vector<EdgeId>& edges = plan.inputsOf(step.node);
    const std::uint32_t window = array(edges, lanes);
    for (std::size_t k = 0; k < edges.size(); ++k) {
        const auto at = static_cast<std::int64_t>(k) * std::max<std::int64_t>(lanes, 1);
        const Reg to = w.reference(w.address(window), w.integer(at));
        const Index place = items.index(edges[k], step.inputs[k]).plus(firing, 1);
        move(to, items.item(edges[k], place), lanes);
    }
    return window;
}

std::uint32_t Dealer::prepare(const Step& step, std::int64_t lanes) {
    given = array(plan.outputsOf(step.node), lanes);
    givenLanes = lanes;
    return given;
}

void Dealer::give(const Step& step, const Index& firing) {
    const std::vector<EdgeId>& edges = plan.outputsOf(step.node);
    for (std::size_t k = 0; k < edges.size(); ++k) {
        const auto at = static_cast<std::int64_t>(k) * std::max<std::int64_t>(givenLanes, 1);
        const Index place = items.index(edges[k], step.outputs[k]).plus(firing, 1);
        const Reg to = items.item(edges[k], place);
        move(to, w.reference(w.address(given), w.integer(at)), givenLanes);
    }
}

}  // namespace strc::lowered
