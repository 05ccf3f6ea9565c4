#include "horizontal/lanes.h"

#include <memory>
#include <utility>

#include "graph/rates.h"
#include "horizontal/detail/each_lane.h"
#include "horizontal/detail/number_items.h"
#include "horizontal/merge.h"
#include "ir/scalarise.h"
#include "ir/writer.h"

namespace strc::horizontal {
namespace {

using elab::Elaboration;
using elab::Kernel;
using graph::NodeId;
using graph::NodeKind;

bool isLane(const types::Type* type) {
    return !type || type->is(types::TypeKind::Void) || (type->isScalar() && !type->isFloatN());
}

/// Bytes of the arrays of one instance in a firing. More is done lane by lane, so that it stays in the caches.
constexpr std::int64_t kMostOfLocals = 8 * 1024;

/// The program with filters whose items are those of their channels.
Elaboration inNumbers(types::TypeTable& types, Elaboration program, bool mayProve) {
    for (NodeId id = 0; id < program.graph.nodes.size(); ++id) {
        graph::Node& node = program.graph.nodes[id];
        if (node.kernel == graph::kNone || !program.kernels[node.kernel].code.work ||
            !hasTensorsOfNumbers(program, id))
            continue;
        program.kernels.push_back(withNumbers(types, program, id, mayProve));
        node.kernel = static_cast<graph::KernelId>(program.kernels.size() - 1);
    }
    return program;
}

class LaneMaker {
public:
    LaneMaker(const pass::Context& context, const pass::Program& program, std::int64_t lanes)
        : context(context),
          one(inNumbers(context.types, *program.elaboration, mayProve())),
          before(program),
          lanes(lanes) {}

    InLanes run() {
        if (!one.graph.messages.empty()) return refused("it sends messages");
        if (one.dynamicShape) return refused("only the run knows its shapes");
        all = one;
        repetitions = before.repetitions;
        made.fields.resize(one.graph.nodes.size());
        for (NodeId id = 0; id < one.graph.nodes.size(); ++id)
            if (std::string why = node(id); !why.empty())
                return refused(one.graph.nodes[id].name + ": " + why);
        for (graph::Edge& edge : all.graph.edges) edge.initial = repeated(edge.initial);
        made.program = pass::with(before, std::move(all), std::move(repetitions));
        return std::move(made);
    }

private:
    static InLanes refused(std::string why) {
        InLanes none;
        none.whyNot = std::move(why);
        return none;
    }

    std::string node(NodeId id) {
        graph::Node& node = all.graph.nodes[id];
        if (node.kind == NodeKind::Filter) return filter(id, node);
        if (node.kind == NodeKind::Duplicate) {
            fireForEachLane(id);
            return {};
        }
        for (std::int64_t& weight : node.weights) weight *= lanes;
        node.totalWeight *= lanes;
        return {};
    }

    /// What does the same with each item of the tape needs no lanes.
    void fireForEachLane(NodeId id) {
        repetitions.init[id] *= lanes;
        repetitions.steady[id] *= lanes;
    }

    /// What only moves items stays what it is, so that a plan finds that (plan/detail/share.h).
    void moveItems(NodeId id, graph::Node& node) {
        const Kernel& kernel = one.kernels[node.kernel];
        fireForEachLane(id);
        if (!kernel.prework) return;
        Kernel moves = kernel;
        addPrework(moves, kernel);
        node.prework = moves.prework;
        node.kernel = static_cast<graph::KernelId>(all.kernels.size());
        all.kernels.push_back(std::move(moves));
        if (repetitions.init[id] > 0)
            repetitions.init[id] -= lanes - 1;  // one of them is the prework
    }

    std::string filter(NodeId id, graph::Node& node) {
        const Kernel& kernel = one.kernels[node.kernel];
        if (elab::forwardsItems(one, id)) {
            moveItems(id, node);
            return {};
        }
        if (std::string why = whyNot(kernel, node); !why.empty()) return why;
        Merged merged = mergedFilter(id, kernel);
        if (!merged.whyNot.empty()) return merged.whyNot;
        if (kernel.prework) addPrework(merged.kernel, kernel);
        node.kernel = static_cast<graph::KernelId>(all.kernels.size());
        node.work = merged.kernel.work;
        node.prework = merged.kernel.prework;
        all.states[id] = std::move(merged.state);
        made.fields[id].fields = std::move(merged.fields);
        all.kernels.push_back(std::move(merged.kernel));
        return {};
    }

    /// In vectors, or else lane by lane.
    Merged mergedFilter(NodeId id, const Kernel& kernel) {
        std::string whyNotInVectors = "its items are no numbers";
        if (ir::hasVectors(*kernel.code.work)) {
            whyNotInVectors = "it is in vectors already";
        } else if (isLane(kernel.input) && isLane(kernel.output)) {
            Merged merged = merge(context.types, context.module, one,
                                  std::vector<NodeId>(static_cast<std::size_t>(lanes), id),
                                  {.mayProve = mayProve(), .mostOfLocals = kMostOfLocals});
            if (merged.whyNot.empty()) return merged;
            whyNotInVectors = std::move(merged.whyNot);
        }
        Merged merged = mergeInTurn(context.types, context.module, one, id, lanes, mayProve());
        made.fields[id].areWhole = true;
        made.inTurn.push_back(one.graph.nodes[id].name + ": " + whyNotInVectors);
        return merged;
    }

    bool mayProve() const { return context.passes().isEnabled(base::Pass::BoundsCheckElimination); }

    static std::string whyNot(const Kernel& kernel, const graph::Node& node) {
        if (kernel.builtin != ir::BuiltinStream::None || !kernel.code.work) return "it is built in";
        if (node.effects != graph::kNoEffect) return "it has effects";
        if (kernel.work.isDynamic()) return "its rates are dynamic";
        return {};
    }

    /// Takes and gives as much as the first firings of all lanes.
    void addPrework(Kernel& kernel, const Kernel& single) const {
        const graph::Rates rates = graph::times(*single.prework, lanes);
        kernel.prework = rates;
        ir::Writer w(context.types);
        w.range = single.code.range;
        w.body.name = "prework";
        w.body.kind = ir::BodyKind::Prework;
        w.body.range = w.body.header = w.range;
        if (rates.push.max > 0) {
            const ir::Reg zero = w.constant(types::Value::zero(single.output));
            const ir::Op push = single.output->isAggregate() ? ir::Op::PushFrom : ir::Op::Push;
            w.loop(rates.push.max, [&](ir::Reg) { w.emit(push, single.output, {zero}); });
        }
        if (rates.pop.max > 0)
            w.emit(ir::Op::DiscardMany, single.input, {}).index =
                static_cast<std::uint32_t>(rates.pop.max);
        kernel.code.prework = std::move(w.body);
    }

    std::vector<types::Value> repeated(const std::vector<types::Value>& items) const {
        std::vector<types::Value> in;
        for (const types::Value& item : items)
            in.insert(in.end(), static_cast<std::size_t>(lanes), item);
        return in;
    }

    const pass::Context& context;
    const Elaboration one;
    const pass::Program& before;
    const std::int64_t lanes;
    Elaboration all;
    graph::Repetitions repetitions;
    InLanes made;
};

}  // namespace

InLanes inLanes(const pass::Context& context, const pass::Program& program, std::int64_t lanes) {
    return LaneMaker(context, program, lanes).run();
}

}  // namespace strc::horizontal
