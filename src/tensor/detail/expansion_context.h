#pragma once
/// What all parts of an expansion work with: the body with its shapes, the body that is made, and the values that are
/// still to be computed. Private to tensor.

#include <vector>

#include "tensor/detail/body_context.h"
#include "tensor/detail/elements.h"

namespace strc::tensor {

struct ExpansionContext {
    ExpansionContext(const ir::StreamCode&, const ShapedBody&, const ExpansionInput&,
                     ExpansionState&, types::TypeTable&);

    const NodePtr& operand(const ir::Instr& instr, std::size_t k) const {
        return nodes[instr.operands[k]];
    }
    /// Value of a scalar, or of what a ref refers to, if it is known.
    const std::optional<Value>& known(ir::Reg reg) const { return values[reg]; }
    const Type* typeOf(ir::Reg reg) const { return from.regs[reg].type; }
    const Type* typeOf(ir::VarRef var) const {
        return BodyContext{code, from, in, types}.typeOf(var);
    }
    /// Gives a register of `from` a tensor.
    void define(const ir::Instr&, NodePtr);
    /// Adds an instruction to the block at hand.
    void put(ir::Instr instr) { w.body.blocks[w.block].instrs.push_back(std::move(instr)); }
    /// The instruction with registers of the body that is made.
    ir::Instr copyOf(const ir::Instr&) const;
    /// The node itself becomes memory, for all who hold it.
    void materialise(const NodePtr&);
    /// The same, row by row; what lies otherwise is copied.
    void materialiseRowByRow(NodePtr&);

    const ir::StreamCode& code;
    const ir::Body& from;
    const std::vector<std::optional<Value>>& values;  ///< by register of `from`
    const ExpansionInput& in;
    ExpansionState& state;
    types::TypeTable& types;
    ir::Writer w;
    Elements elements;
    std::vector<ir::Reg> regs;  ///< of `from` -> of the body that is made; kNone for tensors
    std::vector<NodePtr> nodes;  ///< by register of `from`
    std::vector<int> uses;  ///< by register of `from`: that are still to come
    std::vector<ir::Reg> live;  ///< tensors that may still be used
};

}  // namespace strc::tensor
