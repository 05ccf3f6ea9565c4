#pragma once
/// Types of different compilations.

#include "types/type.h"

namespace strc::live {

/// Do values of the two types lie in memory in the same way and mean the same?
bool areAlike(const types::Type*, const types::Type*);

}  // namespace strc::live
