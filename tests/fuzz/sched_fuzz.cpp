// Bytes as a stream graph: most of them balance by construction, others have rates at random. Each
// is refused with a reason, or gets schedules in all orders that the independent verifier accepts;
// small ones run by the reference algorithm of language.md 12.7 as the quotas say.

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "graph/hierarchy.h"
#include "graph/picture.h"
#include "sched/balance.h"
#include "sched/detail/verify.h"
#include "sched/schedule.h"
#include "support/naive.h"
#include "support/random_streams.h"

using namespace strc;
using namespace strc::testing;
using graph::Graph;
using graph::NodeId;

namespace {

constexpr std::int64_t kMostNaiveFirings = 20'000;

// ---- streams whose rates need not fit

class Wild {
public:
    Wild(Choices& choices, std::int64_t rate) : choices(choices), most(rate) {}

    Stream program() {
        if (choices.chance(60)) return make(3);
        std::vector<Stream> parts{source("Source", rate())};
        for (std::int64_t i = choices.pick(4); i >= 0; --i) parts.push_back(make(3));
        const std::int64_t pop = rate();
        parts.push_back(sink("Sink", pop, choices.pick(most)));
        return pipeline("Main", std::move(parts));
    }

private:
    std::int64_t rate() { return 1 + choices.pick(most); }

    Stream leaf() {
        // One by one: compilers differ in the order of arguments.
        const std::int64_t pop = rate();
        const std::int64_t push = rate();
        Stream stream = filter("F", pop, push, choices.chance(80) ? choices.pick(2 * most) : 0);
        if (!choices.chance(40)) return stream;
        const std::int64_t firstPop = choices.pick(most);
        const std::int64_t firstPush = choices.pick(most);
        return withPrework(std::move(stream), firstPop, firstPush, firstPop + choices.pick(most));
    }

    Stream make(int depth) {
        switch (depth == 0 ? 0 : choices.pick(4)) {
            case 1: return pipeline("P", several(depth));
            case 2: return branches(depth);
            case 3: {
                const std::int64_t in = rate();
                return loop(depth, in, rate());
            }
            default: return leaf();
        }
    }

    std::vector<Stream> several(int depth) {
        std::vector<Stream> parts;
        for (std::int64_t i = choices.pick(3); i >= 0; --i) parts.push_back(make(depth - 1));
        return parts;
    }

    /// Some branches are sources, sinks, or loops that feed themselves.
    Stream branches(int depth) {
        std::vector<Stream> parts = several(depth);
        if (choices.chance(40)) parts.push_back(source("Beside", rate()));
        if (choices.chance(40)) parts.push_back(sink("Drain", rate()));
        if (choices.chance(40)) parts.push_back(loop(depth, 0, rate()));
        if (choices.chance(40)) parts.push_back(loop(depth, rate(), 0));
        std::vector<std::int64_t> split, join;
        for (const Stream& part : parts) {
            if (part.hasInput) split.push_back(rate());
            if (part.hasOutput) join.push_back(rate());
        }
        if (choices.chance(100)) split.clear();
        return splitjoin("S", std::move(split), std::move(parts), std::move(join));
    }

    Stream loop(int depth, std::int64_t in, std::int64_t out) {
        std::vector<std::int64_t> split{out, rate()};
        if (out > 0 && choices.chance(100)) split.clear();
        Stream body = make(depth - 1);
        Stream back = make(depth - 1);
        const std::int64_t enqueued = choices.pick(std::min<std::int64_t>(4 * most, 5'000));
        return feedbackloop("L", {in, rate()}, std::move(body), std::move(back), std::move(split),
                            static_cast<std::size_t>(enqueued));
    }

    Choices& choices;
    std::int64_t most;
};

Stream makeStream(Choices& choices) {
    static constexpr std::int64_t rates[] = {3, 2, 4, 7, 16, 100, 3'000, 1 << 20};
    const std::int64_t rate = rates[choices.pick(8)];
    if (choices.chance(90)) return Wild(choices, rate).program();
    ProgramShape shape;
    shape.depth = static_cast<int>(choices.pick(4));
    shape.children = 1 + choices.pick(5);
    shape.rate = rate;
    shape.unbalanced = choices.chance(40) ? 60 : 0;
    shape.starved = choices.chance(128) ? 128 : 0;
    return randomProgram(choices, shape);
}

// ---- what is put on top: effects, dynamic rates, messages

void makeDynamic(Choices& choices, Graph& graph) {
    graph::Node& node = graph.nodes[choices.pick(static_cast<std::int64_t>(graph.nodes.size()))];
    if (node.kind != graph::NodeKind::Filter) return;
    auto open = [](graph::Rate& rate) { rate = {0, graph::kUnbounded, true, -1}; };
    if (!node.inputs.empty() && choices.chance(128)) {
        open(node.work.pop);
        open(node.work.peek);
    } else if (!node.outputs.empty()) {
        open(node.work.push);
    }
}

/// Between two filters of which one is downstream of the other (language.md 14.4).
void addMessage(Choices& choices, Graph& graph) {
    const auto count = static_cast<std::int64_t>(graph.nodes.size());
    const auto sender = static_cast<NodeId>(choices.pick(count));
    const auto receiver = static_cast<NodeId>(choices.pick(count));
    auto isFilter = [&](NodeId id) { return graph.nodes[id].kind == graph::NodeKind::Filter; };
    if (sender == receiver || !isFilter(sender) || !isFilter(receiver)) return;
    const graph::Hierarchy tree(graph);
    const graph::CompositeId common = tree.common(sender, receiver);
    if (common == graph::kNone) return;
    const graph::Composite& composite = graph.composites[common];
    if (composite.kind == graph::CompositeKind::SplitJoin) return;
    auto position = [&](NodeId id) {
        const graph::Child child = tree.childWith(common, id);
        return std::find_if(
            composite.children.begin(), composite.children.end(), [&](const graph::Child& other) {
                return other.isComposite == child.isComposite && other.id == child.id;
            });
    };
    std::optional<std::int64_t> latency;
    if (!choices.chance(30)) latency = choices.pick(choices.chance(60) ? 100'000 : 20) - 4;
    graph.messages.push_back({sender, receiver, position(sender) < position(receiver), latency,
                              choices.chance(30), graph.nodes[sender].range});
}

void decorate(Choices& choices, Graph& graph) {
    if (choices.chance(50)) {
        for (graph::Node& node : graph.nodes) {
            if (node.kind == graph::NodeKind::Filter && choices.chance(60))
                node.effects = graph::kPrints;
        }
    }
    if (choices.chance(50)) makeDynamic(choices, graph);
    if (!choices.chance(70)) return;
    for (std::int64_t i = choices.pick(3); i >= 0; --i) addMessage(choices, graph);
}

// ---- what has to hold

/// Each node of an island as often as its quota says, never without items.
void checkQuota(const Graph& graph, const graph::Repetitions& repetitions) {
    const auto& steady = repetitions.steady;
    std::int64_t sum = 0;
    for (const auto* counts : {&repetitions.init, &steady}) {
        for (std::int64_t count : *counts) sum = std::min(sum + count, kMostNaiveFirings + 1);
    }
    if (sum > kMostNaiveFirings) return;
    Naive naive(graph);
    STRC_ASSERT(naive.driveTo(repetitions.init), "the initialisation gets stuck");
    const auto items = naive.items;
    STRC_ASSERT(naive.steady(steady), "the steady state gets stuck");
    STRC_ASSERT(naive.items == items, "the steady state does not return to its start");
}

void checkSchedule(base::Context& context, const Graph& graph,
                   const graph::Repetitions& repetitions, sched::Order order,
                   std::uint32_t island) {
    const auto made = schedule(context, graph, repetitions, order, island);
    STRC_ASSERT(bool(made) != context.diags.hasErrors(), "no schedule and no reason, or both");
    context.diags.clear();
    if (!made) return;
    const auto faults = verify(graph, repetitions, *made);
    STRC_ASSERT(faults.empty(), faults.front());
    STRC_ASSERT(!print(graph, repetitions, *made).empty(), "no text of a schedule");
    const graph::Annotations notes{&repetitions, &made->capacity};
    STRC_ASSERT(!toText(graph, notes).empty() && !toDot(graph, notes, {true, 5}).empty(),
                "no picture of a graph");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Choices choices({data, size});
    Graph graph = build(makeStream(choices));
    decorate(choices, graph);
    base::Context context;
    context.limits.simulationSteps = 100'000;
    const auto repetitions = sched::balance(context, graph);
    STRC_ASSERT(bool(repetitions) != context.diags.hasErrors(), "no quota and no reason, or both");
    for (const auto& message : context.diags.all())
        STRC_ASSERT(message.range.valid(), "a message without a place");
    if (!repetitions) return 0;
    checkQuota(graph, *repetitions);
    for (std::uint32_t island = 0; island < repetitions->islands; ++island) {
        for (auto order :
             {sched::Order::Buffers, sched::Order::SingleAppearance, sched::Order::Latency})
            checkSchedule(context, graph, *repetitions, order, island);
    }
    return 0;
}
