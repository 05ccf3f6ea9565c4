#pragma once
/// The lowering of all bodies shares this: the module as far as it is made, and what is known of globals,
/// struct layouts and functions.

#include <map>

#include "base/context.h"
#include "lower/detail/builder.h"
#include "lower/lower.h"

namespace strc::lower::detail {

using base::Diag;
using sema::FunctionInfo;
using sema::StreamInfo;
using sema::Symbol;

struct ModuleScope {
    base::Context& context;
    const sema::Program& program;
    types::TypeTable& types;
    ir::Module& module;
    const RunStatic& runStatic;
    /// All static items have run: scalar globals are literals.
    bool globalsAreFinal = false;
    std::uint32_t globalsKnown = 0;  ///< those before have been initialised
    bool failed = false;  ///< an error has been reported: stop

    /// The type as written, with literal extents where the bound is known by now: `mayUseGlobals`
    /// says whether that may rest on the present values of globals. Lays out structs; reports if it
    /// cannot, or if the type is too large.
    const Type* resolve(const ast::TypeExpr&, bool mayUseGlobals);
    /// The same for parameters and results of native functions, whose tensors have all extents that are
    /// written.
    const Type* resolveHanded(const ast::TypeExpr&);
    /// The same as `resolve`, following captured variables to where they are declared.
    const Type* resolve(const Symbol&, bool mayUseGlobals);
    /// Lays out a struct once the globals that its bounds use are known; false if one is not yet: the
    /// culprit.
    bool complete(types::StructInfo&, const Symbol*& culprit);
    /// Runs a static item; false after an error.
    bool runItem(const ir::Body&);
    /// The present value of a scalar global.
    const Value& globalValue(const Symbol&) const;

private:
    std::int64_t extentOf(const ast::Expr& bound, bool mayUseGlobals);
    std::int64_t evaluate(const ast::Expr& bound);
    const Symbol* unknownGlobal(const ast::StructDecl&) const;
    void layOut(types::StructInfo&, const ast::StructDecl&);
    bool fits(const Type*, SourceRange);
};

/// The stream whose bodies are lowered.
struct StreamScope {
    const StreamInfo& info;
    ir::StreamCode& code;
    /// Bounds in bodies that are known only after setup; each is the second extent of a hidden field.
    struct Bound {
        const ast::Expr* expression;
        std::uint32_t field;
        std::uint32_t after;  ///< setup can evaluate it when this many fields are declared
    };
    std::vector<Bound> bounds;
    /// Hidden fields of a filter that are static tensors, by global.
    std::map<std::uint32_t, std::uint32_t> staticTensors;
};

/// True for a global whose value is a literal when all static items have run.
bool isScalarGlobal(const Symbol&);

/// Fields, functions and other variables that an expression uses.
struct Uses {
    std::uint32_t fields = 0;  ///< all that it uses are before this index
    bool calls = false;  ///< user functions: may use any field
    bool beyondConstants = false;  ///< anything but literals, scalar constants and globals
    const Symbol* lastGlobal = nullptr;
    bool onlyGlobals = true;  ///< no other variables
};
Uses usesOf(const sema::Program&, const ast::Expr&);

}  // namespace strc::lower::detail
