#include <algorithm>
#include <type_traits>

#include "dynamic_shapes/fields.h"
#include "eval/firing_node.h"
#include "graph/hierarchy.h"
#include "interp/detail/firings.h"
#include "interp/detail/ports.h"
#include "interp/faults.h"

namespace strc::interp {
namespace {

constexpr std::int64_t kBatch = 256;

void move(eval::Tape& from, eval::Tape& to, std::int64_t items) {
    auto count = static_cast<std::uint64_t>(items);
    std::memcpy(to.append(count), from.at(0), count * from.bytesPerItem());
    from.drop(count);
}

/// Copies `trips` pieces of `piece` bytes, the starts so far apart on either side.
void copyPieces(std::byte* to, std::size_t toStride, const std::byte* from, std::size_t fromStride,
                std::size_t piece, std::int64_t trips) {
    auto copy = [&](auto size) {
        for (std::int64_t k = 0; k < trips; ++k) {
            std::memcpy(to, from, size);
            to += toStride;
            from += fromStride;
        }
    };
    // A constant size is copied without a call.
    if (piece == 4)
        copy(std::integral_constant<std::size_t, 4>());
    else if (piece == 1)
        copy(std::integral_constant<std::size_t, 1>());
    else if (piece == 8)
        copy(std::integral_constant<std::size_t, 8>());
    else
        copy(piece);
}

}  // namespace

namespace {

std::string boundsOf(const graph::Rate& rate) {
    std::string max = rate.max == graph::kUnbounded ? "*" : std::to_string(rate.max);
    return '[' + std::to_string(rate.min) + ", " + max + ']';
}

}  // namespace

void Firings::reportTrap(const Actor& actor, const eval::Trap& trap) {
    const graph::Rates& rates = actor.next().rates;
    auto reportDynamic = [&](const graph::Rate& rate, const char* word, const char* verb) {
        state.report(actor, Diag::DynamicRateViolated, trap.range)
            << actor.node->name << word << boundsOf(rate) << verb << trap.args.back();
    };
    if (trap.id == Diag::PushRateViolated && rates.push.dynamic)
        return reportDynamic(rates.push, "push", "pushes");
    if (trap.id == Diag::PopRateViolated && rates.pop.dynamic)
        return reportDynamic(rates.pop, "pop", "pops");
    if (trap.id == Diag::PeekRateViolated && rates.peek.dynamic)
        return reportDynamic(rates.peek, "peek", "looks at item");
    const std::uint32_t firing = eval::firingNode(state.machine);
    if (state.options.written.firing && firing != ir::kNone)
        return interp::reportTrap(state.context, *state.options.written.firing, firing, trap);
    interp::reportTrap(state.context, state.graph, actor.id, trap);
}

bool Firings::canFire(const Actor& actor) {
    if (actor.firing) return false;
    if (actor.node->kind == graph::NodeKind::Filter) {
        if (actor.input && !actor.input->has(static_cast<std::uint64_t>(actor.next().need)))
            return false;
        if (!hasItemsAtPorts(state.channels, actor)) return false;
        return actor.guards.empty() ||
               state.messages.guardsAllow(actor, state.actors, state.isDraining);
    }
    for (std::size_t port = 0; port < actor.node->inputs.size(); ++port) {
        std::int64_t need = 1;
        if (actor.node->kind == graph::NodeKind::RoundRobinJoiner) need = actor.node->weights[port];
        if (actor.node->kind == graph::NodeKind::RoundRobinSplitter) need = actor.node->totalWeight;
        if (!state.channels.tapes[actor.node->inputs[port]].has(static_cast<std::uint64_t>(need)))
            return false;
    }
    return true;
}

std::int64_t Firings::batchSize(const Actor& actor) const {
    if (state.orderVisible || actor.fired == 0 || hasPorts(actor)) return 1;
    std::int64_t times = std::min(kBatch, actor.target - actor.fired);
    if (actor.node->kind != graph::NodeKind::Filter) {
        for (std::size_t port = 0; port < actor.node->inputs.size(); ++port) {
            EdgeId edge = actor.node->inputs[port];
            times = std::min(times, static_cast<std::int64_t>(state.channels.tapes[edge].size()) /
                                        graph::popRate(state.graph, edge));
        }
        return times;
    }
    if (!actor.input) return times;
    const graph::Rates& rates = actor.later.rates;
    std::int64_t spare = static_cast<std::int64_t>(actor.input->size()) - rates.peek.max;
    return std::min(times, spare / rates.pop.max + 1);
}

bool Firings::fire(Actor& actor, std::int64_t times) {
    const Timing::Firing timed(state.timing, actor);
    if (!state.channels.heap) return fireNow(actor, times);
    std::vector<std::uint64_t> before;
    for (EdgeId edge : actor.node->outputs) before.push_back(state.channels.tapes[edge].size());
    const bool isDone = fireNow(actor, times);
    return areTensorsFit(actor, before) && isDone;  // a batch may fail after items that do not fit
}

bool Firings::fireNow(Actor& actor, std::int64_t times) {
    state.acting = &actor;
    ++state.calls;
    state.outcome.firings += times;
    switch (actor.node->kind) {
        case graph::NodeKind::Filter:
            if (actor.builtin != ir::BuiltinStream::None) {
                if (!fireBuiltin(actor, times)) return false;
                break;
            }
            return times == 1 || actor.later.rates.isDynamic() ? fireOneByOne(actor, times)
                                                               : fireBatch(actor, times);
        case graph::NodeKind::Duplicate:
        case graph::NodeKind::RoundRobinSplitter: fireSplitter(actor, times); break;
        case graph::NodeKind::RoundRobinJoiner: fireJoiner(actor, times); break;
    }
    actor.fired += times;
    return true;
}

/// Are the items behind those on the actor's outputs what all streams around these declare?
bool Firings::areTensorsFit(const Actor& actor, const std::vector<std::uint64_t>& before) {
    for (std::size_t port = 0; port < before.size(); ++port) {
        const EdgeId edge = actor.node->outputs[port];
        const Type* declared = state.graph.edges[edge].type;
        const std::vector<const Type*>& known = state.graph.edges[edge].tensors;
        const bool isOpen = !declared->element && !declared->isRanked && known.empty();
        if (!state.channels.hasNames(edge) || isOpen) continue;
        for (std::uint64_t k = before[port]; k < state.channels.tapes[edge].size(); ++k) {
            const std::string why = dynamic_shapes::whyUnfit(
                declared, known, state.channels.heap->typeOf(state.channels.nameAt(edge, k)));
            if (why.empty()) continue;
            const graph::Added added = graph::addedBy(state.context.sources, state.graph, actor.id);
            state.report(actor, Diag::TensorShape, added.range) << "'" + added.name + "'" << why;
            state.channels.keepFirst(edge, k);
            state.stop(End::Failed);
            return false;
        }
    }
    return true;
}

bool Firings::fireOneByOne(Actor& actor, std::int64_t times) {
    for (; times > 0; --times)
        if (!fireFilter(actor)) return false;
    return true;
}

/// Firings that nobody sees the order of, hence without messages.
bool Firings::fireBatch(Actor& actor, std::int64_t times) {
    eval::Firing firing = actor.later.limits;
    std::int64_t done = 0;
    actor.firing = true;
    Actor* outer = std::exchange(state.current, &actor);
    eval::Outcome end = state.machine.fire(*actor.code->work, actor.instance, firing, times, done);
    state.current = outer;
    actor.firing = false;
    actor.fired += done;
    if (end != eval::Outcome::Done) return ended(actor, end);
    if (done == times) return true;
    if (!checkCounts(actor, actor.later, firing, false)) return false;
    ++actor.fired;
    ++actor.instance.iterations;
    return fireOneByOne(actor, times - done - 1);
}

bool Firings::fireFilter(Actor& actor) {
    if (!actor.messages.empty() && !deliverDue(actor)) return false;
    const FiringRates& how = actor.next();
    bool prework = actor.fired == 0 && actor.code->prework;
    eval::Firing firing = how.limits;
    actor.firing = true;
    takeAtPorts(state.channels, actor);
    bool fine = runCode(actor, prework ? *actor.code->prework : *actor.code->work, firing);
    if (!fine && state.isStarved) return false;  // it never goes on
    actor.firing = false;
    if (!fine || !checkCounts(actor, how, firing, prework)) return false;
    giveAtPorts(state.channels, actor);
    ++actor.fired;
    if (!prework) ++actor.instance.iterations;
    return true;
}

bool Firings::runCode(Actor& actor, const eval::Code& code, eval::Firing& firing) {
    Actor* outer = std::exchange(state.current, &actor);
    eval::Outcome end = state.machine.fire(code, actor.instance, firing);
    state.current = outer;
    return end == eval::Outcome::Done || ended(actor, end);
}

bool Firings::runFunction(Actor& actor, const eval::Code& code) {
    state.acting = &actor;
    eval::Firing unlimited;
    return runCode(actor, code, unlimited);
}

bool Firings::runHandler(Actor& actor, const eval::Code& code, std::span<const Value> args) {
    Actor* outer = std::exchange(state.current, &actor);
    eval::Firing none;
    eval::RunResult result = state.machine.run(code, actor.instance, none, args);
    state.current = outer;
    if (result.trap) state.machine.trap = result.trap;
    return result.outcome == eval::Outcome::Done || ended(actor, result.outcome);
}

/// Runs the handlers that are due before the actor's next firing.
bool Firings::deliverDue(Actor& actor) {
    while (std::optional<PendingMessage> message = state.messages.takeDue(actor)) {
        auto handler = actor.code->handlers.find(message->handler);
        STRC_ASSERT(handler != actor.code->handlers.end(), "receiver without the handler");
        if (!runHandler(actor, *handler->second, message->args)) return false;
    }
    return true;
}

/// A body stopped before its end. Always false.
bool Firings::ended(Actor& actor, eval::Outcome end) {
    state.isStarved = end == eval::Outcome::Starved;
    if (state.isStarved && !state.isDraining) state.stop(End::EndOfInput);
    if (end == eval::Outcome::Interrupted)
        state.stop(state.options.interrupt && *state.options.interrupt ? End::Interrupted
                                                                       : End::Seconds);
    if (end == eval::Outcome::Trapped) {
        reportTrap(actor, *state.machine.trap);
        state.stop(End::Failed);
    }
    return false;
}

bool Firings::checkRange(Actor& actor, const graph::Rate& rate, std::int64_t count,
                         const char* word, const char* verb, base::SourceRange range) {
    if (count >= rate.min && (rate.max == graph::kUnbounded || count <= rate.max)) return true;
    state.report(actor, Diag::DynamicRateViolated, range)
        << actor.node->name << word << boundsOf(rate) << verb << count;
    state.stop(End::Failed);
    return false;
}

bool Firings::checkCounts(Actor& actor, const FiringRates& how, const eval::Firing& firing,
                          bool prework) {
    const graph::Rates& rates = how.rates;
    base::SourceRange header =
        prework ? actor.kernel->code.prework->header : actor.kernel->code.work->header;
    const char* part = prework ? "'prework'" : "'work'";
    if (rates.push.dynamic) {
        if (!checkRange(actor, rates.push, firing.pushed, "push", "pushes", header)) return false;
    } else if (firing.pushed != rates.push.max) {
        state.report(actor, Diag::PushRateViolated, header)
            << part << actor.node->name << rates.push.max << firing.pushed;
        state.stop(End::Failed);
        return false;
    }
    if (rates.pop.dynamic) {
        if (!checkRange(actor, rates.pop, firing.popped, "pop", "pops", header)) return false;
    } else if (firing.popped != rates.pop.max) {
        if (!actor.warnedPops) {
            base::Diagnostic& fault = state.report(actor, Diag::PopRateViolated, header);
            fault << part << actor.node->name << rates.pop.max << firing.popped;
            if (state.options.lenient) fault.severity = base::Severity::Warning;
            actor.warnedPops = true;
        }
        if (!state.options.lenient) {
            state.stop(End::Failed);
            return false;
        }
        for (std::int64_t k = firing.popped; k < rates.pop.max; ++k) actor.input->drop();
    }
    bool empty = rates.isDynamic() && firing.popped == 0 && firing.pushed == 0;
    actor.emptyFirings = empty ? actor.emptyFirings + 1 : 0;
    if (actor.emptyFirings < static_cast<std::int64_t>(state.context.limits.emptyFirings))
        return true;
    state.report(actor, Diag::EmptyFirings, header) << actor.node->name << actor.emptyFirings;
    state.stop(End::Failed);
    return false;
}

bool Firings::fireReader(Actor& actor, std::uint64_t times) {
    if (!state.supply(*actor.reader, actor.id, times)) {
        if (!state.isDraining) state.stop(End::EndOfInput);
        return false;
    }
    state.channels.takeItems(*actor.reader, actor.node->outputs[0], times);
    return true;
}

bool Firings::fireWriter(Actor& actor, std::int64_t times) {
    for (std::int64_t item = actor.fired; times > 0; --times, ++item) {
        const bool isThere = item < actor.written;
        base::Status status =
            isThere ? base::ok() : state.channels.writeItem(*actor.writer, actor.node->inputs[0]);
        actor.input->drop();
        if (!isThere) ++actor.written;
        ++state.outcome.itemsWritten;
        if (status && state.isLimitReached(isThere)) return false;
        if (status) continue;
        if (actor.writer->readerGone()) {
            state.stop(End::Limit);
            return false;
        }
        base::report(state.context.diags, status.failure(), actor.node->range)
            .in(graph::path(state.graph, actor.id));
        state.stop(End::Failed);
        return false;
    }
    return true;
}

bool Firings::fireBuiltin(Actor& actor, std::int64_t times) {
    switch (types::info(actor.builtin).role) {
        case types::BuiltinRole::Identity: move(*actor.input, *actor.output, times); return true;
        case types::BuiltinRole::Reader:
            return fireReader(actor, static_cast<std::uint64_t>(times));
        case types::BuiltinRole::Writer: return fireWriter(actor, times);
        case types::BuiltinRole::Display:
            for (std::int64_t k = 0; k < times * actor.kernel->work.pop.max; ++k)
                actor.input->drop();
            return true;
    }
    STRC_UNREACHABLE("not a built-in stream");
}

void Firings::fireSplitter(Actor& actor, std::int64_t times) {
    const graph::Node& node = *actor.node;
    eval::Tape& in = state.channels.tapes[node.inputs[0]];
    std::size_t item = in.bytesPerItem();
    auto trips = static_cast<std::uint64_t>(times);
    if (node.kind == graph::NodeKind::Duplicate) {
        state.moved += trips * node.outputs.size();
        for (EdgeId out : node.outputs)
            std::memcpy(state.channels.tapes[out].append(trips), in.at(0), trips * item);
        in.drop(trips);
        return;
    }
    auto total = static_cast<std::uint64_t>(node.totalWeight);
    state.moved += trips * total;
    const std::byte* from = in.at(0);
    for (std::size_t port = 0; port < node.outputs.size(); ++port) {
        auto weight = static_cast<std::uint64_t>(node.weights[port]);
        std::byte* to = state.channels.tapes[node.outputs[port]].append(trips * weight);
        copyPieces(to, weight * item, from, total * item, weight * item, times);
        from += weight * item;
    }
    in.drop(trips * total);
}

void Firings::fireJoiner(Actor& actor, std::int64_t times) {
    const graph::Node& node = *actor.node;
    eval::Tape& out = state.channels.tapes[node.outputs[0]];
    std::size_t item = out.bytesPerItem();
    auto trips = static_cast<std::uint64_t>(times);
    auto total = static_cast<std::uint64_t>(node.totalWeight);
    state.moved += trips * total;
    std::byte* to = out.append(trips * total);
    for (std::size_t port = 0; port < node.inputs.size(); ++port) {
        eval::Tape& in = state.channels.tapes[node.inputs[port]];
        auto weight = static_cast<std::uint64_t>(node.weights[port]);
        copyPieces(to, total * item, in.at(0), weight * item, weight * item, times);
        in.drop(trips * weight);
        to += weight * item;
    }
}

}  // namespace strc::interp
