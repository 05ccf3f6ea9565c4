// Scaled dot-product attention that is told as a whole, around the loops that compute it (ir/attention.h).

#include <algorithm>
#include <cmath>

#include "ir/attention.h"
#include "tensor/detail/attention.h"
#include "tensor/detail/strided.h"

namespace strc::tensor {

using ir::AttentionLoop;
using ir::Op;
using ir::Reg;
using types::TypeKind;

namespace {

/// Where queries, keys and values lie.
struct Located {
    std::vector<NodePtr> nodes;  ///< which the places are in
    std::vector<Strided> places;
};

constexpr std::size_t kOperands = 3;  ///< queries, keys, values

/// None: only the run knows it.
std::optional<float> scaleOf(const Node& node) {
    if (node.operands.size() == kOperands)
        return static_cast<float>(1 /
                                  std::sqrt(static_cast<double>(node.operands[0]->dims().back())));
    const Node& given = *node.operands[kOperands];
    if (given.kind != NodeKind::Number || !given.value) return std::nullopt;
    const types::Value& value = *given.value;
    if (value.type->is(TypeKind::Float)) return value.as<float>();
    if (value.type->is(TypeKind::Double)) return static_cast<float>(value.as<double>());
    if (value.type->is(TypeKind::Int)) return static_cast<float>(value.as<std::int32_t>());
    return std::nullopt;
}

/// Steps of an operand along the dimensions of the result that lie before the last two: it may lack some, or have one item.
Dims outerSteps(const Node& operand, const Strided& where, std::size_t count) {
    const Dims& dims = operand.dims();
    Dims steps(count, 0);
    for (std::size_t k = 0; k + 2 < dims.size(); ++k)
        if (dims[k] != 1) steps[count - (dims.size() - 2) + k] = where.steps[k];
    return steps;
}

/// Of floats throughout, at least one of them.
bool isOfFloats(const Node& node) {
    return node.count() > 0 && node.type->element->is(TypeKind::Float) &&
           std::all_of(
               node.operands.begin(), node.operands.begin() + kOperands,
               [](const NodePtr& operand) { return operand->type->element->is(TypeKind::Float); });
}

/// What does not lie in memory, a step apart, is computed.
Located locate(Elements& elements, const Node& node) {
    Located found;
    for (std::size_t k = 0; k < kOperands; ++k) {
        NodePtr operand = node.operands[k];
        std::optional<Strided> place = strided(*operand);
        if (!place || !place->memory->array->element->is(TypeKind::Float)) {
            operand = elements.computeRowByRow(operand);
            place = strided(*operand);
        }
        found.places.push_back(*place);
        found.nodes.push_back(std::move(operand));
    }
    return found;
}

ir::Attention attentionOf(const Node& node, const std::vector<Strided>& places, float scale) {
    const Strided &q = places[0], &k = places[1], &v = places[2];
    const Dims &queries = node.operands[0]->dims(), &values = node.operands[2]->dims();
    const Dims out = denseSteps(node.dims());
    auto last = [](const Dims& steps) { return narrow(steps.back()); };
    auto row = [](const Dims& steps) { return narrow(steps[steps.size() - 2]); };
    ir::Attention how;
    how.scale = scale;
    how.isCausal = !node.ints.empty() && node.ints[0] != 0;
    how.first = {1, 0, narrow(q.first), narrow(k.first), narrow(v.first), 0};
    how.queries = {row(queries), row(out), row(q.steps), 0, 0, 0};
    how.keys = {row(values), 0, 0, row(k.steps), row(v.steps), 0};
    how.width = {last(queries), 0, last(q.steps), last(k.steps), 0, 0};
    how.values = {last(values), last(out), 0, 0, last(v.steps), 0};
    const std::size_t count = node.dims().size() - 2;
    std::vector<Dims> steps;
    for (std::size_t each = 0; each < kOperands; ++each)
        steps.push_back(outerSteps(*node.operands[each], places[each], count));
    for (std::size_t d = 0; d < count; ++d)
        if (node.dims()[d] > 1)
            how.outer.push_back({narrow(node.dims()[d]), narrow(out[d]), narrow(steps[0][d]),
                                 narrow(steps[1][d]), narrow(steps[2][d]), 0});
    return how;
}

}  // namespace

bool Attention::tell(const Node& node, Reg array) {
    const std::optional<float> scale = scaleOf(node);
    if (!scale || !isOfFloats(node)) return false;
    const Located found = locate(elements, node);
    w.range = node.range;
    std::vector<Reg> operands{w.truth(), array};
    for (const Strided& place : found.places) operands.push_back(places.address(*place.memory));
    const ir::BlockId loops = w.inBlock([&] { attendInLoops(node, array); });
    types::Value table = ir::toValue(attentionOf(node, found.places, *scale), w.types);
    ir::Instr& instr = w.emit(Op::If, table.type, std::move(operands));
    instr.blocks[0] = loops;
    instr.value = std::move(table);
    return true;
}

}  // namespace strc::tensor
