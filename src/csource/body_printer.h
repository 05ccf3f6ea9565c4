#pragma once
/// Prints a body as a function of C. Operations without effects whose result is used once become parts of the expression that uses
/// it; all others are statements, in the order of the IR. Private to csource.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "csource/expression.h"
#include "csource/functions.h"
#include "csource/lines.h"
#include "csource/names.h"
#include "csource/places.h"
#include "csource/source.h"

namespace strc::csource {

class BodyPrinter {
public:
    BodyPrinter(Source&, const Functions&, const Function&);
    Definition print();

private:
    using Instr = ir::Instr;
    using Reg = ir::Reg;

    /// A loop around: how it is gone on with.
    struct Around {
        std::string label;  ///< behind its body; empty: `continue` does it
        bool isLabelUsed = false;
    };
    /// The last statement, if it gives a local its value.
    struct LastStore {
        const Instr* instr = nullptr;
        std::size_t begin = 0, end = 0;  ///< in the lines
        bool defines = false;
        std::string statement;
        ir::Range range;
    };

    // ---- control (body_control.cpp)
    void block(ir::BlockId);
    void instruction(const Instr&);
    void ifStatement(const Instr&);
    void branch(ir::BlockId, const std::string& result);
    void printElse(ir::BlockId, const std::string& result);
    bool isExpression(ir::BlockId) const;
    bool isSimpleStep(ir::BlockId) const;
    Expr valueOf(ir::BlockId);
    Expr conditional(const Instr&);
    void loop(const Instr&);
    void countedLoop(const Instr&);
    void doWhile(const Instr&);
    void endlessLoop(const Instr&);
    void learnRange(const Instr&, std::uint32_t counter, ir::Range first);
    void returnFrom(const Instr*);

    // ---- values that have not been printed (body_values.cpp)
    Expr take(Reg);
    void define(const Instr&, Expr);
    void hold(Reg, const Expr&);
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

    // ---- operations: memory (body_memory.cpp), tapes and calls (body_tapes.cpp)
    bool scalar(const Instr&);
    Expr divided(const Instr&);
    bool memory(const Instr&);
    void load(const Instr&);
    void store(const Instr&);
    void assign(const std::string& to, const Expr&, const std::string& declaration);
    Expr refTo(ir::VarRef);
    const Type* declaredType(ir::VarRef) const;
    Expr element(const Instr&);
    void copy(const Instr&);
    void declare(const Instr&);
    bool tape(const Instr&);
    Expr item(const Instr&, const Expr* offset);
    void push(const Instr&);
    void random(const Instr&);
    void discard(const Instr&);
    void call(const Instr&);
    void callNative(const Instr&);
    std::string argument(const Instr&, std::size_t k, const Function&);

    // ---- checks
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
    std::vector<Around> loops;
    LastStore last;
    std::string stepText;  ///< the last assignment inside of an expression
    int expressionDepth = 0;  ///< nothing may be a statement of its own
    std::optional<Expr> yielded;
    bool isOver = false;  ///< nothing of the block is reached any more
    std::int64_t popped = 0, pushed = 0;  ///< if they are known
    int labels = 0;
};

}  // namespace strc::csource
