#pragma once
/// Which streams create which, by the names in their declarations. Private to sema.

#include <unordered_set>

#include "sema/detail/checker.h"

namespace strc::sema {

/// The streams of the program that create stream `to`, directly or through others, and `to` itself; also where only
/// some arguments would lead there. Work is linear in the program's composites.
std::unordered_set<Name> creatorsOf(Checker&, Name to);

}  // namespace strc::sema
