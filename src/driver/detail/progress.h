#pragma once
/// One line on the terminal that says how far a run is; it is gone when the run ends.

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace strc::driver {

class Progress {
public:
    using Clock = std::chrono::steady_clock;

    explicit Progress(std::ostream& terminal, Clock::time_point start = Clock::now())
        : to(terminal), begin(start) {}

    /// Shows that `done` of `total` items have been read, unless something was shown just now.
    void update(std::uint64_t done, std::uint64_t total, Clock::time_point now = Clock::now());
    void erase();

private:
    std::ostream& to;
    Clock::time_point begin;
    Clock::time_point next = begin + std::chrono::milliseconds(500);
    bool shown = false;
};

/// " 42 %  1.2 million items/s  7 s left"
std::string progressLine(std::uint64_t done, std::uint64_t total, double seconds);
/// "950", "12.3 thousand", "4.56 million", …
std::string roundedCount(double count);

}  // namespace strc::driver
