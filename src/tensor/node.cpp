#include "tensor/node.h"

#include <algorithm>

namespace strc::tensor {

using types::TensorFn;

bool isElementwise(TensorFn fn) { return fn <= TensorFn::Where; }

bool keepsOrder(TensorFn fn) {
    switch (fn) {
        case TensorFn::Reshape:
        case TensorFn::Flatten:
        case TensorFn::Squeeze:
        case TensorFn::Unsqueeze: return true;
        default: return false;
    }
}

bool isReduction(TensorFn fn) {
    switch (fn) {
        case TensorFn::Sum:
        case TensorFn::Mean:
        case TensorFn::Amax:
        case TensorFn::Amin:
        case TensorFn::Argmax:
        case TensorFn::Matmul:
        case TensorFn::Conv: return true;
        default: return false;
    }
}

bool isContraction(TensorFn fn) { return fn == TensorFn::Matmul || fn == TensorFn::Conv; }

bool isMade(TensorFn fn) {
    return fn == TensorFn::Zeros || fn == TensorFn::Ones || fn == TensorFn::Full ||
           fn == TensorFn::Arange;
}

bool isView(TensorFn fn) {
    switch (fn) {
        case TensorFn::Transpose:
        case TensorFn::Permute:
        case TensorFn::Slice:
        case TensorFn::Narrow:
        case TensorFn::Flip:
        case TensorFn::Windows:
        case TensorFn::Broadcast: return true;
        default: return keepsOrder(fn);
    }
}

bool isAssembled(TensorFn fn) {
    switch (fn) {
        case TensorFn::Concat:
        case TensorFn::Pad:
        case TensorFn::Spread:
        case TensorFn::Update:
        case TensorFn::CumSum:
        case TensorFn::Attention: return true;
        default: return false;
    }
}

bool isPadOfPad(const Node& node) {
    auto isOfZeros = [](const Node& pad) {
        return pad.kind == NodeKind::Operation && pad.fn == TensorFn::Pad &&
               pad.operands.size() == 1;
    };
    return isOfZeros(node) && isOfZeros(*node.operands[0]) &&
           node.type->element == node.operands[0]->type->element;
}

bool reads(const Node& node, ir::VarRef var) {
    if (node.kind == NodeKind::Memory) return node.var == var;
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [&](const NodePtr& operand) { return reads(*operand, var); });
}

}  // namespace strc::tensor
