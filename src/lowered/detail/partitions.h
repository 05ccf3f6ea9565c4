#pragma once
/// How threads share a call of a library, of the one filter: partitions are functions of the slice.

#include "lowered/detail/functions.h"

namespace strc::lowered {

/// Has the plan partitions, with no more than one end on a side?
bool hasPartitions(const plan::Plan&);

/// The plan's partitions, with firings in vectors as far as passes of the context are enabled; null: one by one. What is read
/// goes to a function before them, and what is written comes from one behind; steps for the ends are about the edges of `graph`,
/// once the filter is a node of a program (placeEnds).
plan::Partitioning partitionsOf(Functions&, base::Context*, const plan::Plan&,
                                base::SourceRange header);

void placeEnds(plan::Partitioning&, const graph::Graph&);

}  // namespace strc::lowered
