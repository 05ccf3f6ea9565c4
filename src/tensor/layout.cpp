#include "tensor/detail/layout.h"

#include <algorithm>
#include <numeric>

namespace strc::tensor {
namespace {

using types::TensorFn;

/// Rows and columns.
constexpr std::size_t kImage = 2;

Order rowByRow(std::size_t rank) {
    Order order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

/// In which order of dimensions an operation had best write its result. The column `dimensions` of
/// types/tensor_functions.def names these.
class Orders {
public:
    explicit Orders(const Node& of) : node(of) {}

    Order ofResult() const {
        switch (node.fn) {
#define FN(Id, name, signature, form, kind, reads, shape, dimensions) \
    case TensorFn::Id: return dimensions();
#include "types/tensor_functions.def"
            case TensorFn::Count: break;
        }
        return unknown();
    }

private:
    Order unknown() const { return rowByRow(node.dims().size()); }
    Order matmul() const { return unknown(); }
    Order attention() const { return unknown(); }
    Order reshaped() const { return unknown(); }
    Order transposed() const { return unknown(); }
    Order normalised() const { return unknown(); }
    Order beside() const { return preferredOrder(*node.operands[0]); }

    /// As the operand that has as many elements, if there is one. Dimensions are aligned at the last ones.
    Order aligned() const {
        for (const NodePtr& operand : node.operands) {
            if (operand->kind == NodeKind::Number || operand->count() != node.count()) continue;
            const Order before = preferredOrder(*operand);
            const std::size_t more = node.dims().size() - before.size();
            Order order = rowByRow(more);
            for (std::size_t dim : before) order.push_back(dim + more);
            return order;
        }
        return unknown();
    }

    Order conv() const {
        const Dims steps = channelsLast(node.dims());
        const bool isImage = node.operands[1]->dims().size() == 2 + kImage && !steps.empty();
        return isImage ? orderOf(steps) : unknown();
    }

    Order permuted() const {
        Order order;
        for (std::size_t dim : preferredOrder(*node.operands[0]))
            for (std::size_t k = 0; k < node.ints.size(); ++k)
                if (static_cast<std::size_t>(node.ints[k]) == dim) order.push_back(k);
        return order;
    }

    /// The dimension within windows follows the dimension that they are cut from.
    Order windows() const {
        Order order;
        for (std::size_t dim : preferredOrder(*node.operands[0])) {
            order.push_back(dim);
            if (dim == static_cast<std::size_t>(node.ints[0]))
                order.push_back(node.dims().size() - 1);
        }
        return order;
    }

    Order reduced() const {
        if (node.ints.empty()) return unknown();
        const Order before = preferredOrder(*node.operands[0]);
        if (before.size() == node.dims().size()) return before;
        const auto gone = static_cast<std::size_t>(node.ints[0]);
        Order order;
        for (std::size_t dim : before)
            if (dim != gone) order.push_back(dim > gone ? dim - 1 : dim);
        return order;
    }

    const Node& node;
};

}  // namespace

Dims denseSteps(const Dims& dims) {
    Dims steps(dims.size());
    std::int64_t step = 1;
    for (std::size_t k = dims.size(); k-- > 0;) {
        steps[k] = step;
        step *= dims[k];
    }
    return steps;
}

Dims stepsIn(const Order& order, const Dims& dims) {
    Dims steps(dims.size());
    std::int64_t step = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
        steps[order[k]] = step;
        step *= dims[order[k]];
    }
    return areSame(dims, steps, denseSteps(dims)) ? Dims{} : steps;
}

Dims channelsLast(const Dims& dims) {
    if (dims.size() != 2 + kImage) return {};
    return stepsIn({0, 2, 3, 1}, dims);
}

bool isImage(const Type* tensor) { return !channelsLast(tensor->dims).empty(); }

Dims stepsOf(const Node& memory) {
    return isRowByRow(memory) ? denseSteps(memory.dims()) : memory.steps;
}

bool isRowByRow(const Node& memory) { return memory.steps.empty(); }

bool areSame(const Dims& dims, const Dims& steps, const Dims& others) {
    for (std::size_t k = 0; k < dims.size(); ++k)
        if (dims[k] > 1 && steps[k] != others[k]) return false;
    return true;
}

Order orderOf(const Dims& steps) {
    Order order = rowByRow(steps.size());
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return steps[a] > steps[b]; });
    return order;
}

Order preferredOrder(const Node& node) {
    const std::size_t rank = node.dims().size();
    if (node.kind == NodeKind::Memory) return orderOf(stepsOf(node));
    if (node.kind == NodeKind::Number || node.operands.empty()) return rowByRow(rank);
    return Orders(node).ofResult();
}

}  // namespace strc::tensor
