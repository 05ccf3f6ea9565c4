#include "repl/detail/commands.h"
#include "repl/detail/item_lists.h"
#include "repl/detail/plot.h"
#include "repl/detail/typed_files.h"

namespace strc::repl {

using types::Value;

namespace {

/// The numbers to plot: items of the last run, of a run that is typed, or an expression's value.
std::vector<double> numbersOf(State& state, const Input& arguments) {
    std::vector<double> numbers;
    if (arguments.text().starts_with("["))
        return ItemLists(state.output, state.declarations, state.evaluator).numbers(arguments);
    if (!arguments.text().empty()) {
        if (state.classifier.isStream(arguments)) {
            const Meanwhile quiet(state.output.isQuiet);
            state.runner.stream(arguments);
        } else {
            if (std::optional<Value> value = state.evaluator.valueOf(arguments))
                appendNumbers(*value, numbers);
            return numbers;
        }
    }
    const Items& results = state.runner.results().last();
    for (std::uint64_t k = 0; k < results.count(); ++k) appendNumbers(results[k], numbers);
    return numbers;
}

}  // namespace

void plotCommand(State& state, const Input&, const Input& given) {
    constexpr std::size_t kRows = 12;
    constexpr std::size_t kWidth = 640;
    constexpr std::size_t kHeight = 320;
    Input arguments = given;
    const std::string file = fileAfter(state.output, arguments);
    const std::vector<double> numbers = numbersOf(state, arguments);
    if (numbers.empty())
        state.output.fail(
            given,
            "there are no numbers to draw: ':plot take 100 Ramp()' (what goes to a file is not "
            "kept)");
    const std::string_view name = file;
    if (file.empty())
        return state.output.show(plotText(numbers, state.output.callbacks.width, kRows));
    if (name.ends_with(".svg")) return writeFile(state.output, given, file, plotSvg(numbers));
    if (!name.ends_with(".png"))
        state.output.fail(given, "plots go to files that end in .svg or .png");
    const Raster raster = plotRaster(numbers, kWidth, kHeight);
    types::TypeTable types;
    io::StreamInfo info;
    info.channels = 1;
    info.bits = 8;
    info.width = static_cast<int>(kWidth);
    info.height = static_cast<int>(kHeight);
    auto writer = io::openWriter(file, io::Format::Png, types.intType(), info);
    if (!writer) state.output.fail(given, writer.error());
    for (std::uint8_t sample : raster.samples) {
        const std::int32_t item = sample;
        if (auto written = (*writer)->write(reinterpret_cast<const std::byte*>(&item), 1); !written)
            state.output.fail(given, written.error());
    }
    if (auto closed = (*writer)->close(); !closed) state.output.fail(given, closed.error());
    state.output.confirm("written to " + file + "\n");
}

}  // namespace strc::repl
