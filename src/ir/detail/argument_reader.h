#pragma once
/// Reads what stands behind the operation of an instruction in the IR's text, but for its blocks.

#include "ir/detail/name_scope.h"
#include "ir/detail/type_reader.h"
#include "ir/detail/value_reader.h"

namespace strc::ir::detail {

class ArgumentReader {
public:
    ArgumentReader(TokenReader& tokens, TypeReader& types, NameScope& names)
        : tokens(tokens), types(types), names(names), values(tokens) {}

    /// The instruction has its operation and its type; the body gets its sends, creates, rates and checks.
    void arguments(Body&, Instr&);

private:
    void registers(Instr&);
    void plainArguments(Instr&);
    bool variableRef(VarRef&);
    std::uint32_t lookUp(const NameIndex&);
    void withExtents(Instr&);
    void callArguments(Instr&);
    void sendArguments(Body&, Instr&);
    void createArguments(Body&, Instr&);
    BuiltinStream builtin(const std::string& name);
    void rateArguments(Body&, Instr&);
    void checkArguments(Body&, Instr&);
    void splitterArguments(Instr&);

    TokenReader& tokens;
    TypeReader& types;
    NameScope& names;
    ValueReader values;
};

}  // namespace strc::ir::detail
