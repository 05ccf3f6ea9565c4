#include "tensor/detail/epilogue.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/affine.h"
#include "tensor/expand.h"

namespace strc::tensor {
namespace {

using types::MathFn;
using types::TensorFn;
using types::TypeKind;

bool isReal(const Node& node) {
    return node.type->element->is(TypeKind::Float) || node.type->element->is(TypeKind::Double);
}

/// Lies in memory, or will.
bool isAddend(const Node& node) {
    if (node.kind == NodeKind::Operation && isView(node.fn)) return isAddend(*node.operands[0]);
    return node.kind == NodeKind::Memory || (node.kind == NodeKind::Operation && epilogueOf(node));
}

/// That of an operand, which has as many elements of the same type.
std::optional<Epilogue> ofOperand(const Node& node, std::size_t k) {
    const NodePtr& operand = node.operands[k];
    if (operand->kind != NodeKind::Operation || operand->type != node.type) return std::nullopt;
    std::optional<Epilogue> before = epilogueOf(*operand);
    if (before && !before->sum) before->sum = operand;
    return before;
}

std::optional<Epilogue> ofSum(const Node& node) {
    for (const std::size_t k : {0u, 1u}) {
        const NodePtr& addend = node.operands[1 - k];
        if (addend->type->element != node.type->element || !isAddend(*addend)) continue;
        std::optional<Epilogue> before = ofOperand(node, k);
        if (!before || before->bounds.areAny() || before->addends.size() == ir::kMostAddends)
            continue;
        before->addends.push_back(addend);
        return before;
    }
    return std::nullopt;
}

std::optional<float> boundOf(const Node& node) {
    if (node.kind != NodeKind::Number || !node.value) return std::nullopt;
    double value = 0;
    switch (node.value->type->kind) {
        case TypeKind::Int: value = static_cast<double>(node.value->toInt()); break;
        case TypeKind::Float: value = static_cast<double>(node.value->as<float>()); break;
        case TypeKind::Double: value = node.value->as<double>(); break;
        default: return std::nullopt;
    }
    const auto bound = static_cast<float>(value);
    if (static_cast<double>(bound) != value) return std::nullopt;
    return bound;
}

std::optional<Epilogue> within(std::optional<Epilogue> before, const ir::Bounds& bounds) {
    if (!before) return before;
    auto limited = [&](float bound) { return std::clamp(bound, bounds.low, bounds.high); };
    before->bounds = {limited(before->bounds.low), limited(before->bounds.high)};
    return before;
}

/// The greater or smaller one of it and a number.
std::optional<Epilogue> ofExtreme(const Node& node) {
    for (const std::size_t k : {0u, 1u}) {
        const std::optional<float> bound = boundOf(*node.operands[1 - k]);
        if (!bound) continue;
        ir::Bounds bounds;
        (node.math == MathFn::Max ? bounds.low : bounds.high) = *bound;
        return within(ofOperand(node, k), bounds);
    }
    return std::nullopt;
}

/// Adds something, or keeps within a bound.
bool isStep(TensorFn fn, MathFn math) {
    return fn == TensorFn::Add || fn == TensorFn::Relu ||
           (fn == TensorFn::Math && (math == MathFn::Max || math == MathFn::Min));
}

/// Which registers and local variables of a body may have a sum of products, also a permuted one.
class Sums {
public:
    explicit Sums(const ir::Body& of) : body(of), isSum(of.regs.size()), holds(of.locals.size()) {}

    /// Is one taken a step further?
    bool haveSteps() {
        // A variable may be looked at before the loop around stores a sum.
        for (int walk = 0; walk < 2 && !hasStep; ++walk)
            ir::forEach(body, body.entry, [&](const ir::Instr& instr) { look(instr); });
        return hasStep;
    }

private:
    void look(const ir::Instr& instr) {
        const bool isLocal = instr.var.space == ir::Space::Local && instr.var.index != ir::kNone;
        const bool takesSum = std::any_of(instr.operands.begin(), instr.operands.end(),
                                          [&](ir::Reg operand) { return isSum[operand]; });
        if (instr.op == ir::Op::Store && isLocal && takesSum) holds[instr.var.index] = true;
        if (instr.op == ir::Op::Load && isLocal && holds[instr.var.index])
            isSum[instr.result] = true;
        if (instr.op == ir::Op::Convert && takesSum) isSum[instr.result] = true;
        if (instr.op != ir::Op::Tensor) return;
        hasStep = hasStep || (takesSum && isStep(instr.tensor, instr.math));
        if (isContraction(instr.tensor) || (takesSum && instr.tensor == TensorFn::Permute))
            isSum[instr.result] = true;
    }

    const ir::Body& body;
    std::vector<bool> isSum, holds;  ///< by register; by local variable
    bool hasStep = false;
};

}  // namespace

bool mayHaveEpilogue(const ir::Body& body) { return Sums(body).haveSteps(); }

std::optional<Epilogue> epilogueOf(const Node& node) {
    if (node.kind != NodeKind::Operation) return std::nullopt;
    if (isContraction(node.fn)) return Epilogue{};
    if (!isReal(node) || !isStep(node.fn, node.math)) return std::nullopt;
    switch (node.fn) {
        case TensorFn::Add: return ofSum(node);
        case TensorFn::Relu:
            return within(ofOperand(node, 0), {0, std::numeric_limits<float>::infinity()});
        default: return ofExtreme(node);
    }
}

}  // namespace strc::tensor
