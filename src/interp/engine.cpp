#include "interp/detail/engine.h"

#include <algorithm>

#include "base/own_stack.h"
#include "dynamic_shapes/fields.h"
#include "graph/ending.h"
#include "graph/flow.h"
#include "interp/files.h"

namespace strc::interp {

Engine::Engine(base::Context& context, const ir::Module& module,
               const elab::Elaboration& elaboration, const graph::Repetitions& repetitions,
               types::TypeTable& types, const Options& options)
    : state(context, module, elaboration, repetitions, types, options) {}

Outcome Engine::run() {
    state.timing.start();
    try {
        if (!setUp())
            state.stop(End::Failed);
        else if (state.graph.isDynamic())
            dynamicRun.run();
        else
            staticRun.run();
    } catch (const std::bad_alloc&) {  // of a tape: nothing else grows with the run
        state.reportFullTapes();
        state.stop(End::Failed);
    }
    state.timing.stop(state.outcome.iterations, state.actors);
    state.drainOutput(true);
    closeFiles();
    reportLeftOvers();
    for (const io::Supply& input : state.inputs)
        state.outcome.itemsRead += static_cast<std::int64_t>(input.given());
    state.outcome.end = *state.stopped;
    return state.outcome;
}

void Engine::print(std::string_view text) {
    if (state.stopped || state.isReplaying) return;
    std::string_view let = state.lines.take(text);
    if (state.options.print) state.options.print(let);
    if (state.lines.isReached()) state.stop(End::Limit);
}

std::optional<eval::Trap> Engine::callNative(const ir::Native& native,
                                             std::span<std::uint64_t> args, std::uint64_t& result) {
    if (state.options.natives) return state.options.natives->call(native, args, result);
    return Host::callNative(native, args, result);
}

std::optional<eval::Trap> Engine::send(std::int32_t portal, const ir::Send& message,
                                       std::optional<std::int64_t> maxLatency,
                                       std::span<const Value> args, base::SourceRange range) {
    Actor& sender = *state.current;
    for (NodeId receiver : state.elaboration.portals[static_cast<std::size_t>(portal)])
        if (auto trap = state.messages.post(sender, state.actors[receiver], message,
                                            maxLatency.value_or(0), args, range))
            return trap;
    return std::nullopt;
}

bool Engine::demandInput(std::uint64_t items) {
    return dynamicRun.ensure(state.current->node->inputs[0], items);
}

// ---------------------------------------------------------------- set-up

bool Engine::setUp() {
    setUpChannels();
    if (!checkFiles(state.context, state.elaboration)) return false;
    bool fine = setUpActors();
    if (fine) {
        if (state.options.input)
            state.writers.hear(state.graph, graph::kNone, *state.options.input,
                               state.options.inputName);
        state.writers.compare(state.context, state.elaboration, state.repetitions);
        if (state.options.output)
            state.writers.complete(state.graph.edges[state.graph.output].type,
                                   *state.options.output);
    }
    for (NodeId id = 0; fine && id < state.actors.size(); ++id) fine = openWriter(state.actors[id]);
    wireTapes();
    state.messages.setUp(state.actors);
    findVisibleOrder();
    if (state.options.input)
        state.openInput = &state.inputs.emplace_back(
            *state.options.input, state.options.inputName,
            graph::memoryOf(state.graph.edges[state.graph.input]), supplyOptions(graph::kNone));
    return fine;
}

void Engine::setUpChannels() {
    std::unique_ptr<TensorHeap> tensors;
    if (state.elaboration.dynamicShape)
        tensors = std::make_unique<TensorHeap>(
            state.module, state.types, state.machine, state.context.limits.totalBytes,
            [this](const TensorHeap::Mark& mark) { forEachName(mark); });
    state.channels.setUp(std::move(tensors));
}

void Engine::forEachName(const TensorHeap::Mark& mark) {
    state.channels.forEachName(mark);
    for (const Actor& actor : state.actors) {
        if (!actor.kernel || actor.kernel->initialOffsets.empty()) continue;
        dynamic_shapes::markFields(dynamic_shapes::fieldsOf(*actor.kernel), actor.instance.state,
                                   mark);
    }
    state.machine.forEachSlot([&](std::uint64_t bits) { mark(static_cast<TensorHandle>(bits)); });
    if (otherNames) otherNames(mark);
}

bool Engine::setUpActors() {
    state.actors.resize(state.graph.nodes.size());
    state.byOrder.resize(state.graph.nodes.size());
    codes.resize(state.elaboration.kernels.size());
    bool fine = true;
    for (NodeId id = 0; id < state.actors.size(); ++id) {
        Actor& actor = state.actors[id];
        actor.id = id;
        actor.node = &state.graph.nodes[id];
        actor.order = actor.node->order;
        state.byOrder[actor.order] = id;
        if (actor.node->kind == graph::NodeKind::Filter && !setUpFilter(actor)) fine = false;
    }
    return fine;
}

/// Firings are not batched if somebody could see their order.
void Engine::findVisibleOrder() {
    std::uint8_t effects = 0;
    for (const graph::Node& node : state.graph.nodes) {
        if (effects & node.effects) state.orderVisible = true;
        effects |= node.effects;
    }
    if (!state.graph.messages.empty() || (effects & graph::kSends)) state.orderVisible = true;
}

void Engine::wireTapes() {
    for (Actor& actor : state.actors) {
        const bool hasInput = !actor.node->inputs.empty() && actor.node->inputRates.empty();
        const bool hasOutput = !actor.node->outputs.empty() && actor.node->outputRates.empty();
        if (hasInput) actor.input = &state.channels.tapes[actor.node->inputs[0]];
        if (hasOutput) actor.output = &state.channels.tapes[actor.node->outputs[0]];
        actor.instance.input = actor.input;
        actor.instance.output = actor.output;
        for (EdgeId edge : actor.node->outputs)
            if (state.graph.edges[edge].to != graph::kNone)
                actor.wakes.push_back(state.graph.nodes[state.graph.edges[edge].to].order);
    }
}

namespace {

FiringRates firingRates(const graph::Rates& rates) {
    FiringRates made;
    made.rates = rates;
    made.dynamicInput = rates.pop.dynamic || rates.peek.dynamic;
    made.need = made.dynamicInput ? 0 : rates.peek.max;
    if (rates.pop.max != graph::kUnbounded) made.limits.popLimit = rates.pop.max;
    if (rates.peek.max != graph::kUnbounded) made.limits.peekLimit = rates.peek.max;
    if (rates.push.max != graph::kUnbounded) made.limits.pushLimit = rates.push.max;
    made.limits.dynamicInput = made.dynamicInput;
    return made;
}

}  // namespace

bool Engine::setUpFilter(Actor& actor) {
    actor.kernel = &state.elaboration.kernels[actor.node->kernel];
    actor.builtin = actor.kernel->builtin;
    actor.later = firingRates(actor.node->work);
    actor.first = firingRates(actor.node->prework ? *actor.node->prework : actor.node->work);
    if (actor.builtin != ir::BuiltinStream::None)
        return types::info(actor.builtin).role != types::BuiltinRole::Reader || openReader(actor);
    if (!codes[actor.node->kernel]) compileKernel(actor.node->kernel);
    actor.code = codes[actor.node->kernel].get();
    const std::string& initial = *state.elaboration.states[actor.id];
    actor.instance.module = &state.module;
    actor.instance.code = &actor.kernel->code;
    actor.instance.constants = actor.kernel->constants;
    actor.instance.fieldTypes = actor.kernel->fieldTypes;
    actor.instance.fieldOffsets = actor.kernel->fieldOffsets;
    actor.instance.state.assign(
        reinterpret_cast<const std::byte*>(initial.data()),
        reinterpret_cast<const std::byte*>(initial.data() + initial.size()));
    if (state.channels.heap && !actor.kernel->initialOffsets.empty())
        dynamic_shapes::nameFields(dynamic_shapes::fieldsOf(*actor.kernel), initial,
                                   actor.kernel->code.stored, *state.channels.heap,
                                   actor.instance.state);
    actor.instance.itemTypes[0] = actor.kernel->input;
    actor.instance.itemTypes[1] = actor.kernel->output;
    actor.instance.host = this;
    return true;
}

void Engine::compileKernel(graph::KernelId id) {
    const elab::Kernel& kernel = state.elaboration.kernels[id];
    const ir::StreamCode& code = kernel.code;
    auto compiled = std::make_unique<KernelCode>();
    auto compile = [&](const ir::Body& body) {
        return eval::compile(state.module, &code, body, state.types, kernel.fieldOffsets);
    };
    compiled->work = compile(*code.work);
    if (code.prework) compiled->prework = compile(*code.prework);
    if (kernel.drain) {
        compiled->firstDrain = compile(code.functions[kernel.drain->init]);
        compiled->drain = compile(code.functions[kernel.drain->steady]);
    }
    for (const ir::Body& function : code.functions)
        if (function.kind == ir::BodyKind::Handler)
            compiled->handlers[function.name] = compile(function);
    codes[id] = std::move(compiled);
}

// ---------------------------------------------------------------- files

bool Engine::openReader(Actor& actor) {
    auto file =
        interp::openReader(state.context, state.elaboration, actor.id, state.options.beforeWaiting);
    if (!file) return false;
    const graph::Edge& edge = state.graph.edges[actor.node->outputs[0]];
    state.writers.hear(state.graph, actor.id, *file, actor.node->file);
    actor.reader = &state.inputs.emplace_back(std::move(file), actor.node->file,
                                              graph::memoryOf(edge), supplyOptions(actor.id));
    if (state.supply(*actor.reader, actor.id, 1) && !actor.reader->isPadded()) return true;
    if (!state.stopped)
        state.report(actor, Diag::EmptyInput, actor.node->range) << actor.node->file;
    return false;
}

io::SupplyOptions Engine::supplyOptions(NodeId reader) const {
    io::SupplyOptions made{state.options.loopInput, state.options.tail == Tail::Pad, 0,
                           state.context.limits.totalBytes};
    const Written& written = state.options.written;
    const graph::Graph& graph = written.graph ? *written.graph : state.graph;
    const graph::Repetitions& quota = written.quota ? *written.quota : state.repetitions;
    const bool isAnother = written.graph && reader != graph::kNone;
    const NodeId source = isAnother ? state.elaboration.origin[reader] : reader;
    if (made.padTail && !graph.isDynamic())
        made.flush = static_cast<std::uint64_t>(graph::multiplyCounts(
            graph::statesToFlush(graph, quota), graph::steadyReads(graph, quota, source)));
    return made;
}

bool Engine::openWriter(Actor& actor) {
    if (actor.builtin == ir::BuiltinStream::None ||
        types::info(actor.builtin).role != types::BuiltinRole::Writer)
        return true;
    actor.writer = state.writers.open(state.context, state.elaboration, actor.id);
    return actor.writer != nullptr;
}

void Engine::closeFiles() {
    // Not closed, they stay as they were.
    if (state.stopped == End::Failed && state.outcome.itemsWritten == 0 && !state.options.files)
        return;
    bool fine = state.writers.close(state.context, state.elaboration);
    if (state.options.output)
        fine = closeOutput(state.context, state.elaboration, *state.options.output) && fine;
    if (!fine) state.stopped = End::Failed;
}

// ---------------------------------------------------------------- ends

/// What stays is the same after each steady state, and before the first one nothing has fired.
graph::Waiting Engine::itemsWaitingAsWritten() const {
    if (state.waiting) return *state.waiting;
    const Written& written = state.options.written;
    return state.hasBegun ? graph::itemsWaiting(*written.graph, written.quota->init)
                          : graph::Waiting{};
}

graph::Waiting Engine::itemsWaiting() const {
    if (state.options.written.graph) return itemsWaitingAsWritten();
    if (!state.graph.isDynamic()) {
        std::vector<std::int64_t> fired;
        for (const Actor& actor : state.actors) fired.push_back(actor.fired);
        return graph::itemsWaiting(state.graph, fired);
    }
    graph::Waiting waiting;
    std::int64_t most = 0;
    for (EdgeId id = 0; id < state.channels.tapes.size(); ++id) {
        const std::optional<std::int64_t> kept = graph::itemsKept(state.graph, id);
        const std::int64_t items =
            static_cast<std::int64_t>(state.channels.tapes[id].size()) - kept.value_or(0);
        if (!kept || items <= 0) continue;
        waiting.items += items;
        if (items > most) waiting.most = state.graph.edges[id].to;
        most = std::max(most, items);
    }
    return waiting;
}

void Engine::reportWaiting() {
    const bool isPadded = std::any_of(state.inputs.begin(), state.inputs.end(),
                                      [](const io::Supply& input) { return input.isPadded(); });
    const graph::Graph* written = state.options.written.graph;
    if (!isPadded)
        interp::reportWaiting(state.context, written ? *written : state.graph, itemsWaiting());
}

void Engine::reportLeftOvers() {
    const bool ended = state.stopped == End::EndOfInput;
    if (ended) reportWaiting();
    for (const io::Supply& input : state.inputs) {
        const bool assumed = state.options.inputFormatAssumed && &input == state.openInput;
        reportDropouts(state.context, input.name(), input.dropouts(), "lost");
        if (ended)
            state.outcome.itemsLeft +=
                static_cast<std::int64_t>(reportItemsLeft(state.context, input));
        if (ended || (state.stopped == End::Failed && input.isEmpty()))
            reportBytesLeft(state.context, input, assumed);
    }
}

Outcome run(base::Context& context, const ir::Module& module, const elab::Elaboration& elaboration,
            const graph::Repetitions& repetitions, types::TypeTable& types,
            const Options& options) {
    Outcome outcome;
    base::onOwnStack(
        [&] { outcome = Engine(context, module, elaboration, repetitions, types, options).run(); });
    return outcome;
}

}  // namespace strc::interp
