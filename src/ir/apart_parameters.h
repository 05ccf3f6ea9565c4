#pragma once
/// Which parameters of a filter's functions are refs to memory that nothing else leads to while the function runs, whoever calls
/// it: what is loaded and stored there has nothing to do with other parameters and fields.

#include <span>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// By function and parameter. `callers`: all other bodies that call the functions.
std::vector<std::vector<bool>> apartParameters(const std::vector<Body>& functions,
                                               std::span<const Body* const> callers);

}  // namespace strc::ir
