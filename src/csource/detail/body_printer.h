#pragma once
/// Prints a body as a function of C: what has an effect, and all control flow, in the order of the IR. Private to csource.

#include <optional>
#include <string>
#include <vector>

#include "csource/detail/body_tapes.h"

namespace strc::csource {

class BodyPrinter : BodyTapes {
public:
    BodyPrinter(Source& source, const Functions& functions, const Function& function)
        : BodyTapes(source, functions, function) {}
    Definition print();

private:
    /// A loop around: how it is gone on with.
    struct Around {
        std::string label;  ///< behind its body; empty: `continue` does it
        bool isLabelUsed = false;
    };

    // ---- functions and branches (body_control.cpp)
    std::vector<std::string> parameters();
    void defineHoisted();
    void block(ir::BlockId);
    void instruction(const Instr&);
    void goOn();
    void returnFrom(const Instr*);
    void checkCounts();
    std::string returned(const Instr*) const;
    void ifStatement(const Instr&);
    void branch(ir::BlockId, const std::string& result);
    void printElse(ir::BlockId, const std::string& result);
    bool isExpression(ir::BlockId) const;
    Expr valueOf(ir::BlockId);
    Expr conditional(const Instr&);

    // ---- loops (body_loops.cpp)
    bool isSimpleStep(ir::BlockId) const;
    void loop(const Instr&);
    void countedLoop(const Instr&);
    std::string takeStart(const Instr& loop, const Instr& step, ir::Range& start,
                          std::string& scoped);
    void doWhile(const Instr&);
    void endlessLoop(const Instr&);
    void learnRange(const Instr&, const Instr& step, ir::Range first);

    std::vector<Around> loops;
    std::optional<Expr> yielded;
    bool isOver = false;  ///< nothing of the block is reached any more
    int labels = 0;
};

}  // namespace strc::csource
