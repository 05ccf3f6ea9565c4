#include "linear/linear.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/pass.h"
#include "elab/replace.h"
#include "ir/text.h"
#include "linear/extract.h"
#include "linear/frequency.h"
#include "linear/select.h"
#include "linear/synthesize.h"
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
    Forms(const ir::Module& module, const elab::Elaboration& program, bool floats) {
        for (NodeId id = 0; id < program.graph.nodes.size(); ++id) {
            const graph::Node& node = program.graph.nodes[id];
            if (node.kind != graph::NodeKind::Filter) {
                byNode.push_back(nullptr);
                continue;
            }
            const auto key = std::make_pair(node.kernel, program.states[id].get());
            auto [found, fresh] = extractions.try_emplace(key);
            if (fresh) {
                found->second = extract(module, program, id, floats, std::min(steps, kMostSteps));
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

    template <typename Predicate>
    bool any(Predicate holds) const {
        return std::any_of(extractions.begin(), extractions.end(), [&](const auto& entry) {
            return entry.second.form && holds(*entry.second.form);
        });
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
std::vector<Region> chosenRegions(base::Context& context, const elab::Elaboration& program,
                                  const graph::Quota& quota, const Forms& forms) {
    base::Timing timing(context.passes, Pass::LinearCombination);
    if (!context.passes.isEnabled(Pass::LinearCombination)) return {};
    showForms(context.passes, program.graph, forms);
    std::vector<Region> chosen;
    for (Region& region :
         select(program.graph, quota, [&](NodeId id) { return forms.formOf(id); })) {
        base::PassRun run(context.passes, Pass::LinearCombination,
                          elab::pathOf(program.graph, region.place));
        if (!run) continue;
        run.show([&] { return print(region.form); });
        chosen.push_back(std::move(region));
    }
    return chosen;
}

/// A program on its way, and what is known about its nodes.
struct Draft {
    elab::Improved improved;
    std::vector<const Form*> forms;  ///< by node; null: not linear
    bool hasChanged = false;
};

std::vector<elab::Replacement> filtersFor(const elab::Elaboration& program, types::TypeTable& types,
                                          const std::vector<Region>& regions) {
    const auto nothing = std::make_shared<const std::string>();
    std::vector<elab::Replacement> filters;
    for (const Region& region : regions) {
        elab::Replacement filter;
        filter.place = region.place;
        filter.name = elab::nameOf(program.graph, region.place);
        filter.made = synthesize(region.form, filter.name,
                                 program.graph.nodes[region.place.entry].range, types);
        filter.work = filter.made.work;
        filter.state = nothing;
        filters.push_back(std::move(filter));
    }
    return filters;
}

/// Empty if other nodes would fire otherwise.
std::optional<Draft> combined(base::Context& context, types::TypeTable& types,
                              const elab::Elaboration& program, const graph::Quota& quota,
                              const Forms& forms, const std::vector<Region>& regions) {
    elab::Replaced rewritten = elab::replace(program, filtersFor(program, types, regions));
    base::Context scratch;
    scratch.limits = context.limits;
    auto balanced = sched::balance(scratch, rewritten.program.graph);
    const bool isSame = balanced && elab::firesAsBefore(quota, *balanced, rewritten.nodeOf);
#ifdef STRC_CHECKED
    STRC_ASSERT(isSame, "a combined graph fires otherwise");
#endif
    if (!isSame) return std::nullopt;
    Draft draft{{std::move(rewritten.program), std::move(*balanced)}, {}, !regions.empty()};
    draft.forms.resize(draft.improved.program.graph.nodes.size());
    for (NodeId id = 0; id < rewritten.nodeOf.size(); ++id)
        draft.forms[rewritten.nodeOf[id]] = forms.formOf(id);
    for (const Region& region : regions)
        draft.forms[rewritten.nodeOf[region.place.entry]] = &region.form;
    return draft;
}

/// The pass `frequency`. Filters with one form share a kernel.
void transform(base::Context& context, types::TypeTable& types, Draft& draft) {
    base::Timing timing(context.passes, Pass::Frequency);
    if (!context.passes.isEnabled(Pass::Frequency)) return;
    elab::Elaboration& program = draft.improved.program;
    std::map<const Form*, graph::KernelId> kernels;
    const auto nothing = std::make_shared<const std::string>();
    for (NodeId id = 0; id < draft.forms.size(); ++id) {
        const Form* form = draft.forms[id];
        graph::Node& node = program.graph.nodes[id];
        if (!form || !paysInFrequency(*form)) continue;
        base::PassRun run(context.passes, Pass::Frequency, graph::path(program.graph, id));
        if (!run) continue;
        auto [found, fresh] =
            kernels.try_emplace(form, static_cast<graph::KernelId>(program.kernels.size()));
        if (fresh) {
            program.kernels.push_back(synthesize(*form, node.name, node.range, types));
            program.kernels.back().blocks = inFrequency(*form, node.range, types);
        }
        node.kernel = found->second;
        program.states[id] = nothing;
        draft.hasChanged = true;
        run.show([&] { return ir::print(program.kernels[node.kernel].blocks->work); });
    }
}

}  // namespace

std::optional<elab::Improved> improve(base::Context& context, const ir::Module& module,
                                      types::TypeTable& types, const elab::Elaboration& program,
                                      const graph::Quota& quota, const Options& options) {
    const base::Passes& passes = context.passes;
    const bool combines = passes.isEnabled(Pass::LinearCombination);
    const bool transforms = options.floats && passes.isEnabled(Pass::Frequency);
    if (!(combines || transforms) || !elab::mayReplace(program)) return std::nullopt;
    const Forms forms(module, program, options.floats);
    const std::vector<Region> regions = chosenRegions(context, program, quota, forms);
    if (regions.empty() && !(transforms && forms.any(paysInFrequency))) return std::nullopt;
    std::optional<Draft> draft = combined(context, types, program, quota, forms, regions);
    if (draft && transforms) transform(context, types, *draft);
    if (!draft || !draft->hasChanged) return std::nullopt;
    return std::move(draft->improved);
}

}  // namespace strc::linear
