#pragma once
// Texts parsed for tests, trees and messages written so that a test can state them in a line.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"
#include "base/render.h"
#include "parser/parse.h"

namespace strc::parser::test {

/// A text with its tree and messages.
struct Parsed {
    explicit Parsed(std::string_view text, bool library = false, base::Limits limits = {}) {
        context->limits = limits;
        buffer = context->sources.add("t.str", std::string(text), library);
    }
    std::string_view slice(base::SourceRange range) const {
        return context->sources.text(buffer).substr(range.begin, range.end - range.begin);
    }
    /// "name 'what it points at'" for each message, or "name after 'up to 8 bytes before
    /// on the line'".
    std::vector<std::string> faults() const;
    /// All messages as the user sees them, for a failing test.
    std::string rendered() const;

    std::unique_ptr<base::Context> context = std::make_unique<base::Context>();
    base::BufferId buffer;
    const ast::Unit* unit = nullptr;
    const ast::Decl* decl = nullptr;
    const ast::Stmt* stmt = nullptr;
    const ast::Expr* expr = nullptr;
};

Parsed unit(std::string_view text, base::Limits limits = {});
Parsed declaration(std::string_view text);
Parsed statement(std::string_view text);
Parsed expression(std::string_view text);

/// The statements of `work` around `body`, and members of a filter, and a pipeline around `body`.
std::string inWork(std::string_view body);
std::string inFilter(std::string_view members);
std::string inPipeline(std::string_view body);

/// An expression with all its parentheses: `a + b * c` is "(a + (b * c))". Those written in the
/// text are shown as `<...>`.
std::string structure(const ast::Expr*);
std::string structure(const ast::TypeExpr*);
std::string structure(const ast::Stmt*);
/// Of an expression's text.
std::string structure(std::string_view text);

}  // namespace strc::parser::test
