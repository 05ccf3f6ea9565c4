// The part of `algebraic-simplification` that makes other operations of some: broadcasts last, transposes first, several views
// as one. The bits of all elements stay.

#include <algorithm>
#include <numeric>

#include "opt/detail/tensor_passes.h"
#include "opt/detail/tensor_rewriter.h"
#include "tensor/node.h"

namespace strc::opt {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::Type;
using types::TypeKind;
using Dims = std::vector<std::int64_t>;

class Moves : TensorRewriter {
public:
    using TensorRewriter::TensorRewriter;

    bool run() {
        return changeOne([this](const Instr& instr) { return changed(instr); });
    }

private:
    std::optional<Reg> changed(const Instr& instr) {
        if (tensor::keepsOrder(instr.tensor)) return reshapedOnce(instr);
        switch (instr.tensor) {
            case TensorFn::Transpose:
                if (std::optional<Reg> product = transposedProduct(instr)) return product;
                return permutedOnce(instr);
            case TensorFn::Permute: return permutedOnce(instr);
            case TensorFn::Add:
            case TensorFn::Sub:
                if (std::optional<Reg> sum = withoutNegation(instr)) return sum;
                break;
            case TensorFn::Mul:
                if (std::optional<Reg> zeros = absorbed(instr)) return zeros;
                break;
            case TensorFn::Update:  // of all of it, which gives the type alone
                if (typeOf(instr.operands[1]) == typeOf(instr.result)) return instr.operands[1];
                break;
            default: break;
        }
        return tensor::isElementwise(instr.tensor) ? beforeBroadcasts(instr) : std::nullopt;
    }

    // ---- views

    std::optional<Reg> reshapedOnce(const Instr& instr) {
        const Instr* first = makerOf(instr.operands[0]);
        if (!first || !tensor::keepsOrder(first->tensor) || !typeOf(first->operands[0]))
            return std::nullopt;
        return emitTo(TensorFn::Reshape, first->operands[0], typeOf(instr.result)->dims);
    }

    std::optional<std::int64_t> numberAt(const Instr& instr, std::size_t k,
                                         std::size_t rank) const {
        const std::optional<types::Value>& value = facts.constants[instr.operands[k]];
        if (!value || !value->type->is(TypeKind::Int)) return std::nullopt;
        const std::int64_t dim = value->toInt();
        return dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim;
    }

    /// For each dimension of the result that of the operand.
    std::optional<Dims> permutationOf(const Instr& instr) const {
        const std::size_t rank = typeOf(instr.result)->dims.size();
        Dims order(rank);
        std::iota(order.begin(), order.end(), 0);
        const bool isSwap = instr.tensor == TensorFn::Transpose;
        if (!isSwap && instr.operands.size() != rank + 1) return std::nullopt;
        Dims named;
        for (std::size_t k = 1; k < instr.operands.size(); ++k) {
            const std::optional<std::int64_t> dim = numberAt(instr, k, rank);
            if (!dim) return std::nullopt;
            named.push_back(*dim);
        }
        if (!isSwap) return named;
        std::swap(order[static_cast<std::size_t>(named[0])],
                  order[static_cast<std::size_t>(named[1])]);
        return order;
    }

    std::optional<Reg> permutedOnce(const Instr& instr) {
        const Instr* first = makerOf(instr.operands[0]);
        const bool isPermuted =
            first && (first->tensor == TensorFn::Transpose || first->tensor == TensorFn::Permute);
        if (!isPermuted || !typeOf(first->operands[0])) return std::nullopt;
        const std::optional<Dims> inner = permutationOf(*first), outer = permutationOf(instr);
        if (!inner || !outer) return std::nullopt;
        Dims both;
        for (std::int64_t dim : *outer) both.push_back((*inner)[static_cast<std::size_t>(dim)]);
        if (std::is_sorted(both.begin(), both.end())) return first->operands[0];
        return emitTo(TensorFn::Permute, first->operands[0], both);
    }

    /// (a b)^T = b^T a^T: transposed operands are steps of the product, a transposed result is a copy.
    std::optional<Reg> transposedProduct(const Instr& instr) {
        const Instr* product = makerOf(instr.operands[0]);
        if (!product || product->tensor != TensorFn::Matmul) return std::nullopt;
        const Type *a = typeOf(product->operands[0]), *b = typeOf(product->operands[1]);
        const std::size_t rank = typeOf(instr.result)->dims.size();
        const std::optional<Dims> order = permutationOf(instr);
        if (!a || !b || a->dims.size() < 2 || b->dims.size() < 2 || !order) return std::nullopt;
        Dims last(rank);
        std::iota(last.begin(), last.end(), 0);
        std::swap(last[rank - 1], last[rank - 2]);
        if (*order != last) return std::nullopt;
        auto transposed = [&](Reg matrix) { return emitTo(TensorFn::Transpose, matrix, {-2, -1}); };
        const Reg right = transposed(product->operands[0]);
        return emit(TensorFn::Matmul, {transposed(product->operands[1]), right});
    }

    // ---- arithmetic

    std::optional<Reg> withoutNegation(const Instr& instr) {
        const Instr* negated = makerOf(instr.operands[1]);
        const Type* result = typeOf(instr.result);
        const bool isPlain = result->element->is(TypeKind::Float) ||
                             result->element->is(TypeKind::Double) ||
                             result->element->is(TypeKind::Int);
        if (!isPlain || !negated || negated->tensor != TensorFn::Neg ||
            typeOf(instr.operands[1])->element != result->element)
            return std::nullopt;
        const TensorFn other = instr.tensor == TensorFn::Add ? TensorFn::Sub : TensorFn::Add;
        return emit(other, {instr.operands[0], negated->operands[0]});
    }

    /// Of integers alone: a real number times 0 is 0 only if it is finite and not negative.
    std::optional<Reg> absorbed(const Instr& instr) {
        const Type* result = typeOf(instr.result);
        if (!result->element->is(TypeKind::Int) || result->dims.empty()) return std::nullopt;
        for (Reg operand : instr.operands) {
            const Instr* maker = facts.makers[operand];
            if (!maker || maker->op != Op::Tensor || maker->tensor != TensorFn::FromScalar)
                continue;
            const std::optional<types::Value>& value = facts.constants[maker->operands[0]];
            if (value && value->type->is(TypeKind::Int) && value->toInt() == 0)
                return emitTo(TensorFn::Broadcast, operand, result->dims);
        }
        return std::nullopt;
    }

    // ---- broadcasts

    const Instr* broadcastOf(Reg value) const {
        const Instr* maker = makerOf(value);
        const bool isOne =
            maker && maker->tensor == TensorFn::Broadcast && typeOf(maker->operands[0]);
        return isOne ? maker : nullptr;
    }

    /// What is done with a value that is there often is done with it once.
    std::optional<Reg> beforeBroadcasts(const Instr& instr) {
        std::vector<Reg> operands = instr.operands;
        Dims dims;
        bool changes = false;
        for (Reg& operand : operands) {
            if (!typeOf(operand)) return std::nullopt;
            if (const Instr* broadcast = broadcastOf(operand)) {
                operand = broadcast->operands[0];
                changes = true;
            }
            dims = aligned(dims, typeOf(operand)->dims);
        }
        if (!changes) return std::nullopt;
        const Reg value = emitLike(instr, std::move(operands));
        const Dims& wanted = typeOf(instr.result)->dims;
        return dims == wanted ? value : emitTo(TensorFn::Broadcast, value, wanted);
    }

    /// The shape that both make together.
    static Dims aligned(const Dims& a, const Dims& b) {
        Dims result(std::max(a.size(), b.size()), 1);
        for (const Dims* dims : {&a, &b})
            for (std::size_t k = 0; k < dims->size(); ++k) {
                std::int64_t& extent = result[result.size() - dims->size() + k];
                if ((*dims)[k] != 1) extent = (*dims)[k];
            }
        return result;
    }
};

}  // namespace

bool moveOperations(elab::Kernel& kernel, types::TypeTable& types) {
    bool changes = false;
    while (Moves(kernel, types).run()) changes = true;
    return changes;
}

}  // namespace strc::opt
