#pragma once
/// How threads share a program, for pictures and tables: the segments of its chunk. In: a plan. The graph is that of the plan's program.

#include <optional>
#include <string>

#include "graph/picture.h"
#include "plan/plan.h"

namespace strc::plan {

/// None: it runs on one thread.
std::optional<graph::Segmentation> segmentationOf(const Plan&);

/// Of a library whose calls threads share (plan::Partitioning). None: one thread does all.
std::optional<graph::Segmentation> partitionsOf(const Plan&);
/// A table for each partition: where it is at home, who fires how often, what that costs; then what crosses between partitions.
std::string printPartitions(const Plan&, const graph::Segmentation&);

/// A table for each segment: who fires how often, what that costs, what is taken and given; then what crosses between segments.
std::string printSegments(const Plan&, const graph::Segmentation&);

}  // namespace strc::plan
