#pragma once
/// Emits code for loads, stores, addresses, extents and declarations of variables.

#include <map>
#include <optional>
#include <span>

#include "eval/detail/access_compiler.h"

namespace strc::eval {

class VariableCompiler {
public:
    /// `fieldOffsets`: of fields whose place in the state is known.
    VariableCompiler(BodyState&, AccessCompiler&, std::span<const std::int64_t> fieldOffsets);

    void load(const Instr&);
    void store(const Instr&);
    void address(const Instr&);
    void extent(const Instr&);
    void declare(const Instr&);

private:
    void loadVariable(const Instr&);
    Location fieldRef(ir::VarRef);
    std::optional<std::uint32_t> hoistedAddress(ir::VarRef);
    void declareByHost(const Instr&);
    void declareTensor(const Instr&);
    const Type* declaredTensor(ir::VarRef) const;
    bool checksTensor(const Instr&) const;
    bool mayLackTensor(ir::VarRef) const;
    void checkTensor(const Instr&);
    const Type* declaredType(ir::VarRef) const;
    ExtentSource extentSource(ir::VarRef, std::uint32_t dimension) const;

    BodyState& state;
    AccessCompiler& accesses;
    std::span<const std::int64_t> fieldOffsets;
    Code& code;
    const ir::Body& body;
    const Frame& frame;
    const Analysis& analysis;
    Registers& registers;
    Builder& out;
    std::map<std::uint32_t, const Type*> tensorLocals;  ///< what their declarations say
};

}  // namespace strc::eval
