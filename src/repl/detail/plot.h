#pragma once
/// Pictures of numbers, one after the other from left to right.

#include <cstdint>
#include <string>
#include <vector>

namespace strc::repl {

/// Lines of text, with the range of the values at the left and the count below. Many numbers share a column:
/// it reaches from the least to the greatest. What is no finite number is left out.
std::string plotText(const std::vector<double>&, std::size_t width, std::size_t height);
std::string plotSvg(const std::vector<double>&);

/// Grey samples, row by row.
struct Raster {
    std::size_t width = 0, height = 0;
    std::vector<std::uint8_t> samples;
};
Raster plotRaster(const std::vector<double>&, std::size_t width, std::size_t height);

}  // namespace strc::repl
