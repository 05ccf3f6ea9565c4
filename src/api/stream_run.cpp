// Streams that run between files.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "api/detail/files.h"
#include "api/detail/stream.h"
#include "interp/files.h"

namespace strc::api {
namespace {

using Clock = std::chrono::steady_clock;

/// Items, and bytes of them, that are taken and given at once at the most.
constexpr std::size_t kAtOnce = 1024, kBytesAtOnce = std::size_t{1} << 20;

std::size_t atOnce(std::size_t itemSize) {
    return std::clamp<std::size_t>(kBytesAtOnce / std::max<std::size_t>(itemSize, 1), 1, kAtOnce);
}

class StreamRun {
public:
    StreamRun(strc_stream& running, const strc_run_options& wanted, strc_between* betweenCalls)
        : stream(running),
          options(wanted),
          between(betweenCalls),
          compiler(*running.compiler),
          ports(compiler, wanted, [this] { waiting(); }) {}

    ~StreamRun() { stream.moving.takeTime(false); }
    StreamRun(const StreamRun&) = delete;
    StreamRun& operator=(const StreamRun&) = delete;

    strc_run_result operator()() {
        result.end = STRC_RUN_FAILED;
        result.compiled = 1;
        if (!hasEnds() || !ports.open()) return result;
        hearSounds();
        const std::size_t items = std::min(atOnce(stream.facts.in_size),
                                           static_cast<std::size_t>(*compiler.settings.atOnce));
        in.resize(items * stream.facts.in_size);
        outItems = atOnce(stream.facts.out_size);
        out.resize(outItems * stream.facts.out_size);
        inItems = items;
        if (options.begin) options.begin(options.user);
        stream.moving.takeTime(true);
        while (!isOver() && step()) continue;
        const bool hasBegun = result.end != STRC_RUN_FAILED || result.items_written != 0;
        if (ports.output() && hasBegun) check(ports.output()->close());
        return result;
    }

private:
    bool hasEnds() {
        if (stream.facts.in_size != 0 || stream.facts.out_size != 0) return true;
        compiler.program.context.diags.add(base::Diag::LibraryWithoutEnds)
            << compiler.program.main->name.text();
        return false;
    }

    /// Warns of a sound that is not what the program takes; the one that is written has the rate of the one that is read.
    void hearSounds() {
        const elab::Elaboration& program = compiler.program.elaboration;
        const graph::Graph& graph = program.graph;
        interp::WrittenFiles sounds;
        if (ports.input())
            sounds.hear(graph, graph::kNone, *ports.input(), options.in ? options.in : "the input");
        sounds.compare(compiler.program.context, program, compiler.program.repetitions);
        if (ports.output()) sounds.complete(graph.edges[graph.output].type, *ports.output());
    }

    bool ends(strc_run_end why) {
        result.end = why;
        return true;
    }

    bool isOver() {
        if (compiler.isInterrupted()) return ends(STRC_RUN_INTERRUPTED);
        if (between && between(options.user, hasFailed) != 0) return ends(STRC_RUN_LIMIT);
        const std::chrono::duration<double> passed = Clock::now() - start;
        const bool isTimed = options.seconds > 0 || (options.even_zero & STRC_ZERO_SECONDS) != 0;
        if (isTimed && passed.count() >= options.seconds) return ends(STRC_RUN_SECONDS);
        return hasEnough() && ends(STRC_RUN_LIMIT);
    }
    bool isLimited() const {
        return options.limit != 0 || (options.even_zero & STRC_ZERO_LIMIT) != 0;
    }
    bool hasEnough() const { return isLimited() && result.items_written >= options.limit; }

    /// False: it is over.
    bool step() {
        stream.moving.go(stream, Clock::now());
        if (pending == 0 && !isDrained && ports.input() && !read()) return false;
        return isDrained ? drain() : process();
    }

    /// At the end of the input draining begins. False: it was interrupted, or cannot be read.
    bool read() {
        base::Result<std::size_t> got = ports.input()->read(in.data(), inItems);
        if (!got) return fail(got.failure());
        if (*got == 0 && compiler.isInterrupted()) return !ends(STRC_RUN_INTERRUPTED);
        if (*got == 0 && options.loop_input != 0 && ports.input()->rewind()) return true;
        isDrained = *got == 0;
        pending = *got;
        first = 0;
        result.items_read += *got;
        return true;
    }

    /// A program that has failed takes and gives nothing, until another one takes its place.
    bool process() {
        std::size_t taken = 0, given = 0;
        const std::byte* from = in.data() + first * stream.facts.in_size;
        const strc_status status = strc_stream_process(&stream, pending == 0 ? nullptr : from,
                                                       pending, out.data(), room(), &taken, &given);
        first += taken;
        pending -= taken;
        hasFailed = status != STRC_OK;
        if (hasFailed && !between) return false;
        return write(given);
    }

    bool drain() {
        std::size_t given = 0;
        const std::size_t most = room();
        if (strc_stream_drain(&stream, out.data(), most, &given) != STRC_OK) return false;
        if (!write(given)) return false;
        if (given == most && most != 0) return true;
        return !ends(STRC_RUN_INPUT);
    }

    std::size_t room() const {
        if (stream.facts.out_size == 0) return 0;
        const std::uint64_t left =
            isLimited() ? options.limit - result.items_written : std::uint64_t{outItems};
        return static_cast<std::size_t>(std::min<std::uint64_t>(left, outItems));
    }

    bool write(std::size_t items) {
        if (items == 0) return true;
        result.items_written += items;
        return check(ports.output()->write(out.data(), items));
    }

    /// That nobody reads any more ends a run as a limit does.
    bool check(const base::Status& status) {
        if (status) return true;
        if (ports.output()->readerGone()) return !ends(STRC_RUN_LIMIT);
        return fail(status.failure());
    }

    bool fail(const base::Failure& failure) {
        base::report(compiler.program.context.diags, failure);
        result.end = STRC_RUN_FAILED;
        return false;
    }

    void waiting() {
        if (options.waiting) options.waiting(options.user);
        if (ports.output()) (void)ports.output()->flush();
    }

    strc_stream& stream;
    const strc_run_options& options;
    strc_between* between;
    strc_compiler& compiler;  ///< of the types that the ports know
    Ports ports;
    std::vector<std::byte> in, out;
    std::size_t inItems = 0, outItems = 0;  ///< that there is room for
    std::size_t first = 0, pending = 0;  ///< items of `in` that have not been taken
    bool isDrained = false, hasFailed = false;
    strc_run_result result{};
    Clock::time_point start = Clock::now();
};

}  // namespace
}  // namespace strc::api

strc_status strc_stream_run(strc_stream* stream, const strc_run_options* wanted,
                            strc_between* between, strc_run_result* to) {
    if (!stream || !wanted || wanted->size == 0) return STRC_WRONG_CALL;
    strc_run_options options{};
    std::memcpy(&options, wanted, std::min(wanted->size, sizeof options));
    if (!strc::api::areFilesKnown(options)) return STRC_WRONG_CALL;
    strc_compiler* compiler = stream->compiler;
    return strc::api::guarded(compiler, [&] {
        if (options.print) strc_stream_set_print(stream, options.print, options.user);
        const strc_run_result result = strc::api::StreamRun(*stream, options, between)();
        if (to) *to = result;
        const bool errors = compiler->tell();
        return errors || result.end == STRC_RUN_FAILED ? STRC_FAILED : STRC_OK;
    });
}
