#pragma once
/// Trees to IR, once for each declaration. In: a Program without errors. Out: an ir::Module in which
/// every conversion, copy, check and order of evaluation is explicit. Trees are not read after this.
///
/// Values of globals are needed while lowering (array bounds, struct layouts use them), so static
/// items are lowered one by one and handed to `runStatic`, which executes the body and stores what it
/// assigned in Module::globalValues; it returns false after reporting an error.

#include <functional>

#include "base/context.h"
#include "ir/ir.h"
#include "sema/program.h"

namespace strc::lower {

using RunStatic = std::function<bool(ir::Module&, const ir::Body&)>;

/// Module::streams is parallel to Program::streams. Incomplete if runStatic failed (errors reported).
ir::Module lower(base::Context&, const sema::Program&, const RunStatic& runStatic);

}  // namespace strc::lower
