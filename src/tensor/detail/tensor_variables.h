#pragma once
/// Variables with tensors, and the values that they have at the instruction that is being expanded. Private to tensor.

#include <map>
#include <vector>

#include "tensor/detail/expansion_context.h"
#include "tensor/detail/iteration_locals.h"

namespace strc::tensor {

class TensorVariables {
public:
    explicit TensorVariables(ExpansionContext&);

    void declare(const ir::Instr&);
    void load(const ir::Instr&);
    /// `isAlways`: it is stored whatever the run does.
    void store(const ir::Instr&, bool isAlways);
    /// Gives all that will still be used memory of its own: what it is made of may change.
    void settle();
    /// Variables that are changed in a control structure get a place of their own, in which all of it works. They are
    /// returned, to be given to `leave`.
    std::vector<std::uint32_t> enter(const ir::Instr& control);
    void leave(const ir::Instr& control, const std::vector<std::uint32_t>& changed);

private:
    NodePtr field(const ir::Instr&);
    /// The field lies where the value lies, if that is for ever.
    bool becomesStored(ir::VarRef field, const Node& value);
    void bind(std::uint32_t local, const NodePtr& value);
    /// Writes memory that `value` may be made of.
    void overwrite(ir::VarRef var, const Type* array, const NodePtr& value, const Dims& steps = {});
    /// Before `var` changes: who still needs its value gets a copy.
    void release(ir::VarRef var, const Node* except);
    /// Gives a variable the place that it keeps in the control structure at hand.
    void fix(std::uint32_t local, const NodePtr& value);
    void copy(const NodePtr&);
    /// A part of memory that will not be written again, which is read where it is.
    bool isPartInPlace(const Node&) const;
    /// Is the node memory that will not be written again?
    bool isLasting(const Node&) const;
    template <typename Visit>
    void forEachLive(Visit visit) {
        std::erase_if(c.live, [&](ir::Reg reg) { return c.uses[reg] <= 0; });
        for (ir::Reg reg : c.live) visit(c.nodes[reg]);
        for (auto& [local, value] : bindings)
            if (value && value->kind == NodeKind::Operation) visit(value);
    }

    ExpansionContext& c;
    IterationLocals iterationLocals;
    std::map<std::uint32_t, NodePtr> bindings;  ///< by local; null: nothing yet
    /// Locals that keep their place in the control structure at hand; null: not written yet.
    std::map<std::uint32_t, NodePtr> fixed;
};

}  // namespace strc::tensor
