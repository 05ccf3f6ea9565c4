#pragma once
/// Which fields change while a filter runs. In: a body, or the code of a stream. Out: by field, whether something stores to it, as
/// far as that can be told: a field whose address goes to a function counts as stored to.

#include <cstddef>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// Those that one body stores to, of so many.
std::vector<bool> storedFields(const Body&, std::size_t fields);

/// Those that work, prework, functions or handlers store to, and those in which firings find items.
std::vector<bool> storedFields(const StreamCode&);

}  // namespace strc::ir
