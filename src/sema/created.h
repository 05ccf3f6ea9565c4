#pragma once
/// Which streams create which, by the names in their declarations. Private to sema.

#include "sema/checker.h"

namespace strc::sema {

/// Does stream `from` of the program create stream `to`, directly or through others, or is it that stream? Also true
/// where only some arguments would lead there. Work is linear in the program's composites.
bool leadsTo(Checker&, Name from, Name to);

}  // namespace strc::sema
