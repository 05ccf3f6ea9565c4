#pragma once
/// The value that passes take and give: a whole program on its way to code generation.

#include <map>
#include <memory>

#include "elab/elaborate.h"
#include "graph/graph.h"

namespace strc::linear {
struct Form;
}

namespace strc::pass {

/// Graph, kernels and states, how often each node fires, and what passes have found out for later ones. Nothing of it
/// changes: a pass that has something to do makes another one. Nodes are numbered anew by a pass that removes some;
/// kernels are only added, so a KernelId means the same kernel for all passes.
struct Program {
    std::shared_ptr<const elab::Elaboration> elaboration;
    graph::Repetitions repetitions;
    /// What kernels compute that a pass has made of a linear form.
    std::map<graph::KernelId, std::shared_ptr<const linear::Form>> forms = {};

    const graph::Graph& graph() const { return elaboration->graph; }
};

/// A program whose elaboration outlives it, so that nothing is copied.
inline Program borrow(const elab::Elaboration& elaboration, graph::Repetitions repetitions) {
    return {{std::shared_ptr<const void>(), &elaboration}, std::move(repetitions)};
}

/// The same program with another elaboration, whose nodes fire as `repetitions` says.
inline Program with(const Program& program, elab::Elaboration elaboration,
                    graph::Repetitions repetitions) {
    return {std::make_shared<const elab::Elaboration>(std::move(elaboration)),
            std::move(repetitions), program.forms};
}

}  // namespace strc::pass
