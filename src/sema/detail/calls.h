#pragma once
/// Calls of functions, handlers, packages and builtins; messages (language.md 16 and 14).

#include "base/spelling.h"
#include "sema/detail/convert.h"

namespace strc::sema {

Typed checkCall(Checker&, const ast::CallExpr&);
Typed checkPackageCall(Checker&, const ast::PackageCallExpr&);
/// A message, or the call of a package function as a statement.
void checkMessage(Checker&, const ast::MessageStmt&);

/// A function or stream that takes arguments, for messages.
struct Callable {
    std::string_view kind;  ///< "function", "filter"
    std::string_view name;
    SourceRange declared = {};  ///< the place that shows its parameters, if there is one
};

/// How many arguments there may be, and how many there are.
struct ArgumentCount {
    std::size_t least;
    std::size_t most;
    std::size_t given;
};

/// Reports a wrong number of arguments: true then.
bool checkArgumentCount(Checker&, SourceRange, const Callable&, const ArgumentCount&);
/// The arguments of a function or handler, converted to its parameters.
void checkFunctionArguments(Checker&, const FunctionInfo&, SourceRange callee,
                            std::span<const ast::Expr* const> args);

/// A builtin, or an unknown name.
Typed checkBuiltinCall(Checker&, const ast::CallExpr&);
/// A function of StreamItVectorLib.
Typed checkVectorLibrary(Checker&, const ast::PackageCallExpr&, ast::NodeId call);
bool isVectorLibrary(Name package);
/// `init_array_1D_int("file", n)` where an array of type `target` is initialised; false: it is no
/// such call.
bool checkArrayFile(Checker&, const ast::Expr&, const Target& target);
/// `wav("ir.wav")` where an array of type `target` is wanted; false: it is no such call.
bool checkFileArray(Checker&, const ast::Expr&, const Target& target);
/// The same elsewhere, and what files tell of sounds (`sampleRate("a.wav")`).
std::optional<Typed> checkFileCall(Checker&, const ast::CallExpr&);
void considerFileFunctions(base::SpellingSearch&);
/// Names of builtins similar to this one are offered to `search`.
void considerBuiltins(base::SpellingSearch&);

}  // namespace strc::sema
