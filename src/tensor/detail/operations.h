#pragma once
/// Operations as nodes that are computed where they are needed, and what leads from tensors to scalars and back. Private to
/// tensor.

#include "tensor/detail/expansion_context.h"

namespace strc::tensor {

class OperationExpander {
public:
    explicit OperationExpander(ExpansionContext& context) : c(context), w(context.w) {}

    void expand(const ir::Instr&);

private:
    NodePtr build(const ir::Instr&);
    void addOperand(Node&, const ir::Instr&, std::size_t k);
    /// A part at a place that is known is a slice; one that is not is checked to lie inside.
    void locate(Node&);
    /// False: the operand is read more often than it has elements, or out of order, so it should be computed before.
    bool isFinished(const Node&, const NodePtr& operand) const;
    void prepareOperands(Node&);
    /// exp(x - amax(x)) / sum(exp(x - amax(x))), and its logarithm.
    NodePtr softmax(const Node&);
    NodePtr inWiderSums(const Node&);

    /// The scalar operand as an element: a bit as an int.
    ir::Reg elementReg(const ir::Instr&);
    /// The array may change afterwards: a copy.
    void fromArray(const ir::Instr&);
    void copyRows(ir::Reg ref, const Type*, MultiIndex place, const Node& to);
    void read(const ir::Instr&);

    ExpansionContext& c;
    ir::Writer& w;
};

}  // namespace strc::tensor
