#include "plan/work.h"

#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "ir/varying.h"
#include "ir/work_estimate.h"

namespace strc::plan {
namespace {

/// Firings of filters without state are done in vectors, several for the price of one.
constexpr double kFiringsAtOnce = 4;
constexpr double kWorkInNanosecond = 10;
constexpr double kCopy = 0.5;  ///< of an item
constexpr double kBytesAtOnce = 16;  ///< of many that lie beside each other

double workOf(const elab::Kernel& kernel) {
    if (!kernel.code.work) return kCopy * static_cast<double>(kernel.work.pop.max);
    const double work = 1 + ir::estimateWork(kernel.code, *kernel.code.work);
    return ir::findVarying(*kernel.code.work).whyNot.empty() ? work / kFiringsAtOnce : work;
}

}  // namespace

WorkEstimate::WorkEstimate(const elab::Elaboration& whole,
                           const std::map<std::string, double>* measured)
    : program(whole) {
    for (const elab::Kernel& kernel : program.kernels) kernels.push_back(workOf(kernel));
    for (NodeId id = 0; id < program.graph.nodes.size(); ++id) nodes.push_back(estimate(id));
    if (measured) take(*measured);
}

/// Those that nobody has measured are as much too large or too small as the others.
void WorkEstimate::take(const std::map<std::string, double>& measured) {
    const graph::Paths paths = graph::allPaths(program.graph);
    double estimated = 0, real = 0;
    std::vector<bool> isKnown(nodes.size());
    for (NodeId id = 0; id < nodes.size(); ++id) {
        const auto found = measured.find(paths.nodes[id]);
        if (found == measured.end()) continue;
        estimated += nodes[id];
        nodes[id] = found->second * kWorkInNanosecond;
        real += nodes[id];
        isKnown[id] = true;
    }
    if (estimated <= 0) return;
    for (NodeId id = 0; id < nodes.size(); ++id)
        if (!isKnown[id]) nodes[id] *= real / estimated;
}

double WorkEstimate::estimate(NodeId id) const {
    const graph::Node& node = program.graph.nodes[id];
    if (node.kernel != graph::kNone) return kernels[node.kernel];
    if (node.kind == graph::NodeKind::Duplicate)
        return kCopy * static_cast<double>(node.outputs.size());
    return kCopy * static_cast<double>(node.totalWeight);
}

double WorkEstimate::ofSteadyState(const graph::Repetitions& repetitions) const {
    double sum = 0;
    for (NodeId id = 0; id < repetitions.steady.size(); ++id)
        sum += ofFiring(id) * static_cast<double>(repetitions.steady[id]);
    return sum;
}

double WorkEstimate::of(const Plan& plan, const Step& step) const {
    const auto count = static_cast<double>(step.count);
    switch (step.kind) {
        case StepKind::Fire: return count * ofFiring(step.node);
        case StepKind::Loop: {
            double once = 0;
            for (const Step& inner : step.body) once += of(plan, inner);
            return count * once;
        }
        case StepKind::Move:
        case StepKind::Read:
        case StepKind::Write:
            return count * static_cast<double>(plan.channels[step.channel].itemSize) / kBytesAtOnce;
        case StepKind::Part:  // its segment has been estimated
        case StepKind::Device: break;
    }
    return 0;
}

}  // namespace strc::plan
