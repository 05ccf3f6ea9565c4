#pragma once
/// Where the items of the one filter come from and go to: an open end of the program, or a file. Filters that read and write files
/// stay what they are, before and behind the one filter.

#include <optional>
#include <string>

#include "plan/plan.h"

namespace strc::lowered {

struct Ports {
    graph::NodeId reader = graph::kNone, writer = graph::kNone;  ///< kNone: no file is there
    /// Of the planned program, the open ends or those of the files; kNone: it has no such side.
    graph::EdgeId input = graph::kNone, output = graph::kNone;
};

/// Why it has more than one filter can have: half a sentence, or empty.
std::string whyNoPorts(const plan::Plan&);

/// Of a plan with no more than one on each side.
Ports findPorts(const plan::Plan&);

/// The plan with steps that read and write files as those of the open ends; none: there are no files.
std::optional<plan::Plan> withFilesAsEnds(const plan::Plan&);

/// Puts the filters of files beside the one filter, the only node of a graph, in a pipeline.
void addFiles(elab::Elaboration&, const plan::Plan&);
/// What a node of the planned program is in that one: a filter with a file, or the one filter, which is 0. kNone, of a tape: 0, too.
graph::NodeId nodeBeside(const Ports&, graph::NodeId);

}  // namespace strc::lowered
