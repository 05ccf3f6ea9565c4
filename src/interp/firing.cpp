// One firing of an actor: filters through the evaluator, everything else by moving items.

#include <algorithm>
#include <type_traits>

#include "graph/hierarchy.h"
#include "interp/engine.h"
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

base::Diagnostic& Engine::report(const Actor& actor, Diag diag, base::SourceRange range) {
    return context.diags.add(diag, range).in(graph::path(graph, actor.id));
}

namespace {

std::string boundsOf(const graph::Rate& rate) {
    std::string max = rate.max == graph::kUnbounded ? "*" : std::to_string(rate.max);
    return '[' + std::to_string(rate.min) + ", " + max + ']';
}

}  // namespace

void Engine::reportTrap(const Actor& actor, const eval::Trap& trap) {
    const graph::Rates& rates = actor.next().rates;
    auto reportDynamic = [&](const graph::Rate& rate, const char* word, const char* verb) {
        report(actor, Diag::DynamicRateViolated, trap.range)
            << actor.node->name << word << boundsOf(rate) << verb << trap.args.back();
    };
    if (trap.id == Diag::PushRateViolated && rates.push.dynamic)
        return reportDynamic(rates.push, "push", "pushes");
    if (trap.id == Diag::PopRateViolated && rates.pop.dynamic)
        return reportDynamic(rates.pop, "pop", "pops");
    if (trap.id == Diag::PeekRateViolated && rates.peek.dynamic)
        return reportDynamic(rates.peek, "peek", "looks at item");
    interp::reportTrap(context, graph, actor.id, trap);
}

bool Engine::canFire(const Actor& actor) {
    if (actor.firing) return false;
    if (actor.node->kind == graph::NodeKind::Filter) {
        if (actor.input && !actor.input->has(static_cast<std::uint64_t>(actor.next().need)))
            return false;
        return actor.guards.empty() || guardsAllow(actor);
    }
    for (std::size_t port = 0; port < actor.node->inputs.size(); ++port) {
        std::int64_t need = 1;
        if (actor.node->kind == graph::NodeKind::RoundRobinJoiner) need = actor.node->weights[port];
        if (actor.node->kind == graph::NodeKind::RoundRobinSplitter) need = actor.node->totalWeight;
        if (!tapes[actor.node->inputs[port]].has(static_cast<std::uint64_t>(need))) return false;
    }
    return true;
}

/// Firings in a row that need no look at other actors: one where somebody could see the order.
std::int64_t Engine::batchSize(const Actor& actor) const {
    if (orderVisible || actor.fired == 0) return 1;
    std::int64_t times = std::min(kBatch, actor.target - actor.fired);
    if (actor.node->kind != graph::NodeKind::Filter) {
        for (std::size_t port = 0; port < actor.node->inputs.size(); ++port) {
            EdgeId edge = actor.node->inputs[port];
            times = std::min(
                times, static_cast<std::int64_t>(tapes[edge].size()) / graph::popRate(graph, edge));
        }
        return times;
    }
    if (!actor.input) return times;
    const graph::Rates& rates = actor.later.rates;
    std::int64_t spare = static_cast<std::int64_t>(actor.input->size()) - rates.peek.max;
    return std::min(times, spare / rates.pop.max + 1);
}

bool Engine::fire(Actor& actor, std::int64_t times) {
    if (!heap) return fireNow(actor, times);
    std::vector<std::uint64_t> before;
    for (EdgeId edge : actor.node->outputs) before.push_back(tapes[edge].size());
    const bool isDone = fireNow(actor, times);
    return areTensorsFit(actor, before) && isDone;  // a batch may fail after items that do not fit
}

bool Engine::fireNow(Actor& actor, std::int64_t times) {
    acting = &actor;
    ++calls;
    outcome.firings += times;
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

bool Engine::fireOneByOne(Actor& actor, std::int64_t times) {
    for (; times > 0; --times)
        if (!fireFilter(actor)) return false;
    return true;
}

/// Firings that nobody sees the order of, hence without messages.
bool Engine::fireBatch(Actor& actor, std::int64_t times) {
    eval::Firing firing = actor.later.limits;
    std::int64_t done = 0;
    actor.firing = true;
    Actor* outer = std::exchange(current, &actor);
    eval::Outcome end = machine.fire(*actor.code->work, actor.instance, firing, times, done);
    current = outer;
    actor.firing = false;
    actor.fired += done;
    if (end != eval::Outcome::Done) return ended(actor, end);
    if (done == times) return true;
    if (!checkCounts(actor, actor.later, firing, false)) return false;
    ++actor.fired;
    ++actor.instance.iterations;
    return fireOneByOne(actor, times - done - 1);
}

bool Engine::fireFilter(Actor& actor) {
    if (!actor.messages.empty() && !deliverDue(actor)) return false;
    const FiringRates& how = actor.next();
    bool prework = actor.fired == 0 && actor.code->prework;
    eval::Firing firing = how.limits;
    actor.firing = true;
    bool fine = runCode(actor, prework ? *actor.code->prework : *actor.code->work, firing);
    if (!fine && isStarved) return false;  // it never goes on
    actor.firing = false;
    if (!fine || !checkCounts(actor, how, firing, prework)) return false;
    ++actor.fired;
    if (!prework) ++actor.instance.iterations;
    return true;
}

bool Engine::runCode(Actor& actor, const eval::Code& code, eval::Firing& firing) {
    Actor* outer = std::exchange(current, &actor);
    eval::Outcome end = machine.fire(code, actor.instance, firing);
    current = outer;
    return end == eval::Outcome::Done || ended(actor, end);
}

bool Engine::runHandler(Actor& actor, const eval::Code& code, std::span<const Value> args) {
    Actor* outer = std::exchange(current, &actor);
    eval::Firing none;
    eval::RunResult result = machine.run(code, actor.instance, none, args);
    current = outer;
    if (result.trap) machine.trap = result.trap;
    return result.outcome == eval::Outcome::Done || ended(actor, result.outcome);
}

/// A body stopped before its end. Always false.
bool Engine::ended(Actor& actor, eval::Outcome end) {
    isStarved = end == eval::Outcome::Starved;
    if (isStarved && !isDraining) stop(End::EndOfInput);
    if (end == eval::Outcome::Interrupted)
        stop(options.interrupt && *options.interrupt ? End::Interrupted : End::Seconds);
    if (end == eval::Outcome::Trapped) {
        reportTrap(actor, *machine.trap);
        stop(End::Failed);
    }
    return false;
}

bool Engine::checkRange(Actor& actor, const graph::Rate& rate, std::int64_t count, const char* word,
                        const char* verb, base::SourceRange range) {
    if (count >= rate.min && (rate.max == graph::kUnbounded || count <= rate.max)) return true;
    report(actor, Diag::DynamicRateViolated, range)
        << actor.node->name << word << boundsOf(rate) << verb << count;
    stop(End::Failed);
    return false;
}

bool Engine::checkCounts(Actor& actor, const FiringRates& how, const eval::Firing& firing,
                         bool prework) {
    const graph::Rates& rates = how.rates;
    base::SourceRange header =
        prework ? actor.kernel->code.prework->header : actor.kernel->code.work->header;
    const char* part = prework ? "'prework'" : "'work'";
    if (rates.push.dynamic) {
        if (!checkRange(actor, rates.push, firing.pushed, "push", "pushes", header)) return false;
    } else if (firing.pushed != rates.push.max) {
        report(actor, Diag::PushRateViolated, header)
            << part << actor.node->name << rates.push.max << firing.pushed;
        stop(End::Failed);
        return false;
    }
    if (rates.pop.dynamic) {
        if (!checkRange(actor, rates.pop, firing.popped, "pop", "pops", header)) return false;
    } else if (firing.popped != rates.pop.max) {
        if (!actor.warnedPops) {
            base::Diagnostic& fault = report(actor, Diag::PopRateViolated, header);
            fault << part << actor.node->name << rates.pop.max << firing.popped;
            if (options.lenient) fault.severity = base::Severity::Warning;
            actor.warnedPops = true;
        }
        if (!options.lenient) {
            stop(End::Failed);
            return false;
        }
        for (std::int64_t k = firing.popped; k < rates.pop.max; ++k) actor.input->drop();
    }
    bool empty = rates.isDynamic() && firing.popped == 0 && firing.pushed == 0;
    actor.emptyFirings = empty ? actor.emptyFirings + 1 : 0;
    if (actor.emptyFirings < static_cast<std::int64_t>(context.limits.emptyFirings)) return true;
    report(actor, Diag::EmptyFirings, header) << actor.node->name << actor.emptyFirings;
    stop(End::Failed);
    return false;
}

/// An item went into a file.
bool Engine::isLimitReached(bool wasThere) {
    if (wasThere || limited != Limited::FileItems || !options.limit) return false;
    if (++itemsWritten < *options.limit) return false;
    stop(End::Limit);
    return true;
}

bool Engine::fireBuiltin(Actor& actor, std::int64_t times) {
    switch (types::info(actor.builtin).role) {
        case types::BuiltinRole::Identity: move(*actor.input, *actor.output, times); return true;
        case types::BuiltinRole::Reader:
            if (!supply(*actor.reader, actor.id, static_cast<std::uint64_t>(times))) {
                if (!isDraining) stop(End::EndOfInput);
                return false;
            }
            takeItems(*actor.reader, actor.node->outputs[0], static_cast<std::uint64_t>(times));
            return true;
        case types::BuiltinRole::Writer:
            for (std::int64_t item = actor.fired; times > 0; --times, ++item) {
                const bool isThere = item < actor.written;
                base::Status status =
                    isThere ? base::ok() : writeItem(*actor.writer, actor.node->inputs[0]);
                actor.input->drop();
                if (!isThere) ++actor.written;
                ++outcome.itemsWritten;
                if (status && isLimitReached(isThere)) return false;
                if (status) continue;
                if (actor.writer->readerGone()) {
                    stop(End::Limit);
                    return false;
                }
                base::report(context.diags, status.failure(), actor.node->range)
                    .in(graph::path(graph, actor.id));
                stop(End::Failed);
                return false;
            }
            return true;
        case types::BuiltinRole::Display:
            for (std::int64_t k = 0; k < times * actor.kernel->work.pop.max; ++k)
                actor.input->drop();
            return true;
    }
    STRC_UNREACHABLE("not a built-in stream");
}

void Engine::fireSplitter(Actor& actor, std::int64_t times) {
    const graph::Node& node = *actor.node;
    eval::Tape& in = tapes[node.inputs[0]];
    std::size_t item = in.bytesPerItem();
    auto trips = static_cast<std::uint64_t>(times);
    if (node.kind == graph::NodeKind::Duplicate) {
        moved += trips * node.outputs.size();
        for (EdgeId out : node.outputs)
            std::memcpy(tapes[out].append(trips), in.at(0), trips * item);
        in.drop(trips);
        return;
    }
    auto total = static_cast<std::uint64_t>(node.totalWeight);
    moved += trips * total;
    const std::byte* from = in.at(0);
    for (std::size_t port = 0; port < node.outputs.size(); ++port) {
        auto weight = static_cast<std::uint64_t>(node.weights[port]);
        std::byte* to = tapes[node.outputs[port]].append(trips * weight);
        copyPieces(to, weight * item, from, total * item, weight * item, times);
        from += weight * item;
    }
    in.drop(trips * total);
}

void Engine::fireJoiner(Actor& actor, std::int64_t times) {
    const graph::Node& node = *actor.node;
    eval::Tape& out = tapes[node.outputs[0]];
    std::size_t item = out.bytesPerItem();
    auto trips = static_cast<std::uint64_t>(times);
    auto total = static_cast<std::uint64_t>(node.totalWeight);
    moved += trips * total;
    std::byte* to = out.append(trips * total);
    for (std::size_t port = 0; port < node.inputs.size(); ++port) {
        eval::Tape& in = tapes[node.inputs[port]];
        auto weight = static_cast<std::uint64_t>(node.weights[port]);
        copyPieces(to, total * item, in.at(0), weight * item, weight * item, times);
        in.drop(trips * weight);
        to += weight * item;
    }
}

}  // namespace strc::interp
