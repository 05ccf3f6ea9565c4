#pragma once
/// Looking around in the tokens that the parser sees (comments and bad characters are skipped).

#include "parser/detail/antlr.h"

namespace strc::parser {

/// The visible token after `token`; at the end of file that itself.
Token* nextToken(antlr4::TokenStream&, const Token* token);
/// The visible token before `token`; null before the first.
Token* previousToken(antlr4::TokenStream&, const Token* token);

/// The first visible token behind the `;` or brace before `token`, if that is not far.
const Token* statementStart(antlr4::TokenStream&, const Token* token);

/// Whether `arrow` stands in the head of a named stream, `int[n]->Foo pipeline Name`.
bool isInStreamHead(antlr4::TokenStream&, const Token* arrow);
/// The first token of the type that ends before `arrow`; null if there is none.
Token* typeBefore(antlr4::TokenStream&, const Token* arrow);

bool isKeyword(const Token*);
bool isAssignment(const Token*);
/// Between two operands.
bool isBinaryOperator(const Token*);
/// May begin an expression, but not a statement.
bool beginsExpressionOnly(const Token*);
/// A keyword that begins a statement.
bool isStatementKeyword(const Token*);
/// A keyword that begins a part of a filter.
bool isPartKeyword(const Token*);
/// A keyword that begins a type.
bool isTypeKeyword(const Token*);
/// A token that may follow where a value is missing: `)`, `]`, `,`, `;` and the like.
bool endsExpression(const Token*);
/// `int loop = 3`: a keyword where a name should stand, and after it what may follow a name.
bool isNameWithKeyword(antlr4::TokenStream&, const Token*);

}  // namespace strc::parser
