#include "opt/detail/body_cost.h"

#include "tensor/node.h"

namespace strc::opt {
namespace {

using types::TensorFn;

bool isSum(TensorFn fn) { return tensor::isContraction(fn) || fn == TensorFn::Attention; }

std::size_t loopsOf(TensorFn fn) {
    const bool isSeveral = types::info(fn).kind == types::TensorKind::Normalisation;
    return isSeveral ? 4 : 1;  // the largest one, powers, their sum, quotients
}

}  // namespace

Cost costOf(const ir::Body& body) {
    Cost cost;
    for (const ir::Block& block : body.blocks)
        for (const ir::Instr& instr : block.instrs) {
            if (instr.op != ir::Op::Tensor) continue;
            // Parts are written where they are wanted.
            const bool isPlace = tensor::isView(instr.tensor) || instr.tensor == TensorFn::Concat;
            if (!isPlace) cost.operations += loopsOf(instr.tensor);
            if (isSum(instr.tensor)) ++cost.sums;
        }
    return cost;
}

}  // namespace strc::opt
