#pragma once
/// A body that is being printed: its lines, and the values that are not in them yet. Operations without effects whose result is used
/// once become parts of the expression that uses it. Private to csource.

#include <map>
#include <string>
#include <vector>

#include "csource/detail/expression.h"
#include "csource/detail/functions.h"
#include "csource/detail/lines.h"
#include "csource/detail/names.h"
#include "csource/detail/places.h"
#include "csource/detail/source.h"

namespace strc::csource {

class BodyValues {
protected:
    using Instr = ir::Instr;
    using Reg = ir::Reg;

    BodyValues(Source&, const Functions&, const Function&);

    /// The value for one of its uses.
    Expr take(Reg);
    void define(const Instr&, Expr);
    /// In a variable of its own, from now on.
    void hold(Reg, const Expr&);
    /// The same for what has to be written more than once.
    void holdUnlessTrivial(Reg);
    /// A variable that has been printed is the result.
    void defineAs(const Instr&, const std::string& variable);
    /// Those for which `which` holds get variables.
    template <typename Which>
    void flush(Which which) {
        std::vector<Reg> all;
        for (const auto& [reg, value] : pending)
            if (which(value)) all.push_back(reg);
        for (const Reg reg : all) hold(reg, Expr(pending.at(reg)));
    }
    void flushBefore(const Instr&);
    void flushReaders(ir::VarRef scalar);
    void flushMemory(ir::VarRef root);
    void flushForCall();

    const Type* typeOf(Reg reg) const { return body.regs[reg].type; }
    const Type* declaredType(ir::VarRef) const;
    std::vector<Expr> takeAll(const Instr&);

    /// Returns from the function with a fault if `when` holds. `numbers`: two, or none.
    void fault(const std::string& when, const Site&, const std::string& numbers);
    std::vector<std::string> rateWords() const;
    bool hasFault(const Instr& instr) const { return function.liveness->hasFault(instr); }

    Source& source;
    const Functions& functions;
    const Function& function;
    const ir::Body& body;
    Places places;
    Names names;
    Lines lines;
    std::vector<std::string> localNames;
    std::vector<std::uint32_t> left;  ///< uses of registers that are still to come
    std::map<Reg, Expr> pending;
    std::vector<ir::Range> ranges;  ///< by register
    std::map<std::uint32_t, ir::Range> known;  ///< of locals that count
    int expressionDepth = 0;  ///< nothing may be a statement of its own
};

}  // namespace strc::csource
