// `strc repl`: who reads the lines depends on what they come from.
#include <istream>
#include <ostream>
#include <signal.h>
#include <sstream>
#include <unistd.h>

#include "driver/commands.h"
#include "driver/front_end.h"
#include "repl/json.h"
#include "repl/lines.h"

namespace strc::driver {

namespace {

volatile bool stopped = false;

/// Ctrl-C stops what runs, as often as it is pressed, and never ends the process.
class StopOnInterrupt {
public:
    StopOnInterrupt() {
        stopped = false;
        struct sigaction action{};
        action.sa_handler = [](int) { stopped = true; };
        action.sa_flags = SA_RESTART;
        sigaction(SIGINT, &action, &before);
    }
    ~StopOnInterrupt() { sigaction(SIGINT, &before, nullptr); }
    StopOnInterrupt(const StopOnInterrupt&) = delete;
    StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

private:
    struct sigaction before{};
};

int jsonLoop(const Call& call, repl::World world) {
    std::ostream& out = call.world.out;
    repl::JsonSession session(std::move(world), call.options.events,
                              [&](const std::string& line) { out << line << std::flush; });
    std::string line;
    while (std::getline(call.world.in, line) && out && !call.interrupted()) {
        stopped = false;
        if (!session.request(line)) break;
    }
    return kFine;
}

}  // namespace

int replCommand(const Call& call) {
    const bool inIsTerminal = call.world.inIsTerminal;
    const bool isJson = call.options.json;
    if (inIsTerminal && call.world.outIsTerminal && !isJson) {
        const std::string why = startFrontEnd(call.options.arguments);
        if (!why.empty()) call.world.err << "strc: " << why << "; lines are read as they are\n";
    }
    StopOnInterrupt guard;
    repl::World world;
    world.interrupt = &stopped;
    world.build = [&](const std::string& text, const std::string& top, const std::string& file) {
        return buildText(text, top, file);
    };
    if (isJson) return jsonLoop(call, std::move(world));
    world.show = [&](std::string_view text) { call.world.out << text << std::flush; };
    world.colour = call.options.report.colour == When::Always ||
                   (call.options.report.colour == When::Auto && call.world.errIsTerminal);
    const repl::Terminal terminal{call.world.in, call.world.out, call.world.err, inIsTerminal,
                                  &stopped};
    return repl::readLines(terminal, std::move(world), call.options.arguments) ? kFine
                                                                               : kProgramFault;
}

}  // namespace strc::driver
