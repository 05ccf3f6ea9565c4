// `strc run`.
#include <algorithm>
#include <chrono>
#include <ostream>

#include <fmt/format.h>

#include "driver/detail/compiler.h"
#include "driver/detail/front_end.h"
#include "driver/detail/output.h"
#include "driver/detail/progress.h"
#include "driver/detail/replace_file.h"
#include "driver/detail/run_options.h"

namespace strc::driver {

using base::Diag;

namespace {

using Clock = std::chrono::steady_clock;

class Run {
public:
    explicit Run(const Call& wanted)
        : call(wanted),
          options(wanted.options),
          output(wanted.process.out, wanted.process.outIsTerminal),
          progress(wanted.process.err),
          compiler(wanted) {}

    int operator()() {
        compiler.addSources();
        compiler.addInputs();
        if (!compiler.compile(options.has("interpret") ? STRC_STAGE_BALANCED : STRC_STAGE_PLANNED,
                              [this](std::string_view text) { print(text); })) {
            output.flush();
            return stopped ? kFine : statusOfFailure(call);
        }
        if (call.process.outIsTerminal) output.beforeFlush([this] { progress.erase(); });
        execute();
        output.flush();
        progress.erase();
        if (output.failed() && !output.readerGone()) base::report(diags, output.failure());
        compiler.show();
        call.reporter.show(diags);
        if (options.stats && start) printStats();
        if (options.profile && start) {
            showProfile();
            call.reporter.show(diags);
        }
        if (call.reporter.hasErrors()) return call.reporter.status();
        return call.interrupted() && !stopped ? kInterrupted : kFine;
    }

private:
    /// Items on standard output leave standard error to what the program prints.
    void print(std::string_view text) {
        if (options.out.name.value_or("-") == "-" && strc_compiler_has_output(compiler.handle())) {
            call.process.err << text;
            return;
        }
        output.write(text);
        if (!output.failed()) return;
        stopped = true;
        if (call.process.interrupt) *call.process.interrupt = true;
    }

    void execute() {
        strc_items input{};
        strc_items items{};
        strc_compiler_input(compiler.handle(), &input);
        strc_compiler_output(compiler.handle(), &items);
        const auto& files = options.arguments;
        if (input.type && options.in.name.value_or("-") == "-" &&
            std::count(files.begin(), files.end(), "-") > 0) {
            diags.add(Diag::ConflictingOptions) << "source file '-'" << "input from standard input";
            return;
        }
        strc_run_options how = runOptions(options, input.type != nullptr, items.type != nullptr);
        const std::vector<const char*> ins = pointers(options.in);
        const std::vector<const char*> outs = pointers(options.out);
        how.in_files = ins.data();
        how.in_count = ins.size();
        how.out_files = outs.data();
        how.out_count = outs.size();
        setFunctions(how);
        if (strc_compiler_run(compiler.handle(), &how, &result) == STRC_NO_MEMORY)
            throw std::bad_alloc();
        end = Clock::now();
    }

    static std::vector<const char*> pointers(const FileOptions& files) {
        std::vector<const char*> list;
        for (const std::string& name : files.names) list.push_back(name.c_str());
        return list;
    }

    void setFunctions(strc_run_options& how) {
        how.user = this;
        how.print = [](void* run, const char* text, std::size_t size) {
            static_cast<Run*>(run)->print({text, size});
        };
        how.begin = [](void* run) {
            static_cast<Run*>(run)->compiler.showTimes();
            static_cast<Run*>(run)->start = Clock::now();
        };
        // Others may be waiting for what we have.
        how.waiting = [](void* run) { static_cast<Run*>(run)->output.flush(); };
        if (call.process.errIsTerminal && !options.loopInput)
            how.progress = [](void* run, std::uint64_t done, std::uint64_t total) {
                static_cast<Run*>(run)->progress.update(done, total);
            };
    }

    void showProfile() {
        call.process.err << strc_compiler_profile(compiler.handle(), STRC_PROFILE_TABLE)
                         << std::flush;
        if (options.profileFile.empty()) return;
        const char* json = strc_compiler_profile(compiler.handle(), STRC_PROFILE_JSON);
        if (base::Status written = replaceFile(options.profileFile, json); !written)
            base::report(diags, written.failure());
    }

    void printStats() {
        const double seconds = std::chrono::duration<double>(end - *start).count();
        std::string rates;
        auto add = [&](std::uint64_t count, std::string_view what) {
            if (count == 0) return;
            rates += fmt::format("; {} items {}", count, what);
            if (seconds > 0)
                rates += fmt::format(" ({}/s)", roundedCount(static_cast<double>(count) / seconds));
        };
        add(result.items_read, "read");
        add(result.items_written, "written");
        call.process.err << fmt::format("{} steady state{}, {} firing{}, {:.3f} s{}\n",
                                        result.iterations, result.iterations == 1 ? "" : "s",
                                        result.firings, result.firings == 1 ? "" : "s", seconds,
                                        rates);
    }

    const Call& call;
    const Options& options;
    Output output;
    Progress progress;
    Compiler compiler;
    base::Diagnostics diags;
    strc_run_result result{};
    bool stopped = false;  ///< because nobody takes the output any more, or it cannot be written
    std::optional<Clock::time_point> start;  ///< of the program
    Clock::time_point end;
};

}  // namespace

int runCommand(const Call& call) {
    if (!call.options.has("interpret")) setUpKernels(call.options.valueOf("kernels"));
    return Run(call)();
}

}  // namespace strc::driver
