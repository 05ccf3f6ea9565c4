#include "interp/live.h"

#include <algorithm>
#include <deque>

#include "dynamic_shapes/fields.h"
#include "interp/detail/engine.h"
#include "types/tensor_text.h"

namespace strc::interp {
namespace {

constexpr std::uint64_t kMostCheckpointBytes = 64ull << 20;
/// Of what input files gave, and of what was fed, so that it can be given again.
constexpr std::uint64_t kMostKeptBytes = 256ull << 20;
constexpr std::uint64_t kLargeTape = 1ull << 20;
constexpr auto kBetweenCheckpoints = std::chrono::milliseconds(50);
/// The first steps are those that somebody looks at one by one.
constexpr std::uint64_t kStepsBetweenCheckpoints = 256;

std::string bytesOf(eval::Tape& tape) {
    const std::uint64_t items = tape.size();
    if (items == 0) return {};
    return {reinterpret_cast<const char*>(tape.at(0)), items * tape.bytesPerItem()};
}

void setBytes(eval::Tape& tape, const std::string& bytes) {
    tape.drop(tape.size());
    if (bytes.empty()) return;
    std::memcpy(tape.append(bytes.size() / tape.bytesPerItem()), bytes.data(), bytes.size());
}

}  // namespace

struct Live::Inside {
    struct ActorState {
        std::int64_t fired, target, iterations, emptyFirings;
        bool warnedPops;
        std::vector<std::byte> state;
        std::deque<PendingMessage> messages;
    };
    struct Checkpoint {
        std::uint64_t step;
        std::size_t feeds;  ///< how many had come
        NodeId last;
        bool inPhase, initDone;
        Outcome outcome;
        types::Random random;
        std::uint64_t messageBytesLeft;
        std::vector<ActorState> actors;
        std::vector<std::string> tapes;
        std::vector<std::uint64_t> given;  ///< by input file
        std::uint64_t made;
        std::uint64_t bytes;
    };
    struct Feed {
        std::uint64_t step;  ///< it came after so many
        std::uint64_t first;  ///< items that were fed before
        std::string bytes;
    };

    Inside(base::Context& context, const ir::Module& module, const elab::Elaboration& program,
           const graph::Repetitions& repetitions, types::TypeTable& types, const Options& wanted)
        : options(withoutEnds(wanted)),
          engine(context, module, program, repetitions, types, options) {
        run.isLive = true;
        engine.otherNames = [this](const TensorHeap::Mark& mark) { forEachKept(mark); };
        try {
            ready = engine.setUp();
        } catch (const std::bad_alloc&) {
            run.reportFullTapes();
        }
        if (!ready) return;
        keepFromHere();
        if (run.graph.isDynamic()) engine.dynamicRun.findSelfFed();
    }

    static Options withoutEnds(Options options) {
        options.input = nullptr;
        options.output = nullptr;
        options.iterations.reset();
        options.limit.reset();
        options.seconds.reset();
        return options;
    }

    void markItems(EdgeId edge, const std::string& bytes, const TensorHeap::Mark& mark) const {
        if (!run.channels.hasNames(edge)) return;
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(TensorHandle)) {
            TensorHandle name = 0;
            std::memcpy(&name, bytes.data() + at, sizeof name);
            mark(name);
        }
    }

    void markIn(const Checkpoint& from, const TensorHeap::Mark& mark) const {
        for (EdgeId edge = 0; edge < from.tapes.size(); ++edge)
            markItems(edge, from.tapes[edge], mark);
        for (std::size_t k = 0; k < from.actors.size(); ++k) {
            const elab::Kernel* kernel = run.actors[k].kernel;
            if (kernel && !kernel->initialOffsets.empty())
                dynamic_shapes::markFields(dynamic_shapes::fieldsOf(*kernel), from.actors[k].state,
                                           mark);
        }
    }

    /// Names of tensors that may come back.
    void forEachKept(const TensorHeap::Mark& mark) const {
        for (const Checkpoint& each : checkpoints) markIn(each, mark);
        if (!shownOutput.empty()) markItems(run.graph.output, shownOutput, mark);
    }

    // ---- checkpoints

    Checkpoint capture() {
        Checkpoint state{steps,
                         feeds.size(),
                         last,
                         inPhase,
                         initDone,
                         run.outcome,
                         run.generator,
                         run.messages.bytesFree(),
                         {},
                         {},
                         {},
                         made,
                         sizeof(Checkpoint)};
        for (const Actor& actor : run.actors) {
            state.actors.push_back({actor.fired, actor.target, actor.instance.iterations,
                                    actor.emptyFirings, actor.warnedPops, actor.instance.state,
                                    actor.messages});
            state.bytes += sizeof(ActorState) + actor.instance.state.size();
        }
        for (eval::Tape& tape : run.channels.tapes) {
            state.tapes.push_back(bytesOf(tape));
            state.bytes += state.tapes.back().size() + sizeof(std::string);
        }
        for (const io::Supply& input : run.inputs) state.given.push_back(input.given());
        if (run.channels.heap)
            markIn(state, [&](TensorHandle name) {
                if (name != 0) state.bytes += run.channels.heap->bytesOf(name);
            });
        return state;
    }

    void restore(const Checkpoint& from) {
        steps = from.step;
        made = from.made;
        last = from.last;
        inPhase = from.inPhase;
        initDone = from.initDone;
        run.outcome = from.outcome;
        run.generator = from.random;
        run.messages.setBytesFree(from.messageBytesLeft);
        run.stopped.reset();
        run.current = nullptr;
        for (std::size_t k = 0; k < run.actors.size(); ++k) {
            Actor& actor = run.actors[k];
            const ActorState& was = from.actors[k];
            actor.fired = was.fired;
            actor.target = was.target;
            actor.instance.iterations = was.iterations;
            actor.emptyFirings = was.emptyFirings;
            actor.warnedPops = was.warnedPops;
            actor.instance.state = was.state;
            actor.messages = was.messages;
            actor.firing = actor.waiting = false;
            run.ready.insert(actor.order);
        }
        for (std::size_t k = 0; k < run.channels.tapes.size(); ++k)
            setBytes(run.channels.tapes[k], from.tapes[k]);
        std::size_t k = 0;
        for (io::Supply& input : run.inputs) {
            rewind(input, keptFrom[k], from.given[k]);
            ++k;
        }
    }

    /// There is no way back behind this step.
    void keepFromHere() {
        keptBytes = 0;
        keptFrom.clear();
        for (io::Supply& input : run.inputs) {
            input.mark();
            keptFrom.push_back(input.given());
        }
        feeds.clear();
        checkpoints.clear();
        bytes = 0;
        mark();
    }

    void rewind(io::Supply& input, std::uint64_t from, std::uint64_t to) {
        input.giveBack();
        input.mark();
        std::vector<std::byte> skipped(input.bytesOf(to - from));
        if (to > from) input.take(skipped.data(), to - from);
    }

    std::uint64_t bytesKept() const {
        std::uint64_t sum = keptBytes;
        std::size_t k = 0;
        for (const io::Supply& input : run.inputs)
            sum += input.bytesOf(input.given() - keptFrom[k++]);
        return sum;
    }

    void mark() {
        checkpoints.push_back(capture());
        bytes += checkpoints.back().bytes;
        marked = std::chrono::steady_clock::now();
        // The older they are, the further apart: every second one goes, the first and the last stay.
        while (bytes > kMostCheckpointBytes && checkpoints.size() > 2) {
            std::deque<Checkpoint> kept;
            bytes = 0;
            for (std::size_t k = 0; k < checkpoints.size(); ++k) {
                if (k % 2 == 1 && k + 1 != checkpoints.size()) continue;
                bytes += checkpoints[k].bytes;
                kept.push_back(std::move(checkpoints[k]));
            }
            checkpoints = std::move(kept);
        }
    }

    void markNowAndThen() {
        if (steps - checkpoints.back().step < kStepsBetweenCheckpoints) return;
        if (std::chrono::steady_clock::now() - marked < kBetweenCheckpoints) return;
        if (bytesKept() > kMostKeptBytes)
            keepFromHere();
        else
            mark();
    }

    /// From the checkpoint before it.
    bool goTo(std::uint64_t to) {
        while (checkpoints.size() > 1 && checkpoints.back().step > to) {
            bytes -= checkpoints.back().bytes;
            checkpoints.pop_back();
        }
        if (checkpoints.back().step > to) return false;
        const std::size_t feedsBefore = checkpoints.back().feeds;
        restore(checkpoints.back());
        std::size_t nextFeed = feedsBefore;
        run.isReplaying = true;
        bool isThere = true;
        for (;;) {
            while (nextFeed < feeds.size() && feeds[nextFeed].step <= steps) put(feeds[nextFeed++]);
            if (steps >= to) break;
            if (advance() != Progress::Fired) {
                isThere = false;
                break;
            }
        }
        run.isReplaying = false;
        for (; nextFeed < feeds.size(); ++nextFeed) {
            feeds[nextFeed].step = steps;
            put(feeds[nextFeed]);
        }
        if (run.graph.output != graph::kNone) {
            eval::Tape& tape = run.channels.tapes[run.graph.output];
            tape.drop(tape.size());
        }
        return isThere;
    }

    // ---- forwards

    void put(const Feed& feed) {
        const graph::Edge& edge = run.graph.edges[run.graph.input];
        if (run.channels.hasNames(run.graph.input))
            name(edge, feed);
        else
            std::memcpy(run.channels.tapes[run.graph.input].append(feed.bytes.size() / inputSize()),
                        feed.bytes.data(), feed.bytes.size());
        run.ready.insert(run.actors[run.graph.edges[run.graph.input].to].order);
    }

    std::uint64_t inputSize() const {
        const graph::Edge& edge = run.graph.edges[run.graph.input];
        return static_cast<std::uint64_t>(types::sizeOf(graph::memoryOf(edge)));
    }

    void name(const graph::Edge& edge, const Feed& feed) {
        for (std::uint64_t k = 0; k < feed.bytes.size() / inputSize(); ++k) {
            const Type* type = edge.tensors[(feed.first + k) % edge.tensors.size()];
            const auto offset =
                static_cast<std::uint64_t>(types::offsetIn(graph::memoryOf(edge), type));
            run.channels.addItem(run.graph.input,
                                 {type, feed.bytes.substr(k * inputSize() + offset)});
        }
    }

    void beginPhase(const std::vector<std::int64_t>& repetitions) {
        for (Actor& actor : run.actors) {
            actor.target = actor.fired + repetitions[actor.id];
            if (repetitions[actor.id] > 0) run.ready.insert(actor.order);
        }
        inPhase = true;
    }

    Actor* choose() {
        for (std::int64_t top = run.ready.greatest(); top >= 0; top = run.ready.greatest()) {
            Actor& actor = run.actors[run.byOrder[static_cast<std::size_t>(top)]];
            if (actor.fired < actor.target && engine.firings.canFire(actor)) return &actor;
            run.ready.erase(actor.order);
        }
        return nullptr;
    }

    bool isPhaseDone() const {
        return std::all_of(run.actors.begin(), run.actors.end(),
                           [](const Actor& actor) { return actor.fired >= actor.target; });
    }

    /// Who fires next in a program with static rates. A phase without firings (no node at all in `init`) is
    /// over at once.
    Actor* chooseStatic() {
        for (int phases = 0; phases < 3; ++phases) {
            if (!inPhase) beginPhase(initDone ? run.repetitions.steady : run.repetitions.init);
            if (Actor* actor = choose()) return actor;
            if (!isPhaseDone()) return nullptr;
            inPhase = false;
            if (initDone) ++run.outcome.iterations;
            initDone = true;
        }
        return nullptr;
    }

    Progress advanceStatic() {
        Actor* actor = chooseStatic();
        if (!actor) {
            if (run.graph.input != graph::kNone) return Progress::Waiting;
            engine.staticRun.reportStuck();
            return Progress::Failed;
        }
        if (!engine.firings.fire(*actor, 1)) return whyStopped();
        for (std::uint32_t order : actor->wakes) run.ready.insert(order);
        last = actor->id;
        return Progress::Fired;
    }

    void beginRound() {
        for (Actor& actor : run.actors) {
            const std::int64_t times = run.isSink(actor.id) ? run.repetitions.steady[actor.id] : 0;
            actor.target = actor.fired + times;
        }
        inPhase = true;
    }

    Actor* chooseSink() {
        for (NodeId id : run.byOrder)
            if (run.isSink(id) && run.actors[id].fired < run.actors[id].target)
                return &run.actors[id];
        return nullptr;
    }

    /// Who can be drained: the engine does it after every steady state (DynamicRun::drainStatic).
    Actor* chooseDrained() {
        for (auto it = run.byOrder.rbegin(); it != run.byOrder.rend(); ++it) {
            Actor& actor = run.actors[*it];
            if (!DynamicRun::isDrained(actor)) continue;
            if (engine.firings.canFire(actor)) return &actor;
        }
        return nullptr;
    }

    /// The sinks take turns, as often as their quotas say; then everything is drained.
    Progress advanceDynamic() {
        run.starved = false;
        if (!inPhase) beginRound();
        if (!chooseSink()) {
            if (Actor* actor = chooseDrained()) {
                if (!engine.firings.fire(*actor, 1)) return whyStopped();
                last = actor->id;
                return Progress::Fired;
            }
            ++run.outcome.iterations;
            beginRound();
        }
        Actor* sink = chooseSink();
        if (!sink) return Progress::Ended;
        if (!engine.dynamicRun.fireByDemand(*sink)) return whyStopped();
        last = sink->id;
        return Progress::Fired;
    }

    Progress whyStopped() {
        if (run.starved) return Progress::Waiting;
        if (!run.stopped) return Progress::Ended;
        switch (*run.stopped) {
            case End::Interrupted: return Progress::Interrupted;
            case End::Failed: return Progress::Failed;
            default: return Progress::Ended;
        }
    }

    Progress advance() {
        if (options.interrupt && *options.interrupt) return Progress::Interrupted;
        const std::uint64_t before = outputSize();
        Progress progress;
        try {
            progress = run.graph.isDynamic() ? advanceDynamic() : advanceStatic();
        } catch (const std::bad_alloc&) {
            run.reportFullTapes();
            run.stop(End::Failed);
            progress = Progress::Failed;
        }
        if (progress != Progress::Fired) return progress;
        ++steps;
        made += outputSize() - before;
        return progress;
    }

    std::uint64_t outputSize() const {
        const EdgeId edge = run.graph.output;
        return edge == graph::kNone ? 0 : run.channels.tapes[edge].size();
    }

    /// A firing may have filled a channel up to the limit: nothing else could grow then.
    void releaseLarge() {
        for (eval::Tape& tape : run.channels.tapes) {
            tape.clear();
            const auto held = static_cast<std::uint64_t>(eval::TapeWindow::end(tape) -
                                                         eval::TapeWindow::first(tape));
            if (held < kLargeTape) continue;
            tape = eval::Tape(tape.bytesPerItem(), &run.channels.budget);
            run.channels.budget.bytesLeft += held;
        }
    }

    /// A firing that did not come to its end did not happen, nor did what it has put into the output behind
    /// the first `shown` items.
    void undo(Progress why, std::uint64_t shown) {
        const bool isClean = why == Progress::Waiting && !run.graph.isDynamic();
        if (isClean || !ready) return;
        const volatile bool* interrupt = std::exchange(options.interrupt, nullptr);
        const volatile bool* inBodies = std::exchange(run.machine.interrupt, nullptr);
        if (shown > 0) {
            eval::Tape& tape = run.channels.tapes[run.graph.output];
            shownOutput.assign(reinterpret_cast<const char*>(tape.at(0)),
                               shown * tape.bytesPerItem());
        }
        releaseLarge();
        goTo(steps);
        if (shown > 0) setBytes(run.channels.tapes[run.graph.output], shownOutput);
        shownOutput.clear();
        options.interrupt = interrupt;
        run.machine.interrupt = inBodies;
        run.stopped.reset();
        run.starved = false;
    }

    std::vector<Value> itemsOf(EdgeId edge, std::uint64_t most, std::uint64_t first = 0) {
        eval::Tape& tape = run.channels.tapes[edge];
        const Type* type = run.graph.edges[edge].type;
        std::vector<Value> values;
        const std::uint64_t end =
            first + std::min(most, tape.size() - std::min(first, tape.size()));
        for (std::uint64_t k = first; k < end && run.channels.hasNames(edge); ++k)
            values.push_back(run.channels.tensorNamed(run.channels.nameAt(edge, k)));
        for (std::uint64_t k = first; k < end && !run.channels.hasNames(edge); ++k)
            values.push_back({type, std::string(reinterpret_cast<const char*>(tape.at(k)),
                                                tape.bytesPerItem())});
        return values;
    }

    Options options;
    Engine engine;
    RunState& run = engine.state;
    bool ready = false;
    bool closed = false;
    std::uint64_t steps = 0;
    std::uint64_t made = 0;  ///< items at the open output, in these steps
    NodeId last = graph::kNone;
    bool inPhase = false, initDone = false;
    std::deque<Checkpoint> checkpoints;
    std::uint64_t bytes = 0;  ///< of the checkpoints
    std::chrono::steady_clock::time_point marked;
    std::vector<Feed> feeds;
    std::uint64_t fed = 0;  ///< items in all
    std::string shownOutput;  ///< what undo does not take back
    std::uint64_t keptBytes = 0;  ///< of `feeds`
    std::vector<std::uint64_t> keptFrom;  ///< by input: items given before the first checkpoint
};

Live::Live(base::Context& context, const ir::Module& module, const elab::Elaboration& program,
           const graph::Repetitions& repetitions, types::TypeTable& types, const Options& options)
    : inside(std::make_unique<Inside>(context, module, program, repetitions, types, options)) {}

Live::~Live() { close(); }

bool Live::isReady() const { return inside->ready && !inside->closed; }

void Live::feed(const std::byte* items, std::uint64_t count) {
    if (count == 0) return;
    Inside::Feed feed{
        inside->steps, inside->fed,
        std::string(reinterpret_cast<const char*>(items), count * inside->inputSize())};
    inside->fed += count;
    inside->put(feed);
    inside->keptBytes += feed.bytes.size();
    inside->feeds.push_back(std::move(feed));
}

graph::NodeId Live::next() {
    if (!isReady() || inside->run.graph.isDynamic()) return graph::kNone;
    const Actor* actor = inside->chooseStatic();
    return actor ? actor->id : graph::kNone;
}

Progress Live::step() {
    if (!isReady()) return Progress::Ended;
    inside->markNowAndThen();
    const std::uint64_t shown = outputSize();
    const Progress made = inside->advance();
    if (made != Progress::Fired) inside->undo(made, shown);
    return made;
}

std::uint64_t Live::steps() const { return inside->steps; }

bool Live::goBack(std::uint64_t to) { return isReady() && to <= inside->steps && inside->goTo(to); }

std::uint64_t Live::size(graph::EdgeId edge) const {
    return inside->run.channels.tapes[edge].size();
}

std::vector<Value> Live::items(graph::EdgeId edge, std::uint64_t most, std::uint64_t first) const {
    return inside->itemsOf(edge, most, first);
}

void Live::drop(graph::EdgeId edge, std::uint64_t count) {
    if (!isReady()) return;
    eval::Tape& tape = inside->run.channels.tapes[edge];
    tape.drop(std::min(count, tape.size()));
    inside->keepFromHere();
}

std::int64_t Live::firings(graph::NodeId node) const { return inside->run.actors[node].fired; }

graph::NodeId Live::last() const { return inside->last; }

std::vector<Value> Live::fields(graph::NodeId node) const {
    const eval::Instance& instance = inside->run.actors[node].instance;
    const bool hasNames = !inside->run.actors[node].kernel->initialOffsets.empty();
    std::vector<Value> values;
    for (std::size_t k = 0; k < instance.fieldTypes.size(); ++k) {
        const Type* type = instance.fieldTypes[k];
        const auto* at = reinterpret_cast<const char*>(instance.state.data());
        if (hasNames && type->is(types::TypeKind::Tensor)) {
            TensorHandle name = 0;
            std::memcpy(&name, at + instance.fieldOffsets[k], sizeof name);
            values.push_back(name == 0 ? Value{type, {}} : inside->run.channels.tensorNamed(name));
            continue;
        }
        values.push_back({type, std::string(at + instance.fieldOffsets[k],
                                            static_cast<std::size_t>(types::sizeOf(type)))});
    }
    return values;
}

std::int64_t Live::iterations() const { return inside->run.outcome.iterations; }

std::vector<Value> Live::takeOutput(std::uint64_t most) {
    const EdgeId edge = inside->run.graph.output;
    if (edge == graph::kNone) return {};
    std::vector<Value> values = inside->itemsOf(edge, most);
    inside->run.channels.tapes[edge].drop(values.size());
    return values;
}

std::uint64_t Live::outputSize() const { return inside->outputSize(); }

std::uint64_t Live::outputBegin() const { return inside->made - inside->outputSize(); }

bool Live::flush() {
    RunState& run = inside->run;
    return !isReady() || run.writers.flush(run.context, run.elaboration);
}

void Live::close() {
    if (!inside->closed && inside->ready) inside->engine.closeFiles();
    inside->closed = true;
}

}  // namespace strc::interp
