#include "driver/detail/controllers.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "controls/osc.h"

namespace strc::driver {

using base::Diag;
using controls::Change;

Controller::~Controller() {
    if (number >= 0) ::close(number);
}

int Controller::listen(std::int64_t port) {
    number = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    return number >= 0 && ::bind(number, where, sizeof address) == 0 ? 0 : errno;
}

int Controller::open(const std::string& file) {
    number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return number >= 0 ? 0 : errno;
}

std::optional<std::string_view> Controller::read() {
    const ssize_t got = ::read(number, bytes.data(), bytes.size());
    if (got < 0) return std::nullopt;
    return std::string_view(bytes.data(), static_cast<std::size_t>(got));
}

std::optional<std::string_view> Controller::receive() {
    const ssize_t got = ::recv(number, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0) return std::nullopt;
    return std::string_view(bytes.data(), static_cast<std::size_t>(got));
}

bool Controller::isDevice() const {
    struct stat about{};
    return ::fstat(number, &about) == 0 && S_ISCHR(about.st_mode);
}

void Controller::close() { ::close(std::exchange(number, -1)); }

namespace {

constexpr int kMostPackets = 4096;  ///< that are taken before anything else is looked at
constexpr int kLook = 500;  ///< milliseconds between two looks for a device that has gone

std::vector<controls::Knob> knobsOf(const Options& options, base::Diagnostics& diags) {
    std::vector<controls::Knob> knobs;
    for (const std::string& text : options.knobs)
        if (auto knob = controls::parseKnob(text))
            knobs.push_back(std::move(*knob));
        else
            diags.add(Diag::BadOptionValue)
                << text << "--cc" << "NUMBER=NAME:LOW..HIGH, such as 74=cutoff:20..20000:log,";
    if (!options.midiFile.empty() && options.knobs.empty())
        diags.add(Diag::BadCommandLine) << "--midi needs --cc, which says what moves";
    if (options.midiFile.empty() && !options.knobs.empty())
        diags.add(Diag::BadCommandLine) << "--cc needs --midi, which says whose knobs these are";
    return knobs;
}

}  // namespace

Controllers::Controllers(const Options& wanted, base::Diagnostics& diags)
    : options(wanted), reader(knobsOf(wanted, diags)) {}

void Controllers::open(base::Diagnostics& diags) {
    int error = options.oscPort ? osc.listen(*options.oscPort) : 0;
    if (error != 0)
        diags.add(Diag::CannotOpenFile)
            << "UDP port " + std::to_string(*options.oscPort) << std::strerror(error);
    error = options.midiFile.empty() ? 0 : midi.open(options.midiFile);
    if (error != 0) diags.add(Diag::CannotOpenFile) << options.midiFile << std::strerror(error);
}

std::vector<Change> Controllers::wait(int milliseconds) {
    if (isMidiAwaited) lookForMidi();
    if (isMidiAwaited && (milliseconds < 0 || milliseconds > kLook)) milliseconds = kLook;
    if (!news.empty()) milliseconds = 0;  // whoever waits has something to tell
    pollfd waiting[] = {{osc.descriptor(), POLLIN, 0}, {midi.descriptor(), POLLIN, 0}};
    if (::poll(waiting, std::size(waiting), milliseconds) <= 0) return {};
    std::vector<Change> changes;
    if (waiting[0].revents != 0) takePackets(changes);
    if (waiting[1].revents != 0)
        takeMidi((waiting[1].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0, changes);
    return changes;
}

void Controllers::takePackets(std::vector<Change>& changes) {
    for (int k = 0; k < kMostPackets; ++k) {
        const std::optional<std::string_view> packet = osc.receive();
        if (!packet) return;
        for (Change& each : controls::changesOfPacket(*packet)) changes.push_back(std::move(each));
    }
}

/// A file or a pipe has an end; a device that hangs up, or cannot be read any more, has been pulled out, and may be put in again.
void Controllers::takeMidi(bool hangsUp, std::vector<Change>& changes) {
    const std::optional<std::string_view> bytes = midi.read();
    if (!bytes && (errno == EINTR || errno == EAGAIN)) return;
    if (bytes)
        for (Change& each : reader.take(*bytes)) changes.push_back(std::move(each));
    if (bytes && !bytes->empty()) return;
    if (!bytes && !midi.isDevice())
        news.push_back("cannot read '" + options.midiFile + "': " + std::strerror(errno));
    isMidiAwaited = midi.isDevice() && (!bytes || hangsUp);
    midi.close();
    nextLook = Clock::now() + std::chrono::milliseconds(kLook);
    if (isMidiAwaited) news.push_back(options.midiFile + " is gone, and is looked for");
}

void Controllers::lookForMidi() {
    if (Clock::now() < nextLook) return;
    nextLook = Clock::now() + std::chrono::milliseconds(kLook);
    if (midi.open(options.midiFile) != 0) return;
    isMidiAwaited = false;
    reader.begin();
    news.push_back(options.midiFile + " is there again");
}

int opened(const Call& call, Controllers& controllers, base::Diagnostics& diags) {
    const bool isWrongCall = diags.hasErrors();
    if (!isWrongCall) controllers.open(diags);
    const bool isFine = !diags.hasErrors();
    call.reporter.show(diags);
    return isFine ? kFine : isWrongCall ? kWrongCall : kProgramFault;
}

}  // namespace strc::driver
