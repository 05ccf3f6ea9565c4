#include "repl/commands.h"
#include "repl/plot.h"
#include "repl/values.h"

namespace strc::repl {

using types::Value;

/// The numbers to plot: items of the last run, of a run that is typed, or an expression's value.
std::vector<double> State::numbersOf(const Input& arguments) {
    std::vector<double> numbers;
    if (arguments.text().starts_with("[")) return listedNumbers(arguments);
    if (!arguments.text().empty()) {
        if (isStream(arguments)) {
            const Meanwhile quiet(isQuiet);
            stream(arguments);
        } else {
            if (std::optional<Value> value = valueOf(arguments)) appendNumbers(*value, numbers);
            return numbers;
        }
    }
    for (std::uint64_t k = 0; k < results.count(); ++k) appendNumbers(results[k], numbers);
    return numbers;
}

void State::plotCommand(const Input&, const Input& given) {
    constexpr std::size_t kRows = 12;
    constexpr std::size_t kWidth = 640;
    constexpr std::size_t kHeight = 320;
    Input arguments = given;
    const std::string file = fileAfter(arguments);
    const std::vector<double> numbers = numbersOf(arguments);
    if (numbers.empty())
        fail(given,
             "there are no numbers to draw: ':plot take 100 Ramp()' (what goes to a file is not "
             "kept)");
    const std::string_view name = file;
    if (file.empty()) return show(plotText(numbers, callbacks.width, kRows));
    if (name.ends_with(".svg")) return writeFile(given, file, plotSvg(numbers));
    if (!name.ends_with(".png")) fail(given, "plots go to files that end in .svg or .png");
    const Raster raster = plotRaster(numbers, kWidth, kHeight);
    types::TypeTable types;
    io::StreamInfo info;
    info.channels = 1;
    info.bits = 8;
    info.width = static_cast<int>(kWidth);
    info.height = static_cast<int>(kHeight);
    auto writer = io::openWriter(file, io::Format::Png, types.intType(), info);
    if (!writer) fail(given, writer.error());
    for (std::uint8_t sample : raster.samples) {
        const std::int32_t item = sample;
        if (auto written = (*writer)->write(reinterpret_cast<const std::byte*>(&item), 1); !written)
            fail(given, written.error());
    }
    if (auto closed = (*writer)->close(); !closed) fail(given, closed.error());
    confirm("written to " + file + "\n");
}

}  // namespace strc::repl
