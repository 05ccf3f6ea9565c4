// :load, :reload, :save, :compile.
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "repl/detail/commands.h"
#include "repl/detail/program_text.h"

namespace strc::repl {

void loadCommand(State& state, const Input& input, const Input& arguments) {
    const std::vector<Input> words = wordsOf(arguments);
    if (words.empty()) state.output.fail(input, "':load' wants the name of a file");
    for (const Input& word : words) state.loader.load(plainText(word), word);
}

void reloadCommand(State& state, const Input& input, const Input&) { state.loader.reload(input); }

void saveCommand(State& state, const Input& input, const Input& arguments) {
    const Input name = onlyWord(state, input, arguments, "':save' wants the name of a file");
    const std::string text = programText(state.declarations, state.evaluator, input);
    const std::string file = plainText(name);
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out)
        state.output.fail(name, fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
    state.output.confirm(fmt::format(
        "{}: {}\n", file,
        countText(state.declarations.all().size(), state.declarations.variables.size())));
}

void compileCommand(State& state, const Input& input, const Input& arguments) {
    const Input name =
        onlyWord(state, input, arguments, "':compile' wants the name of the executable");
    if (!state.output.callbacks.build) state.output.fail(input, "executables cannot be made here");
    const std::string file = plainText(name);
    const Running& stream = state.streams.present(input);
    const std::string why = state.output.callbacks.build(
        programText(stream, state.declarations, state.evaluator, input), stream.task.top, file);
    if (!why.empty()) {
        state.output.remark(why);
        state.output.fail(input, "the executable could not be made");
    }
    state.output.confirm(fmt::format("{} is an executable of {}\n", file, stream.source));
}

}  // namespace strc::repl
