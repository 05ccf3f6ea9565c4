// Programs that go on as items come, in this process.
#include "api/detail/stream.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/own_stack.h"
#include "executable/library.h"
#include "graph/turns.h"
#include "host/run.h"
#include "strc/helpers.h"
#include "strc/kernels.h"
#include "strc/lanes.h"
#include "strc/turns.h"

namespace {

using strc::api::TensorItem;
using strc::session::Stage;

/// Of the caller's stack, that a call may take; what needs more has a stack of its own.
constexpr std::uint64_t kMostStack = 3 << 20, kOwnStack = 1 << 29;
/// Firings that wait have a stack of their own: code that is not optimised takes up to so many times as much of it.
constexpr std::uint64_t kTimesMore = 4;

std::vector<TensorItem> tensorsOf(const strc_compiler& compiler, bool isInput) {
    std::vector<TensorItem> made;
    if (const strc::graph::Edge* edge = strc::api::endOf(compiler, isInput))
        for (const strc::types::Type* tensor : edge->tensors) made.emplace_back(edge->type, tensor);
    return made;
}

/// Arrays of items.
struct StreamArrays {
    const std::byte* in;
    std::byte* out;
    std::size_t inSize, outSize;

    void take(void* to, std::size_t first, std::size_t items) const {
        std::memcpy(to, in + first * inSize, items * inSize);
    }
    void give(const void* from, std::size_t first, std::size_t items) const {
        std::memcpy(out + first * outSize, from, items * outSize);
    }
};

/// Items that are each in a place of their own: tensors, and others as they lie in memory.
class Places {
public:
    Places(const strc_stream& stream, const void* const* in, void* const* out);
    void take(void* to, std::size_t first, std::size_t items) const {
        for (std::size_t k = first; k < first + items; ++k)
            takeOne(static_cast<std::byte*>(to) + (k - first) * inSize, k);
    }
    void give(const void* from, std::size_t first, std::size_t items) const {
        for (std::size_t k = first; k < first + items; ++k)
            giveOne(k, static_cast<const std::byte*>(from) + (k - first) * outSize);
    }

private:
    void takeOne(std::byte* to, std::size_t k) const {
        const auto* from = static_cast<const std::byte*>(in[k]);
        if (inTypes.empty())
            std::memcpy(to, from, inSize);
        else
            inTypes[(firstIn + k) % inTypes.size()].take(to, from);
    }
    void giveOne(std::size_t k, const std::byte* from) const {
        auto* to = static_cast<std::byte*>(out[k]);
        if (outTypes.empty())
            std::memcpy(to, from, outSize);
        else
            outTypes[(firstOut + k) % outTypes.size()].give(to, from);
    }

    const void* const* in;
    void* const* out;
    const std::vector<TensorItem>&inTypes, &outTypes;
    std::size_t firstIn, firstOut;  ///< of the call, among all that the stream has had
    std::size_t inSize, outSize;
};

/// Several arrays at each end, whose items take turns.
class Turned {
public:
    Turned(const strc_stream& stream, strc_open_end* in, strc_open_end* out)
        : stream(stream),
          in(in),
          out(out),
          taken(stream.flow->all_taken),
          given(stream.flow->all_given) {}

    std::size_t inCount() const { return in ? strc_ends_most(turns(true), in, taken) : 0; }
    std::size_t outCount() const { return out ? strc_ends_most(turns(false), out, given) : 0; }
    void take(void* to, std::size_t first, std::size_t items) const {
        move({turns(true), in, taken, static_cast<unsigned char*>(to), first, items,
              stream.facts.in_size, 0});
    }
    void give(const void* from, std::size_t first, std::size_t items) const {
        auto* tape = static_cast<unsigned char*>(const_cast<void*>(from));
        move({turns(false), out, given, tape, first, items, stream.facts.out_size, 1});
    }
    /// So many items of all were taken and given.
    void conclude(std::size_t consumed, std::size_t produced) const {
        if (in) strc_ends_conclude(turns(true), in, taken, consumed);
        if (out) strc_ends_conclude(turns(false), out, given, produced);
    }

private:
    strc_turns turns(bool isInput) const {
        const std::vector<std::uint64_t>& items = isInput ? stream.inTurns : stream.outTurns;
        return {items.data(), items.size()};
    }
    static void move(const strc_move& how) { strc_ends_move(&how); }

    const strc_stream& stream;
    strc_open_end *in, *out;
    std::uint64_t taken, given;  ///< in earlier calls
};

/// Of one side; empty: there is none.
std::vector<std::uint64_t> turnsOf(const strc_compiler& compiler, bool isInput) {
    if (!strc::api::endOf(compiler, isInput)) return {};
    std::vector<std::uint64_t> turns =
        strc::graph::turnsOf(compiler.program.elaboration.graph, isInput);
    if (turns.empty()) turns = {1};
    return turns;
}

/// Does anything stay behind in the program from one steady state to the next?
bool keepsNothing(const strc::plan::Plan& plan) {
    if (plan.demand) return false;
    for (const strc::plan::Channel& channel : plan.channels)
        if (channel.retained != 0) return false;
    for (const std::int64_t field : plan.fields)
        if (field >= 0) return false;
    for (const std::int64_t counter : plan.counters)
        if (counter >= 0) return false;
    for (const strc::graph::Node& node : plan.program->graph.nodes)
        if (node.effects != strc::graph::kNoEffect) return false;
    return plan.init.steps.empty() && plan.tapes == strc::plan::Tapes::Linear;
}

}  // namespace

namespace {

strc::executable::Program parts(strc_compiler& compiler) {
    strc::session::Compilation& program = compiler.program;
    return {.context = program.context,
            .plan = *program.plan,
            .repetitions = program.repetitions,
            .module = program.module,
            .mainStream = std::string(program.main->name.text()),
            .printed = {},
            .weights = program.weights.get(),
            .bound = compiler.settings.bound};
}

Places::Places(const strc_stream& stream, const void* const* in, void* const* out)
    : in(in),
      out(out),
      inTypes(stream.inTypes),
      outTypes(stream.outTypes),
      firstIn(stream.flow->all_taken),
      firstOut(stream.flow->all_given),
      inSize(stream.facts.in_size),
      outSize(stream.facts.out_size) {}

std::uint64_t sizeOfPort(const strc_compiler& compiler, bool isInput) {
    const strc::graph::Edge* edge = strc::api::endOf(compiler, isInput);
    return edge ? static_cast<std::uint64_t>(strc::types::sizeOf(edge->type)) : 0;
}

bool doesPrint(const strc::graph::Graph& graph) {
    for (const strc::graph::Node& node : graph.nodes)
        if (node.effects & strc::graph::kPrints) return true;
    return false;
}

std::uint64_t unsignedOf(std::int64_t count) { return static_cast<std::uint64_t>(count); }

}  // namespace

/// False after reporting.
bool strc_stream::make() {
    strc::session::Compilation& program = compiler->program;
    if (!strc::session::canBeCompiled(program) || !strc::session::hasAllShapes(program))
        return false;
    const strc::executable::Program known = parts(*compiler);
    if (!strc::executable::checkLibrary(known, true)) return false;
    compiler->makeCode([this] { return compiler->isInterrupted(); });
    if (!compiler->code) {
        if (!compiler->isInterrupted())
            strc::session::reportCannotCompile(program,
                                               "there is no machine code for it in this process");
        return false;
    }
    const strc::executable::Rates rates = strc::executable::ratesOf(*program.plan);
    about = {sizeof about,
             unsignedOf(rates.in),
             unsignedOf(rates.out),
             unsignedOf(rates.firstIn),
             unsignedOf(rates.firstOut),
             unsignedOf(rates.latency()),
             keepsNothing(*program.plan),
             0};
    parameters = strc::host::openParameters(*program.plan->program);
    facts.program = &compiler->code->jit.program();
    facts.identity = about.identity = strc::executable::identityOf(known);
    facts.in_size = sizeOfPort(*compiler, true);
    facts.out_size = sizeOfPort(*compiler, false);
    facts.init_writes = about.first_out;
    facts.steady_writes = about.block_out;
    facts.random = program.plan->program->random.state;
    const std::uint64_t stack =
        strc::executable::stackBytes(known, compiler->code->jit.stackBytes());
    hasOwnStack = stack > kMostStack;
    facts.stack_bytes = hasOwnStack ? kOwnStack : stack;
    facts.bound = static_cast<std::uint64_t>(known.bound.value_or(0));
    facts.firing_bytes = kTimesMore * strc::executable::firingBytes(known);
    facts.parameter_bytes = parameters.size();
    facts.parameters = parameters.data();
    facts.can_fail = !compiler->code->sites.empty();
    facts.can_scale = !doesPrint(program.plan->program->graph);
    block.reset(std::aligned_alloc(STRC_FLOW_ALIGNMENT, strc_flow_bytes(&facts)));
    if (!block) throw std::bad_alloc();
    flow = strc_flow_make(&facts, block.get());
    inTypes = tensorsOf(*compiler, true);
    outTypes = tensorsOf(*compiler, false);
    inTurns = turnsOf(*compiler, true);
    outTurns = turnsOf(*compiler, false);
    makeThreads({});
    return openKernels();
}

/// What libraries need (--kernels) is there from the beginning, as it is for a program that runs to its end.
bool strc_stream::openKernels() {
    const strc_kernel_program* kernels = facts.program->kernels;
    if (!kernels) return true;
    flow->env.kernels = kernels->calls->open(facts.program, &flow->env);
    if (!flow->env.kernels) reportFailure();
    return flow->env.kernels != nullptr;
}

strc_stream::~strc_stream() {
    if (flow) strc_helpers_free(flow->helpers);
    if (flow) strc_lanes_free(flow);
    if (flow && flow->env.kernels) facts.program->kernels->calls->close(flow->env.kernels);
}

void strc_stream::reportFailure() {
    strc::base::Context& context = compiler->program.context;
    const strc_device_error& error = flow->env.device_error;
    if (error.failure == STRC_MESH_FAILED && error.bytes != 0)
        context.diags.add(strc::base::Diag::OutOfMemory)
            << error.text << static_cast<std::int64_t>(error.bytes);
    else if (error.failure == STRC_MESH_FAILED)
        context.diags.add(strc::base::Diag::CannotReadFile)
            << "the other processes" << std::string(error.why) + ", when it was " + error.text;
    else if (error.failure == STRC_KERNELS_FAILED)
        context.diags.add(strc::base::Diag::CannotOpenFile) << error.text << error.why;
    else
        strc::host::reportFault(context, strc::plan::firingProgram(*compiler->program.plan).graph,
                                compiler->code->sites, flow->env.fault);
}

strc_status strc_stream::set(std::uint32_t parameter, const void* value, std::size_t size) {
    int failed = 0;
    auto attempt = [&] { failed = strc_flow_set(flow, parameter, value, size); };
    if (hasOwnStack)
        strc::base::onOwnStack(attempt);
    else
        attempt();
    if (failed == 0) return STRC_OK;
    reportFailure();
    compiler->tell();
    return STRC_FAILED;
}

int strc_stream::run(int (*what)(strc_flow*, const strc_flow_ends*), const strc_flow_ends& ports) {
    int failed = 0;
    if (hasOwnStack && !flow->pulled)  // a run by demand has one from the start
        strc::base::onOwnStack([&] { failed = what(flow, &ports); });
    else
        failed = what(flow, &ports);
    return failed;
}

template <typename Ports>
strc_status strc_stream::call(int (*what)(strc_flow*, const strc_flow_ends*), const Ports& arrays,
                              std::size_t inCount, std::size_t outCount) {
    struct Call {
        const Ports& arrays;
        strc_stream& stream;
    } call{arrays, *this};
    strc_flow_ends ports{};
    ports.self = &call;
    ports.in_count = facts.in_size != 0 ? inCount : 0;
    ports.out_count = facts.out_size != 0 ? outCount : 0;
    ports.take = [](void* self, void* to, std::size_t first, std::size_t items) {
        static_cast<Call*>(self)->arrays.take(to, first, items);
    };
    ports.give = [](void* self, const void* from, std::size_t first, std::size_t items) {
        static_cast<Call*>(self)->arrays.give(from, first, items);
    };
    ports.print = [](void* self, const char* text, std::uint64_t size) {
        const strc_stream& stream = static_cast<Call*>(self)->stream;
        if (stream.print) stream.print(stream.printUser, text, size);
    };
    const int failed = replacing ? replacing->run(*this, what, ports) : run(what, ports);
    if (failed == 0) return STRC_OK;
    reportFailure();
    compiler->tell();
    return STRC_FAILED;
}

namespace {

/// Whatever `ports` are made of.
template <typename Ports>
strc_status processed(strc_stream* stream, const Ports& ports, std::size_t inCount,
                      std::size_t outCount, std::size_t* consumed, std::size_t* produced) {
    if (stream->replacing) stream->replacing->takeOver(*stream);
    if (stream->flow->has_failed) return STRC_FAILED;
    if (stream->flow->is_draining || !stream->knowsMesh()) return STRC_WRONG_CALL;
    const strc_status status = strc::api::guarded(stream->compiler, [&] {
        return stream->call(strc_flow_process, ports, inCount, outCount);
    });
    if (consumed) *consumed = stream->flow->taken;
    if (produced) *produced = stream->flow->given;
    return status;
}

template <typename Ports>
strc_status drained(strc_stream* stream, const Ports& ports, std::size_t outCount,
                    std::size_t* produced) {
    if (stream->flow->has_failed) return STRC_FAILED;
    if (!stream->knowsMesh()) return STRC_WRONG_CALL;
    const strc_status status = strc::api::guarded(
        stream->compiler, [&] { return stream->call(strc_flow_drain, ports, 0, outCount); });
    if (produced) *produced = stream->flow->given;
    return status;
}

/// As they are known below.
std::vector<strc_open_end> endsOf(const strc_stream_end* ends, std::size_t count) {
    std::vector<strc_open_end> all;
    for (std::size_t k = 0; ends && k < count; ++k)
        all.push_back({ends[k].items, ends[k].count, 0});
    return all;
}

/// Are there as many as the program has, each with its array?
bool fits(const std::vector<strc_open_end>& ends, const std::vector<std::uint64_t>& turns) {
    return ends.size() == turns.size() &&
           std::all_of(ends.begin(), ends.end(),
                       [](const strc_open_end& end) { return end.items || end.count == 0; });
}

void tellDone(const std::vector<strc_open_end>& from, strc_stream_end* to) {
    for (std::size_t k = 0; k < from.size(); ++k) to[k].done = from[k].done;
}

/// Are all of them there?
template <typename Pointer>
bool areThere(const Pointer* all, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        if (!all[k]) return false;
    return true;
}

}  // namespace

strc_status strc_stream_new(strc_compiler* compiler, strc_stream** to) {
    if (to) *to = nullptr;
    if (!compiler || !to || compiler->hasFailed || compiler->stage < Stage::Planned ||
        !compiler->settings.atOnce)
        return STRC_WRONG_CALL;
    return strc::api::guarded(compiler, [&] {
        auto stream = std::make_unique<strc_stream>(*compiler);
        const bool made = stream->make();
        if (compiler->settings.replaceable)
            stream->replacing = std::make_unique<strc::api::Replacing>();
        compiler->tell();
        if (made) *to = stream.release();
        return made ? STRC_OK : STRC_FAILED;
    });
}

void strc_stream_free(strc_stream* stream) { delete stream; }

void strc_stream_reset(strc_stream* stream) {
    if (!stream) return;
    if (stream->replacing) stream->replacing->reset();
    strc_flow_reset(stream->flow);
}

strc_status strc_stream_set_print(strc_stream* stream, strc_print* print, void* user) {
    if (!stream) return STRC_WRONG_CALL;
    stream->print = print;
    stream->printUser = user;
    return STRC_OK;
}

strc_status strc_stream_tell(const strc_stream* stream, strc_stream_about* to) {
    if (!stream || !to || to->size == 0) return STRC_WRONG_CALL;
    const std::size_t size = std::min(to->size, sizeof *to);
    std::memcpy(to, &stream->about, size);
    to->size = size;
    return STRC_OK;
}

strc_status strc_stream_process(strc_stream* stream, const void* in, size_t in_count, void* out,
                                size_t out_capacity, size_t* consumed, size_t* produced) {
    if (consumed) *consumed = 0;
    if (produced) *produced = 0;
    if (!stream || (!in && in_count != 0) || (!out && out_capacity != 0)) return STRC_WRONG_CALL;
    const StreamArrays arrays{static_cast<const std::byte*>(in), static_cast<std::byte*>(out),
                              stream->facts.in_size, stream->facts.out_size};
    return processed(stream, arrays, in_count, out_capacity, consumed, produced);
}

strc_status strc_stream_process_items(strc_stream* stream, const void* const* in, size_t in_count,
                                      void* const* out, size_t out_capacity, size_t* consumed,
                                      size_t* produced) {
    if (consumed) *consumed = 0;
    if (produced) *produced = 0;
    if (!stream || (!in && in_count != 0) || (!out && out_capacity != 0) ||
        !areThere(in, in_count) || !areThere(out, out_capacity))
        return STRC_WRONG_CALL;
    const Places places(*stream, in, out);
    return processed(stream, places, in_count, out_capacity, consumed, produced);
}

strc_status strc_stream_drain(strc_stream* stream, void* out, size_t out_capacity,
                              size_t* produced) {
    if (produced) *produced = 0;
    if (!stream || (!out && out_capacity != 0)) return STRC_WRONG_CALL;
    const StreamArrays arrays{nullptr, static_cast<std::byte*>(out), stream->facts.in_size,
                              stream->facts.out_size};
    return drained(stream, arrays, out_capacity, produced);
}

strc_status strc_stream_process_ends(strc_stream* stream, strc_stream_end* in, size_t inputs,
                                     strc_stream_end* out, size_t outputs) {
    if (!stream || !stream->inTypes.empty() || !stream->outTypes.empty()) return STRC_WRONG_CALL;
    std::vector<strc_open_end> ins = endsOf(in, inputs), outs = endsOf(out, outputs);
    if (!fits(ins, stream->inTurns) || !fits(outs, stream->outTurns)) return STRC_WRONG_CALL;
    const Turned ends(*stream, ins.empty() ? nullptr : ins.data(),
                      outs.empty() ? nullptr : outs.data());
    std::size_t consumed = 0, produced = 0;
    const strc_status status =
        processed(stream, ends, ends.inCount(), ends.outCount(), &consumed, &produced);
    ends.conclude(consumed, produced);
    tellDone(ins, in);
    tellDone(outs, out);
    return status;
}

strc_status strc_stream_drain_ends(strc_stream* stream, strc_stream_end* out, size_t outputs) {
    if (!stream || !stream->outTypes.empty()) return STRC_WRONG_CALL;
    std::vector<strc_open_end> outs = endsOf(out, outputs);
    if (!fits(outs, stream->outTurns)) return STRC_WRONG_CALL;
    const Turned ends(*stream, nullptr, outs.empty() ? nullptr : outs.data());
    std::size_t produced = 0;
    const strc_status status = drained(stream, ends, ends.outCount(), &produced);
    ends.conclude(0, produced);
    tellDone(outs, out);
    return status;
}

strc_status strc_stream_drain_items(strc_stream* stream, void* const* out, size_t out_capacity,
                                    size_t* produced) {
    if (produced) *produced = 0;
    if (!stream || (!out && out_capacity != 0) || !areThere(out, out_capacity))
        return STRC_WRONG_CALL;
    return drained(stream, Places(*stream, nullptr, out), out_capacity, produced);
}

strc_status strc_stream_set(strc_stream* stream, const char* parameter, const void* value,
                            size_t size) {
    if (!stream || !parameter || !value) return STRC_WRONG_CALL;
    const strc::session::Compilation& program = stream->compiler->program;
    const std::vector<strc::types::Value>& open = program.plan->program->openValues;
    for (std::size_t k = 0; k < open.size(); ++k) {
        if (program.module.open[k].name != parameter) continue;
        if (open[k].bytes.size() != size) return STRC_WRONG_CALL;
        return strc::api::guarded(stream->compiler, [&] {
            stream->moving.forget(parameter);
            return stream->set(static_cast<std::uint32_t>(k), value, size);
        });
    }
    return STRC_WRONG_CALL;
}
