// `strc live`: a program that runs while its files are edited. One thread runs it; another one watches the files, reads lines with
// values of parameters, and compiles what has been saved.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

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
    /// What is found meanwhile waits for `speak`.
    explicit Version(const Call& call)
        : err(&found),
          process{call.process.in,
                  call.process.out,
                  err,
                  call.process.outIsTerminal,
                  call.process.errIsTerminal,
                  call.process.interrupt,
                  call.process.inIsTerminal},
          reporter(process),
          own{call.options, process, reporter} {
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
    /// Tells what has been found, and from now on whatever is.
    void speak(std::ostream& to) {
        to << found.str() << std::flush;
        err.rdbuf(to.rdbuf());
    }

    std::stringbuf found;
    std::ostream err;
    Process process;
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
          first(wanted) {
        first.speak(call.process.err);
    }
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
        if (next) look();
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

    /// The thread of the sound waits for no other one here, unless something is to be told.
    void between(bool hasFailed) {
        setParameters();
        std::unique_lock lock(speaking, std::defer_lock);
        if (hasFailed)
            lock.lock();
        else if (!lock.try_lock())
            return;  // the next time will do
        showRunning();
        lock.unlock();
        if (hasFailed) std::this_thread::sleep_for(std::chrono::milliseconds(kTick));
    }

    /// The version whose program the stream runs, which the thread that watches may not have been told of yet. Under `speaking`.
    Version& current() {
        const strc_compiler* found = strc_stream_compiler(stream);
        for (Version* version : {next.get(), running.get()})
            if (version && version->handle() == found) return *version;
        return first;
    }
    void showRunning() { current().compiler->show(); }

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
        std::vector<std::string> given;
        {
            const std::unique_lock lock(changing, std::try_to_lock);
            if (!lock) return;  // lines are being added: the next time will do
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
        if (strc_stream_set_text(stream, name.c_str(), value.c_str()) == STRC_OK) return;
        const std::lock_guard lock(speaking);
        showRunning();
    }

    // ---- the thread that watches

    void edit() {
        LineInput input;
        const bool hasLines = !readsStandardInput();
        while (!isOver) {
            const std::vector<controls::Change> changes = controllers.wait(hasLines ? 0 : kTick);
            for (const std::string& line : controllers.takeNews()) say("strc live: " + line + "\n");
            std::vector<std::string> read;
            if (hasLines) read = input.wait(controllers.areOpen() ? kTick / 4 : kTick);
            add(changes, read);
            if (next)
                look();
            else if (files.haveChanged())
                beginAnew();
        }
    }

    void add(const std::vector<controls::Change>& changes, std::vector<std::string>& read) {
        std::vector<std::string> added;
        for (const controls::Change& each : changes) added.push_back(controls::textOf(each));
        for (std::string& line : read)
            if (!line.empty()) added.push_back(std::move(line));
        if (added.empty()) return;
        const std::lock_guard lock(changing);
        for (std::string& line : added) lines.push_back(std::move(line));
    }

    /// Nobody is kept from speaking while the files are read: what is found in them is told afterwards.
    void beginAnew() {
        auto made = std::make_unique<Version>(call);
        const bool isRead = !made->reporter.hasErrors();
        strc_compiler* handle = made->handle();
        {
            const std::lock_guard lock(speaking);
            made->speak(call.process.err);
            next = std::move(made);
        }
        if (isRead && strc_stream_replace(stream, handle,
                                          static_cast<std::uint64_t>(options.fade)) == STRC_OK)
            return;
        drop(false);
    }

    /// Of the program that was asked for: has it been refused, or does it run? Then the one before is of no use any more, but for the first, which
    /// knows the types of the files. It is freed here, where no sound waits for it.
    void look() {
        const strc_replacement about = replacement();
        if (about.state == STRC_REPLACING_REFUSED) return drop(true);
        if (about.state != STRC_REPLACING_DONE) return;
        say(saidOf(about.told));
        std::unique_ptr<Version> before;
        const std::lock_guard lock(speaking);
        before = std::exchange(running, std::move(next));
    }

    /// What was to come does not.
    void drop(bool isRefused) {
        std::unique_ptr<Version> refused;
        const std::lock_guard lock(speaking);
        if (isRefused) next->compiler->show();
        call.process.err << kGoesOn << std::flush;
        refused = std::move(next);
    }

    static constexpr const char* kGoesOn = "strc live: the program goes on as it was\n";

    const Call& call;
    Controllers& controllers;
    const Options& options;
    Output output;
    WatchedFiles files;
    Version first;
    strc_stream* stream = nullptr;
    std::atomic<bool> isOver = false;

    std::mutex
        speaking;  ///< of standard error, and of the versions, which only the thread that watches changes
    std::unique_ptr<Version> running;  ///< null: the first
    std::unique_ptr<Version> next;  ///< null: nothing is under way

    std::mutex changing;  ///< of the lines, for as long as it takes to add some
    std::vector<std::string> lines;  ///< values of parameters
};

}  // namespace

int liveCommand(const Call& call) {
    base::Diagnostics diags;
    Controllers controllers(call.options, diags);
    const int status = opened(call, controllers, diags);
    return status == kFine ? Live(call, controllers)() : status;
}

}  // namespace strc::driver
