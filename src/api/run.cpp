// Programs that run in this process, between functions of the caller.
#include "host/run.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "api/detail/compiler.h"
#include "api/detail/files.h"
#include "codegen/object.h"
#include "interp/files.h"
#include "session/run_length.h"
#include "session/tuning.h"

namespace {

using Clock = std::chrono::steady_clock;
using strc::session::Stage;

class Run {
public:
    Run(strc_compiler& compiler, const strc_run_options& wanted)
        : compiler(compiler), options(wanted), ports(compiler, wanted, [this] { waiting(); }) {}

    strc_run_result operator()() {
        strc_run_result result{};
        result.end = STRC_RUN_FAILED;
        if (!ports.open()) return result;
        strc::interp::Options how = makeOptions();
        if (how.limit) checkLimit();
        if (how.tail == strc::interp::Tail::Pad) checkPad();
        makeCode(how);
        if (compiler.program.context.diags.hasErrors()) return result;
        const std::string undrained = whyNotDrained();
        const bool compiled = compiler.code && strc::host::whyNot(how).empty() && undrained.empty();
        if (!compiled && compiler.settings.noInterpret && !isOver()) {
            compiler.program.context.diags.add(strc::base::Diag::CannotCompile)
                << (undrained.empty() ? strc::session::whyInterpreted(compiler.program, how)
                                      : undrained);
            return result;
        }
        if (!compiled && !isOver())
            strc::session::checkInterpreted(compiler.program, compiler.settings, how);
        if (compiler.program.context.diags.hasErrors()) return result;
        if (options.begin) options.begin(options.user);
        if (how.seconds) *how.seconds = std::max(0.0, *how.seconds - elapsed());
        compiler.profile.reset();
        const strc::session::Code* code = compiled ? &*compiler.code : nullptr;
        if (options.profile != 0) {
            compiler.profile = strc::session::makeProfile(compiler.program, code, how);
            how.profile = compiler.profile->handle();
        }
        const strc::interp::Outcome outcome = strc::session::run(compiler.program, code, how);
        auto count = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
        return {endOf(outcome.end),        compiled,
                count(outcome.iterations), count(outcome.firings),
                count(outcome.itemsRead),  count(outcome.itemsWritten),
                count(outcome.itemsLeft)};
    }

private:
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start).count(); }
    bool limitsSeconds() const {
        return options.seconds > 0 || (options.even_zero & STRC_ZERO_SECONDS) != 0;
    }
    /// Before the program has begun.
    bool isOver() const {
        return compiler.isInterrupted() || (limitsSeconds() && elapsed() >= options.seconds);
    }

    /// A device has the state that would go on. Without a wish the end is dropped there.
    std::string whyNotDrained() const {
        const bool isWanted = options.drain_tail != 0 && compiler.code;
        if (!isWanted || !compiler.code->jit.program().device) return {};
        return "it is drained at the end of its input";
    }

    /// Refuses a limit where the program has nothing that it could count: it would never be reached.
    void checkLimit() {
        if (strc::interp::whatIsLimited(compiler.program.module, compiler.program.elaboration) !=
            strc::interp::Limited::Nothing)
            return;
        compiler.program.context.diags.add(strc::base::Diag::MainStreamSide)
            << "'--limit'" << compiler.program.main->name.text() << "printed lines and no output";
    }

    /// With dynamic rates nothing says how many zeros would do.
    void checkPad() {
        if (!compiler.program.elaboration.graph.isDynamic()) return;
        compiler.program.context.diags.add(strc::base::Diag::MainStreamSide)
            << "'--tail=pad'" << compiler.program.main->name.text()
            << "steady state that zeros could fill";
    }

    /// Without it the interpreter runs, which starts at once: it also opens and closes the files of a run that was over
    /// before its code was made.
    void makeCode(const strc::interp::Options& how) {
        if (compiler.settings.interpret || !strc::host::whyNot(how).empty()) return;
        const bool shares =
            !compiler.program.plan || strc::session::isWorthThreads(*compiler.program.plan, how);
        compiler.makeCode([this] { return isOver(); }, shares);
    }

    /// The input has nothing to give: others may be waiting for what we have. That they are gone is found when more
    /// is written.
    void waiting() {
        if (options.waiting) options.waiting(options.user);
        if (ports.output()) (void)ports.output()->flush();
    }

    /// What flows through a program is wanted to the last item, and with dynamic rates there are no steady states;
    /// files of others are read in whole ones.
    strc::interp::Tail makeTail() const {
        using strc::interp::Tail;
        if (options.drop_tail != 0) return Tail::Drop;
        if (options.pad_tail != 0) return Tail::Pad;
        const strc::graph::Graph& graph = compiler.program.elaboration.graph;
        const bool flows = graph.input != strc::graph::kNone || graph.isDynamic();
        return flows || options.drain_tail != 0 ? Tail::Drain : Tail::Drop;
    }

    strc::interp::Options makeOptions() {
        strc::interp::Options how;
        setBounds(how);
        how.loopInput = options.loop_input != 0;
        how.tail = makeTail();
        how.cFormat = options.c_format != 0;
        how.lenient = compiler.settings.lenient;
        if (compiler.settings.stepLimit) how.stepLimit = *compiler.settings.stepLimit;
        how.natives = &compiler.program.natives;
        how.interrupt = compiler.interrupt;
        how.print = [this](std::string_view text) {
            if (options.print) options.print(options.user, text.data(), text.size());
        };
        if (!options.in)
            how.inputName = "the input";
        else if (std::strcmp(options.in, "-") != 0)
            how.inputName = options.in;
        how.input = ports.input();
        how.inputFormatAssumed = options.in && !options.in_format;
        how.output = ports.output();
        how.beforeWaiting = [this] { waiting(); };
        if (options.progress)
            how.progress = [this](std::uint64_t done, std::uint64_t total) {
                options.progress(options.user, done, total);
            };
        return how;
    }

    void setBounds(strc::interp::Options& how) const {
        auto most = [](std::uint64_t count) {
            return static_cast<std::int64_t>(std::min<std::uint64_t>(count, INT64_MAX));
        };
        if (options.iterations != 0 || (options.even_zero & STRC_ZERO_ITERATIONS) != 0)
            how.iterations = most(options.iterations);
        if (options.limit != 0 || (options.even_zero & STRC_ZERO_LIMIT) != 0)
            how.limit = most(options.limit);
        if (limitsSeconds()) how.seconds = options.seconds;
        how.workers = options.workers;
        how.sharesAlways = options.no_tune != 0;
        how.tuning = strc::session::tuningKey(compiler.program, compiler.settings);
    }

    static strc_run_end endOf(strc::interp::End end) {
        using strc::interp::End;
        switch (end) {
            case End::Iterations: return STRC_RUN_ITERATIONS;
            case End::Limit: return STRC_RUN_LIMIT;
            case End::Seconds: return STRC_RUN_SECONDS;
            case End::EndOfInput: return STRC_RUN_INPUT;
            case End::NoProgress: return STRC_RUN_NO_PROGRESS;
            case End::Interrupted: return STRC_RUN_INTERRUPTED;
            case End::Failed: return STRC_RUN_FAILED;
        }
        return STRC_RUN_FAILED;
    }

    strc_compiler& compiler;
    const strc_run_options& options;
    strc::api::Ports ports;
    Clock::time_point start = Clock::now();
};

}  // namespace

void strc_compiler::makeCode(const std::function<bool()>& isOver, bool shares) {
    if (triedCode && (codeShares || !shares)) return;
    codeShares = shares;
    strc::codegen::Options here = strc::session::codegenOptions(settings);
    if (!here.target.empty()) here.processor.clear();  // of the other kind of machine
    here.target.clear();
    if (const std::string feature = strc::codegen::featureMissingHere(here); !feature.empty()) {
        program.context.diags.add(strc::base::Diag::ProcessorNotHere) << here.processor << feature;
        triedCode = true;
        return;
    }
    here.interrupted = isOver;
    here.shares = shares;
    code = strc::session::makeCode(program, settings, here);
    triedCode = code || !isOver();
}

namespace {

/// The two arrays of strc_compiler_run_items.
struct Arrays {
    const unsigned char* in;
    std::size_t inCount, inSize;
    unsigned char* out;
    std::size_t room, outSize, produced;
};

std::size_t readArray(void* user, void* to, std::size_t count) {
    auto& arrays = *static_cast<Arrays*>(user);
    const std::size_t items = std::min(count, arrays.inCount);
    if (items == 0) return 0;
    std::memcpy(to, arrays.in, items * arrays.inSize);
    arrays.in += items * arrays.inSize;
    arrays.inCount -= items;
    return items;
}

int writeArray(void* user, const void* from, std::size_t count) {
    auto& arrays = *static_cast<Arrays*>(user);
    const std::size_t items = std::min(count, arrays.room - arrays.produced);
    if (items != 0)
        std::memcpy(arrays.out + arrays.produced * arrays.outSize, from, items * arrays.outSize);
    arrays.produced += items;
    return 0;
}

}  // namespace

strc_status strc_compiler_run(strc_compiler* compiler, const strc_run_options* wanted,
                              strc_run_result* to) {
    if (!compiler || !wanted || wanted->size == 0 || compiler->hasFailed) return STRC_WRONG_CALL;
    const Stage needed = compiler->settings.interpret ? Stage::Balanced : Stage::Planned;
    strc_run_options options{};  // of an older caller: what it does not know is not asked for
    std::memcpy(&options, wanted, std::min(wanted->size, sizeof options));
    if (compiler->stage < needed || !strc::api::areFilesKnown(options)) return STRC_WRONG_CALL;
    if (compiler->settings.mesh) return STRC_WRONG_CALL;  // that is for streams
    return strc::api::guarded(compiler, [&] {
        const strc_run_result result = Run(*compiler, options)();
        if (to) *to = result;
        const bool errors = compiler->tell();
        return errors || result.end == STRC_RUN_FAILED ? STRC_FAILED : STRC_OK;
    });
}

const char* strc_compiler_profile(strc_compiler* compiler, strc_profile_form form) {
    if (!compiler || !compiler->profile) return "";
    const strc_status status = strc::api::guarded(compiler, [&] {
        compiler->profileText =
            form == STRC_PROFILE_JSON ? compiler->profile->json() : compiler->profile->table();
        return STRC_OK;
    });
    return status == STRC_OK ? compiler->profileText.c_str() : "";
}

strc_status strc_compiler_run_items(strc_compiler* compiler, const void* in, size_t in_count,
                                    void* out, size_t out_capacity, size_t* produced) {
    if (produced) *produced = 0;
    strc_items input, output;
    if ((!in && in_count != 0) || (!out && out_capacity != 0) ||
        strc_compiler_input(compiler, &input) != STRC_OK ||
        strc_compiler_output(compiler, &output) != STRC_OK || (!input.type && out_capacity == 0))
        return STRC_WRONG_CALL;
    Arrays arrays{static_cast<const unsigned char*>(in),
                  in_count,
                  input.size,
                  static_cast<unsigned char*>(out),
                  out_capacity,
                  output.size,
                  0};
    strc_run_options options{};
    options.size = sizeof options;
    options.limit = out_capacity;
    options.user = &arrays;
    options.read = readArray;
    options.write = writeArray;
    const strc_status status = strc_compiler_run(compiler, &options, nullptr);
    if (produced) *produced = arrays.produced;
    return status;
}
