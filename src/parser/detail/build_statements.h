#pragma once
/// Statements, with the creation of streams.

#include "parser/detail/builder.h"

namespace strc::parser {

const ast::Stmt* statement(Builder& b, Grammar::StatementContext*);
const ast::Stmt* substatement(Builder& b, Grammar::SubstatementContext*);
/// `owner` is named where a statement may not stand in such a block.
const ast::BlockStmt* block(Builder& b, Grammar::BlockContext*, std::string_view owner);

}  // namespace strc::parser
