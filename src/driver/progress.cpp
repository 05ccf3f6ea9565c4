#include "driver/detail/progress.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

namespace strc::driver {

namespace {

std::string duration(double seconds) {
    if (seconds >= 359999) return "more than 100 h";
    auto whole = static_cast<int>(std::lround(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string roundedCount(double count) {
    if (count >= 999.5e6) return fmt::format("{:.3g} billion", count / 1e9);
    if (count >= 999.5e3) return fmt::format("{:.3g} million", count / 1e6);
    if (count >= 9999.5) return fmt::format("{:.3g} thousand", count / 1e3);
    return fmt::format("{:.0f}", count);
}

std::string progressLine(std::uint64_t done, std::uint64_t total, double seconds) {
    double fraction =
        total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    std::string line = fmt::format("{:3.0f} %", std::floor(fraction * 100));
    if (seconds > 0)
        line += fmt::format("  {} items/s", roundedCount(static_cast<double>(done) / seconds));
    if (fraction > 0) line += fmt::format("  {} left", duration(seconds / fraction - seconds));
    return line;
}

void Progress::update(std::uint64_t done, std::uint64_t total, Clock::time_point now) {
    if (now < next) return;
    next = now + std::chrono::milliseconds(200);
    std::chrono::duration<double> elapsed = now - begin;
    to << "\r\x1b[K" << progressLine(done, total, elapsed.count()) << std::flush;
    shown = true;
}

void Progress::erase() {
    if (shown) to << "\r\x1b[K" << std::flush;
    shown = false;
}

}  // namespace strc::driver
