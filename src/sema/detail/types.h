#pragma once
/// Types as they are written: names, bounds, and what may be the type of what.

#include "sema/detail/checker.h"

namespace strc::sema {

/// What a type is written for.
enum class TypeUse : std::uint8_t {
    Local,
    CompositeLocal,
    Field,
    Global,
    StreamParam,
    FunctionParam,
    NativeParam,
    Result,
    StreamSide,
    StructField,
    Cast,
    TypeArgument,
};

/// The type a TypeExpr means, with kDynamic where a bound is not a literal constant; the error type
/// after a report. `what`: the variable or stream it is for.
/// `isInitialised`: all variables of the declaration are, so that their lengths may be left open (`_`).
const Type* checkType(Checker&, const ast::TypeExpr&, TypeUse, Name what,
                      bool isInitialised = false);
/// The same without looking at bounds: all extents dynamic, nothing reported or recorded.
const Type* typeShape(Checker&, const ast::TypeExpr&);

/// Fields of the structs that were declared, then which of them contain themselves.
void checkStructs(Checker&, std::span<DeclRecord* const>);

}  // namespace strc::sema
