#include "interp/detail/run_state.h"

#include "graph/hierarchy.h"

namespace strc::interp {

namespace {

constexpr std::uint64_t kEffortBetweenChecks = 1 << 20;
constexpr std::uint64_t kEffortOfCall = 256;

}  // namespace

RunState::RunState(base::Context& context, const ir::Module& module,
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
      channels(graph, types, context.limits.totalBytes),
      messages(graph, repetitions, context.limits.totalBytes),
      generator(elaboration.random),
      ready(graph.nodes.size()),
      lines(limited == Limited::Lines ? options.limit : std::nullopt),
      start(std::chrono::steady_clock::now()) {
    machine.interrupt = options.interrupt;
    machine.stepsLeft = options.stepLimit;
    machine.cFormat = options.cFormat;
    machine.deadline = eval::deadlineAfter(start, options.seconds);
}

bool RunState::isCheckDue() {
    std::uint64_t effort = machine.stepsUsed() + moved + kEffortOfCall * calls;
    if (effort - effortAtCheck < kEffortBetweenChecks) return false;
    effortAtCheck = effort;
    return true;
}

bool RunState::isTimeUp() {
    if (options.seconds) {
        std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        if (elapsed.count() >= *options.seconds) stop(End::Seconds);
    }
    if (options.interrupt && *options.interrupt) stop(End::Interrupted);
    return stopped.has_value();
}

bool RunState::checkStops() {
    if (stopped) return true;
    if (options.iterations && outcome.iterations >= *options.iterations) stop(End::Iterations);
    isTimeUp();
    if (options.progress && !inputs.empty())
        if (auto total = inputs.front().total(); total && *total > 0)
            options.progress(inputs.front().given(), *total);
    return stopped.has_value();
}

base::Diagnostic& RunState::report(const Actor& actor, Diag diag, base::SourceRange range) {
    return context.diags.add(diag, range).in(graph::path(graph, actor.id));
}

void RunState::reportFullTapes() {
    base::SourceRange range = acting ? acting->node->range : base::SourceRange{};
    base::Diagnostic& fault = context.diags.add(Diag::LimitExceeded, range);
    if (acting) fault.in(graph::path(graph, acting->id));
    fault << "the memory for items on tapes"
          << static_cast<std::int64_t>(context.limits.totalBytes);
}

bool RunState::supply(io::Supply& input, NodeId owner, std::uint64_t items) {
    base::Result<bool> there = input.has(items);
    if (there) return *there;
    reportFile(context, elaboration, owner, there.failure());
    stop(End::Failed);
    return false;
}

void RunState::drainOutput(bool all) {
    if (!options.output) return;
    eval::Tape& tape = channels.tapes[graph.output];
    while (tape.size() > 0 && (all || !stopped)) {
        if (options.limit && itemsWritten >= *options.limit) {
            tape.clear();
            break;
        }
        base::Status status = channels.writeItem(*options.output, graph.output);
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

bool RunState::isLimitReached(bool wasThere) {
    if (wasThere || limited != Limited::FileItems || !options.limit) return false;
    if (++itemsWritten < *options.limit) return false;
    stop(End::Limit);
    return true;
}

}  // namespace strc::interp
