// Firings of filters behind each other, in vectors (pipelines.h).

#include "base/pass.h"
#include "lowered/detail/firings.h"
#include "lowered/detail/vector_items.h"

namespace strc::lowered {

using ir::Op;
using plan::Step;

std::size_t FiringWriter::firePipeline(std::span<const Step> list) {
    const VectorPipeline pipeline = findPipeline(plan, state, functions.lanes, list);
    const std::size_t count = pipeline.members.size();
    if (count == 0 ||
        !base::PassRun(often->passes, base::Pass::VectorisePipelines,
                       std::to_string(count) + " filters from " + graph.nodes[list[0].node].name))
        return 0;
    const bool isAtEnd =
        fromInput(*pipeline.members.front().step) || toOutput(*pipeline.members.back().step);
    const std::int64_t rest = isAtEnd ? pipeline.trips % pipeline.width : 0;
    const std::int64_t most = pipeline.trips - rest;
    groups(most, pipeline.width, [&](const Index& first) { fireIteration(pipeline, first); });
    if (rest != 0) fireMembers(pipeline, {most, {}}, rest);
    return count;
}

/// One by one.
void FiringWriter::fireMembers(const VectorPipeline& pipeline, const Index& iteration,
                               std::int64_t iterations) {
    for (const VectorPipeline::Member& member : pipeline.members)
        items.loop(iterations * member.repeat, [&](Reg k) {
            fireOnce(*member.step, false, Index{}.plus(iteration, member.repeat).plus(k));
        });
}

/// Member by member. Where a vector gives up, all firings are done one by one.
void FiringWriter::fireIteration(const VectorPipeline& pipeline, const Index& iteration) {
    buffers.assign(1, ir::kNone);
    for (std::size_t k = 1; k < pipeline.members.size(); ++k) {
        const plan::Step& step = *pipeline.members[k].step;
        const Type* item = items.tapeType(plan.inputsOf(step.node)[0])->element;
        const std::int64_t length =
            graph.nodes[step.node].work.pop.max * pipeline.members[k].repeat * pipeline.width;
        buffers.push_back(w.address(w.local("columns" + std::to_string(w.body.locals.size()),
                                            w.types.array(item, length))));
    }
    const std::uint32_t fine =
        w.local("fine" + std::to_string(w.body.locals.size()), w.types.boolean());
    w.store(fine, w.truth());
    for (std::size_t k = 0; k < pipeline.members.size(); ++k) {
        const ir::BlockId inside = w.inBlock([&] { fireMember(pipeline, k, iteration, fine); });
        w.emit(Op::If, nullptr, {w.load(fine)}).blocks = {inside, ir::kNone, ir::kNone};
    }
    const VectorPipeline::Member& first = pipeline.members[0];
    const ir::BlockId then = w.inBlock([&] {
        if (!fromInput(*first.step)) return;
        const graph::Node& node = graph.nodes[first.step->node];
        const Type* item = plan.program->kernels[node.kernel].input;
        w.emit(Op::DiscardMany, item, {}).index =
            static_cast<std::uint32_t>(node.work.pop.max * first.repeat * pipeline.width);
    });
    const ir::BlockId otherwise =
        w.inBlock([&] { fireMembers(pipeline, iteration, pipeline.width); });
    w.emit(Op::If, nullptr, {w.load(fine)}).blocks = {then, otherwise, ir::kNone};
}

/// Stores in `fine` whether all lanes have done what they should.
void FiringWriter::fireMember(const VectorPipeline& pipeline, std::size_t k, const Index& iteration,
                              std::uint32_t fine) {
    const VectorPipeline::Member& member = pipeline.members[k];
    const bool isLast = k + 1 == pipeline.members.size(), isOnce = member.repeat == 1;
    const Reg columns = k == 0 ? columnsOf(pipeline, iteration) : buffers[k];
    const graph::Rates& rates = graph.nodes[member.step->node].work;
    Reg rows = ir::kNone;
    if (!isLast) rows = buffers[k + 1];
    if (isLast && !isOnce) {
        const Type* item = items.tapeType(plan.outputsOf(member.step->node)[0])->element;
        const std::int64_t length = rates.push.max * member.repeat * pipeline.width;
        rows = w.address(
            w.local("rows" + std::to_string(w.body.locals.size()), w.types.array(item, length)));
    }
    auto part = [&](Reg array, Reg firing) {
        if (isOnce || array == ir::kNone) return array;
        const Type* whole = w.body.regs[array].type;
        const Type* type = w.types.array(whole->element, whole->extent / member.repeat);
        w.emit(Op::Elem, type, {array, firing, w.integer(member.repeat)}).checked = false;
        return w.result(type, true);
    };
    const LaneShape shape{.lanes = pipeline.width,
                          .takesColumns = columns != ir::kNone,
                          .leavesRows = rows != ir::kNone};
    const FunctionKey key{.kernel = graph.nodes[member.step->node].kernel, .shape = shape};
    items.loop(member.repeat, [&](Reg firing) {
        const Reg inPart = part(columns, firing), outPart = part(rows, firing);
        const Index number = Index{}.plus(iteration, member.repeat).plus(firing);
        callFiring(*member.step, key, number, {.columns = inPart, .rows = outPart});
        const Reg done = w.result(w.types.boolean(), false);
        w.store(fine, w.operation(Op::And, w.types.boolean(), {w.load(fine), done}));
    });
    if (!isLast || isOnce) return;
    const ir::BlockId spill = w.inBlock([&] { spillRows(pipeline, rows, iteration); });
    w.emit(Op::If, nullptr, {w.load(fine)}).blocks = {spill, ir::kNone, ir::kNone};
}

/// The window of the first member, transposed; ir::kNone: its lanes find their items beside each other.
Reg FiringWriter::columnsOf(const VectorPipeline& pipeline, const Index& iteration) {
    const VectorPipeline::Member& member = pipeline.members[0];
    const EdgeId edge = plan.inputsOf(member.step->node)[0];
    graph::Rates rates = graph.nodes[member.step->node].work;
    rates.pop.max *= member.repeat;
    if (rates.pop.max == 1) return ir::kNone;
    const Type* item = items.tapeType(edge)->element;
    const Type* type = w.types.array(item, vector::columnItems(rates, pipeline.width));
    const Reg columns = w.address(w.local("columns" + std::to_string(w.body.locals.size()), type));
    if (fromInput(*member.step)) {
        const Reg end = w.integer(vector::windowOf(rates, pipeline.width));
        w.emit(Op::PeekColumns, item, {columns, end}).index =
            static_cast<std::uint32_t>(rates.pop.max);
        return columns;
    }
    const Index place = items.index(edge, member.step->inputs[0]).plus(iteration, rates.pop.max);
    const Window window{items.tape(edge), items.valueOf(place)};
    fillColumns(w, window, columns, rates.pop.max, vector::windowOf(rates, pipeline.width));
    return columns;
}

/// What all firings of the last member's iterations have left.
void FiringWriter::spillRows(const VectorPipeline& pipeline, Reg rows, const Index& iteration) {
    const VectorPipeline::Member& member = pipeline.members.back();
    const EdgeId edge = plan.outputsOf(member.step->node)[0];
    if (toOutput(*member.step)) {
        const Type* item = w.body.regs[rows].type->element;
        w.emit(Op::PushRows, item, {rows}).index = pipeline.width;
        return;
    }
    const std::int64_t count = graph.nodes[member.step->node].work.push.max * member.repeat;
    const Index place = items.index(edge, member.step->outputs[0]).plus(iteration, count);
    const Window window{items.tape(edge), items.valueOf(place)};
    spillRowsTo(w, window, rows, pipeline.width);
}

}  // namespace strc::lowered
