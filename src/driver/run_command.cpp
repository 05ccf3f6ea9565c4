#include <algorithm>
#include <chrono>
#include <ostream>
#include <sys/stat.h>

#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/output.h"
#include "driver/progress.h"
#include "host/run.h"
#include "session/engine.h"

namespace strc::driver {

using base::Diag;
using base::Result;

namespace {

bool isSameFile(const std::string& one, const std::string& other) {
    struct stat first{};
    struct stat second{};
    if (stat(one.c_str(), &first) != 0 || stat(other.c_str(), &second) != 0) return false;
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

using Clock = std::chrono::steady_clock;

double secondsBetween(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

class Run {
public:
    explicit Run(const Call& wanted)
        : call(wanted),
          options(wanted.options),
          output(wanted.world.out, wanted.world.outIsTerminal),
          progress(wanted.world.err) {}

    int operator()() {
        TimesAtEnd times(call, program);
        Stage wanted = options.interpret ? Stage::Balanced : Stage::Planned;
        if (compileFiles(
                call, program, wanted, [this](std::string_view text) { print(text); },
                !options.noInterpret) < wanted) {
            output.flush();
            return stopped ? kFine : statusOfFailure(call);
        }
        if (call.world.outIsTerminal) output.beforeFlush([this] { progress.erase(); });
        openFiles();
        base::Context& context = program.context;
        if (!context.diags.hasErrors()) execute();
        output.flush();
        progress.erase();
        if (output.failed() && !output.readerGone()) base::report(context.diags, output.failure());
        call.reporter.show(context);
        if (options.stats && ran) printStats();
        if (call.reporter.hasErrors()) return call.reporter.status();
        return call.interrupted() && !stopped ? kInterrupted : kFine;
    }

private:
    // ---------------------------------------------------------------- files of an open stream

    std::optional<io::Format> formatOf(const FileOptions& file) {
        std::optional<io::Format> format = file.format ? file.format : io::formatOf(file.name);
        if (!format)
            (program.context.diags.add(Diag::UnknownFormat) << file.name).note(Diag::Hint)
                << fmt::format("'--{}-format' says what it is",
                               &file == &options.in ? "in" : "out");
        return format;
    }

    bool checkSide(const FileOptions& file, graph::EdgeId edge, std::string_view side) {
        if (edge == graph::kNone && file.given)
            program.context.diags.add(Diag::MainStreamSide)
                << file.option << program.main->name << side;
        return edge != graph::kNone;
    }

    void openFiles() {
        const graph::Graph& graph = program.elaboration.graph;
        bool hasInput = checkSide(options.in, graph.input, "input");
        bool hasOutput = checkSide(options.out, graph.output, "output");
        base::Diagnostics& diags = program.context.diags;
        if (hasInput && options.in.name == "-" &&
            std::count(options.arguments.begin(), options.arguments.end(), "-") > 0)
            diags.add(Diag::ConflictingOptions) << "source file '-'" << "input from standard input";
        if (hasInput && hasOutput && isSameFile(options.in.name, options.out.name))
            diags.add(Diag::ConflictingOptions) << "--in" << "--out with the same file";
        if (diags.hasErrors()) return;
        if (hasInput) openInput(graph.edges[graph.input].type);
        if (hasOutput && !diags.hasErrors()) openOutput(graph.edges[graph.output].type);
    }

    void openInput(const types::Type* item) {
        auto format = formatOf(options.in);
        if (!format) return;
        auto opened = io::openReader(options.in.name, *format, item, [this] { waiting(); });
        if (opened)
            input = std::move(*opened);
        else
            base::report(program.context.diags, opened.failure());
    }

    void openOutput(const types::Type* item) {
        auto format = formatOf(options.out);
        if (!format) return;
        auto opened = io::openWriter(options.out.name, *format, item, outInfo());
        if (!opened) {
            base::report(program.context.diags, opened.failure());
            return;
        }
        items = std::move(*opened);
    }

    /// What was not asked for is as the input has it.
    io::StreamInfo outInfo() const {
        io::StreamInfo info = options.outInfo;
        if (!input) return info;
        io::StreamInfo from = input->info();
        auto take = [](int& field, int other) {
            if (field == 0) field = other;
        };
        if (info.bits == 0) info.floating = from.floating;
        take(info.bits, from.bits);
        take(info.sampleRate, from.sampleRate);
        take(info.channels, from.channels);
        take(info.width, from.width);
        return info;
    }

    // ---------------------------------------------------------------- running

    bool itemsToStandardOutput() const {
        return options.out.name == "-" && program.main &&
               !program.main->output->is(types::TypeKind::Void);
    }

    /// Items on standard output leave standard error to what the program prints.
    void print(std::string_view text) {
        if (itemsToStandardOutput()) {
            call.world.err << text;
            return;
        }
        output.write(text);
        if (output.failed()) stop();
    }

    /// The input has nothing to give: others may be waiting for what we have.
    void waiting() {
        output.flush();
        if (items && !items->flush() && items->readerGone()) stop();
    }

    void stop() {
        stopped = true;
        *interrupt = true;
    }

    void execute() {
        interp::Options run;
        run.iterations = options.iterations;
        run.limit = options.limit;
        run.seconds = options.seconds;
        run.loopInput = options.loopInput;
        run.padTail = options.padTail;
        run.lenient = options.lenient;
        run.cFormat = options.cFormat;
        run.natives = &program.natives;
        if (options.stepLimit) run.stepLimit = *options.stepLimit;
        run.interrupt = interrupt;
        run.print = [this](std::string_view text) { print(text); };
        run.input = input.get();
        run.inputFormatAssumed = !options.in.format;
        run.output = items.get();
        if (options.in.name != "-") run.inputName = options.in.name;
        run.beforeWaiting = [this] { waiting(); };
        if (showsProgress())
            run.progress = [this](std::uint64_t done, std::uint64_t total) {
                progress.update(done, total);
            };
        auto begin = Clock::now();
        std::optional<session::Code> compiled;
        if (program.plan && host::whyNot(run).empty()) compiled = makeCode(begin);
        if (!compiled && options.noInterpret && !isOver(begin)) return refuse(run);
        showTimes(call, program.context.passes);
        auto start = Clock::now();
        if (run.seconds) *run.seconds = std::max(0.0, *run.seconds - secondsBetween(begin, start));
        outcome = session::run(program, compiled ? &*compiled : nullptr, run);
        ran = true;
        seconds = secondsBetween(start, Clock::now());
    }

    /// Before the program has begun.
    bool isOver(Clock::time_point begin) const {
        return *interrupt ||
               (options.seconds && secondsBetween(begin, Clock::now()) >= *options.seconds);
    }

    void refuse(const interp::Options& run) {
        program.context.diags.add(Diag::CannotCompile) << session::whyInterpreted(program, run);
    }

    /// Empty as session::makeCode says: the interpreter, which starts at once, then also opens and closes the
    /// files of a run that is over before it began.
    std::optional<session::Code> makeCode(Clock::time_point begin) {
        codegen::Options how = session::codegenOptions(options);
        how.interrupted = [this, begin] { return isOver(begin); };
        return session::makeCode(program, how);
    }

    bool showsProgress() const { return call.world.errIsTerminal && !options.loopInput; }

    void printStats() {
        std::string rates;
        auto add = [&](std::int64_t count, std::string_view what) {
            if (count == 0) return;
            rates += fmt::format("; {} items {}", count, what);
            if (seconds > 0)
                rates += fmt::format(" ({}/s)", roundedCount(static_cast<double>(count) / seconds));
        };
        add(outcome.itemsRead, "read");
        add(outcome.itemsWritten, "written");
        call.world.err << fmt::format("{} steady state{}, {} firing{}, {:.3f} s{}\n",
                                      outcome.iterations, outcome.iterations == 1 ? "" : "s",
                                      outcome.firings, outcome.firings == 1 ? "" : "s", seconds,
                                      rates);
    }

    const Call& call;
    const Options& options;
    Output output;
    Progress progress;
    Compilation program;
    std::unique_ptr<io::ItemReader> input;
    std::unique_ptr<io::ItemWriter> items;
    volatile bool ownInterrupt = false;
    volatile bool* interrupt = call.world.interrupt ? call.world.interrupt : &ownInterrupt;
    bool stopped = false;  ///< because nobody takes the output any more, or it cannot be written
    interp::Outcome outcome;
    double seconds = 0;
    bool ran = false;
};

}  // namespace

int runCommand(const Call& call) { return Run(call)(); }

}  // namespace strc::driver
