// The pass `fold-norms`: (x * w + b) * s + t, where * w is a convolution or product with weights and s and t are known,
// becomes x * (w * s) + (b * s + t). What is known on both sides is left to `fold-tensors`.

#include <algorithm>
#include <optional>

#include "base/pass.h"
#include "opt/detail/tensor_constants.h"
#include "opt/detail/tensor_passes.h"
#include "opt/detail/tensor_rewriter.h"

namespace strc::opt {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::Type;
using Dims = std::vector<std::int64_t>;

class Folding : TensorRewriter {
public:
    Folding(elab::Kernel& of, types::TypeTable& table)
        : TensorRewriter(of, table), isConstant(findConstants(of)) {}

    bool run() {
        return changeOne([this](const Instr& instr) { return changed(instr); });
    }

private:
    std::optional<Reg> changed(const Instr& instr) {
        if (instr.tensor != TensorFn::Mul && instr.tensor != TensorFn::Add) return std::nullopt;
        for (const std::size_t k : {0u, 1u}) {
            const Reg value = instr.operands[k], known = instr.operands[1 - k];
            if (!isConstant[known] || isConstant[value] || !facts.types[known]) continue;
            if (facts.types[value] != facts.types[instr.result]) continue;
            if (instr.tensor == TensorFn::Mul && canScale(value, known))
                return scaled(value, known);
            if (instr.tensor == TensorFn::Add) return shiftedOnce(value, known);
        }
        return std::nullopt;
    }

    /// The operand of an addition that is known, if the other one is not and is as large as the result.
    std::optional<std::size_t> shiftOf(const Instr& sum) const {
        for (const std::size_t k : {0u, 1u})
            if (isConstant[sum.operands[k]] && facts.types[sum.operands[k]] &&
                !isConstant[sum.operands[1 - k]] &&
                facts.types[sum.operands[1 - k]] == facts.types[sum.result])
                return k;
        return std::nullopt;
    }

    /// The convolution or product with weights that a value is, apart from shifts.
    const Instr* productOf(Reg value) const {
        const Instr* maker = makerOf(value);
        if (!maker) return nullptr;
        if (maker->tensor == TensorFn::Add) {
            const std::optional<std::size_t> shift = shiftOf(*maker);
            return shift ? productOf(maker->operands[1 - *shift]) : nullptr;
        }
        const bool isProduct = maker->tensor == TensorFn::Conv || maker->tensor == TensorFn::Matmul;
        return isProduct && isConstant[maker->operands[1]] && facts.types[maker->operands[1]]
                   ? maker
                   : nullptr;
    }

    /// The dimension of the result that the weights' own one is; none: it is not one alone.
    std::optional<std::size_t> ownDimension(const Instr& product) const {
        const std::size_t rank = facts.types[product.result]->dims.size();
        const std::size_t weights = facts.types[product.operands[1]]->dims.size();
        if (product.tensor == TensorFn::Conv) return rank - (weights - 2) - 1;
        if (weights != 2) return std::nullopt;
        return rank - 1;
    }

    /// One number for each item of that dimension, or one for all.
    bool canScale(Reg value, Reg scale) const {
        const Instr* product = productOf(value);
        if (!product) return false;
        const Type* result = facts.types[product->result];
        const Dims& dims = facts.types[scale]->dims;
        const std::optional<std::size_t> own = ownDimension(*product);
        if (!own || facts.types[scale]->element != result->element ||
            facts.types[product->operands[1]]->element != result->element)
            return false;
        for (std::size_t k = 0; k < dims.size(); ++k)
            if (dims[k] != 1 && k + result->dims.size() - dims.size() != *own) return false;
        return true;
    }

    Reg scaled(Reg value, Reg scale) {
        const Instr& maker = *facts.makers[value];
        if (maker.tensor == TensorFn::Add) {
            const std::size_t shift = *shiftOf(maker);
            const Reg rest = scaled(maker.operands[1 - shift], scale);
            return emit(TensorFn::Add, {rest, emit(TensorFn::Mul, {maker.operands[shift], scale})});
        }
        const Reg weights = maker.operands[1];
        std::vector<Reg> operands = maker.operands;
        operands[1] = emit(TensorFn::Mul, {weights, mappedToWeights(scale, maker)});
        return emitLike(maker, std::move(operands));
    }

    /// The scale in the shape in which it meets the weights.
    Reg mappedToWeights(Reg scale, const Instr& product) {
        const std::size_t behind = product.tensor == TensorFn::Conv
                                       ? facts.types[product.operands[1]]->dims.size() - 1
                                       : 0;
        std::int64_t count = 1;
        for (std::int64_t extent : facts.types[scale]->dims) count *= extent;
        Dims dims(behind + 1, 1);
        dims[0] = count;
        return emitTo(TensorFn::Reshape, scale, dims);
    }

    /// Two shifts of a product as one.
    std::optional<Reg> shiftedOnce(Reg value, Reg second) {
        const Instr* inner = makerOf(value);
        if (!inner || inner->tensor != TensorFn::Add || !productOf(value)) return std::nullopt;
        const std::size_t shift = *shiftOf(*inner);
        const Reg first = inner->operands[shift];
        const Type *a = facts.types[first], *b = facts.types[second];
        // Both together are no larger than the larger one.
        const std::int64_t larger = std::max(countAligned(a->dims, {}), countAligned(b->dims, {}));
        if (a->element != b->element || a->element != facts.types[value]->element ||
            countAligned(a->dims, b->dims) != larger)
            return std::nullopt;
        return emit(TensorFn::Add,
                    {inner->operands[1 - shift], emit(TensorFn::Add, {first, second})});
    }

    /// Elements of what both make together.
    static std::int64_t countAligned(const Dims& a, const Dims& b) {
        std::int64_t count = 1;
        for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
            auto extent = [&](const Dims& dims) {
                return k < dims.size() ? dims[dims.size() - 1 - k] : std::int64_t{1};
            };
            count *= std::max(extent(a), extent(b));
        }
        return count;
    }

    const std::vector<bool> isConstant;
};

}  // namespace

bool foldNorms(const pass::Context& context, elab::Kernel& kernel) {
    bool changes = false;
    if (!context.passes().isEnabled(base::Pass::FoldTensors)) return changes;
    while (Folding(kernel, context.types).run()) changes = true;
    return changes;
}

}  // namespace strc::opt
