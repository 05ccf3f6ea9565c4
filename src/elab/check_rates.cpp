#include "elab/detail/check_rates.h"

#include <algorithm>

#include "ir/count_items.h"

namespace strc::elab {
namespace {

using base::Diag;

constexpr std::uint64_t kStepsPerKernel = 4'000'000;
constexpr std::uint64_t kStepsInAll = 100'000'000;

class RateChecker {
public:
    RateChecker(base::Context& context, const ir::Module& module, const Elaboration& elaboration)
        : context(context), module(module), elaboration(elaboration) {}

    void check() {
        for (const graph::Node& node : elaboration.graph.nodes) {
            if (node.kind != graph::NodeKind::Filter ||
                elaboration.kernels[node.kernel].builtin != ir::BuiltinStream::None)
                continue;
            auto id = static_cast<graph::NodeId>(&node - elaboration.graph.nodes.data());
            const Kernel& kernel = elaboration.kernels[node.kernel];
            if (module.streams[kernel.stream].broken) continue;
            if (seen.size() <= node.kernel) seen.resize(elaboration.kernels.size());
            if (seen[node.kernel]++) continue;
            checkBody(id, kernel, *kernel.code.work, kernel.work, "'work'");
            if (kernel.code.prework)
                checkBody(id, kernel, *kernel.code.prework, *kernel.prework, "'prework'");
        }
    }

private:
    void checkBody(graph::NodeId node, const Kernel& kernel, const ir::Body& body,
                   const graph::Rates& rates, const char* part) {
        std::uint64_t steps =
            std::min({kStepsPerKernel, stepsLeft, context.limits.elaborationSteps});
        stepsLeft -= steps;
        ir::ItemCounts counts = ir::countItems(module, kernel.code, body, steps);
        CheckedBody checked{node, &kernel.code, &body, part};
        if (counts.certainNegativePeek < 0)
            report(checked, Diag::NegativePeek, counts.farthestPeek) << counts.certainNegativePeek;
        checkPops(checked, rates, counts);
        checkPushes(checked, rates.push, counts);
        checkPeeks(checked, rates, counts);
    }

    struct CheckedBody {
        graph::NodeId node;
        const ir::StreamCode* code;
        const ir::Body* body;
        const char* part;
    };

    base::Diagnostic& report(const CheckedBody& checked, Diag diag, base::SourceRange range) {
        return context.diags.add(diag, range.valid() ? range : checked.body->header)
            .in(graph::path(elaboration.graph, checked.node));
    }

    base::Diagnostic& reportRate(const CheckedBody& checked, Diag diag, base::SourceRange range,
                                 std::int64_t declared, std::int64_t found) {
        return report(checked, diag, range)
               << checked.part << elaboration.graph.nodes[checked.node].name << declared << found;
    }

    void checkPops(const CheckedBody& checked, const graph::Rates& rates,
                   const ir::ItemCounts& counts) {
        if (rates.pop.dynamic) return;
        std::int64_t declared = rates.pop.max;
        if (counts.pops.min > declared) {
            reportRate(checked, Diag::PopRateViolated, counts.lastPop, declared, counts.pops.min);
        } else if (counts.pops.max < declared) {
            base::Diagnostic& fault = reportRate(checked, Diag::PopRateViolated,
                                                 checked.body->header, declared, counts.pops.max);
            if (context.lenient) fault.severity = base::Severity::Warning;
        }
    }

    void checkPushes(const CheckedBody& checked, const graph::Rate& rate,
                     const ir::ItemCounts& counts) {
        if (rate.dynamic) return;
        if (counts.pushes.min > rate.max)
            reportRate(checked, Diag::PushRateViolated, counts.lastPush, rate.max,
                       counts.pushes.min);
        else if (counts.pushes.max < rate.max)
            reportRate(checked, Diag::PushRateViolated, checked.body->header, rate.max,
                       counts.pushes.max);
    }

    void checkPeeks(const CheckedBody& checked, const graph::Rates& rates,
                    const ir::ItemCounts& counts) {
        bool popsReported = !rates.pop.dynamic && counts.pops.min > rates.pop.max;
        if (rates.peek.dynamic || popsReported || counts.peeks.min <= rates.peek.max) return;
        reportRate(checked, Diag::PeekRateViolated, counts.farthestPeek, rates.peek.max,
                   counts.peeks.min);
    }

    base::Context& context;
    const ir::Module& module;
    const Elaboration& elaboration;
    std::vector<int> seen;  ///< by KernelId
    std::uint64_t stepsLeft = kStepsInAll;
};

}  // namespace

void checkRates(base::Context& context, const ir::Module& module, const Elaboration& elaboration) {
    RateChecker(context, module, elaboration).check();
}

}  // namespace strc::elab
