#pragma once
/// Walks a body whose shapes are known, in order, and makes the same body without tensors. Private to tensor.

#include "tensor/detail/items.h"
#include "tensor/detail/operations.h"
#include "tensor/detail/tensor_variables.h"

namespace strc::tensor {

class BodyExpander {
public:
    BodyExpander(const ir::StreamCode&, const ShapedBody&, const ExpansionInput&, ExpansionState&,
                 types::TypeTable&);

    ir::Body expand();

private:
    void expandBlock(ir::BlockId);
    void expandInstr(const ir::Instr&);
    void copyInstr(const ir::Instr&);
    void control(const ir::Instr&);
    /// The value of a branch goes to memory that both share; an `if` without a result stays.
    void yield(const ir::Instr&);

    ExpansionContext c;
    TensorVariables variables;
    OperationExpander operations;
    ItemExpander items;
    NodePtr result;  ///< where the branches of a conditional put their values
    int depth = 0;  ///< of control structures
};

}  // namespace strc::tensor
