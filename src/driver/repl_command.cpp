// `strc repl`: who reads the lines depends on what they come from.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>
#include <signal.h>
#include <sstream>
#include <sys/prctl.h>
#include <unistd.h>

#include "driver/commands.h"
#include "driver/front_end.h"
#include "repl/json.h"
#include "repl/lines.h"

namespace strc::driver {

namespace {

volatile bool stopped = false;
volatile bool ended = false;

/// Ctrl-C stops what runs, as often as it is pressed, and never ends the process; SIGTERM does so, once what
/// runs has stopped.
class StopOnSignals {
public:
    StopOnSignals() {
        stopped = false;
        ended = false;
        struct sigaction action{};
        action.sa_handler = [](int) { stopped = true; };
        action.sa_flags = SA_RESTART;
        sigaction(SIGINT, &action, &interrupt);
        action.sa_handler = [](int) {
            stopped = true;
            ended = true;
        };
        action.sa_flags = 0;  // ends the wait for a line
        sigaction(SIGTERM, &action, &terminate);
    }
    ~StopOnSignals() {
        sigaction(SIGINT, &interrupt, nullptr);
        sigaction(SIGTERM, &terminate, nullptr);
    }
    StopOnSignals(const StopOnSignals&) = delete;
    StopOnSignals& operator=(const StopOnSignals&) = delete;

private:
    struct sigaction interrupt{}, terminate{};
};

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

int jsonLoop(const Call& call, repl::World world) {
    // A front end that is killed leaves nobody to stop what runs.
    if (call.options.events) prctl(PR_SET_PDEATHSIG, SIGTERM);
    std::ostream& out = call.world.out;
    repl::JsonSession session(std::move(world), call.options.events,
                              [&](const std::string& line) { out << line << std::flush; });
    session.load(call.options.arguments);
    std::string line;
    while (std::getline(call.world.in, line) && out && !ended) {
        stopped = false;
        if (!session.request(line)) break;
    }
    return kFine;
}

}  // namespace

int replCommand(const Call& call) {
    const bool inIsTerminal = call.world.inIsTerminal;
    const bool isJson = call.options.json;
    if (inIsTerminal && call.world.outIsTerminal && !isJson && !call.options.plain &&
        isForEditing()) {
        const std::string why = becomeFrontEnd(call.options.arguments);
        call.world.err << "strc: simple line editing only: " << why << "\n";
    }
    StopOnSignals guard;
    repl::World world;
    world.interrupt = &stopped;
    world.build = [&](const std::string& text, const std::string& top, const std::string& file) {
        return buildText(text, top, file);
    };
    if (isJson) return jsonLoop(call, std::move(world));
    world.show = [&](std::string_view text) { call.world.out << text << std::flush; };
    world.colour = call.options.report.colour == When::Always ||
                   (call.options.report.colour == When::Auto && call.world.errIsTerminal);
    world.isTerse = !inIsTerminal;
    const repl::Terminal terminal{call.world.in, call.world.out, call.world.err, inIsTerminal,
                                  &stopped};
    return repl::readLines(terminal, std::move(world), call.options.arguments) ? kFine
                                                                               : kProgramFault;
}

}  // namespace strc::driver
