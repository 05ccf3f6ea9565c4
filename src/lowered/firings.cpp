#include "lowered/detail/firings.h"

#include "base/pass.h"
#include "lowered/detail/vector_items.h"

namespace strc::lowered {
namespace {

using ir::Op;
using plan::Step;
using plan::StepKind;

/// Does one item of a firing lie on each of them (Plan::inputsOf)?
bool isDealt(const std::vector<EdgeId>& edges) { return edges.size() > 1; }

}  // namespace

void FiringWriter::start(NodeId id, Reg fields) {
    const KernelId kernel = graph.nodes[id].kernel;
    std::vector<Reg> passed;
    if (fields != ir::kNone) passed.push_back(fields);
    const Type* nothing = w.types.voidType();
    call(functions.of({.kernel = kernel, .body = kSetup}), passed, id, nothing);
    if (plan.program->kernels[kernel].code.init)
        call(functions.of({.kernel = kernel, .body = kInit}), passed, id, nothing);
}

void FiringWriter::fire(const Step& step) {
    const graph::Node& node = graph.nodes[step.node];
    const bool isFirst = step.first && plan.program->kernels[node.kernel].prework;
    const unsigned width = often && !isFirst ? functions.lanes.widthOf(node.kernel, step.count) : 0;
    if (width != 0) return fireInVectors(step, width);
    items.loop(step.count, [&](Reg k) { fireOnce(step, isFirst, Index{}.plus(k)); });
}

// ---- in vectors

/// Groups of firings, each in a vector. The last ones may be done twice, which changes nothing, but for those that count or have
/// state: what is left of them is done one by one.
void FiringWriter::fireInVectors(const Step& step, unsigned width) {
    const KernelId kernel = graph.nodes[step.node].kernel;
    const bool mayRepeat =
        state.record(kernel).iterations == ir::kNone && !functions.lanes.hasState(kernel);
    const std::int64_t rest = mayRepeat ? 0 : step.count % width, most = step.count - rest;
    groups(most, width, [&](const Index& first) { fireGroup(step, width, first, ir::kNone); });
    if (rest != 0) items.loop(rest, [&](Reg k) { fireOnce(step, false, Index{most, {}}.plus(k)); });
}

/// `inside(first)` for the first firing of each group; the last groups overlap where they have to.
void FiringWriter::groups(std::int64_t firings, std::int64_t width,
                          const std::function<void(const Index&)>& inside) {
    const std::int64_t count = (firings + width - 1) / width, last = firings - width;
    items.loop(count, [&](Reg k) {
        if (k == ir::kNone || last % width == 0) return inside(Index{}.plus(k, width));
        const Type* integer = w.types.intType();
        const Reg at = w.operation(Op::Mul, integer, {k, w.integer(width)});
        const Reg limit = w.integer(last);
        const Reg isBefore = w.operation(Op::Lt, integer, {at, limit});
        inside(Index{}.plus(w.operation(Op::Select, integer, {isBefore, at, limit})));
    });
}

/// Firings that begin with that one, in a vector, or one by one where it has to give up. `columns`: an array with their window,
/// which others have transposed; ir::kNone: there is none.
void FiringWriter::fireGroup(const Step& step, unsigned width, const Index& first, Reg columns) {
    const bool isTransposed = columns != ir::kNone || isDealt(plan.inputsOf(step.node));
    const LaneShape shape{.lanes = width,
                          .takesColumns = isTransposed,
                          .leavesRows = isDealt(plan.outputsOf(step.node))};
    const FunctionKey key{.kernel = graph.nodes[step.node].kernel, .shape = shape};
    callFiring(step, key, first, {.columns = columns});
    auto finish = [&] {
        if (shape.leavesRows) dealer.give(step, first);
        countFirings(step.node, width);
    };
    if (!functions.lanes.mayGiveUp(key.kernel, width)) return finish();
    const Reg done = w.result(w.types.boolean(), false);
    const ir::BlockId then = w.inBlock(finish);
    const ir::BlockId otherwise =
        w.inBlock([&] { items.loop(width, [&](Reg k) { fireOnce(step, false, first.plus(k)); }); });
    likely(w, done, then, otherwise);
}

// ---- several readers of one window

/// The lanes of a step that could share the window that it transposes; 0: it does not.
unsigned FiringWriter::windowWidth(const Step& step) const {
    if (step.kind != StepKind::Fire || step.first) return 0;
    const graph::Node& node = graph.nodes[step.node];
    if (node.kind != graph::NodeKind::Filter || !vector::usesColumns(node.work) ||
        plan.program->kernels[node.kernel].builtin != ir::BuiltinStream::None ||
        state.record(node.kernel).iterations != ir::kNone || isDealt(plan.inputsOf(step.node)))
        return 0;
    const unsigned width = functions.lanes.widthOf(node.kernel, step.count);
    return width != 0 && functions.lanes.takesColumns(node.kernel) ? width : 0;
}

bool FiringWriter::isSameWindow(const Step& step, const Step& other) const {
    if (other.kind != StepKind::Fire || other.count != step.count ||
        graph.nodes[other.node].kind != graph::NodeKind::Filter || other.inputs != step.inputs)
        return false;
    const graph::Rates &rates = graph.nodes[step.node].work, &wanted = graph.nodes[other.node].work;
    const std::vector<EdgeId>&own = plan.inputsOf(step.node), &others = plan.inputsOf(other.node);
    return rates.pop == wanted.pop && rates.peek == wanted.peek && own.size() == 1 &&
           others.size() == 1 && plan.channels[own[0]].tape == plan.channels[others[0]].tape;
}

std::size_t FiringWriter::fireReaders(std::span<const Step> list) {
    const unsigned width = windowWidth(list[0]);
    std::size_t end = 1;
    while (width != 0 && end < list.size() && isSameWindow(list[0], list[end]) &&
           windowWidth(list[end]) == width)
        ++end;
    if (end == 1 || !base::PassRun(often->passes, base::Pass::ShareTransposes,
                                   std::to_string(end) + " readers of one tape"))
        return 0;
    fireOnWindow(list.first(end), width);
    return end;
}

/// Where the lanes of one reader have to give up its firings are done one by one.
void FiringWriter::fireOnWindow(std::span<const Step> readers, unsigned width) {
    const Step& step = readers[0];
    const EdgeId edge = plan.inputsOf(step.node)[0];
    const graph::Rates& rates = graph.nodes[step.node].work;
    const Type* item = items.tapeType(edge)->element;
    groups(step.count, width, [&](const Index& first) {
        const std::uint32_t columns =
            w.local("columns" + std::to_string(w.body.locals.size()),
                    w.types.array(item, vector::columnItems(rates, width)));
        const Index place = items.index(edge, step.inputs[0]).plus(first, rates.pop.max);
        const Window window{items.tape(edge), items.valueOf(place)};
        const Reg array = w.address(columns);
        fillColumns(w, window, {array, vector::columnLength(rates, width)}, rates.pop.max,
                    vector::windowOf(rates, width));
        for (const Step& reader : readers) fireGroup(reader, width, first, array);
    });
}

// ---- calls

void FiringWriter::fireOnce(const Step& step, bool isFirst, const Index& number) {
    FunctionKey key{.kernel = graph.nodes[step.node].kernel, .body = isFirst ? kPrework : kWork};
    key.hasLoops = often && !isFirst && functions.lanes.loopsInVectors(key.kernel);
    callFiring(step, key, number, {});
    if (isDealt(plan.outputsOf(step.node))) dealer.give(step, number);
    if (!isFirst) countFirings(step.node, 1);
}

/// `number`: of the firing, or of the first of several, in the step. `key`: without the types of tapes.
void FiringWriter::callFiring(const Step& step, FunctionKey key, const Index& number,
                              Arrays arrays) {
    const graph::Node& node = graph.nodes[step.node];
    const graph::Rates& rates = key.body == kPrework ? *node.prework : node.work;
    const std::vector<EdgeId>&ins = plan.inputsOf(step.node), &outs = plan.outputsOf(step.node);
    const std::int64_t lanes = key.shape.lanes;
    if (isDealt(ins)) arrays.columns = w.address(dealer.take(step, number, lanes));
    if (isDealt(outs)) arrays.rows = w.address(dealer.prepare(step, lanes));
    std::vector<Reg> passed;
    if (const Reg fields = items.fieldsOf(step.node); fields != ir::kNone) passed.push_back(fields);
    auto passTape = [&](EdgeId edge, const plan::Position& position, std::int64_t rate) {
        passed.push_back(items.tape(edge));
        passed.push_back(items.valueOf(items.index(edge, position).plus(number, rate)));
        return items.tapeType(edge);
    };
    auto passArray = [&](Reg array) {
        passed.push_back(array);
        passed.push_back(w.integer(0));
        return w.body.regs[array].type;
    };
    if (!key.shape.takesColumns && !ins.empty())
        key.in = arrays.columns != ir::kNone ? passArray(arrays.columns)
                                             : passTape(ins[0], step.inputs[0], rates.pop.max);
    if (!key.shape.leavesRows && !outs.empty())
        key.out = arrays.rows != ir::kNone ? passArray(arrays.rows)
                                           : passTape(outs[0], step.outputs[0], rates.push.max);
    for (Reg reg : {arrays.columns, arrays.columnsAt})
        if (key.shape.takesColumns && reg != ir::kNone) passed.push_back(reg);
    for (Reg reg : {arrays.rows, arrays.rowsAt})
        if (key.shape.leavesRows && reg != ir::kNone) passed.push_back(reg);
    const Type* result = lanes == 0 ? w.types.voidType() : w.types.boolean();
    call(functions.of(key), std::move(passed), step.node, result);
}

/// The call says whose it is.
void FiringWriter::call(std::uint32_t function, std::vector<Reg> passed, NodeId node,
                        const Type* result) {
    const base::SourceRange before = w.range;
    w.range = graph.nodes[node].range;
    ir::Instr& instr = w.emit(Op::Call, result, std::move(passed));
    instr.callee = {ir::CalleeKind::Stream, function};
    instr.index = node;
    w.range = before;
}

/// For iter().
void FiringWriter::countFirings(NodeId node, std::int64_t firings) {
    const Record& record = state.recordOf(node);
    if (record.iterations == ir::kNone) return;
    const Type* integer = w.types.intType();
    const Reg count = items.member(items.fieldsOf(node), record, record.iterations);
    const Reg before = w.operation(Op::LoadAt, integer, {count});
    const Reg next = w.operation(Op::Add, integer, {before, w.integer(firings)});
    w.emit(Op::StoreAt, integer, {count, next});
}

}  // namespace strc::lowered
