#include "pass/detail/text_lines.h"

#include <algorithm>

#include "ir/text.h"
#include "pass/detail/text_words.h"

namespace strc::pass::detail {
namespace {

constexpr std::string_view kGlobal = "global x";  ///< no line with a type has a shorter beginning

class Splitter {
public:
    Splitter(base::BufferId id, std::string_view source)
        : buffer(id), text(source), masked(source) {}

    /// Leaves in `masked` the code, and of the lines behind it what is typed.
    void run(std::size_t main) {
        for (std::size_t begin = main; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            split(begin, end);
            begin = end + 1;
        }
        lines.erase(lines.begin());  // the word `program`
    }

    std::vector<Line> lines;
    std::uint32_t typed = 0;
    std::string textOfModule() && { return std::move(masked); }

private:
    void split(std::size_t begin, std::size_t end) {
        const std::string_view all = text.substr(begin, end - begin);
        const std::size_t colon = all.find(": ");
        const bool isTyped = colon != std::string_view::npos && colon >= kGlobal.size();
        const std::size_t stop = isTyped ? begin + colon : end;
        Line line;
        line.isPart = all.starts_with(' ');
        for (std::size_t at = begin; at < stop;) {
            const std::size_t from = std::min(text.find_first_not_of(' ', at), stop);
            const std::size_t to = std::min(text.find(' ', from), stop);
            if (from < to) line.words.push_back({text.substr(from, to - from), range(from, to)});
            at = to;
        }
        line.end = range(stop, stop);
        if (isTyped) line.typed = typed++;
        std::fill(masked.begin() + static_cast<std::ptrdiff_t>(begin),
                  masked.begin() + static_cast<std::ptrdiff_t>(stop), ' ');
        if (isTyped) masked.replace(begin, kGlobal.size(), kGlobal);
        if (!line.words.empty()) lines.push_back(std::move(line));
    }
    base::SourceRange range(std::size_t begin, std::size_t end) const {
        return {buffer, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }

    base::BufferId buffer;
    std::string_view text;
    std::string masked;
};

}  // namespace

std::size_t findMain(std::string_view text) {
    const std::string line = std::string(kMain) + "\n";
    if (text.starts_with(line)) return 0;
    const std::size_t at = text.find("\n" + line);
    return at == std::string_view::npos ? at : at + 1;
}

std::optional<Lines> linesOf(base::Context& context, base::BufferId buffer,
                             types::TypeTable& types) {
    const std::string_view text = context.sources.text(buffer);
    Splitter splitter(buffer, text);
    splitter.run(findMain(text));
    Lines made;
    made.lines = std::move(splitter.lines);
    const std::uint32_t typed = splitter.typed;
    const std::string code = std::move(splitter).textOfModule();
    auto module = ir::parse(context, buffer, code, types);
    if (!module) return std::nullopt;
    made.module = std::move(*module);
    const std::size_t own = made.module.globals.size() - typed;
    for (std::size_t k = own; k < made.module.globals.size(); ++k)
        made.values.push_back({made.module.globals[k].type, made.module.globalValues[k].bytes});
    made.module.globals.resize(own);
    made.module.globalValues.resize(own);
    return made;
}

}  // namespace strc::pass::detail
