// `strc repl`: who reads the lines depends on what they come from.
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>
#include <poll.h>
#include <signal.h>
#include <sstream>
#include <sys/prctl.h>
#include <unistd.h>

#include "driver/detail/commands.h"
#include "driver/detail/front_end.h"
#include "driver/detail/output.h"
#include "repl/json.h"
#include "repl/lines.h"

namespace strc::driver {

namespace {

volatile bool stopped = false;
volatile bool ended = false;
int nothing = -1;  ///< a file without contents
struct sigaction before[2];  ///< of SIGINT, SIGTERM: they note for `main` which signal it was

void stop(int) { stopped = true; }

/// What runs stops, and no more lines come: a read that waits for one, here or later, finds the end.
void end(int signal) {
    stopped = true;
    ended = true;
    const auto& noted = before[signal == SIGTERM];
    if (noted.sa_handler != SIG_DFL && noted.sa_handler != SIG_IGN) noted.sa_handler(signal);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
}

/// Ctrl-C stops what runs, as often as it is pressed, and ends the session only where nobody goes on with it
/// (`endsAll`); SIGTERM ends it always. The second signal to end it ends the process.
class StopOnSignals {
public:
    explicit StopOnSignals(bool endsAll) {
        stopped = false;
        ended = false;
        nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        struct sigaction action{};
        action.sa_handler = endsAll ? end : stop;
        action.sa_flags = static_cast<int>(endsAll ? SA_RESETHAND : SA_RESTART);
        sigaction(SIGINT, &action, &before[0]);
        if (endsAll && before[0].sa_handler == SIG_IGN) sigaction(SIGINT, &before[0], nullptr);
        action.sa_handler = end;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGTERM, &action, &before[1]);
        if (before[1].sa_handler == SIG_IGN) sigaction(SIGTERM, &before[1], nullptr);
    }
    ~StopOnSignals() {
        sigaction(SIGINT, &before[0], nullptr);
        sigaction(SIGTERM, &before[1], nullptr);
        if (nothing >= 0) close(nothing);
        nothing = -1;
    }
    StopOnSignals(const StopOnSignals&) = delete;
    StopOnSignals& operator=(const StopOnSignals&) = delete;
};

/// Waits until a line can be read; false: a signal came first.
bool waitForLine(std::istream& in) {
    if (in.rdbuf()->in_avail() > 0) return true;
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    return poll(&waiting, 1, -1) >= 0 || errno != EINTR;
}

bool hasMore(std::istream& in) {
    if (in.rdbuf()->in_avail() > 0) return true;
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
}

/// The messages if it fails, or empty.
std::string buildText(const std::string& text, const std::string& top, const std::string& file) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    std::string name = (folder / "strc-repl-XXXXXX").string();
    const int handle = error ? -1 : mkstemp(name.data());
    if (handle < 0) return "no temporary file can be made\n";
    close(handle);
    std::ofstream(name) << text;
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    const char* const words[] = {"strc",      "build", "-w",         "--top",
                                 top.c_str(), "-o",    file.c_str(), name.c_str()};
    const int status =
        run(static_cast<int>(std::size(words)), words, {in, out, err, false, false, &stopped});
    std::filesystem::remove(name, error);
    return status == kFine ? std::string() : err.str();
}

/// Standard output. When nothing can be written any more, the session ends.
class Shown {
public:
    explicit Shown(std::ostream& to) : output(to, false) {}

    void write(std::string_view text) {
        output.write(text);
        output.flush();
        if (!output.failed()) return;
        stopped = true;
        ended = true;
    }
    bool failed() const { return output.failed(); }
    /// What went wrong is reported, unless the reader has just had enough.
    int status(const Call& call) const {
        base::Diagnostics diags;
        if (!output.readerGone()) base::report(diags, output.failure());
        call.reporter.show(diags);
        return call.reporter.status();
    }

private:
    Output output;
};

int jsonLoop(const Call& call, repl::Callbacks callbacks, Shown& shown) {
    // A front end that is killed leaves nobody to stop what runs.
    if (call.options.events) prctl(PR_SET_PDEATHSIG, SIGTERM);
    repl::JsonSession session(std::move(callbacks), call.options.events,
                              [&](const std::string& line) { shown.write(line); });
    session.load(call.options.arguments);
    std::string line;
    while (!ended && std::getline(call.process.in, line)) {
        stopped = false;
        if (ended || !session.request(line)) break;
    }
    if (shown.failed()) return shown.status(call);
    return ended ? kInterrupted : kFine;
}

/// Those that were asked for, else of the file that has the name of the first program.
std::string weightsOf(const Call& call) {
    const std::string given = call.options.valueOf("weights");
    if (!given.empty() || call.options.arguments.empty()) return given;
    return std::filesystem::path(call.options.arguments[0])
        .replace_extension("safetensors")
        .string();
}

}  // namespace

int replCommand(const Call& call) {
    const bool inIsTerminal = call.process.inIsTerminal;
    const bool isJson = call.options.json;
    if (inIsTerminal && call.process.outIsTerminal && !isJson && !call.options.plain &&
        isForEditing()) {
        const std::string weights = weightsOf(call);
        std::vector<std::string> options;
        if (!weights.empty()) options = {"--weights", weights};
        const std::string why = becomeFrontEnd(options, call.options.arguments);
        call.process.err << "strc: simple line editing only: " << why << "\n";
    }
    StopOnSignals guard(!inIsTerminal && !isJson);
    repl::Callbacks callbacks;
    callbacks.interrupt = &stopped;
    callbacks.weights = weightsOf(call);
    callbacks.build = [&](const std::string& text, const std::string& top,
                          const std::string& file) { return buildText(text, top, file); };
    Shown shown(call.process.out);
    if (isJson) return jsonLoop(call, std::move(callbacks), shown);
    callbacks.show = [&](std::string_view text) { shown.write(text); };
    callbacks.colour = call.options.report.colour == When::Always ||
                       (call.options.report.colour == When::Auto && call.process.errIsTerminal);
    callbacks.isTerse = !inIsTerminal;
    repl::Terminal terminal{call.process.in, call.process.out, call.process.err};
    terminal.hasPrompt = inIsTerminal;
    terminal.interrupt = &stopped;
    terminal.ended = &ended;
    terminal.hasMore = [&] { return hasMore(call.process.in); };
    if (inIsTerminal) terminal.wait = [&] { return waitForLine(call.process.in); };
    const bool isFine = repl::readLines(terminal, std::move(callbacks), call.options.arguments);
    if (shown.failed()) return shown.status(call);
    if (ended) return kInterrupted;
    return isFine ? kFine : kProgramFault;
}

}  // namespace strc::driver
