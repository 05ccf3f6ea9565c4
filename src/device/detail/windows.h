#pragma once
/// Filters of single numbers as filters of arrays: what a firing looks at is one array, and what it gives another. Private to device.

#include "base/result.h"
#include "elab/elaborate.h"

namespace strc::device {

/// Does the filter take and give single numbers, by one channel each?
bool isOfNumbers(const elab::Kernel&);

/// A work body with the same results that takes all its items at once as an array, and so gives them: every pop and peek has become
/// a place in the one, every push in the other. An error is the sentence why not: counts of items have to be known, so that no place lies outside.
base::Result<ir::Body> withWindows(const ir::Module&, const elab::Kernel&, types::TypeTable&);

}  // namespace strc::device
