#pragma once
/// The cost of linear nodes, in multiplications with their loads: the passes choose the cheapest form by it.

#include "graph/graph.h"
#include "linear/detail/form.h"
#include "target/model.h"

namespace strc::linear {

/// The cost of one firing.
double costOf(const Form&, const target::Model&);
/// The cost of one firing of a splitter or joiner.
double costOf(const graph::Node&);

}  // namespace strc::linear
