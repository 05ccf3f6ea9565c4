// `strc controls`: what controllers of OSC and MIDI turn, as lines that programs read.
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <ostream>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "controls/midi.h"
#include "controls/osc.h"
#include "driver/detail/commands.h"

namespace strc::driver {

using base::Diag;
using controls::Change;

namespace {

constexpr std::size_t kMostBytes = 65536;  ///< of a packet

/// A descriptor, which is closed with it.
class Controller {
public:
    Controller() = default;
    ~Controller() {
        if (number >= 0) ::close(number);
    }
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    /// 0, or why not.
    int listen(std::int64_t port) {
        number = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_ANY);
        const auto* where = reinterpret_cast<const sockaddr*>(&address);
        return number >= 0 && ::bind(number, where, sizeof address) == 0 ? 0 : errno;
    }
    int open(const std::string& file) {
        number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        return number >= 0 ? 0 : errno;
    }
    /// What has come; empty: its end.
    std::string_view read() {
        const ssize_t got = ::read(number, bytes.data(), bytes.size());
        return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
    }
    void close() { ::close(std::exchange(number, -1)); }
    int descriptor() const { return number; }

private:
    int number = -1;
    std::array<char, kMostBytes> bytes{};
};

class Listening {
public:
    Listening(const Call& served, std::vector<controls::Knob> knobs)
        : call(served), reader(std::move(knobs)) {}

    bool open() {
        const Options& options = call.options;
        base::Diagnostics diags;
        int error = options.oscPort ? osc.listen(*options.oscPort) : 0;
        if (error != 0)
            diags.add(Diag::CannotOpenFile)
                << "UDP port " + std::to_string(*options.oscPort) << std::strerror(error);
        error = options.midiFile.empty() ? 0 : midi.open(options.midiFile);
        if (error != 0) diags.add(Diag::CannotOpenFile) << options.midiFile << std::strerror(error);
        const bool isFine = !diags.hasErrors();
        call.reporter.show(diags);
        return isFine;
    }

    /// Until both have ended, nobody reads any more, or it is interrupted.
    void run() {
        while (!call.interrupted() && call.process.out &&
               (osc.descriptor() >= 0 || midi.descriptor() >= 0)) {
            pollfd waiting[] = {{osc.descriptor(), POLLIN, 0}, {midi.descriptor(), POLLIN, 0}};
            if (::poll(waiting, std::size(waiting), -1) < 0) continue;
            if (waiting[0].revents != 0) print(controls::changesOfPacket(osc.read()));
            if (waiting[1].revents != 0) takeMidi();
        }
    }

private:
    void takeMidi() {
        const std::string_view bytes = midi.read();
        if (bytes.empty()) return midi.close();
        print(reader.take(bytes));
    }

    void print(const std::vector<Change>& changes) {
        for (const Change& each : changes) call.process.out << controls::lineOf(each);
        call.process.out << std::flush;
    }

    const Call& call;
    Controller osc, midi;
    controls::MidiReader reader;
};

std::vector<controls::Knob> knobsOf(const Options& options, base::Diagnostics& diags) {
    std::vector<controls::Knob> knobs;
    for (const std::string& text : options.knobs)
        if (auto knob = controls::parseKnob(text))
            knobs.push_back(std::move(*knob));
        else
            diags.add(Diag::BadOptionValue)
                << text << "--cc" << "NUMBER=NAME:LOW..HIGH, such as 74=cutoff:20..20000:log,";
    if (!options.oscPort && options.midiFile.empty())
        diags.add(Diag::BadCommandLine)
            << "there is nothing to listen to: --osc PORT or --midi FILE";
    if (!options.midiFile.empty() && options.knobs.empty())
        diags.add(Diag::BadCommandLine) << "--midi needs --cc, which says what moves";
    return knobs;
}

}  // namespace

int controlsCommand(const Call& call) {
    base::Diagnostics diags;
    std::vector<controls::Knob> knobs = knobsOf(call.options, diags);
    const bool isWrong = diags.hasErrors();
    call.reporter.show(diags);
    if (isWrong) return kWrongCall;
    Listening listening(call, std::move(knobs));
    if (!listening.open()) return kProgramFault;
    listening.run();
    return statusOfFailure(call);
}

}  // namespace strc::driver
