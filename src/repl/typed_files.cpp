#include "repl/detail/typed_files.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace strc::repl {

io::Format formatOf(Output& output, const Input& input, const std::string& file) {
    if (std::optional<io::Format> format = io::formatOf(file)) return *format;
    output.fail(input, fmt::format("the name '{}' does not say what format the file has", file));
}

std::string fileAfter(Output& output, Input& arguments) {
    const std::size_t at = arguments.text().rfind('>');
    const bool isFile =
        at != std::string_view::npos &&
        (at == 0 || (arguments.text()[at - 1] != '-' && arguments.text()[at - 1] == ' '));
    if (!isFile) return {};
    const std::size_t begin = arguments.begin + at;
    const Input file = partOf(arguments, begin + 1, arguments.end);
    if (file.text().empty()) output.fail(arguments, "the name of a file is missing behind '>'");
    arguments = partOf(arguments, arguments.begin, begin);
    return plainText(file);
}

void writeFile(Output& output, const Input& input, const std::string& file, std::string_view text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) output.fail(input, fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
    output.confirm(fmt::format("written to {}\n", file));
}

}  // namespace strc::repl
