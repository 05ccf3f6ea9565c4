#pragma once
/// Chunks of a plan as those of the one filter, for threads.

#include "lowered/detail/functions.h"

namespace strc::lowered {

/// Has the plan a chunk with no more than one end on a side, which is one step?
bool hasChunk(const plan::Plan&);

/// The plan's chunk, of the filter that has these fields: segments are functions of it, and what is carried lies in its fields. Steps
/// for its open ends have no channels yet.
plan::Chunk chunkOf(Functions&, base::Context&, const plan::Plan&, const elab::Kernel& whole,
                    base::SourceRange header);

/// Once the filter is a node of a program: steps of the ends are about its edges, or firings of filters with files.
void placeEnds(plan::Chunk&, const plan::Plan&, const graph::Graph&);

}  // namespace strc::lowered
