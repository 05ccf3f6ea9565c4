#include "session/detail/threads.h"

#include <fmt/format.h>

#include "base/pass.h"
#include "session/products.h"

namespace strc::session {
namespace {

/// A sentence.
const char* whyAlone(const Compilation& program, const Settings& settings) {
    const graph::Graph& graph = program.plan->program->graph;
    if (program.plan->demand)
        return "what follows what is decided by the items, as rates are dynamic";
    if (settings.tapes == plan::Tapes::Ring) return "with ring buffers firings have an order";
    if (!program.context.passes.isEnabled(base::Pass::Partitions))
        return "the pass 'partitions' is disabled";
    for (const graph::Node& node : graph.nodes)
        if (node.effects & graph::kNative) return "it calls native functions, which have an order";
    if (!program.plan->mailboxes.empty())
        return "its filters wait for each other, as messages have an order, or what a block takes "
               "is not worth a hand-over (some 5 µs for each part)";
    return "its filters wait for each other, or what a block takes is not worth a hand-over (some "
           "5 µs for each part)";
}

}  // namespace

void tellThreads(Compilation& program, const Settings& settings) {
    if (settings.callThreads < 2 || !program.plan || program.plan->partitioning) return;
    program.context.diags.add(base::Diag::Hint, mainHeader(program)) << fmt::format(
        "'--threads' has no effect, one thread does all: {}", whyAlone(program, settings));
}

}  // namespace strc::session
