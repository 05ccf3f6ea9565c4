#include "linear/linear.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/pass.h"
#include "base/quiet.h"
#include "elab/replace.h"
#include "ir/text.h"
#include "linear/detail/extract.h"
#include "linear/detail/frequency.h"
#include "linear/detail/select.h"
#include "linear/detail/synthesize.h"
#include "sched/balance.h"

namespace strc::linear {
namespace {

using base::Pass;
using graph::NodeId;

/// Beyond that, filters count as not linear: a second, perhaps.
constexpr std::int64_t kMostStepsInAll = 10'000'000;

/// The forms of all filters; those with one kernel and one state have one.
class Forms {
public:
    Forms(const ir::Module& module, const pass::Program& program, bool floats) {
        const elab::Elaboration& elaboration = *program.elaboration;
        for (NodeId id = 0; id < program.graph().nodes.size(); ++id) {
            const graph::Node& node = program.graph().nodes[id];
            if (node.kind != graph::NodeKind::Filter) {
                byNode.push_back(nullptr);
                continue;
            }
            const auto key = std::make_pair(node.kernel, elaboration.states[id].get());
            auto [found, fresh] = extractions.try_emplace(key);
            const auto known = program.forms.find(node.kernel);
            if (fresh && known != program.forms.end()) {
                found->second.form = *known->second;
            } else if (fresh) {
                found->second =
                    extract(module, elaboration, id, floats, std::min(steps, kMostSteps));
                steps -= found->second.steps;
            }
            byNode.push_back(&found->second);
        }
    }

    /// Null: no filter.
    const Extraction* operator[](NodeId id) const { return byNode[id]; }
    const Form* formOf(NodeId id) const {
        return byNode[id] && byNode[id]->form ? &*byNode[id]->form : nullptr;
    }

private:
    std::int64_t steps = kMostStepsInAll;  ///< that are left
    std::map<std::pair<graph::KernelId, const std::string*>, Extraction> extractions;
    std::vector<const Extraction*> byNode;
};

void showForms(base::Passes& passes, const graph::Graph& graph, const Forms& forms) {
    if (!passes.emitsAfter(Pass::LinearCombination)) return;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const Extraction* found = forms[id];
        if (!found) continue;
        passes.show(Pass::LinearCombination, graph::path(graph, id), [&] {
            return found->form ? "linear: " + print(*found->form) : "not linear: " + found->whyNot;
        });
    }
}

/// The regions that the pass may put together.
std::vector<Region> chosenRegions(const pass::Context& context, const pass::Program& program,
                                  const Forms& forms) {
    const graph::Graph& graph = program.graph();
    showForms(context.passes(), graph, forms);
    std::vector<Region> chosen;
    for (Region& region : select(graph, program.repetitions, context.target,
                                 [&](NodeId id) { return forms.formOf(id); })) {
        base::PassRun run(context.passes(), Pass::LinearCombination,
                          elab::pathOf(graph, region.place));
        if (!run) continue;
        run.show([&] { return print(region.form); });
        chosen.push_back(std::move(region));
    }
    return chosen;
}

std::vector<elab::Replacement> filtersFor(const graph::Graph& graph, types::TypeTable& types,
                                          const std::vector<Region>& regions) {
    const auto nothing = std::make_shared<const std::string>();
    std::vector<elab::Replacement> filters;
    for (const Region& region : regions) {
        elab::Replacement filter;
        filter.place = region.place;
        filter.name = elab::nameOf(graph, region.place);
        filter.made =
            synthesize(region.form, filter.name, graph.nodes[region.place.entry].range, types);
        filter.work = filter.made.work;
        filter.state = nothing;
        filters.push_back(std::move(filter));
    }
    return filters;
}

}  // namespace

std::optional<pass::Program> combineFilters(const pass::Context& context,
                                            const pass::Program& program) {
    if (!elab::mayReplace(*program.elaboration)) return std::nullopt;
    const Forms forms(context.module, program, context.options.fastMath);
    std::vector<Region> regions = chosenRegions(context, program, forms);
    if (regions.empty()) return std::nullopt;
    elab::Replaced made =
        elab::replace(*program.elaboration, filtersFor(program.graph(), context.types, regions));
    const base::Quiet quiet(context.base.diags);
    auto repetitions = sched::balance(context.base, made.program.graph);
    const bool isSame =
        repetitions && elab::firesAsBefore(program.repetitions, *repetitions, made.nodeOf);
#ifdef STRC_CHECKED
    STRC_ASSERT(isSame, "a combined graph fires otherwise");
#endif
    if (!isSame) return std::nullopt;
    pass::Program combined = pass::with(program, std::move(made.program), std::move(*repetitions));
    for (Region& region : regions)
        combined.forms[combined.graph().nodes[made.nodeOf[region.place.entry]].kernel] =
            std::make_shared<const Form>(std::move(region.form));
    return combined;
}

/// Filters with one form share a kernel.
std::optional<pass::Program> useSpectra(const pass::Context& context,
                                        const pass::Program& program) {
    if (!context.options.fastMath || !elab::mayReplace(*program.elaboration)) return std::nullopt;
    const Forms forms(context.module, program, true);
    std::optional<elab::Elaboration> made;
    std::map<const Form*, graph::KernelId> kernels;
    const auto nothing = std::make_shared<const std::string>();
    for (NodeId id = 0; id < program.graph().nodes.size(); ++id) {
        const Form* form = forms.formOf(id);
        if (!form || !paysInFrequency(*form)) continue;
        base::PassRun run(context.passes(), Pass::Frequency, graph::path(program.graph(), id));
        if (!run) continue;
        if (!made) made = *program.elaboration;
        graph::Node& node = made->graph.nodes[id];
        auto [found, fresh] =
            kernels.try_emplace(form, static_cast<graph::KernelId>(made->kernels.size()));
        if (fresh) {
            made->kernels.push_back(synthesize(*form, node.name, node.range, context.types));
            made->kernels.back().blocks = inFrequency(*form, node.range, context.types);
        }
        node.kernel = found->second;
        made->states[id] = nothing;
        run.show([&] { return ir::print(made->kernels[node.kernel].blocks->work); });
    }
    if (!made) return std::nullopt;
    return pass::with(program, std::move(*made), program.repetitions);
}

}  // namespace strc::linear
