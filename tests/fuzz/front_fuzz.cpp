// Any bytes as a program, from parser to schedule. Checked builds verify the IR and the schedules on
// the way; what elaborates can be drawn.

#include "base/assert.h"
#include "graph/picture.h"
#include "program.h"
#include "sched/detail/verify.h"

using namespace strc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto program = fuzz::compileText(data, size, session::Stage::Scheduled);
    if (program->context.diags.hasErrors()) return 0;
    const graph::Graph& graph = program->elaboration.graph;
    for (const sched::Schedule& schedule : program->schedules) {
        const auto faults = sched::verify(graph, program->repetitions, schedule);
        STRC_ASSERT(faults.empty(), faults.front());
        STRC_ASSERT(!print(graph, program->repetitions, schedule).empty(), "no text of a schedule");
    }
    const graph::Annotations notes{&program->repetitions, nullptr};
    STRC_ASSERT(!toText(graph, notes).empty() && !toDot(graph, notes, {true, 5}).empty() &&
                    !toJson(graph, notes).empty(),
                "no picture of a graph");
    return 0;
}
