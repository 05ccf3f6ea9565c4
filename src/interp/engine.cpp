#include "interp/engine.h"

#include <algorithm>

#include "base/own_stack.h"
#include "dynamic_shapes/fields.h"
#include "graph/ending.h"
#include "graph/flow.h"
#include "interp/files.h"
#include "tensor/storage.h"
#include "types/tensor_text.h"

namespace strc::interp {

namespace {

constexpr std::uint64_t kEffortBetweenChecks = 1 << 20;
constexpr std::uint64_t kEffortOfCall = 256;

}  // namespace

Engine::Engine(base::Context& context, const ir::Module& module,
               const elab::Elaboration& elaboration, const graph::Repetitions& repetitions,
               types::TypeTable& types, const Options& options)
    : context(context),
      module(module),
      elaboration(elaboration),
      graph(elaboration.graph),
      repetitions(repetitions),
      types(types),
      options(options),
      machine(context.limits),
      generator(elaboration.random),
      ready(elaboration.graph.nodes.size()),
      lines(limited == Limited::Lines ? options.limit : std::nullopt),
      start(std::chrono::steady_clock::now()) {
    machine.interrupt = options.interrupt;
    machine.stepsLeft = options.stepLimit;
    machine.cFormat = options.cFormat;
    machine.deadline = eval::deadlineAfter(start, options.seconds);
}

Outcome Engine::run() {
    try {
        if (!setUp())
            stop(End::Failed);
        else if (graph.isDynamic())
            runDynamic();
        else
            runStatic();
    } catch (const std::bad_alloc&) {  // of a tape: nothing else grows with the run
        reportFullTapes();
        stop(End::Failed);
    }
    drainOutput(true);
    closeFiles();
    reportLeftOvers();
    for (const io::Supply& input : inputs)
        outcome.itemsRead += static_cast<std::int64_t>(input.given());
    outcome.end = *stopped;
    return outcome;
}

void Engine::print(std::string_view text) {
    if (stopped || isReplaying) return;
    std::string_view let = lines.take(text);
    if (options.print) options.print(let);
    if (lines.isReached()) stop(End::Limit);
}

std::optional<eval::Trap> Engine::callNative(const ir::Native& native,
                                             std::span<std::uint64_t> args, std::uint64_t& result) {
    if (options.natives) return options.natives->call(native, args, result);
    return Host::callNative(native, args, result);
}

// ---------------------------------------------------------------- set-up

bool Engine::setUp() {
    setUpTensors();
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        tapes.emplace_back(itemSize(id), &budget);
        for (const Value& item : graph.edges[id].initial) addItem(id, item);
    }
    if (!checkFiles(context, elaboration)) return false;
    actors.resize(graph.nodes.size());
    byOrder.resize(graph.nodes.size());
    codes.resize(elaboration.kernels.size());
    bool fine = true;
    for (NodeId id = 0; id < actors.size(); ++id) {
        Actor& actor = actors[id];
        actor.id = id;
        actor.node = &graph.nodes[id];
        actor.order = actor.node->order;
        byOrder[actor.order] = id;
        if (actor.node->kind == graph::NodeKind::Filter && !setUpFilter(actor)) fine = false;
    }
    if (fine) {
        if (options.input) writers.hear(graph, graph::kNone, *options.input, options.inputName);
        writers.compare(context, elaboration, repetitions);
        if (options.output) writers.complete(graph.edges[graph.output].type, *options.output);
    }
    for (NodeId id = 0; fine && id < actors.size(); ++id) fine = openWriter(actors[id]);
    wireTapes();
    setUpMessages();
    std::uint8_t effects = 0;
    for (const graph::Node& node : graph.nodes) {
        if (effects & node.effects) orderVisible = true;
        effects |= node.effects;
    }
    if (!graph.messages.empty() || (effects & graph::kSends)) orderVisible = true;
    if (options.input)
        openInput = &inputs.emplace_back(*options.input, options.inputName,
                                         graph::memoryOf(graph.edges[graph.input]),
                                         supplyOptions(graph::kNone));
    return fine;
}

void Engine::wireTapes() {
    for (Actor& actor : actors) {
        if (!actor.node->inputs.empty()) actor.input = &tapes[actor.node->inputs[0]];
        if (!actor.node->outputs.empty()) actor.output = &tapes[actor.node->outputs[0]];
        actor.instance.input = actor.input;
        actor.instance.output = actor.output;
        for (EdgeId edge : actor.node->outputs)
            if (graph.edges[edge].to != graph::kNone)
                actor.wakes.push_back(graph.nodes[graph.edges[edge].to].order);
    }
}

bool Engine::setUpFilter(Actor& actor) {
    actor.kernel = &elaboration.kernels[actor.node->kernel];
    actor.builtin = actor.kernel->builtin;
    auto firingRates = [](const graph::Rates& rates) {
        FiringRates made;
        made.rates = rates;
        made.dynamicInput = rates.pop.dynamic || rates.peek.dynamic;
        made.need = made.dynamicInput ? 0 : rates.peek.max;
        if (rates.pop.max != graph::kUnbounded) made.limits.popLimit = rates.pop.max;
        if (rates.peek.max != graph::kUnbounded) made.limits.peekLimit = rates.peek.max;
        if (rates.push.max != graph::kUnbounded) made.limits.pushLimit = rates.push.max;
        made.limits.dynamicInput = made.dynamicInput;
        return made;
    };
    actor.later = firingRates(actor.node->work);
    actor.first = firingRates(actor.node->prework ? *actor.node->prework : actor.node->work);
    if (actor.builtin != ir::BuiltinStream::None)
        return types::info(actor.builtin).role != types::BuiltinRole::Reader || openReader(actor);
    if (!codes[actor.node->kernel]) compileKernel(actor.node->kernel);
    actor.code = codes[actor.node->kernel].get();
    const std::string& state = *elaboration.states[actor.id];
    actor.instance.module = &module;
    actor.instance.code = &actor.kernel->code;
    actor.instance.constants = actor.kernel->constants;
    actor.instance.fieldTypes = actor.kernel->fieldTypes;
    actor.instance.fieldOffsets = actor.kernel->fieldOffsets;
    actor.instance.state.assign(reinterpret_cast<const std::byte*>(state.data()),
                                reinterpret_cast<const std::byte*>(state.data() + state.size()));
    if (heap && !actor.kernel->initialOffsets.empty())
        actor.instance.state = dynamic_shapes::nameFields(dynamic_shapes::fieldsOf(*actor.kernel),
                                                          state, actor.kernel->code.stored, *heap);
    actor.instance.itemTypes[0] = actor.kernel->input;
    actor.instance.itemTypes[1] = actor.kernel->output;
    actor.instance.host = this;
    return true;
}

void Engine::compileKernel(graph::KernelId id) {
    const elab::Kernel& kernel = elaboration.kernels[id];
    const ir::StreamCode& code = kernel.code;
    auto compiled = std::make_unique<KernelCode>();
    auto compile = [&](const ir::Body& body) {
        return eval::compile(module, &code, body, types, kernel.fieldOffsets);
    };
    compiled->work = compile(*code.work);
    if (code.prework) compiled->prework = compile(*code.prework);
    for (const ir::Body& function : code.functions)
        if (function.kind == ir::BodyKind::Handler)
            compiled->handlers[function.name] = compile(function);
    codes[id] = std::move(compiled);
}

// ---------------------------------------------------------------- files

bool Engine::openReader(Actor& actor) {
    auto file = interp::openReader(context, elaboration, actor.id, options.beforeWaiting);
    if (!file) return false;
    const graph::Edge& edge = graph.edges[actor.node->outputs[0]];
    writers.hear(graph, actor.id, *file, actor.node->file);
    actor.reader = &inputs.emplace_back(std::move(file), actor.node->file, graph::memoryOf(edge),
                                        supplyOptions(actor.id));
    if (supply(*actor.reader, actor.id, 1) && !actor.reader->isPadded()) return true;
    if (!stopped) report(actor, Diag::EmptyInput, actor.node->range) << actor.node->file;
    return false;
}

io::SupplyOptions Engine::supplyOptions(NodeId source) const {
    io::SupplyOptions made{options.loopInput, options.tail == Tail::Pad, 0,
                           context.limits.totalBytes};
    if (made.padTail && !graph.isDynamic())
        made.flush = static_cast<std::uint64_t>(
            graph::multiplyCounts(graph::statesToFlush(graph, repetitions),
                                  graph::steadyReads(graph, repetitions, source)));
    return made;
}

bool Engine::openWriter(Actor& actor) {
    if (actor.builtin == ir::BuiltinStream::None ||
        types::info(actor.builtin).role != types::BuiltinRole::Writer)
        return true;
    actor.writer = writers.open(context, elaboration, actor.id);
    return actor.writer != nullptr;
}

/// Reads ahead until `items` are there; false at the end of the input, or after reporting.
bool Engine::supply(io::Supply& input, NodeId owner, std::uint64_t items) {
    base::Result<bool> there = input.has(items);
    if (there) return *there;
    reportFile(context, elaboration, owner, there.failure());
    stop(End::Failed);
    return false;
}

void Engine::closeFiles() {
    // Not closed, they stay as they were.
    if (stopped == End::Failed && outcome.itemsWritten == 0 && !options.files) return;
    bool fine = writers.close(context, elaboration);
    if (options.output) fine = closeOutput(context, elaboration, *options.output) && fine;
    if (!fine) stopped = End::Failed;
}

graph::Waiting Engine::itemsWaiting() const {
    if (!graph.isDynamic()) {
        std::vector<std::int64_t> fired;
        for (const Actor& actor : actors) fired.push_back(actor.fired);
        return graph::itemsWaiting(graph, fired);
    }
    graph::Waiting waiting;
    std::int64_t most = 0;
    for (EdgeId id = 0; id < tapes.size(); ++id) {
        const std::optional<std::int64_t> kept = graph::itemsKept(graph, id);
        const std::int64_t items = static_cast<std::int64_t>(tapes[id].size()) - kept.value_or(0);
        if (!kept || items <= 0) continue;
        waiting.items += items;
        if (items > most) waiting.most = graph.edges[id].to;
        most = std::max(most, items);
    }
    return waiting;
}

void Engine::reportWaiting() {
    const bool isPadded = std::any_of(inputs.begin(), inputs.end(),
                                      [](const io::Supply& input) { return input.isPadded(); });
    if (!isPadded) interp::reportWaiting(context, graph, itemsWaiting());
}

void Engine::reportLeftOvers() {
    const bool ended = stopped == End::EndOfInput;
    if (ended) reportWaiting();
    for (const io::Supply& input : inputs) {
        const bool assumed = options.inputFormatAssumed && &input == openInput;
        if (ended) outcome.itemsLeft += static_cast<std::int64_t>(reportItemsLeft(context, input));
        if (ended || (stopped == End::Failed && input.isEmpty()))
            reportBytesLeft(context, input, assumed);
    }
}

// ---------------------------------------------------------------- static programs

void Engine::runStatic() {
    if (isTimeUp() || !runPhase(repetitions.init)) return drainInput();
    hasBegun = true;
    while (!checkStops())
        if (!runPhase(repetitions.steady))
            return drainInput();
        else
            ++outcome.iterations;
}

/// Is it some milliseconds ago that the clock was looked at? Firings may be long or short.
bool Engine::isCheckDue() {
    std::uint64_t effort = machine.stepsUsed() + moved + kEffortOfCall * calls;
    if (effort - effortAtCheck < kEffortBetweenChecks) return false;
    effortAtCheck = effort;
    return true;
}

/// Has somebody said so, or the clock?
bool Engine::isTimeUp() {
    if (options.seconds) {
        std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        if (elapsed.count() >= *options.seconds) stop(End::Seconds);
    }
    if (options.interrupt && *options.interrupt) stop(End::Interrupted);
    return stopped.has_value();
}

bool Engine::checkStops() {
    if (stopped) return true;
    if (options.iterations && outcome.iterations >= *options.iterations) stop(End::Iterations);
    isTimeUp();
    if (options.progress && !inputs.empty())
        if (auto total = inputs.front().total(); total && *total > 0)
            options.progress(inputs.front().given(), *total);
    return stopped.has_value();
}

/// Everything that the phase will read must be there before it begins (language.md 17.2).
bool Engine::supplyPhase(const std::vector<std::int64_t>& phase) {
    for (Actor& actor : actors) {
        if (actor.reader) acting = &actor;
        if (!actor.reader ||
            supply(*actor.reader, actor.id, static_cast<std::uint64_t>(phase[actor.id])))
            continue;
        stop(End::EndOfInput);
        return false;
    }
    if (!openInput) return true;
    const graph::Edge& edge = graph.edges[graph.input];
    const Actor& consumer = actors[edge.to];
    std::int64_t pop = graph::popRate(graph, graph.input);
    std::int64_t needed = phase[consumer.id] * pop + graph::peekRate(graph, graph.input) - pop;
    if (consumer.fired == 0 && phase[consumer.id] > 0)
        needed += graph::popRate(graph, graph.input, true) - pop;
    if (consumer.fired == 0 && phase[consumer.id] == 1)
        needed = std::max(needed, graph::peekRate(graph, graph.input, true));
    const auto there = static_cast<std::int64_t>(tapes[graph.input].size());
    const std::int64_t missing = std::max<std::int64_t>(0, needed - there);
    if (!supply(*openInput, graph::kNone, static_cast<std::uint64_t>(missing))) {
        stop(End::EndOfInput);
        return false;
    }
    takeItems(*openInput, graph.input, static_cast<std::uint64_t>(missing));
    return true;
}

bool Engine::runPhase(const std::vector<std::int64_t>& phase) {
    if (!supplyPhase(phase)) return false;
    for (Actor& actor : actors) {
        actor.target = actor.fired + phase[actor.id];
        if (phase[actor.id] > 0) ready.insert(actor.order);
    }
    if (!fireToTargets()) return false;
    for (const Actor& actor : actors) {
        if (actor.fired >= actor.target) continue;
        reportStuck();
        return false;
    }
    drainOutput(false);
    return true;
}

/// Fires everybody as often as its target says, as far as there are items for it. False: the run is over.
bool Engine::fireToTargets() {
    for (std::int64_t top = ready.greatest(); top >= 0; top = ready.greatest()) {
        Actor& actor = actors[byOrder[static_cast<std::size_t>(top)]];
        if (actor.fired >= actor.target || !canFire(actor)) {
            ready.erase(actor.order);
            continue;
        }
        if (!fire(actor, batchSize(actor))) return false;
        for (std::uint32_t order : actor.wakes) ready.insert(order);
        if (stopped || (isCheckDue() && checkStops())) return false;
    }
    return true;
}

void Engine::reportFullTapes() {
    base::SourceRange range = acting ? acting->node->range : base::SourceRange{};
    base::Diagnostic& fault = context.diags.add(Diag::LimitExceeded, range);
    if (acting) fault.in(graph::path(graph, acting->id));
    fault << "the memory for items on tapes"
          << static_cast<std::int64_t>(context.limits.totalBytes);
}

/// Balance has shown that the quotas can be met, so only messages can be in the way.
void Engine::reportStuck() {
    stop(End::Failed);
    const Actor* waiting = nullptr;
    for (const Actor& actor : actors) {
        if (actor.fired >= actor.target) continue;
        if (!waiting) waiting = &actor;
        if (actor.guards.empty()) continue;
        const graph::Guard& guard = guards[actor.guards.front()];
        context.diags.add(Diag::ImpossibleLatency, graph.messages[guard.message()].range)
            << graph::path(graph, guard.waitsFor()) << graph::path(graph, actor.id)
            << guard.latency();
        return;
    }
    STRC_ASSERT(waiting && waiting->node->parent != graph::kNone,
                "a filter alone waits for nobody");
    const graph::Composite& composite = graph.composites[waiting->node->parent];
    context.diags.add(Diag::Deadlock, composite.header)
        << "stream" << composite.name << graph::path(graph, waiting->id);
}

void Engine::takeItems(io::Supply& input, EdgeId edge, std::uint64_t items) {
    if (!hasNames(edge)) return input.take(tapes[edge].append(items), items);
    const std::vector<const Type*>& tensors = graph.edges[edge].tensors;
    const Type* memory = graph::memoryOf(graph.edges[edge]);
    std::string item(static_cast<std::size_t>(types::sizeOf(memory)), '\0');
    for (; items > 0; --items) {
        const Type* type = tensors[input.given() % tensors.size()];
        input.take(reinterpret_cast<std::byte*>(item.data()), 1);
        addItem(edge, {type, item.substr(static_cast<std::size_t>(types::offsetIn(memory, type)))});
    }
}

/// The first one on the edge.
base::Status Engine::writeItem(io::ItemWriter& writer, EdgeId edge) {
    if (!hasNames(edge)) return writer.write(tapes[edge].at(0), 1);
    const TensorHandle name = nameAt(edge, 0);
    const Type* type = heap->typeOf(name);
    if (base::Status fits = writer.expect(type, tensor::storageOf(type, types)); !fits) return fits;
    return writer.write(heap->elementsOf(name), 1);
}

void Engine::drainOutput(bool all) {
    if (!options.output) return;
    eval::Tape& tape = tapes[graph.output];
    while (tape.size() > 0 && (all || !stopped)) {
        if (options.limit && itemsWritten >= *options.limit) {
            tape.clear();
            break;
        }
        base::Status status = writeItem(*options.output, graph.output);
        tape.drop();
        ++itemsWritten;
        ++outcome.itemsWritten;
        if (status) continue;
        if (options.output->readerGone()) return stop(End::Limit);
        base::report(context.diags, status.failure());
        return stop(End::Failed);
    }
    if (options.limit && itemsWritten >= *options.limit) stop(End::Limit);
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
