// Firings of filters behind each other, in vectors (pipelines.h).

#include <algorithm>

#include "base/pass.h"
#include "lowered/detail/firings.h"
#include "lowered/detail/vector_items.h"

namespace strc::lowered {
namespace {

using ir::Op;
using plan::Step;
using Member = VectorPipeline::Member;

constexpr vector::ItemParts kParts{true};

/// A name for the next local.
std::string numbered(const char* name, const ir::Writer& w) {
    return name + std::to_string(w.body.locals.size());
}

}  // namespace

std::size_t FiringWriter::firePipeline(std::span<const Step> list) {
    const VectorPipeline pipeline = findPipeline(plan, state, functions.lanes, list);
    const std::size_t count = pipeline.members.size();
    if (count == 0 ||
        !base::PassRun(often->passes, base::Pass::VectorisePipelines,
                       std::to_string(count) + " filters from " + graph.nodes[list[0].node].name))
        return 0;
    const std::int64_t rest = pipeline.looksBack() ? pipeline.trips % pipeline.strip : 0;
    const Index end{pipeline.trips - rest, {}};
    makeBuffers(pipeline);
    forHistories(pipeline, {}, [&](const History& each) { fillHistory(each); });
    groups(end.base, pipeline.strip, [&](const Index& first) { fireStrip(pipeline, first); });
    forHistories(pipeline, end, [&](const History& each) { spillHistory(each); });
    if (rest != 0) fireMembers(pipeline, end, rest);
    return count;
}

/// Where a member takes its items from, but for the first one.
void FiringWriter::makeBuffers(const VectorPipeline& pipeline) {
    auto make = [&](const char* name, const Type* item, std::int64_t items) {
        const Type* type =
            w.types.array(kParts.typeOf(w.types, item), items * kParts.countOf(item));
        return w.address(w.local(numbered(name, w), type));
    };
    buffers.assign(1, ir::kNone);
    for (std::size_t k = 1; k < pipeline.members.size(); ++k) {
        const Member& member = pipeline.members[k];
        const graph::Node& node = graph.nodes[member.step->node];
        buffers.push_back(make("columns", plan.program->kernels[node.kernel].input,
                               node.work.pop.max * member.repeat * pipeline.columnLength(member)));
    }
    const Member& end = pipeline.members.back();
    const graph::Node& node = graph.nodes[end.step->node];
    if (end.repeat != 1)
        last = make("rows", plan.program->kernels[node.kernel].output,
                    node.work.push.max * end.repeat * pipeline.width);
    fine = mayGiveUp(pipeline) ? w.local(numbered("fine", w), w.types.boolean()) : ir::kNone;
}

/// One by one.
void FiringWriter::fireMembers(const VectorPipeline& pipeline, const Index& iteration,
                               std::int64_t iterations) {
    for (const Member& member : pipeline.members)
        items.loop(iterations * member.repeat, [&](Reg k) {
            fireOnce(*member.step, false, Index{}.plus(iteration, member.repeat).plus(k));
        });
}

bool FiringWriter::mayGiveUp(const VectorPipeline& pipeline) {
    return std::any_of(pipeline.members.begin(), pipeline.members.end(), [&](const Member& member) {
        return functions.lanes.mayGiveUp(graph.nodes[member.step->node].kernel, pipeline.width);
    });
}

/// Member by member. Where a vector gives up, all firings are done one by one.
void FiringWriter::fireStrip(const VectorPipeline& pipeline, const Index& start) {
    const bool isSure = fine == ir::kNone;
    if (!isSure) w.store(fine, w.truth());
    for (std::size_t k = 0; k < pipeline.members.size(); ++k) {
        auto member = [&] {
            items.loop(pipeline.strip / pipeline.width,
                       [&](Reg vector) { fireMember(pipeline, k, start, vector); });
        };
        if (isSure)
            member();
        else
            likely(w, w.load(fine), w.inBlock(member), ir::kNone);
    }
    auto advance = [&] {
        forHistories(pipeline, start,
                     [&](const History& each) { advanceHistory(each, pipeline.strip); });
    };
    if (isSure) return advance();
    const ir::BlockId then = w.inBlock(advance);
    const ir::BlockId otherwise = w.inBlock([&] { fireStripAgain(pipeline, start); });
    likely(w, w.load(fine), then, otherwise);
}

void FiringWriter::fireStripAgain(const VectorPipeline& pipeline, const Index& start) {
    forHistories(pipeline, start, [&](const History& each) { spillHistory(each); });
    fireMembers(pipeline, start, pipeline.strip);
    forHistories(pipeline, start.plus(pipeline.strip),
                 [&](const History& each) { fillHistory(each); });
}

/// Of an array that is split among so many firings.
Reg FiringWriter::partOf(Reg array, Reg firing, std::int64_t repeat) {
    if (repeat == 1 || array == ir::kNone) return array;
    const Type* whole = w.body.regs[array].type;
    const Type* type = w.types.array(whole->element, whole->extent / repeat);
    w.emit(Op::Elem, type, {array, firing, w.integer(repeat)}).checked = false;
    return w.result(type, true);
}

/// A vector of the strip: stores in `fine` whether all lanes have done what they should.
void FiringWriter::fireMember(const VectorPipeline& pipeline, std::size_t k, const Index& start,
                              Reg vector) {
    const Member& member = pipeline.members[k];
    const bool isLast = k + 1 == pipeline.members.size(), spills = isLast && member.repeat != 1;
    const Index row = Index{}.plus(vector, pipeline.width);
    const Index iteration = start.plus(row, 1);
    auto placeIn = [&](const Member& next, std::int64_t history) {
        return items.valueOf(row.plus(pipeline.firstRow(next) - history));
    };
    const elab::Kernel& kernel = plan.program->kernels[graph.nodes[member.step->node].kernel];
    LaneShape shape{
        .lanes = pipeline.width,
        .partsComplex = kParts.countOf(kernel.input) + kParts.countOf(kernel.output) != 2};
    Arrays arrays{.columns = k == 0 ? columnsOf(pipeline, iteration) : buffers[k]};
    if (pipeline.looksBack() && k != 0) {
        shape.inLength = pipeline.columnLength(member);
        arrays.columnsAt = placeIn(member, member.history);
    }
    if (!isLast || spills) arrays.rows = isLast ? last : buffers[k + 1];
    if (pipeline.looksBack() && !isLast) {
        shape.outLength = pipeline.columnLength(pipeline.members[k + 1]);
        arrays.rowsAt = placeIn(pipeline.members[k + 1], 0);
    }
    shape.takesColumns = arrays.columns != ir::kNone;
    shape.leavesRows = arrays.rows != ir::kNone;
    const FunctionKey key{.kernel = graph.nodes[member.step->node].kernel, .shape = shape};
    items.loop(member.repeat, [&](Reg firing) {
        Arrays parts = arrays;
        parts.columns = partOf(arrays.columns, firing, member.repeat);
        parts.rows = partOf(arrays.rows, firing, member.repeat);
        callFiring(*member.step, key, Index{}.plus(iteration, member.repeat).plus(firing), parts);
        if (fine == ir::kNone) return;
        const Reg done = w.result(w.types.boolean(), false);
        w.store(fine, w.operation(Op::And, w.types.boolean(), {w.load(fine), done}));
    });
    if (!spills) return;
    auto spill = [&] { spillRows(pipeline, last, iteration); };
    if (fine == ir::kNone) return spill();
    const ir::BlockId then = w.inBlock(spill);
    likely(w, w.load(fine), then, ir::kNone);
}

/// The window of the first member, transposed; ir::kNone: its lanes find their items beside each other.
Reg FiringWriter::columnsOf(const VectorPipeline& pipeline, const Index& iteration) {
    const Member& member = pipeline.members[0];
    const EdgeId edge = plan.inputsOf(member.step->node)[0];
    graph::Rates rates = graph.nodes[member.step->node].work;
    rates.pop.max *= member.repeat;
    const Type* item = plan.program->kernels[graph.nodes[member.step->node].kernel].input;
    if (rates.pop.max * kParts.countOf(item) == 1) return ir::kNone;
    const Type* type =
        w.types.array(kParts.typeOf(w.types, item),
                      vector::columnItems(rates, pipeline.width) * kParts.countOf(item));
    const Reg columns = w.address(w.local(numbered("columns", w), type));
    const std::int64_t window = vector::windowOf(rates, pipeline.width);
    const Index place = items.index(edge, member.step->inputs[0]).plus(iteration, rates.pop.max);
    fillColumns(w, {items.tape(edge), items.valueOf(place)},
                {columns, vector::columnLength(rates, pipeline.width)}, rates.pop.max, window);
    return columns;
}

/// What all firings of the last member's iterations have left.
void FiringWriter::spillRows(const VectorPipeline& pipeline, Reg rows, const Index& iteration) {
    const Member& member = pipeline.members.back();
    const EdgeId edge = plan.outputsOf(member.step->node)[0];
    const std::int64_t count = graph.nodes[member.step->node].work.push.max * member.repeat;
    const Index place = items.index(edge, member.step->outputs[0]).plus(iteration, count);
    spillRowsTo(w, {items.tape(edge), items.valueOf(place)}, rows, pipeline.width);
}

// ---- what windows look back at

/// As it is when that iteration begins.
void FiringWriter::forHistories(const VectorPipeline& pipeline, const Index& iteration,
                                const std::function<void(const History&)>& inside) {
    for (std::size_t k = 1; k < pipeline.members.size(); ++k) {
        const Member& member = pipeline.members[k];
        if (member.history == 0) continue;
        const EdgeId edge = plan.inputsOf(member.step->node)[0];
        const std::int64_t pop = graph.nodes[member.step->node].work.pop.max;
        inside({edge, items.index(edge, member.step->inputs[0]).plus(iteration, pop), buffers[k],
                pipeline.columnLength(member), pipeline.firstRow(member) - member.history,
                member.history});
    }
}

void FiringWriter::fillHistory(const History& of) {
    const Type* columns = w.body.regs[of.columns].type;
    const Type* item = items.tapeType(of.edge)->element;
    const std::int64_t pop = columns->extent / of.length / kParts.countOf(item);
    fillColumns(w, {items.tape(of.edge), items.valueOf(of.tape)}, {of.columns, of.length, of.first},
                pop, of.rows * pop);
}

void FiringWriter::spillHistory(const History& of) {
    const Type* item = items.tapeType(of.edge)->element;
    const std::int64_t count = kParts.countOf(item);
    const std::int64_t pop = w.body.regs[of.columns].type->extent / of.length / count;
    items.loop(of.rows, [&](Reg row) {
        items.loop(pop, [&](Reg column) {
            auto part = [&](std::int64_t number) {
                const Index at = Index{number * of.length + of.first, {}}
                                     .plus(column, count * of.length)
                                     .plus(row);
                return w.element(of.columns, items.valueOf(at));
            };
            Reg value = part(0);
            if (count == 2) value = w.operation(Op::Make, item, {value, part(1)});
            const Index to = of.tape.plus(row, pop).plus(column);
            w.setElement(items.tape(of.edge), items.valueOf(to), value);
        });
    });
}

/// The end of a strip is what the next one looks back at.
void FiringWriter::advanceHistory(const History& of, std::int64_t strip) {
    items.loop(w.body.regs[of.columns].type->extent / of.length, [&](Reg column) {
        items.loop(of.rows, [&](Reg row) {
            const Index to = Index{of.first, {}}.plus(column, of.length).plus(row);
            const Reg value = w.element(of.columns, items.valueOf(to.plus(strip)));
            w.setElement(of.columns, items.valueOf(to), value);
        });
    });
}

}  // namespace strc::lowered
