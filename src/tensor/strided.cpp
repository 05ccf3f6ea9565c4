#include "tensor/detail/strided.h"

#include "tensor/detail/layout.h"

namespace strc::tensor {

using types::TensorFn;

namespace {

std::optional<Strided> stridedView(const Node& node) {
    const Node& operand = *node.operands[0];
    std::optional<Strided> from = strided(operand);
    if (!from) return std::nullopt;
    if (keepsOrder(node.fn)) {
        if (from->steps != denseSteps(operand.dims())) return std::nullopt;
        from->steps = denseSteps(node.dims());
        return from;
    }
    auto at = [&](std::size_t k) { return static_cast<std::size_t>(node.ints[k]); };
    switch (node.fn) {
        case TensorFn::Transpose: std::swap(from->steps[at(0)], from->steps[at(1)]); return from;
        case TensorFn::Permute: {
            Dims steps;
            for (std::size_t k = 0; k < node.ints.size(); ++k) steps.push_back(from->steps[at(k)]);
            from->steps = steps;
            return from;
        }
        case TensorFn::Slice:
            from->first += node.ints[1] * from->steps[at(0)];
            if (node.ints.size() > 3) from->steps[at(0)] *= node.ints[3];
            return from;
        case TensorFn::Windows:
            from->steps.push_back(from->steps[at(0)] * (node.ints.size() > 3 ? node.ints[3] : 1));
            from->steps[at(0)] *= node.ints[2];
            return from;
        case TensorFn::Broadcast: {
            const std::size_t more = node.dims().size() - operand.dims().size();
            Dims steps(node.dims().size());
            for (std::size_t k = more; k < steps.size(); ++k)
                steps[k] = operand.dims()[k - more] == 1 ? 0 : from->steps[k - more];
            from->steps = steps;
            return from;
        }
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<Strided> strided(const Node& node) {
    if (node.kind == NodeKind::Memory) return Strided{&node, 0, stepsOf(node)};
    if (isWidening(node)) return strided(*node.operands[0]);
    if (node.kind == NodeKind::Operation && isView(node.fn)) return stridedView(node);
    return std::nullopt;
}

}  // namespace strc::tensor
