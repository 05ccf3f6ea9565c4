#pragma once
/// Which parts of a graph become one linear node each: the cheapest choice over the hierarchy of streams
/// (Lamb, Thies, Amarasinghe 2003, section 4.2). Pipelines are cut into pieces, splitjoins are taken as a
/// whole or left.

#include <functional>
#include <optional>
#include <vector>

#include "elab/replace.h"
#include "graph/graph.h"
#include "linear/detail/form.h"
#include "target/model.h"

namespace strc::linear {

struct Region {
    elab::GraphRange place;
    graph::NodeId exit = graph::kNone;  ///< gives its output
    Form form;
};

/// What is cheap depends on the processor. `formOf`: of a filter that may be taken, else null. Feedback loops are left alone, with all inside. What is
/// chosen fires in the initialisation exactly as much as its parts did.
std::vector<Region> select(const graph::Graph&, const graph::Repetitions&, const target::Model&,
                           const std::function<const Form*(graph::NodeId)>& formOf);

}  // namespace strc::linear
