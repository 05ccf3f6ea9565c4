#include "dsl/detail/places.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace strc::dsl {

namespace {

constexpr std::uint32_t kMostLines = 1 << 24;

/// The lines of a file, and empty ones up to `last`.
std::string readLines(const std::string& name, std::uint32_t last) {
    std::ifstream file(name, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines < last) text.append(last - lines, '\n');
    return text;
}

bool isPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

Places::Places(base::Context& context, const Tree& tree) : context(context), tree(tree) {
    std::vector<std::uint32_t> last(tree.fileCount(), 0);
    for (NodeNumber k = 1; k < tree.size(); ++k) {
        const Place& place = tree[k].place;
        last[place.file] = std::min(std::max(last[place.file], place.line), kMostLines);
    }
    buffers.push_back(context.sources.add("<recorded>", "\n"));
    for (std::uint32_t file = 1; file < tree.fileCount(); ++file)
        buffers.push_back(
            context.sources.add(tree.file(file), readLines(tree.file(file), last[file])));
    for (const base::BufferId buffer : buffers) {
        std::vector<std::uint32_t> starts{0};
        const std::string_view text = context.sources.text(buffer);
        for (std::uint32_t k = 0; k < text.size(); ++k)
            if (text[k] == '\n') starts.push_back(k + 1);
        lines.push_back(std::move(starts));
    }
}

base::SourceRange Places::rangeOf(NodeNumber node, base::SourceRange around) const {
    const Place& place = tree[node].place;
    if (place.file == 0 || place.line == 0) return around;
    const std::vector<std::uint32_t>& starts = lines[place.file];
    if (place.line > starts.size()) return around;
    const std::string_view text = context.sources.text(buffers[place.file]);
    const std::size_t line = starts[place.line - 1];
    const std::size_t end = std::min(text.find('\n', line), text.size());
    std::size_t begin = std::min(line + (place.column > 0 ? place.column - 1 : 0), end);
    std::size_t stop = begin;
    while (stop < end && isPartOfName(text[stop])) ++stop;
    if (stop == begin && stop < end) ++stop;
    return {buffers[place.file], static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(stop)};
}

}  // namespace strc::dsl
