#pragma once
/// Where the items of the one filter come from and go to: open ends of the program, and files. Filters that read and write files
/// stay what they are, before and behind the one filter.

#include <optional>
#include <vector>

#include "plan/plan.h"

namespace strc::lowered {

struct Port {
    graph::NodeId file = graph::kNone;  ///< of the planned program, reads or writes it; kNone: open
    graph::EdgeId edge = graph::kNone;  ///< of the planned program, has its items
};

struct Ports {
    std::vector<Port> inputs, outputs;  ///< in the order of Plan::inputs and outputs

    /// The only one of a side, whose items are a tape of the one filter; else kNone.
    graph::EdgeId input() const { return inputs.size() == 1 ? inputs[0].edge : graph::kNone; }
    graph::EdgeId output() const { return outputs.size() == 1 ? outputs[0].edge : graph::kNone; }
    bool haveFiles() const;
    /// The file with these items; kNone: they are those of an open end.
    graph::NodeId fileOf(graph::EdgeId) const;
};

Ports findPorts(const plan::Plan&);

/// The plan with steps that read and write files as those of the open ends; none: there are no files.
std::optional<plan::Plan> withFilesAsEnds(const plan::Plan&);

/// Connects the one filter, the only node of a graph, with the open ends and with the filters of files, which are put beside it in
/// a pipeline. `plan`: has files as ends.
void connectPorts(elab::Elaboration&, const plan::Plan& plan);
/// What a node of the planned program is in that one: a filter with a file, or the one filter, which is 0. kNone, of a tape: 0, too.
graph::NodeId nodeBeside(const Ports&, graph::NodeId);

}  // namespace strc::lowered
