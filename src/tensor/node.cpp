#include "tensor/node.h"

#include <algorithm>

namespace strc::tensor {

using types::TensorFn;
using types::TensorKind;
using types::TypeKind;

namespace {

bool isOf(TensorFn fn, TensorKind kind) {
    return fn != TensorFn::Count && types::info(fn).kind == kind;
}

}  // namespace

bool isElementwise(TensorFn fn) { return isOf(fn, TensorKind::Elementwise); }

bool keepsOrder(TensorFn fn) { return isOf(fn, TensorKind::Reshaping); }

bool isReduction(TensorFn fn) { return isOf(fn, TensorKind::Reduction) || isContraction(fn); }

bool isContraction(TensorFn fn) { return isOf(fn, TensorKind::Contraction); }

bool isMade(TensorFn fn) { return isOf(fn, TensorKind::Made); }

bool isView(TensorFn fn) { return isOf(fn, TensorKind::View) || keepsOrder(fn); }

bool isAssembled(TensorFn fn) { return isOf(fn, TensorKind::Assembled); }

bool isPadOfPad(const Node& node) {
    auto isOfZeros = [](const Node& pad) {
        return pad.kind == NodeKind::Operation && pad.fn == TensorFn::Pad &&
               pad.operands.size() == 1;
    };
    return isOfZeros(node) && isOfZeros(*node.operands[0]) &&
           node.type->element == node.operands[0]->type->element;
}

bool isWidening(const Type* from, const Type* to) {
    if (from->is(TypeKind::Int8)) return to->is(TypeKind::Int) || to->is(TypeKind::Float);
    return (from->is(TypeKind::Half) || from->is(TypeKind::BFloat16)) && to->is(TypeKind::Float);
}

bool isWidening(const Node& node) {
    return node.kind == NodeKind::Operation && node.fn == TensorFn::Cast &&
           isWidening(node.operands[0]->type->element, node.type->element);
}

bool reads(const Node& node, ir::VarRef var) {
    if (node.kind == NodeKind::Memory) return node.var == var;
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [&](const NodePtr& operand) { return reads(*operand, var); });
}

}  // namespace strc::tensor
