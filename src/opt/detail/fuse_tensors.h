#pragma once
/// The pass `fuse-tensors`: neighbouring filters of tensors become one filter before their operations become loops, so that
/// operations element by element join the loops of what comes before them, and no items are copied in between.
/// What may join whom is as in Chen et al., "TVM" (OSDI 2018, section 3): operations element by element, views and reductions
/// follow a sum of products; two of these do not come together, so code does not grow, unless something would be copied in
/// between: the shortcut of a residual block (`fuse-residuals`), or the padded image of a convolution (`fuse-padding`).
/// In: an elaborated, balanced program. Out: the same program with fewer nodes, for code generation; none if nothing changes.

#include <optional>

#include "pass/context.h"
#include "pass/program.h"

namespace strc::opt {

/// Each node that stays fires as before. Programs with messages, dynamic rates or a visible order of firings are left
/// alone, and so are filters with checks that might fail, since nobody could say any more in which of them it was. Frames that
/// can go do not join anybody, unless they are so small that their elements are values. With a split, which is done by hand,
/// large sums of products of these bodies say their parts.
std::optional<pass::Program> fuseTensors(const pass::Context&, const pass::Program&);

}  // namespace strc::opt
