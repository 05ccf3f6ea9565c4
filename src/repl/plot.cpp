#include "repl/detail/plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace strc::repl {
namespace {

struct Range {
    double least = 0, greatest = 0;
    /// The height of a value, between 0 at the bottom and 1.
    double place(double value) const { return (value - least) / (greatest - least); }
};

Range rangeOf(const std::vector<double>& numbers) {
    std::optional<Range> found;
    for (double each : numbers) {
        if (!std::isfinite(each)) continue;
        if (!found) found = Range{each, each};
        found->least = std::min(found->least, each);
        found->greatest = std::max(found->greatest, each);
    }
    Range range = found.value_or(Range{0, 1});
    if (range.least == range.greatest) {
        const double room = std::max(1.0, std::abs(range.least) * 0.5);
        range.least -= room;
        range.greatest += room;
    }
    return range;
}

/// A grid of dots, from the top, with a line through the numbers.
class Dots {
public:
    Dots(std::size_t columns, std::size_t rows)
        : width(columns), height(rows), set(columns * rows) {}

    void draw(const std::vector<double>& numbers, const Range& range) {
        std::optional<std::pair<std::size_t, std::size_t>> before;
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            if (!std::isfinite(numbers[k])) {
                before.reset();
                continue;
            }
            const std::size_t x = numbers.size() == 1 ? 0 : k * (width - 1) / (numbers.size() - 1);
            const double up = range.place(numbers[k]) * static_cast<double>(height - 1);
            const std::size_t y = height - 1 - static_cast<std::size_t>(std::lround(up));
            if (before)
                line(before->first, before->second, x, y);
            else
                put(x, y);
            before = {x, y};
        }
    }
    bool at(std::size_t x, std::size_t y) const { return set[y * width + x]; }

private:
    void put(std::size_t x, std::size_t y) { set[y * width + x] = true; }

    void line(std::size_t fromX, std::size_t fromY, std::size_t toX, std::size_t toY) {
        const auto deltaX = static_cast<double>(toX) - static_cast<double>(fromX);
        const auto deltaY = static_cast<double>(toY) - static_cast<double>(fromY);
        const auto steps = static_cast<int>(std::max({std::abs(deltaX), std::abs(deltaY), 1.0}));
        for (int k = 0; k <= steps; ++k) {
            const double part = static_cast<double>(k) / steps;
            put(static_cast<std::size_t>(std::lround(static_cast<double>(fromX) + part * deltaX)),
                static_cast<std::size_t>(std::lround(static_cast<double>(fromY) + part * deltaY)));
        }
    }

    std::size_t width, height;
    std::vector<bool> set;
};

/// The sign for 2 by 4 dots.
std::string braille(const Dots& dots, std::size_t column, std::size_t row) {
    static constexpr unsigned kBits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    unsigned code = 0;
    for (std::size_t y = 0; y < 4; ++y)
        for (std::size_t x = 0; x < 2; ++x)
            if (dots.at(2 * column + x, 4 * row + y)) code |= kBits[y][x];
    if (code == 0) return " ";
    const unsigned point = 0x2800 + code;
    return {static_cast<char>(0xE0 | (point >> 12)), static_cast<char>(0x80 | (point >> 6 & 0x3F)),
            static_cast<char>(0x80 | (point & 0x3F))};
}

}  // namespace

std::string plotText(const std::vector<double>& numbers, std::size_t width, std::size_t height) {
    if (numbers.empty()) return {};
    const Range range = rangeOf(numbers);
    const std::string top = fmt::format("{:.4g}", range.greatest);
    const std::string bottom = fmt::format("{:.4g}", range.least);
    const std::size_t margin = std::max(top.size(), bottom.size());
    const std::size_t columns =
        std::max<std::size_t>(width > margin + 3 ? width - margin - 3 : 1, 8);
    Dots dots(2 * columns, 4 * height);
    dots.draw(numbers, range);
    std::string out;
    for (std::size_t row = 0; row < height; ++row) {
        const std::string& label = row == 0 ? top : row + 1 == height ? bottom : "";
        std::string line = fmt::format("{:>{}} ┤", label, margin);
        std::string cells;
        for (std::size_t column = 0; column < columns; ++column)
            cells += braille(dots, column, row);
        cells.resize(cells.find_last_not_of(' ') + 1);
        out += line + cells + "\n";
    }
    return out + fmt::format("{:>{}}  0 … {}\n", "", margin, numbers.size() - 1);
}

std::string plotSvg(const std::vector<double>& numbers) {
    constexpr double kWidth = 640;
    constexpr double kHeight = 320;
    constexpr double kMargin = 48;
    const Range range = rangeOf(numbers);
    std::string path;
    bool isDown = false;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (!std::isfinite(numbers[k])) {
            isDown = false;
            continue;
        }
        const double part = numbers.size() == 1
                                ? 0
                                : static_cast<double>(k) / static_cast<double>(numbers.size() - 1);
        path += fmt::format("{}{:.2f} {:.2f}", isDown ? "L" : "M",
                            kMargin + part * (kWidth - 2 * kMargin),
                            kHeight - kMargin - range.place(numbers[k]) * (kHeight - 2 * kMargin));
        isDown = true;
    }
    auto text = [](double x, double y, const char* anchor, const std::string& what) {
        return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                           what);
    };
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n",
        kWidth, kHeight);
    svg += fmt::format("<path d=\"M{0} {0}V{1}H{2}\" fill=\"none\" stroke=\"gray\"/>\n", kMargin,
                       kHeight - kMargin, kWidth - kMargin);
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#1f6fb4\" stroke-width=\"1.5\"/>\n",
                       path);
    svg += text(kMargin - 6, kMargin + 4, "end", fmt::format("{:.4g}", range.greatest));
    svg += text(kMargin - 6, kHeight - kMargin + 4, "end", fmt::format("{:.4g}", range.least));
    svg += text(kMargin, kHeight - kMargin + 18, "start", "0");
    svg += text(kWidth - kMargin, kHeight - kMargin + 18, "end",
                std::to_string(numbers.empty() ? 0 : numbers.size() - 1));
    return svg + "</svg>\n";
}

Raster plotRaster(const std::vector<double>& numbers, std::size_t width, std::size_t height) {
    constexpr std::size_t kMargin = 16;
    const Range range = rangeOf(numbers);
    Raster made{width, height, std::vector<std::uint8_t>(width * height, 255)};
    for (std::size_t y = kMargin; y <= height - kMargin; ++y)
        made.samples[y * width + kMargin] = 160;
    for (std::size_t x = kMargin; x <= width - kMargin; ++x)
        made.samples[(height - kMargin) * width + x] = 160;
    Dots dots(width - 2 * kMargin, height - 2 * kMargin);
    dots.draw(numbers, range);
    for (std::size_t y = 0; y < height - 2 * kMargin; ++y)
        for (std::size_t x = 0; x < width - 2 * kMargin; ++x)
            if (dots.at(x, y)) made.samples[(y + kMargin) * width + x + kMargin] = 0;
    return made;
}

}  // namespace strc::repl
