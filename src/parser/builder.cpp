// Ranges, names, and the depth of the tree.

#include "parser/detail/builder.h"

#include <fmt/format.h>

namespace strc::parser {

using base::Diag;
using base::SourceRange;

Levels::Levels(Builder& builder, std::size_t count, const Token* where)
    : builder(builder), count(count) {
    const std::size_t limit = builder.context.limits.treeDepth;
    builder.depth += count;
    fits = builder.depth <= limit;
    if (fits) return;
    (builder.report(Diag::NestingTooDeep, builder.range(where)) << static_cast<std::int64_t>(limit))
            .note(Diag::Hint)
        << "each operator or 'else if' of a chain counts as a level: split it with a variable";
}

SourceRange Builder::range(const Token* token) const {
    return {buffer, static_cast<std::uint32_t>(token->getStartIndex()),
            static_cast<std::uint32_t>(token->getStopIndex() + 1)};
}

SourceRange Builder::range(const Token* first, const Token* last) const {
    return range(first).to(range(last));
}

/// Nothing where nothing was read.
SourceRange Builder::range(const antlr4::ParserRuleContext* c) const {
    if (!c || !c->start) return {buffer, 0, 0};
    const auto first = range(c->start);
    if (!c->stop || c->stop->getTokenIndex() < c->start->getTokenIndex()) return first.atBegin();
    return first.to(range(c->stop));
}

ast::Ident Builder::ident(const Token* token) {
    return {context.names.intern(text(token)), range(token)};
}

void Builder::reportUnexpected(const Token* token, std::string_view hint) {
    (report(Diag::UnexpectedToken, range(token)) << fmt::format("'{}'", text(token)))
            .note(Diag::Hint)
        << hint;
}

}  // namespace strc::parser
