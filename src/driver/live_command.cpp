// `strc live`: a program that runs while its files are edited. One thread runs it; another one watches the files, reads lines with
// values of parameters, and compiles what has been saved.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <ostream>

#include <fmt/format.h>

#include "base/thread.h"
#include "driver/detail/compiler.h"
#include "driver/detail/controllers.h"
#include "driver/detail/line_input.h"
#include "driver/detail/output.h"
#include "driver/detail/run_options.h"
#include "driver/detail/watched_files.h"

namespace strc::driver {
namespace {

constexpr int kTick = 20;  ///< milliseconds between two looks at the files
constexpr const char* kAtOnce = "256";
constexpr const char* kBound = "65536";

/// A version of the program: what it was made of, and what was found in it. Faults of an edited one are no faults of the call.
struct Version {
    explicit Version(const Call& call)
        : reporter(call.process), own{call.options, call.process, reporter} {
        reporter.setOptions(call.options.report);
        compiler = std::make_unique<Compiler>(own);
        compiler->set("replaceable");
        compiler->set("open-ranges");
        compiler->set("no-interpret");
        compiler->set("at-once", kAtOnce);
        if (!call.options.has("bound")) compiler->set("bound", kBound);
        compiler->addSources();
        compiler->addInputs();
    }
    strc_compiler* handle() const { return compiler->handle(); }

    Reporter reporter;
    Call own;
    std::unique_ptr<Compiler> compiler;
};

class Live {
public:
    Live(const Call& wanted, Controllers& turned)
        : call(wanted),
          controllers(turned),
          options(wanted.options),
          output(wanted.process.out, wanted.process.outIsTerminal),
          files(filesOf(wanted.options)),
          first(wanted) {}
    ~Live() { strc_stream_free(stream); }
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    int operator()() {
        const Print print = [this](std::string_view text) { this->print(text); };
        if (!first.compiler->compile(STRC_STAGE_PLANNED, print)) return failed();
        const strc_status made = strc_stream_new(first.handle(), &stream);
        first.compiler->show();
        if (made != STRC_OK) return failed();
        std::thread editor = base::threadWithoutSignals([this] { edit(); });
        const strc_status status = run();
        isOver = true;
        editor.join();
        if (status == STRC_NO_MEMORY) throw std::bad_alloc();
        output.flush();
        current().compiler->show();
        if (status != STRC_OK) return failed();
        return call.interrupted() ? kInterrupted : kFine;
    }

private:
    int failed() {
        output.flush();
        if (call.interrupted()) return kInterrupted;
        return current().reporter.hasErrors() ? current().reporter.status() : kProgramFault;
    }

    static std::vector<std::string> filesOf(const Options& options) {
        std::vector<std::string> names;
        for (const std::string& file : options.arguments)
            if (file != "-") names.push_back(file);
        const std::string weights = options.valueOf("weights");
        if (!weights.empty() && !weights.starts_with("random:")) names.push_back(weights);
        return names;
    }

    bool givesToStandardOutput() const {
        return options.out.name.value_or("-") == "-" && strc_compiler_has_output(first.handle());
    }
    bool readsStandardInput() const {
        strc_items input{};
        strc_compiler_input(first.handle(), &input);
        const auto& sources = options.arguments;
        return (input.type && options.in.name.value_or("-") == "-") ||
               std::find(sources.begin(), sources.end(), "-") != sources.end();
    }

    void print(std::string_view text) {
        if (!givesToStandardOutput()) return output.write(text);
        say(text);
    }
    void say(std::string_view text) {
        const std::lock_guard lock(speaking);
        call.process.err << text << std::flush;
    }

    // ---- the thread that runs the program

    /// Not STRC_OK: a file could not be opened, read or written. Faults that another version has mended do not count.
    strc_status run() {
        strc_items input{}, items{};
        strc_compiler_input(first.handle(), &input);
        strc_compiler_output(first.handle(), &items);
        strc_run_options how = runOptions(options, input.type != nullptr, items.type != nullptr);
        how.user = this;
        how.print = [](void* live, const char* text, std::size_t size) {
            static_cast<Live*>(live)->print({text, size});
        };
        how.waiting = [](void* live) { static_cast<Live*>(live)->output.flush(); };
        return strc_stream_run(
            stream, &how,
            [](void* live, int hasFailed) {
                static_cast<Live*>(live)->between(hasFailed != 0);
                return 0;
            },
            nullptr);
    }

    void between(bool hasFailed) {
        adopt();
        setParameters();
        showOf(current());
        if (hasFailed) std::this_thread::sleep_for(std::chrono::milliseconds(kTick));
    }

    Version& current() { return running ? *running : first; }
    void showOf(Version& version) {
        const std::lock_guard lock(speaking);
        version.compiler->show();
    }

    /// Called after each step, so a program that took over in it is seen before the thread waits for more input.
    /// Once the new program runs the one before it is of no use any more, but for the first, which knows the types of the files.
    void adopt() {
        const std::lock_guard lock(changing);
        if (!next) return;
        const strc_replacement about = replacement();
        if (about.state != STRC_REPLACING_DONE) return;
        say(saidOf(about.told));
        running = std::move(next);
    }

    strc_replacement replacement() {
        strc_replacement about{};
        about.size = sizeof about;
        (void)strc_stream_replacement(stream, 0, &about);
        return about;
    }

    static std::string saidOf(std::string_view told) {
        std::string text = "strc live: the new program runs\n";
        for (std::size_t begin = 0; begin < told.size();) {
            const std::size_t end = std::min(told.find('\n', begin), told.size());
            text += fmt::format("    {}\n", told.substr(begin, end - begin));
            begin = end + 1;
        }
        return text;
    }

    void setParameters() {
        std::deque<std::string> given;
        {
            const std::lock_guard lock(changing);
            std::swap(given, lines);
        }
        for (const std::string& line : given) setParameter(line);
    }

    void setParameter(const std::string& line) {
        const std::size_t equals = line.find('=');
        if (equals == 0 || equals == line.npos) {
            say(fmt::format("strc live: '{}' is not NAME=VALUE\n", line));
            return;
        }
        const std::string name = line.substr(0, equals), value = line.substr(equals + 1);
        if (strc_stream_set_text(stream, name.c_str(), value.c_str()) != STRC_OK) showOf(current());
    }

    // ---- the thread that watches

    void edit() {
        LineInput input;
        const bool hasLines = !readsStandardInput();
        while (!isOver) {
            const std::vector<controls::Change> changes = controllers.wait(hasLines ? 0 : kTick);
            std::vector<std::string> read;
            if (hasLines) read = input.wait(controllers.areOpen() ? kTick / 4 : kTick);
            const std::lock_guard lock(changing);
            for (const controls::Change& each : changes) lines.push_back(controls::textOf(each));
            for (std::string& line : read)
                if (!line.empty()) lines.push_back(std::move(line));
            if (next)
                look();
            else if (files.haveChanged())
                beginAnew();
        }
    }

    void beginAnew() {
        const std::lock_guard lock(speaking);
        auto made = std::make_unique<Version>(call);
        if (made->reporter.hasErrors() ||
            strc_stream_replace(stream, made->handle(), static_cast<std::uint64_t>(options.fade)) !=
                STRC_OK) {
            call.process.err << kGoesOn << std::flush;
            return;
        }
        next = std::move(made);
    }

    /// Has the new program been refused? That it runs is seen by the thread that runs it.
    void look() {
        if (replacement().state != STRC_REPLACING_REFUSED) return;
        const std::lock_guard lock(speaking);
        next->compiler->show();
        call.process.err << kGoesOn << std::flush;
        next.reset();
    }

    static constexpr const char* kGoesOn = "strc live: the program goes on as it was\n";

    const Call& call;
    Controllers& controllers;
    const Options& options;
    Output output;
    WatchedFiles files;
    Version first;
    std::unique_ptr<Version> running;  ///< null: the first
    strc_stream* stream = nullptr;
    std::atomic<bool> isOver = false;

    std::mutex speaking;  ///< of standard error
    std::mutex changing;  ///< of all that follows
    std::unique_ptr<Version> next;  ///< null: nothing is under way
    std::deque<std::string> lines;  ///< values of parameters
};

}  // namespace

int liveCommand(const Call& call) {
    base::Diagnostics diags;
    Controllers controllers(call.options, diags);
    const int status = opened(call, controllers, diags);
    return status == kFine ? Live(call, controllers)() : status;
}

}  // namespace strc::driver
