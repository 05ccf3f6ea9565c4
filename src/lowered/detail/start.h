#pragma once
/// Setup and init of filters that start late, since they depend on parameters of which the run has the values.

#include <optional>

#include "lowered/detail/functions.h"

namespace strc::lowered {

bool startsLate(const plan::Plan&, NodeId);

/// A function of a boolean: does setup and init of the filters again that depend on this open parameter, in memory beside their
/// fields; what these make of parameters becomes theirs if that is true. None: there are none.
std::optional<ir::Body> updateBody(Functions&, const plan::Plan&, std::uint32_t slot,
                                   const std::string& name, base::SourceRange header);

}  // namespace strc::lowered
