#pragma once
/// Types, and variables with their initial values.

#include "parser/detail/builder.h"

namespace strc::parser {

const ast::TypeExpr* primitiveType(Builder& b, const Token*);
/// `tensor<float>`, or a text that looks like it.
const ast::TypeExpr* generic(Builder& b, const Token* name, Grammar::TypeContext* argument,
                             const Token* close, const std::vector<Grammar::BoundContext*>&);
const ast::TypeExpr* type(Builder& b, Grammar::TypeContext*);
const ast::TypeExpr* type(Builder& b, Grammar::BuiltinTypeContext*);
/// The type in `Foo[3] a;`, which was read like `foo[3] = 1;`. Null if it is no type: then a `;` was
/// forgotten, as in `f() x = 1;`.
const ast::TypeExpr* type(Builder& b, Grammar::PlaceContext*);
ast::Declarator declarator(Builder& b, const Token* name, Grammar::InitialiserContext*);
std::span<const ast::Declarator> declarators(Builder& b,
                                             const std::vector<Grammar::DeclaratorContext*>&);

}  // namespace strc::parser
