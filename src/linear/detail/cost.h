#pragma once
/// What linear nodes cost, in multiplications with their loads: the measure by which the passes choose.

#include "graph/graph.h"
#include "linear/form.h"
#include "target/model.h"

namespace strc::linear {

/// Of one firing.
double costOf(const Form&, const target::Model&);
/// Of one firing of a splitter or joiner.
double costOf(const graph::Node&);

}  // namespace strc::linear
