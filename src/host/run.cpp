#include "host/run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/own_stack.h"
#include "graph/ending.h"
#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "host/detail/dynamic_shapes.h"
#include "interp/files.h"
#include "interp/line_limit.h"
#include "io/supply.h"
#include "strc/runtime.h"

namespace strc::host {

using base::Diag;
using graph::NodeId;
using interp::End;
using interp::Outcome;

namespace {

constexpr double kShortest = 1e-9;  ///< seconds; 0 would be no limit

/// What a transaction keeps, and what was before it. Its memory stays for the next one.
struct Kept {
    struct Items {
        std::vector<std::byte> bytes;
        std::optional<std::uint64_t>
            position;  ///< they go to the file, which takes them back to there
    };

    bool isOpen = false;
    std::string text;
    std::vector<Items> items;  ///< by output
    std::optional<interp::LineLimit> lines;
    std::int64_t written = 0;
    std::int64_t itemsWritten = 0;
};

class Host {
public:
    Host(base::Context& context, const plan::Plan& plan, const strc_program& program,
         const std::vector<codegen::Site>& sites, const interp::Options& options,
         const Program& whole)
        : context(context),
          plan(plan),
          graph(plan.program->graph),
          program(program),
          sites(sites),
          options(options),
          limited(interp::whatIsLimited(whole.module, whole.elaboration)),
          lines(limited == interp::Limited::Lines ? options.limit : std::nullopt),
          whole(whole) {}

    Outcome run() {
        if (setUpDynamicShapes() && openFiles())
            execute();
        else
            stop(End::Failed);
        closeFiles();
        reportLeftOvers();
        for (const auto& supply : inputs)
            outcome.itemsRead += static_cast<std::int64_t>(supply->given());
        outcome.end = *stopped;
        return outcome;
    }

private:
    void stop(End why) {
        if (!stopped) stopped = why;
    }

    bool setUpDynamicShapes() {
        if (!plan.program->dynamicFilters) return true;
        try {
            symbolic = std::make_unique<DynamicShape>(
                context, plan, whole, options, [this](std::string_view text) { print(text); });
            return true;
        } catch (const std::bad_alloc&) {
            outOfMemory("the tensors among the fields", 1);
            return false;
        }
    }

    // ---------------------------------------------------------------- files

    bool openFiles() {
        io::SupplyOptions how{options.loopInput, options.tail == interp::Tail::Pad, 0,
                              context.limits.totalBytes, true};
        bool fine = interp::checkFiles(context, *plan.program);
        if (!fine) return false;
        for (std::size_t k = 0; k < plan.inputs.size(); ++k) {
            const plan::ProgramPort& port = plan.inputs[k];
            how.flush = static_cast<std::uint64_t>(zerosBehind(k));
            if (port.node == graph::kNone) {
                writers.hear(graph, graph::kNone, *options.input, options.inputName);
                inputs.push_back(std::make_unique<io::Supply>(*options.input, options.inputName,
                                                              graph.edges[graph.input].type, how));
                continue;
            }
            auto file =
                interp::openReader(context, *plan.program, port.node, options.beforeWaiting);
            if (!file) return false;
            const graph::Node& node = graph.nodes[port.node];
            writers.hear(graph, port.node, *file, node.file);
            inputs.push_back(std::make_unique<io::Supply>(std::move(file), node.file,
                                                          graph.edges[node.outputs[0]].type, how));
            auto first = inputs.back()->has(1);
            if (first && *first && !inputs.back()->isPadded()) continue;
            if (first)
                context.diags.add(Diag::EmptyInput, node.range).in(graph::path(graph, port.node))
                    << node.file;
            else
                interp::reportFile(context, *plan.program, port.node, first.failure());
            return false;
        }
        writers.compare(context, whole.elaboration, whole.repetitions);
        if (options.output) writers.complete(graph.edges[graph.output].type, *options.output);
        for (const plan::ProgramPort& port : plan.outputs) {
            itemSizes.push_back(types::sizeOf(itemOf(port)));
            fine = openOutput(port) && fine;
        }
        return fine;
    }

    std::int64_t zerosBehind(std::size_t input) const {
        if (plan.demand || options.tail != interp::Tail::Pad) return 0;
        return graph::multiplyCounts(
            graph::statesToFlush(whole.elaboration.graph, whole.repetitions),
            plan.steady.reads[input]);
    }

    const types::Type* itemOf(const plan::ProgramPort& output) const {
        const bool isOpen = output.node == graph::kNone;
        return graph.edges[isOpen ? graph.output : graph.nodes[output.node].inputs[0]].type;
    }

    bool openOutput(const plan::ProgramPort& port) {
        if (port.node == graph::kNone) {
            outputs.push_back(options.output);
            return true;
        }
        outputs.push_back(writers.open(context, *plan.program, port.node));
        return outputs.back() != nullptr;
    }

    void closeFiles() {
        // Not closed, they stay as they were.
        if (stopped == End::Failed && outcome.itemsWritten == 0 && !options.files) return;
        bool fine = writers.close(context, *plan.program);
        if (options.output)
            fine = interp::closeOutput(context, *plan.program, *options.output) && fine;
        if (!fine) stopped = End::Failed;
    }

    /// What stays is the same after each steady state, and before the first one nothing has fired.
    void reportWaiting() {
        const bool isPadded = std::any_of(inputs.begin(), inputs.end(),
                                          [](const auto& input) { return input->isPadded(); });
        const graph::Graph& all = whole.elaboration.graph;
        if (isPadded) return;
        if (waiting) return interp::reportWaiting(context, all, *waiting);
        if (!plan.demand && isInitialised())
            interp::reportWaiting(context, all, graph::itemsWaiting(all, whole.repetitions.init));
    }

    bool isInitialised() const {
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (inputs[k]->given() < static_cast<std::uint64_t>(plan.init.reads[k])) return false;
        return true;
    }

    void reportLeftOvers() {
        const bool ended = *stopped == End::EndOfInput;
        if (ended) reportWaiting();
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const io::Supply& supply = *inputs[k];
            const bool assumed = options.inputFormatAssumed && plan.inputs[k].node == graph::kNone;
            interp::reportDropouts(context, supply.name(), supply.dropouts(), "lost");
            if (ended)
                outcome.itemsLeft +=
                    static_cast<std::int64_t>(interp::reportItemsLeft(context, supply));
            if (ended || (*stopped == End::Failed && supply.isEmpty()))
                interp::reportBytesLeft(context, supply, assumed);
        }
    }

    // ---------------------------------------------------------------- what the program calls

    int print(std::string_view text) {
        std::string_view let = lines.take(text);
        if (kept.isOpen)
            kept.text += let;
        else if (options.print)
            options.print(let);
        if (lines.isReached()) stop(End::Limit);
        return stopped.has_value();
    }

    int supply(std::uint32_t input, std::uint64_t items, bool must) {
        if (options.progress && input == 0)
            if (auto total = inputs[0]->total(); total && *total > 0)
                options.progress(inputs[0]->given(), *total);
        if (stopped) return 1;  // why has been said
        if (!must) return inputs[input]->hasAtOnce(items) ? 0 : 1;
        auto there = inputs[input]->has(items);
        if (there) return *there ? 0 : 1;
        interp::reportFile(context, *plan.program, plan.inputs[input].node, there.failure());
        stop(End::Failed);
        return -1;
    }

    std::int64_t still(std::uint32_t input, std::int64_t most) {
        auto there =
            inputs[input]->still(static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0)));
        if (there) return static_cast<std::int64_t>(*there);
        interp::reportFile(context, *plan.program, plan.inputs[input].node, there.failure());
        stop(End::Failed);
        return -1;
    }

    int write(std::uint32_t output, const std::byte* from, std::int64_t items) {
        const bool counts =
            limited == interp::Limited::FileItems || plan.outputs[output].node == graph::kNone;
        if (counts && options.limit) items = std::min(items, *options.limit - written);
        if (counts) written += items;
        if (kept.isOpen && !kept.items[output].position)
            kept.items[output].bytes.insert(kept.items[output].bytes.end(), from,
                                            from + items * itemSizes[output]);
        else if (!letOut(output, from, items))
            return 1;
        if (counts && options.limit && written >= *options.limit) stop(End::Limit);
        return stopped.has_value();
    }

    /// While a transaction is open nothing is told: what it has read is read again.
    int read(std::uint32_t input, std::byte* to, std::uint64_t items) {
        if (inputs[input]->take(to, items)) return 0;
        if (kept.isOpen) return -1;
        if (auto fault = inputs[input]->fault())
            interp::reportFile(context, *plan.program, plan.inputs[input].node, *fault);
        stop(options.interrupt && *options.interrupt ? End::Interrupted : End::Failed);
        return -1;
    }

    /// False: the run is over.
    bool letOut(std::uint32_t output, const std::byte* from, std::int64_t items) {
        base::Status status = isHandle(output)
                                  ? symbolic->write(*outputs[output], from, items)
                                  : outputs[output]->write(from, static_cast<std::size_t>(items));
        outcome.itemsWritten += items;
        if (status) return true;
        if (outputs[output]->readerGone()) {
            stop(End::Limit);
            return false;
        }
        interp::reportFile(context, *plan.program, plan.outputs[output].node, status.failure());
        stopped = End::Failed;
        return false;
    }

    // ---- filters whose shapes only the run knows

    bool isHandle(std::uint32_t output) const {
        return plan.outputs[output].node == graph::kNone && graph.edges[graph.output].isHandle;
    }

    int fire(strc_env& env, NodeId node, void* const* parts, std::int32_t& left) {
        if (auto end = symbolic->fire(env, node, parts, left)) stop(*end);
        return stopped.has_value();
    }

    int next(NodeId node, void* to) {
        if (!symbolic->next(node, to)) stop(End::Failed);
        return stopped.has_value();
    }

    strc_symbolic symbolicCalls() {
        strc_symbolic made{};
        made.self = this;
        made.fire = [](void* self, strc_env* env, std::uint32_t node, void* const* parts,
                       std::int32_t* left) {
            return call(self, 0, [&](Host& host) { return host.fire(*env, node, parts, *left); });
        };
        made.next = [](void* self, std::uint32_t node, void* to) {
            return call(self, 0, [&](Host& host) { return host.next(node, to); });
        };
        made.settle = [](void* self, const void* state) {
            call(self, 0, [&](Host& host) {
                host.symbolic->settle(state);
                return 0;
            });
        };
        return made;
    }

    // ---- transactions

    void begin() {
        kept.isOpen = true;
        kept.items.resize(outputs.size());
        kept.lines = lines;
        kept.written = written;
        kept.itemsWritten = outcome.itemsWritten;
        for (const auto& supply : inputs) supply->mark();
        // Several filters that write one file take turns there.
        for (std::size_t k = 0; k < outputs.size(); ++k)
            if (std::count(outputs.begin(), outputs.end(), outputs[k]) == 1)
                kept.items[k].position = outputs[k]->position();
    }

    int commit() {
        kept.isOpen = false;
        for (const auto& supply : inputs) supply->keep();
        if (options.print && !kept.text.empty()) options.print(kept.text);
        kept.text.clear();
        for (std::uint32_t k = 0; k < kept.items.size(); ++k) {
            std::vector<std::byte>& items = kept.items[k].bytes;
            if (!items.empty() &&
                !letOut(k, items.data(), static_cast<std::int64_t>(items.size()) / itemSizes[k]))
                return 1;
            items.clear();
        }
        return stopped.has_value();
    }

    void rollback() {
        lines = *kept.lines;
        written = kept.written;
        kept.isOpen = false;
        kept.text.clear();
        outcome.itemsWritten = kept.itemsWritten;
        if (stopped == End::Limit) stopped.reset();
        for (std::uint32_t k = 0; k < kept.items.size(); ++k) {
            kept.items[k].bytes.clear();
            if (const auto position = kept.items[k].position) takeBack(k, *position);
        }
        for (const auto& supply : inputs) supply->giveBack();
    }

    void takeBack(std::uint32_t output, std::uint64_t position) {
        const base::Status status = outputs[output]->goBack(position);
        if (status) return;
        interp::reportFile(context, *plan.program, plan.outputs[output].node, status.failure());
        stopped = End::Failed;
    }

    /// The callers are C and compiled code: no exception passes them. `bytes`: the size of the matter.
    template <typename Work>
    static int call(void* self, std::uint64_t bytes, Work work) {
        auto& host = *static_cast<Host*>(self);
        try {
            return work(host);
        } catch (const std::bad_alloc&) {
            host.context.diags.add(Diag::OutOfMemory)
                << "what the program reads and writes" << static_cast<std::int64_t>(bytes);
            host.stopped = End::Failed;
            return 1;
        }
    }

    strc_host callbacks() {
        strc_host made{};
        made.self = this;
        made.print = [](void* self, const char* text, std::uint64_t size) {
            return call(self, size, [&](Host& host) { return host.print({text, size}); });
        };
        made.supply = [](void* self, std::uint32_t input, std::uint64_t items, int must) {
            const std::uint64_t bytes = static_cast<Host*>(self)->inputs[input]->bytesOf(items);
            return call(self, bytes,
                        [&](Host& host) { return host.supply(input, items, must != 0); });
        };
        made.read = [](void* self, std::uint32_t input, void* to, std::uint64_t items) {
            const std::uint64_t bytes = static_cast<Host*>(self)->inputs[input]->bytesOf(items);
            return call(self, bytes, [&](Host& host) {
                return host.read(input, static_cast<std::byte*>(to), items);
            });
        };
        made.write = [](void* self, std::uint32_t output, const void* from, std::uint64_t items) {
            const auto size =
                static_cast<std::uint64_t>(static_cast<Host*>(self)->itemSizes[output]);
            return call(self, items * size, [&](Host& host) {
                return host.write(output, static_cast<const std::byte*>(from),
                                  static_cast<std::int64_t>(items));
            });
        };
        made.begin = [](void* self) { static_cast<Host*>(self)->begin(); };
        made.commit = [](void* self) {
            return call(self, static_cast<Host*>(self)->kept.text.size(),
                        [](Host& host) { return host.commit(); });
        };
        made.rollback = [](void* self) { static_cast<Host*>(self)->rollback(); };
        made.still = [](void* self, std::uint32_t input, std::int64_t most) {
            const std::uint64_t bytes = static_cast<Host*>(self)->inputs[input]->bytesOf(1);
            std::int64_t there = -1;
            call(self, bytes, [&](Host& host) {
                there = host.still(input, most);
                return 0;
            });
            return there;
        };
        return made;
    }

    // ---------------------------------------------------------------- running

    void execute() {
        const std::uint64_t stateSize = (program.state_size + 63) / 64 * 64;
        const std::uint64_t size = stateSize + program.work_size;
        std::unique_ptr<std::byte, decltype(&std::free)> state(
            static_cast<std::byte*>(std::aligned_alloc(64, std::max<std::uint64_t>(size, 64))),
            &std::free);
        if (!state) return outOfMemory("the program", size);
        strc_host environment = callbacks();
        strc_env env{};
        env.host = &environment;
        static const volatile unsigned char never = 0;
        env.interrupt = options.interrupt
                            ? reinterpret_cast<const volatile unsigned char*>(options.interrupt)
                            : &never;
        if (options.seconds) env.seconds = std::max(*options.seconds, kShortest);
        env.random = plan.program->random.state;
        const std::vector<std::byte> parameters = openParameters(*plan.program);
        env.parameters = parameters.data();
        env.work = state.get() + stateSize;
        env.c_format = options.cFormat ? 1 : 0;
        env.drains = options.tail == interp::Tail::Drain ? 1 : 0;
        env.workers = options.workers ? options.workers : strc_processors();
        env.shares_always = options.sharesAlways ? 1 : 0;
        env.profile = options.profile;
        env.tuning = options.tuning;
        const strc_symbolic calls = symbolicCalls();
        if (symbolic) env.symbolic = &calls;
        std::uint64_t iterations =
            options.iterations ? static_cast<std::uint64_t>(*options.iterations) : UINT64_MAX;
        std::uint64_t done = 0;
        strc_end end = STRC_END_STOPPED;
        base::onOwnStack(
            [&] { end = strc_execute(&program, &env, state.get(), iterations, &done); });
        outcome.iterations = static_cast<std::int64_t>(done);
        if (env.knows_waiting) waiting = graph::Waiting{env.items_waiting, env.waiting_at};
        outcome.firings = static_cast<std::int64_t>(env.firings);
        if (end == STRC_END_DEVICE) return deviceFailed(env.device_error);
        conclude(end, env.fault);
    }

    void conclude(strc_end end, const strc_fault& fault) {
        bool interrupted = options.interrupt && *options.interrupt;
        switch (end) {
            case STRC_END_ITERATIONS: return stop(End::Iterations);
            case STRC_END_INPUT: return stop(interrupted ? End::Interrupted : End::EndOfInput);
            case STRC_END_STOPPED: return stop(End::Failed);
            case STRC_END_INTERRUPTED: return stop(interrupted ? End::Interrupted : End::Seconds);
            case STRC_END_DEVICE:
            case STRC_END_FAULT: break;
        }
        reportFault(context, plan::firingProgram(plan).graph, sites, fault);
        stop(End::Failed);
    }

    void deviceFailed(const strc_device_error& error) {
        const std::string name = "cuda:" + std::to_string(error.ordinal);
        switch (static_cast<strc_device_failure>(error.failure)) {
            case STRC_DEVICE_FULL:
                atWork(error, context.diags.add(Diag::OutOfMemory)
                                  << std::string(error.text) + " on device " + name
                                  << static_cast<std::int64_t>(error.bytes));
                break;
            case STRC_DEVICE_FAILED:
                atWork(error, context.diags.add(Diag::CannotReadFile)
                                  << name << std::string(error.why) + ", when it " + error.text);
                break;
            case STRC_KERNELS_FAILED:
                context.diags.add(Diag::CannotOpenFile) << error.text << error.why;
                break;
            case STRC_MESH_FAILED:  // there are no others that could fail
                context.diags.add(Diag::OutOfMemory)
                    << error.text << static_cast<std::int64_t>(error.bytes);
                break;
            default: context.diags.add(Diag::CannotOpenFile) << name << error.text;
        }
        stop(End::Failed);
    }

    /// About the filter, or the first of several, whose work it was.
    void atWork(const strc_device_error& error, base::Diagnostic& told) {
        if (error.node == STRC_NOBODY) return;
        told.range = graph.nodes[error.node].range;
        told.in(graph::path(graph, error.node));
        if (error.failure == STRC_DEVICE_FULL)
            told.note(Diag::Hint) << "this filter needs most of it";
        else if (error.last != error.node)
            told.note(Diag::Hint) << "all filters up to '" + graph::path(graph, error.last) +
                                         "' were at work at once";
    }

    void outOfMemory(std::string_view part, std::uint64_t bytes) {
        context.diags.add(Diag::OutOfMemory) << part << static_cast<std::int64_t>(bytes);
        stop(End::Failed);
    }

    base::Context& context;
    const plan::Plan& plan;
    const graph::Graph& graph;
    const strc_program& program;
    const std::vector<codegen::Site>& sites;
    const interp::Options& options;
    const interp::Limited limited;
    interp::LineLimit lines;
    const Program& whole;
    std::vector<std::unique_ptr<io::Supply>> inputs;
    std::vector<io::ItemWriter*> outputs;
    std::vector<std::int64_t> itemSizes;  ///< of outputs
    Kept kept;
    interp::WrittenFiles ownFiles;
    interp::WrittenFiles& writers = options.files ? *options.files : ownFiles;
    std::unique_ptr<DynamicShape> symbolic;  ///< null: it has no such filters
    std::int64_t written = 0;  ///< that counts for the limit
    std::optional<graph::Waiting> waiting;  ///< what stays, if only the run knew it
    std::optional<End> stopped;
    Outcome outcome;
};

}  // namespace

void reportFault(base::Context& context, const graph::Graph& graph,
                 const std::vector<codegen::Site>& sites, const strc_fault& fault) {
    const codegen::Site& site = sites[fault.site];
    const base::SourceRange place =
        site.range.valid() ? site.range : graph::addedBy(context.sources, graph, fault.node).range;
    base::Diagnostic& told = context.diags.add(site.id, place).in(graph::path(graph, fault.node));
    for (const std::string& word : site.words) told << word;
    for (int k = 0; k < site.numbers; ++k) told << fault.numbers[k];
    graph::noteAdded(context.sources, graph, fault.node, told);
}

std::vector<std::byte> openParameters(const elab::Elaboration& program) {
    const std::vector<types::Value>& open = program.openValues;
    std::vector<std::byte> parameters(open.size() * STRC_PARAMETER_BYTES);
    for (std::size_t k = 0; k < open.size(); ++k)
        std::memcpy(&parameters[k * STRC_PARAMETER_BYTES], open[k].bytes.data(),
                    open[k].bytes.size());
    return parameters;
}

std::string whyNot(const interp::Options& options) {
    if (options.stepLimit != UINT64_MAX) return "its steps are limited";
    if (options.lenient) return "rates are handled leniently";
    return {};
}

Outcome run(base::Context& context, const plan::Plan& plan, const Program& whole,
            const strc_program& program, const std::vector<codegen::Site>& sites,
            const interp::Options& options) {
    Outcome outcome = Host(context, plan, program, sites, options, whole).run();
    const graph::Repetitions& repetitions = whole.repetitions;
    for (std::size_t k = 0; k < repetitions.steady.size() && !plan.demand; ++k)
        outcome.firings += repetitions.init[k] + repetitions.steady[k] * outcome.iterations;
    return outcome;
}

}  // namespace strc::host
