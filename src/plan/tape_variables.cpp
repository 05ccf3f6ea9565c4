#include "plan/tape_variables.h"

#include <algorithm>

#include "plan/drain.h"

namespace strc::plan {
namespace {

/// Items of a tape that a step reads or writes.
struct Access {
    EdgeId tape = graph::kNone;
    bool writes = false;
    Position first;
    std::int64_t items = 0;
};

bool isSameShift(const Position& a, const Position& b) {
    const std::size_t depth = std::max(a.perIteration.size(), b.perIteration.size());
    auto at = [](const Position& position, std::size_t d) {
        return d < position.perIteration.size() ? position.perIteration[d] : 0;
    };
    for (std::size_t d = 0; d < depth; ++d)
        if (at(a, d) != at(b, d)) return false;
    return true;
}

class Finder {
public:
    explicit Finder(const Plan& plan) : plan(plan), graph(plan.program->graph) {}

    std::vector<Access> of(const std::vector<Step>& steps) const {
        std::vector<Access> all;
        std::vector<const std::vector<Step>*> todo{&steps};
        while (!todo.empty()) {
            const std::vector<Step>& list = *todo.back();
            todo.pop_back();
            for (const Step& step : list) {
                if (step.kind == StepKind::Loop) todo.push_back(&step.body);
                add(step, all);
            }
        }
        return all;
    }

private:
    void add(const Step& step, std::vector<Access>& all) const {
        if (step.kind == StepKind::Fire) return addFiring(step, all);
        if (step.channel == graph::kNone) return;
        for (const Position& from : step.inputs) put(step.channel, false, from, step.count, all);
        for (const Position& to : step.outputs) put(step.channel, true, to, step.count, all);
    }

    void addFiring(const Step& step, std::vector<Access>& all) const {
        const std::vector<EdgeId>&in = plan.inputsOf(step.node), &out = plan.outputsOf(step.node);
        for (std::size_t port = 0; port < step.inputs.size(); ++port)
            put(in[port], false, step.inputs[port], itemsRead(step, port), all);
        for (std::size_t port = 0; port < step.outputs.size(); ++port)
            put(out[port], true, step.outputs[port],
                step.count * itemsAt(plan, step.node, port, false, step.first), all);
    }

    std::int64_t itemsRead(const Step& step, std::size_t port) const {
        const std::int64_t pop = itemsAt(plan, step.node, port, true, step.first);
        const graph::Node& node = graph.nodes[step.node];
        if (node.kind != graph::NodeKind::Filter || plan.inputsOf(step.node).size() > 1)
            return step.count * pop;
        const graph::Rates& rates = step.first && node.prework ? *node.prework : node.work;
        return (step.count - 1) * pop + std::max(pop, rates.peek.max);
    }

    void put(EdgeId edge, bool writes, const Position& first, std::int64_t items,
             std::vector<Access>& all) const {
        all.push_back({plan.channels[edge].tape, writes, first, items});
    }

    const Plan& plan;
    const graph::Graph& graph;
};

/// One step writes all that the others read, before they do.
bool livesInIteration(const std::vector<const Access*>& accesses) {
    const Access& made = *accesses.front();
    if (!made.writes) return false;
    return std::all_of(accesses.begin() + 1, accesses.end(), [&](const Access* each) {
        return !each->writes && isSameShift(each->first, made.first) &&
               each->first.base >= made.first.base &&
               each->first.base + each->items <= made.first.base + made.items;
    });
}

}  // namespace

std::map<EdgeId, TapeVariable> findTapeVariables(const Plan& plan, const Phase& phase,
                                                 const std::vector<Step>& loop,
                                                 std::int64_t mostBytes) {
    const Finder finder(plan);
    std::map<EdgeId, std::size_t> everywhere;
    for (const Access& each : finder.of(phase.steps)) ++everywhere[each.tape];
    const std::vector<Access> inside = finder.of(loop);
    std::map<EdgeId, std::vector<const Access*>> byTape;
    for (const Access& each : inside) byTape[each.tape].push_back(&each);
    std::map<EdgeId, TapeVariable> found;
    for (const auto& [tape, accesses] : byTape) {
        const Channel& channel = plan.channels[tape];
        const Access& made = *accesses.front();
        if (accesses.size() != everywhere[tape] || channel.retained != 0 ||
            made.items * channel.itemSize > mostBytes || !livesInIteration(accesses))
            continue;
        found[tape] = {made.first, made.items};
    }
    return found;
}

}  // namespace strc::plan
