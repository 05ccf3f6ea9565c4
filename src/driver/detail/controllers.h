#pragma once
/// Controllers of OSC and MIDI that somebody turns, as --osc, --midi and --cc say.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "controls/midi.h"
#include "driver/detail/commands.h"
#include "driver/detail/options.h"

namespace strc::driver {

/// A descriptor that bytes come from; it is closed with it.
class Controller {
public:
    Controller() = default;
    ~Controller();
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    /// At a UDP port. 0, or why not.
    int listen(std::int64_t port);
    int open(const std::string& file);
    /// What has come; empty: its end. Nothing: errno says why.
    std::optional<std::string_view> read();
    /// The next packet of those that are there.
    std::optional<std::string_view> receive();
    void close();
    bool isOpen() const { return number >= 0; }
    bool isDevice() const;
    int descriptor() const { return number; }

private:
    static constexpr std::size_t kMostBytes = 65536;  ///< of a packet

    int number = -1;
    std::array<char, kMostBytes> bytes{};
};

class Controllers {
public:
    /// Reports options that are wrong, or do not go together.
    Controllers(const Options&, base::Diagnostics&);

    /// Is there anything that the options ask for?
    bool areWanted() const { return options.oscPort || !options.midiFile.empty(); }
    /// Reports what cannot be opened.
    void open(base::Diagnostics&);
    /// Can anything come still? A device that has gone may come back.
    bool areOpen() const { return osc.isOpen() || midi.isOpen() || isMidiAwaited; }
    /// What has been turned since; waits so many milliseconds for it, or until something comes (-1).
    std::vector<controls::Change> wait(int milliseconds);
    /// Lines about devices that have gone, or are there again, since the last time.
    std::vector<std::string> takeNews() { return std::exchange(news, {}); }

private:
    using Clock = std::chrono::steady_clock;

    void takePackets(std::vector<controls::Change>&);
    void takeMidi(bool hangsUp, std::vector<controls::Change>&);
    void lookForMidi();

    const Options& options;
    Controller osc, midi;
    controls::MidiReader reader;
    std::vector<std::string> news;
    bool isMidiAwaited = false;  ///< it was a device, which has gone
    Clock::time_point nextLook;  ///< for it
};

/// Opens them unless the options were wrong, and shows what has been reported: kFine, or the status with which the command ends.
int opened(const Call&, Controllers&, base::Diagnostics&);

}  // namespace strc::driver
