#include "controls/midi.h"

#include <charconv>
#include <cmath>

namespace strc::controls {
namespace {

constexpr int kMost = 127;  ///< of a data byte
constexpr int kChannels = 16;
constexpr std::uint8_t kStatus = 0x80, kControlChange = 0xB0, kSystem = 0xF0, kRealTime = 0xF8;

template <typename T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isWhole = error == std::errc() && end == text.data() + text.size();
    return isWhole ? std::optional(value) : std::nullopt;
}

/// What stands in front of the mark, which goes with it; empty: there is no mark.
std::optional<std::string_view> takeUntil(std::string_view& text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == text.npos) return std::nullopt;
    const std::string_view before = text.substr(0, at);
    text.remove_prefix(at + mark.size());
    return before;
}

bool readRange(std::string_view text, Knob& knob) {
    if (text.ends_with(":log")) {
        knob.isLogarithmic = true;
        text.remove_suffix(4);
    }
    const auto before = takeUntil(text, "..");
    const auto low = before ? number<double>(*before) : std::nullopt;
    const auto high = number<double>(text);
    if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high)) return false;
    knob.low = *low;
    knob.high = *high;
    return *low < *high && (!knob.isLogarithmic || *low > 0);
}

}  // namespace

double Knob::at(int position) const {
    const double part = static_cast<double>(position) / kMost;
    if (position == kMost) return high;
    return isLogarithmic ? low * std::pow(high / low, part) : low + part * (high - low);
}

std::optional<Knob> parseKnob(std::string_view text) {
    Knob knob;
    const auto source = takeUntil(text, "=");
    if (!source) return std::nullopt;
    std::string_view place = *source;
    if (const auto before = takeUntil(place, "/")) {
        const auto channel = number<int>(*before);
        if (!channel || *channel < 1 || *channel > kChannels) return std::nullopt;
        knob.channel = *channel;
    }
    const auto control = number<int>(place);
    if (!control || *control < 0 || *control > kMost) return std::nullopt;
    knob.number = *control;
    const auto name = takeUntil(text, ":");
    if (name && !readRange(text, knob)) return std::nullopt;
    knob.parameter = name.value_or(text);
    return knob.parameter.empty() ? std::nullopt : std::optional(std::move(knob));
}

std::vector<Change> MidiReader::take(std::string_view bytes) {
    std::vector<Change> changes;
    for (const char byte : bytes) takeByte(static_cast<std::uint8_t>(byte), changes);
    return changes;
}

void MidiReader::takeByte(std::uint8_t byte, std::vector<Change>& changes) {
    if (byte >= kRealTime) return;  // may stand anywhere
    if (byte >= kStatus) {
        status = byte < kSystem ? byte : 0;
        first.reset();
        return;
    }
    if ((status & 0xF0) != kControlChange) return;
    if (!first) {
        first = byte;
        return;
    }
    turn((status & 0x0F) + 1, *first, byte, changes);
    first.reset();
}

void MidiReader::turn(int channel, int number, int position, std::vector<Change>& changes) const {
    for (const Knob& knob : knobs)
        if (knob.number == number && (knob.channel == 0 || knob.channel == channel))
            changes.push_back({knob.parameter, knob.at(position)});
}

}  // namespace strc::controls
