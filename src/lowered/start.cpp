#include "lowered/detail/start.h"

#include "lowered/detail/firings.h"

namespace strc::lowered {
namespace {

using ir::Op;

class UpdateWriter {
public:
    UpdateWriter(Functions& functions, const plan::Plan& plan)
        : state(functions.state),
          plan(plan),
          graph(plan.program->graph),
          w(functions.types),
          items(w, state, plan),
          firings(w, items, functions, plan) {}

    std::optional<ir::Body> run(std::uint32_t slot, const std::string& name,
                                base::SourceRange header) {
        w.body.name = name;
        w.body.range = w.body.header = w.range = header;
        w.body.locals.push_back({"keeps", w.types.boolean(), {}});
        w.body.params = 1;
        bool any = false;
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (!startsLate(plan, id) || (marksOf(id) & ir::markOf(slot)) == 0) continue;
            startAgain(id);
            any = true;
        }
        if (!any) return std::nullopt;
        return std::move(w.body);
    }

private:
    ir::Marks marksOf(NodeId id) const {
        ir::Marks marks = 0;
        for (ir::Marks each : plan.program->kernels[graph.nodes[id].kernel].derived) marks |= each;
        return marks;
    }

    void startAgain(NodeId id) {
        const Record& record = state.record(graph.nodes[id].kernel);
        if (!record.type) return firings.start(id, ir::kNone);
        const std::uint32_t scratch = w.local("scratch_" + std::to_string(id), record.type);
        w.body.blocks[w.block].instrs.back().flag = false;  // zeros
        firings.start(id, w.address(scratch));
        const ir::BlockId keeps = w.inBlock([&] { keepDerived(id, scratch); });
        w.emit(Op::If, nullptr, {w.load(0)}).blocks = {keeps, ir::kNone, ir::kNone};
    }

    void keepDerived(NodeId id, std::uint32_t scratch) {
        const KernelId kernel = graph.nodes[id].kernel;
        const Record& record = state.record(kernel);
        const std::vector<ir::Marks>& derived = plan.program->kernels[kernel].derived;
        for (std::size_t k = 0; k < record.members.size(); ++k) {
            if (derived[k] == 0 || record.members[k] == ir::kNone) continue;
            const Reg to = items.member(items.fieldsOf(id), record, record.members[k]);
            items.copy(to, items.member(w.address(scratch), record, record.members[k]));
        }
    }

    const State& state;
    const plan::Plan& plan;
    const graph::Graph& graph;
    ir::Writer w;
    Items items;
    FiringWriter firings;
};

}  // namespace

bool startsLate(const plan::Plan& plan, NodeId id) {
    const KernelId kernel = plan.program->graph.nodes[id].kernel;
    return kernel != graph::kNone && plan.program->kernels[kernel].code.startsLate;
}

std::optional<ir::Body> updateBody(Functions& functions, const plan::Plan& plan, std::uint32_t slot,
                                   const std::string& name, base::SourceRange header) {
    return UpdateWriter(functions, plan).run(slot, name, header);
}

}  // namespace strc::lowered
