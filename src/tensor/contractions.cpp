// Products of matrices and convolutions as sums of products over arrays (ir/contraction.h).

#include "tensor/detail/contractions.h"

#include <algorithm>

#include "tensor/detail/epilogue.h"
#include "tensor/detail/parts.h"
#include "tensor/detail/strided.h"

namespace strc::tensor {

using ir::Contraction;
using ir::ContractionLoop;
using ir::Op;
using types::TensorFn;
using types::TypeKind;

namespace {

using Steps = std::array<std::int32_t, ir::kMostAddends>;

/// From item to item of a dimension of the result: in the addends, which are aligned with it at the end.
class Addends {
public:
    Addends(const Node& result, std::vector<Strided> found, const std::vector<NodePtr>& nodes)
        : all(std::move(found)) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            const Dims& dims = nodes[k]->dims();
            const std::size_t more = result.dims().size() - dims.size();
            Dims steps(result.dims().size());
            for (std::size_t d = more; d < steps.size(); ++d)
                steps[d] = dims[d - more] == 1 ? 0 : all[k].steps[d - more];
            all[k].steps = steps;
        }
    }
    Steps along(std::size_t dim, std::int64_t times = 1) const {
        Steps steps = {};
        for (std::size_t k = 0; k < all.size(); ++k) steps[k] = narrow(all[k].steps[dim] * times);
        return steps;
    }
    const Strided& operator[](std::size_t k) const { return all[k]; }

private:
    std::vector<Strided> all;
};

/// The loops of a product of matrices, as its shape rule has aligned the dimensions.
void addMatmul(const Node& node, const Strided& a, const Strided& b, const Dims& out,
               const Addends& addends, Contraction& how) {
    const Dims& left = node.operands[0]->dims();
    const Dims& right = node.operands[1]->dims();
    const bool isRow = left.size() == 1;
    const bool isColumn = right.size() == 1;
    const std::size_t batches = node.dims().size() - (isRow ? 0u : 1u) - (isColumn ? 0u : 1u);
    auto batchStep = [&](const Strided& operand, const Dims& dims, std::size_t k) -> std::int64_t {
        const std::size_t own = dims.size() < 2 ? 0 : dims.size() - 2;
        if (k + own < batches) return 0;
        const std::size_t at = k + own - batches;
        return dims[at] == 1 ? 0 : operand.steps[at];
    };
    for (std::size_t k = 0; k < batches; ++k)
        how.loops.push_back({narrow(node.dims()[k]), narrow(out[k]), narrow(batchStep(a, left, k)),
                             narrow(batchStep(b, right, k)), addends.along(k)});
    if (!isRow)
        how.loops.push_back({narrow(left[left.size() - 2]), narrow(out[batches]),
                             narrow(a.steps[left.size() - 2]), 0, addends.along(batches)});
    if (!isColumn)
        how.loops.push_back({narrow(right.back()), narrow(out.back()), 0, narrow(b.steps.back()),
                             addends.along(node.dims().size() - 1)});
    how.loops.push_back({narrow(left.back()),
                         0,
                         narrow(a.steps.back()),
                         narrow(b.steps[isColumn ? 0 : right.size() - 2]),
                         {}});
}

void addConvolution(const Node& node, const Strided& x, const Strided& weight, const Dims& out,
                    const Addends& addends, Contraction& how) {
    const Dims& kernel = node.operands[1]->dims();
    const std::size_t n = kernel.size() - 2;
    const std::size_t channel = node.dims().size() - n - 1;
    const std::int64_t groups = node.ints.back();
    const std::int64_t perGroup = kernel[0] / groups;
    if (channel == 1)
        how.loops.push_back(
            {narrow(node.dims()[0]), narrow(out[0]), narrow(x.steps[0]), 0, addends.along(0)});
    how.loops.push_back({narrow(groups), narrow(out[channel] * perGroup),
                         narrow(x.steps[channel] * kernel[1]), narrow(weight.steps[0] * perGroup),
                         addends.along(channel, perGroup)});
    how.loops.push_back({narrow(perGroup), narrow(out[channel]), 0, narrow(weight.steps[0]),
                         addends.along(channel)});
    for (std::size_t k = 0; k < n; ++k)
        how.loops.push_back({narrow(node.dims()[channel + 1 + k]), narrow(out[channel + 1 + k]),
                             narrow(x.steps[channel + 1 + k] * node.ints[k]), 0,
                             addends.along(channel + 1 + k)});
    how.loops.push_back(
        {narrow(kernel[1]), 0, narrow(x.steps[channel]), narrow(weight.steps[1]), {}});
    for (std::size_t k = 0; k < n; ++k)
        how.loops.push_back({narrow(kernel[2 + k]),
                             0,
                             narrow(x.steps[channel + 1 + k] * node.ints[n + k]),
                             narrow(weight.steps[2 + k]),
                             {}});
    // Places are n loops before the channels of a group, taps the last n loops. Nothing moves in an image that is one
    // element everywhere.
    const bool isBroadcast = std::find(x.steps.begin(), x.steps.end(), 0) != x.steps.end();
    for (std::size_t k = 0; k < n && !isBroadcast; ++k)
        how.windows.push_back({how.loops.size() - 2 * n - 1 + k, how.loops.size() - n + k,
                               narrow(x.steps[channel + 1 + k])});
}

/// Of loops in the order of addMatmul and addConvolution.
std::optional<ir::LoopParts> partsOf(const Node& product, const types::TensorSplit& split,
                                     const Contraction& how, const FactorBytes& factors) {
    if (ir::countProducts(how) < types::kLeastSplit) return std::nullopt;
    if (split.dim == types::TensorSplit::kPairs) return std::nullopt;  // when all is there
    if (split.dim == types::TensorSplit::kSums) return partsOfSums(how, split.places);
    if (split.dim == types::TensorSplit::kAuto)
        return partsThatPay(how, split.places, types::sizeOf(product.type->element), factors);
    if (split.dim >= static_cast<std::int64_t>(product.dims().size())) return std::nullopt;
    auto loop = static_cast<std::size_t>(split.dim);
    std::int64_t trips = split.places;
    if (product.fn == TensorFn::Conv) {
        const Dims& kernel = product.operands[1]->dims();
        const std::size_t channel = product.dims().size() - kernel.size() + 1;
        const std::int64_t perGroup = kernel[0] / product.ints.back();
        // Channels are two loops: groups, and those of a group.
        const bool areGroups = loop == channel && product.ints.back() > 1;
        if (areGroups && trips % perGroup != 0) return std::nullopt;
        if (areGroups)
            trips /= perGroup;
        else if (loop >= channel)
            ++loop;
    }
    if (trips >= how.loops[loop].trips) return std::nullopt;
    return ir::LoopParts{loop, narrow(trips)};
}

}  // namespace

/// Elements of a permuted tensor go where those of the permutation go.
Target Contractions::permuted(const Node& permutation, Target target) {
    const Dims steps = target.steps;
    for (std::size_t k = 0; k < steps.size(); ++k)
        target.steps[static_cast<std::size_t>(permutation.ints[k])] = steps[k];
    return target;
}

bool Contractions::contract(const Node& node, const Target& target) {
    if (node.kind == NodeKind::Operation && node.fn == TensorFn::Permute)
        return contract(*node.operands[0], permuted(node, target));
    const std::optional<Epilogue> epilogue = epilogueOf(node);
    if (!epilogue || (epilogue->sum && !elements.options.fusesEpilogues)) return false;
    const Node& product = epilogue->sum ? *epilogue->sum : node;
    const Type* element = node.type->element;
    const Type* array = target.array;
    const bool isNumber =
        element->is(TypeKind::Float) || element->is(TypeKind::Double) || element->is(TypeKind::Int);
    auto usable = [&](const Node& operand) {
        std::optional<Strided> found = strided(operand);
        const bool isSame = found && found->memory->array->element == element &&
                            found->memory->type->element == element;
        return isSame ? found : std::nullopt;
    };
    auto factor = [&](const Node& operand) {
        std::optional<Strided> found = strided(operand);
        const bool isNarrow = found && operand.type->element == element &&
                              found->memory->array->element == found->memory->type->element &&
                              isWidening(found->memory->type->element, element);
        return isNarrow ? found : usable(operand);
    };
    const std::optional<Strided> a = factor(*product.operands[0]);
    const std::optional<Strided> b = factor(*product.operands[1]);
    if (!isNumber || array->element != element || !a || !b) return false;
    std::vector<Strided> added;
    std::vector<std::int64_t> lengths;
    for (const NodePtr& addend : epilogue->addends) {
        const std::optional<Strided> found = usable(*addend);
        if (!found) return false;
        added.push_back(*found);
        lengths.push_back(found->memory->array->extent);
    }
    const Addends addends(node, std::move(added), epilogue->addends);
    Contraction how;
    how.out = narrow(target.first);
    how.a = narrow(a->first);
    how.b = narrow(b->first);
    how.bounds = epilogue->bounds;
    for (; how.addends < lengths.size(); ++how.addends)
        how.added[how.addends] = narrow(addends[how.addends].first);
    if (product.fn == TensorFn::Matmul)
        addMatmul(product, *a, *b, target.steps, addends, how);
    else
        addConvolution(product, *a, *b, target.steps, addends, how);
    if (const auto& split = elements.options.split)
        how.parts = partsOf(product, *split, how,
                            {types::sizeOf(a->memory->array), types::sizeOf(b->memory->array)});
    ir::dropSingleLoops(how);
    if (!ir::fits(how, array->extent, a->memory->array->extent, b->memory->array->extent, lengths))
        return false;  // there is nothing to sum
    w.range = product.range;
    std::vector<ir::Reg> operands{w.address(target.var, array), places.address(*a->memory),
                                  places.address(*b->memory)};
    for (std::size_t k = 0; k < how.addends; ++k)
        operands.push_back(places.address(*addends[k].memory));
    contract(how, std::move(operands));
    return true;
}

void Contractions::contract(const Contraction& how, std::vector<ir::Reg> operands) {
    Value table = ir::toValue(how, w.types);
    ir::Instr& instr = w.emit(Op::Contract, table.type, std::move(operands));
    instr.value = std::move(table);
}

}  // namespace strc::tensor
