#pragma once
/// Which declaration a name means: locals and function parameters, fields, stream parameters and
/// captured variables, globals, in this order (language.md 6 and 7.4).

#include "sema/detail/checker.h"

namespace strc::sema {

/// One level of nesting, for a C++ scope; at its end, variables that nobody used are reported.
/// `statements`: of the block, if it is one.
class Nest {
public:
    explicit Nest(Checker&, std::span<const ast::Stmt* const> statements = {});
    ~Nest();
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

private:
    Checker& c;
    Body& body;
};

/// Declares a local variable or function parameter in the innermost level; reports what it may not
/// hide. `kind`: "local" or "parameter".
void declareLocal(Checker&, Symbol&, std::string_view kind);

/// The variable a name means here, or null. Makes captured symbols; does not report.
Symbol* findVariable(Checker&, Name);
/// The same for a use: marks it used, reports unknown names and names not declared yet, checks what
/// a bound or rate may depend on. Null after an error.
Symbol* useVariable(Checker&, ast::Ident);
/// Reports that the bound or rate at hand depends on `what`, if one is at hand: true then.
bool reportNotFixed(Checker&, SourceRange, std::string_view what);

StreamInfo* findStream(Checker&, Name);
const Type* findStruct(Checker&, Name);
Package* findPackage(Checker&, Name);
/// A function or handler of the enclosing filter, or of the package at hand.
FunctionInfo* findFunction(Checker&, Name);

/// Closest names, for suggestions; empty if there is none.
std::string_view similarStream(Checker&, std::string_view);
std::string_view similarType(Checker&, std::string_view);
std::string_view similarPackage(Checker&, std::string_view);

}  // namespace strc::sema
