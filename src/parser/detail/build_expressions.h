#pragma once
/// Expressions: precedence, suffixes, literals, arguments.

#include "parser/detail/builder.h"

namespace strc::parser {

/// True for a variable, or a field or element of one.
bool isPlace(const ast::Expr*);

const ast::Expr* expression(Builder& b, Grammar::ExpressionContext*);
/// The name, call or tape before the suffixes.
const ast::Expr* headOf(Builder& b, Grammar::PlaceContext*);
/// The first `count` suffixes applied. Only a bare name may stand before `.f(...)`.
const ast::Expr* suffixed(Builder& b, const ast::Expr*, const std::vector<Grammar::SuffixContext*>&,
                          std::size_t count);
const ast::Expr* increment(Builder& b, base::SourceRange, const Token* op, bool prefix,
                           const ast::Expr*);
const ast::Expr* initialiser(Builder& b, Grammar::InitialiserContext*);
/// Arguments of anything but a stream: values by position.
Exprs values(Builder& b, Grammar::ArgumentsContext*);
std::span<const ast::Argument> creatorArguments(Builder& b, Grammar::ArgumentsContext*);

}  // namespace strc::parser
