#include "tensor/detail/strided.h"

#include "tensor/detail/layout.h"

namespace strc::tensor {

using types::TensorFn;

namespace {

/// A dimension of several items.
struct Dimension {
    std::int64_t items, step;
};

/// Neighbours that are one dimension are joined.
std::vector<Dimension> joined(const Dims& dims, const Dims& steps) {
    std::vector<Dimension> all;
    for (std::size_t k = 0; k < dims.size(); ++k) {
        if (dims[k] == 1) continue;
        if (!all.empty() && all.back().step == dims[k] * steps[k])
            all.back() = {all.back().items * dims[k], steps[k]};
        else
            all.push_back({dims[k], steps[k]});
    }
    return all;
}

/// Steps of the same elements in other dimensions, which divide those that are joined.
std::optional<Dims> reshaped(const Dims& dims, const Dims& steps, const Dims& to) {
    std::vector<Dimension> left = joined(dims, steps);
    Dims found(to.size(), 0);
    for (std::size_t k = to.size(); k-- > 0;) {
        if (to[k] == 1) continue;
        if (left.empty() || left.back().items % to[k] != 0) return std::nullopt;
        Dimension& last = left.back();
        found[k] = last.step;
        last = {last.items / to[k], last.step * to[k]};
        if (last.items == 1) left.pop_back();
    }
    return found;
}

std::optional<Strided> stridedView(const Node& node, Reshapes which) {
    const Node& operand = *node.operands[0];
    std::optional<Strided> from = strided(operand, which);
    if (!from) return std::nullopt;
    if (keepsOrder(node.fn)) {
        const bool isDense = from->steps == denseSteps(operand.dims());
        if (!isDense && which == Reshapes::Dense) return std::nullopt;
        const std::optional<Dims> steps =
            isDense ? denseSteps(node.dims())
                    : reshaped(operand.dims(), from->steps, node.dims());
        if (!steps) return std::nullopt;
        from->steps = *steps;
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

std::optional<Strided> strided(const Node& node, Reshapes which) {
    if (node.kind == NodeKind::Memory) return Strided{&node, 0, stepsOf(node)};
    if (isWidening(node)) return strided(*node.operands[0], which);
    if (node.kind == NodeKind::Operation && isView(node.fn)) return stridedView(node, which);
    return std::nullopt;
}

}  // namespace strc::tensor
