#pragma once
/// The definitions of operations that work element by element: code for one element. Private to tensor.

#include "tensor/detail/numbers.h"
#include "tensor/node.h"

namespace strc::tensor {

class Definitions {
public:
    using Operands = Numbers::Operands;

    explicit Definitions(ir::Writer& writer) : w(writer), numbers(writer) {}

    /// An element of the result, of those of the operands.
    ir::Reg operation(const Node&, const Operands&);

private:
    using Definition = std::function<ir::Reg(const Operands&)>;

    // The column `definition` of types/tensor_functions.def names these. Operands are in registers, each of its element's type.
    ir::Reg add(const Node& node, const Operands& x) { return arithmetic(node, ir::Op::Add, x); }
    ir::Reg subtract(const Node& node, const Operands& x) {
        return arithmetic(node, ir::Op::Sub, x);
    }
    ir::Reg multiply(const Node& node, const Operands& x) {
        return arithmetic(node, ir::Op::Mul, x);
    }
    ir::Reg divide(const Node& node, const Operands& x) { return arithmetic(node, ir::Op::Div, x); }
    ir::Reg equal(const Node& node, const Operands& x) { return comparison(node, ir::Op::Eq, x); }
    ir::Reg unequal(const Node& node, const Operands& x) { return comparison(node, ir::Op::Ne, x); }
    ir::Reg less(const Node& node, const Operands& x) { return comparison(node, ir::Op::Lt, x); }
    ir::Reg lessOrEqual(const Node& node, const Operands& x) {
        return comparison(node, ir::Op::Le, x);
    }
    ir::Reg greater(const Node& node, const Operands& x) { return comparison(node, ir::Op::Gt, x); }
    ir::Reg greaterOrEqual(const Node& node, const Operands& x) {
        return comparison(node, ir::Op::Ge, x);
    }
    ir::Reg negate(const Node&, const Operands&);
    ir::Reg invert(const Node&, const Operands&);
    ir::Reg choose(const Node&, const Operands&);
    ir::Reg cast(const Node&, const Operands&);
    ir::Reg math(const Node&, const Operands&);
    ir::Reg relu(const Node&, const Operands&);
    ir::Reg sigmoid(const Node&, const Operands&);
    ir::Reg gelu(const Node&, const Operands&);
    ir::Reg silu(const Node&, const Operands&);
    ir::Reg mish(const Node&, const Operands&);

    ir::Reg arithmetic(const Node&, ir::Op, const Operands&);
    ir::Reg comparison(const Node&, ir::Op, const Operands&);
    ir::Reg wholeMath(const Node&, const Operands&);
    /// A function of real numbers: in binary64, rounded once.
    ir::Reg inReals(const Node&, const Operands&, const Definition&);
    ir::Reg logistic(ir::Reg x);

    ir::Writer& w;
    Numbers numbers;
};

}  // namespace strc::tensor
