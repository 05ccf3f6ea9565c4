#pragma once
/// Changes operations on tensors of the first block of a body, one at a time.

#include <functional>
#include <optional>
#include <vector>

#include "elab/elaborate.h"
#include "opt/detail/tensor_body.h"

namespace strc::opt {

/// Knows a body as it is before one change. The rules of a pass derive from it.
class TensorRewriter {
public:
    TensorRewriter(elab::Kernel&, types::TypeTable&);

protected:
    /// The register that has the value instead of the operation's result, which has a known type; what `emit` has made
    /// comes before it. None: it stays.
    using Rule = std::function<std::optional<ir::Reg>(const ir::Instr&)>;
    /// Does the first change that the rule finds.
    bool changeOne(const Rule&);

    /// What made a value that nobody else uses, if it is an operation on tensors with a known type.
    const ir::Instr* makerOf(ir::Reg value) const;
    const types::Type* typeOf(ir::Reg value) const { return facts.types[value]; }

    ir::Reg emit(types::TensorFn, std::vector<ir::Reg> operands);
    /// The operation with other operands.
    ir::Reg emitLike(const ir::Instr&, std::vector<ir::Reg> operands);
    ir::Reg integer(std::int64_t);
    ir::Reg constant(types::Value);
    /// A reshape or broadcast to the dimensions, a permutation.
    ir::Reg emitTo(types::TensorFn, ir::Reg, const std::vector<std::int64_t>&);

    ir::Body& body;
    types::TypeTable& types;
    const TensorFacts facts;
    const std::vector<int> uses;

private:
    ir::Reg add(ir::Instr, const types::Type*);

    const ir::Instr* at = nullptr;  ///< what is replaced
    std::vector<ir::Instr> made;
};

}  // namespace strc::opt
