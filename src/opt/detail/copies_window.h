#pragma once
/// Filters that forward what they get, byte for byte, whatever shape it has. Private to opt.

#include "base/limits.h"
#include "elab/elaborate.h"

namespace strc::opt {

/// Is what a firing pushes what it pops, in the same order? By what the body does: it never looks at what it moves, so it
/// moves all items as it moves those of one firing, which is tried.
bool copiesWindow(const base::Limits&, const ir::Module&, types::TypeTable&, const elab::Kernel&);

}  // namespace strc::opt
