#pragma once
/// ANTLR's parser for texts of any nesting.

#include <vector>

#include "parser/detail/antlr.h"

namespace strc::parser {

/// ANTLR's parser with a bound on the nesting, so that no text overflows the stack: neither here nor
/// where the tree is walked.
class BoundedParser final : public Grammar {
public:
    BoundedParser(antlr4::TokenStream* tokens, std::size_t limit, const volatile bool* interrupt)
        : Grammar(tokens), limit(limit), interrupt(interrupt) {}

    bool isInterrupted() const { return interrupt && *interrupt; }

    void enterRule(antlr4::ParserRuleContext* c, std::size_t state, std::size_t rule) override {
        if (isInterrupted()) throw antlr4::ParseCancellationException();
        while (!open.empty() && open.back().context != c->parent) open.pop_back();
        const std::size_t depth =
            (open.empty() ? 0 : open.back().depth) + (deepens(c, rule) ? 1 : 0);
        open.push_back({c, depth});
        if (depth > limit) {
            tooDeep = getCurrentToken();
            throw antlr4::ParseCancellationException();
        }
        Grammar::enterRule(c, state, rule);
    }

    /// The context that was entered as number `depth` from the root on, of those that reading stopped in; or null.
    const antlr4::tree::ParseTree* opened(std::size_t depth) const {
        return depth < open.size() ? open[depth].context : nullptr;
    }

    const Token* tooDeep = nullptr;  ///< where the bound was passed

private:
    struct Open {
        const antlr4::tree::ParseTree* context;
        std::size_t depth;
    };

    /// Brackets and blocks; an array literal in another one, a cast after another one.
    static bool deepens(const antlr4::ParserRuleContext* c, std::size_t rule) {
        switch (rule) {
            case RuleExpression:
            case RuleStatement: return true;
            case RuleInitialiser:
            case RuleOperand:
                return static_cast<const antlr4::ParserRuleContext*>(c->parent)->getRuleIndex() ==
                       rule;
            default: return false;
        }
    }

    std::size_t limit;
    const volatile bool* interrupt;
    std::vector<Open> open;  ///< the contexts from the root to the last one entered, at least
};

}  // namespace strc::parser
