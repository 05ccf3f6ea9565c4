#pragma once
/// Control changes in a stream of MIDI bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controls/change.h"

namespace strc::controls {

/// What a knob of a controller moves: "74=cutoff:20..20000:log", or "2/74=..." on channel 2 alone.
struct Knob {
    int channel = 0;  ///< 1 to 16; 0: any
    int number = 0;  ///< 0 to 127
    std::string parameter;
    double low = 0, high = 1;
    bool isLogarithmic = false;

    /// Of 0 to 127.
    double at(int position) const;
};
/// Empty: the text is no such thing.
std::optional<Knob> parseKnob(std::string_view text);

/// Takes the bytes as they come, with running status and what stands between (clocks, system exclusive).
class MidiReader {
public:
    explicit MidiReader(std::vector<Knob> wanted) : knobs(std::move(wanted)) {}
    std::vector<Change> take(std::string_view bytes);
    /// What comes now does not go on with what came before.
    void begin() {
        status = 0;
        first.reset();
    }

private:
    void takeByte(std::uint8_t byte, std::vector<Change>& changes);
    void turn(int channel, int number, int position, std::vector<Change>& changes) const;

    std::vector<Knob> knobs;
    std::uint8_t status = 0;  ///< 0: none that matters
    std::optional<std::uint8_t> first;  ///< data byte of a message that is not complete
};

}  // namespace strc::controls
