#pragma once
/// Declarations and the members of streams.

#include "parser/detail/builder.h"

namespace strc::parser {

const ast::Decl* declaration(Builder& b, Grammar::DeclarationContext*);
/// The stream that stands where it is created.
const ast::StreamDecl* anonymous(Builder& b, Grammar::CreatorContext*);

}  // namespace strc::parser
