#pragma once
/// Syntax errors: the messages about them, and the way in which reading goes on.
///
/// ANTLR runs it on the second reading, the first having failed. A fault is reported where it is
/// met; then, if it is sure what is missing, that is put in and reading goes on in place; otherwise
/// the exception travels up to the statement, member or declaration, and the rest of that is
/// skipped. So each of them has one message, and a context that is there is complete, or carries
/// the exception itself.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "parser/detail/antlr.h"

namespace strc::parser {

/// The kinds of items of which the rest is skipped after a fault.
enum class Skip { Statement, Field, Member, Declaration };

class ErrorStrategy final : public antlr4::DefaultErrorStrategy {
public:
    /// `openText`: a string or comment without end may have swallowed what now seems to be missing.
    ErrorStrategy(base::Context& context, base::BufferId buffer, bool openText)
        : context(context),
          buffer(buffer),
          source(context.sources.text(buffer)),
          openText(openText) {}
    ~ErrorStrategy() override { suggest(); }
    ErrorStrategy(const ErrorStrategy&) = delete;
    ErrorStrategy& operator=(const ErrorStrategy&) = delete;

    void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override;
    void recover(antlr4::Parser*, std::exception_ptr) override;
    Token* recoverInline(antlr4::Parser*) override;
    void sync(antlr4::Parser*) override;

private:
    // These decide how reading goes on (error_recovery.cpp).
    bool declaresKeyword(antlr4::Parser*, const Token* at) const;
    bool canConjure(antlr4::Parser*, std::size_t type, const Token* at) const;
    bool isBodyWithoutBrace(antlr4::Parser*, const Token* at) const;
    Token* conjure(antlr4::Parser*, std::size_t type);
    void skip(antlr4::Parser*, Token* from, Skip);

    // These report what is wrong (error_messages.cpp).
    void noViable(antlr4::Parser*, Token* at);
    void mismatch(antlr4::Parser*, std::size_t type, Token* at);
    void itemFault(antlr4::Parser*, Token* at);
    void memberFault(antlr4::Parser*, Token* at);
    void statementFault(antlr4::Parser*, Token* at);
    void expressionFault(antlr4::Parser*, Token* at);
    void expressionStatement(antlr4::Parser*, const Token* first, Token* at);
    void creatorFault(antlr4::Parser*, Token* at);
    void arrowFault(antlr4::Parser*, Token* at);
    bool missingBrace(antlr4::Parser*, Token* arrow);
    void missingName(antlr4::Parser*, Token* at);
    void missingBody(antlr4::Parser*, Token* at);
    void missingSemicolon(antlr4::Parser*, Token* at);
    void missingStream(antlr4::Parser*, Token* keyword);
    void endOfFile(antlr4::Parser*);
    std::string innermostOpen(antlr4::Parser*, const Token*& open) const;
    std::string ownerOf(antlr4::ParserRuleContext* body) const;
    void expected(antlr4::Parser*, std::string_view what, Token* at);
    void unexpected(antlr4::Parser*, Token* at);

    /// Null if nothing is to be said: a fault of the text itself stands right before `at`.
    base::Diagnostic* begin(antlr4::Parser*, base::Diag, base::SourceRange, const Token* at);
    bool isExplained(antlr4::Parser*, const Token* at) const;
    std::string meantKeyword(antlr4::Parser*, const Token* at) const;
    void suggest();
    base::SourceRange range(const Token*) const;
    base::SourceRange place(antlr4::Parser*, const Token* at) const;
    base::SourceRange before(antlr4::Parser*, const Token* at) const;
    bool onNewLine(antlr4::Parser*) const;
    std::string_view text(const Token*) const;
    std::string found(const Token*) const;

    base::Context& context;
    base::BufferId buffer;
    std::string_view source;
    bool openText;
    bool resumeHere = false;  ///< nothing is to be skipped
    Token* nextDeclaration = nullptr;  ///< where the declaration begins before which `}` is missing
    std::size_t reports = 0;
    base::Diagnostic* lastFault = nullptr;
    std::string meant;  ///< the keyword that a name at the last fault looks like, or empty
    std::vector<std::unique_ptr<Token>> conjured;
};

}  // namespace strc::parser
