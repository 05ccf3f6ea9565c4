#pragma once
/// Streams: first what others see of them (parameters, sides, members), then their bodies.

#include "sema/detail/checker.h"

namespace strc::sema {

/// Parameters, item types, fields, functions and handlers.
void declareStream(Checker&, Scope&);
/// Default values, initialisers, rates and all bodies. The stream has been declared.
void checkStream(Checker&, Scope&);

/// Reports a member whose name the program gives to a stream or struct. `kind`: "field".
void checkMemberName(Checker&, std::string_view kind, ast::Ident);
/// Parameters and result of a function or handler; they are reported on here and declared again,
/// without a word, when its body is checked.
void declareFunction(Checker&, FunctionInfo&, Scope*, Package*);
/// Body of a function or handler of a filter, or of a package function.
void checkFunctionBody(Checker&, FunctionInfo&, Scope*, Package*, Effects&);

/// The rates of work, prework or a function, and those that `work` lacks; sets what `body`
/// declares.
void checkRates(Checker&, Scope&, std::span<const ast::RateClause>, Body& body);

/// Parts that a composite lacks or has twice.
void checkParts(Checker&, const StreamInfo&, const Body&);

}  // namespace strc::sema
