#pragma once
/// Programs as audio plug-ins: what the ends of one have to be, and what its controls are.

#include <optional>

#include "executable/tables.h"
#include "plugins/annotations.h"
#include "plugins/plugin.h"

namespace strc::executable {

/// Frames of floats to as many frames of floats: float, double, or an array of them with an element for each channel.
/// Empty after reporting that the program is something else, or that a parameter's value lies outside of its range.
/// What has no `title` or `uri` is called after the main stream.
std::optional<plugins::Plugin> pluginOf(const Program&, const plugins::Annotations&);

/// A block of GNU Radio, of whatever rates. Empty after reporting that it has no such items.
std::optional<plugins::RadioBlock> radioBlockOf(const Program&, const plugins::Annotations&);

}  // namespace strc::executable
