#pragma once
/// Statements of composites.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

void create(BodyScope& in, const ast::CreateStmt&);
/// `op` is Split or Join.
void splitter(BodyScope& in, const ast::SplitterStmt&, Op op);
void enqueue(BodyScope& in, const ast::EnqueueStmt&);

}  // namespace strc::lower::detail
