#include "plugins/detail/comment_lines.h"

#include <algorithm>

namespace strc::plugins {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Nothing but blanks, and no empty line.
bool isClose(std::string_view between) {
    return between.find_first_not_of(kBlanks) == between.npos &&
           std::count(between.begin(), between.end(), '\n') <= 1;
}

std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0;;) {
        const std::size_t begin = text.find_first_not_of(kBlanks, at);
        if (begin == text.npos) return words;
        at = std::min(text.find_first_of(kBlanks, begin), text.size());
        words.push_back(text.substr(begin, at - begin));
    }
}

void addLines(std::string_view text, base::SourceRange range, std::vector<Line>& lines) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        if (line.ends_with("*/")) line.remove_suffix(2);
        const std::size_t at = line.find_first_not_of("/* \t");
        if (at != line.npos && line[at] == '@') {
            std::vector<std::string_view> words = wordsOf(line.substr(at));
            const std::string_view last = words.back();
            const auto stop = static_cast<std::uint32_t>(last.data() + last.size() - text.data());
            const auto start = static_cast<std::uint32_t>(begin + at);
            lines.push_back(
                {std::move(words), {range.buffer, range.begin + start, range.begin + stop}});
        }
        begin = end + 1;
    }
}

}  // namespace

std::string_view Line::from(std::size_t k) const {
    if (k >= words.size()) return {};
    const char* end = words.back().data() + words.back().size();
    return {words[k].data(), static_cast<std::size_t>(end - words[k].data())};
}

std::vector<Line> annotationLines(const base::SourceManager& sources, const ast::Unit& unit,
                                  const ast::StreamDecl& stream) {
    std::vector<base::SourceRange> comments;
    base::SourceRange next = stream.range;
    for (auto each = unit.comments.rbegin(); each != unit.comments.rend(); ++each) {
        if (each->range.end > next.begin) continue;
        if (!isClose(sources.text({next.buffer, each->range.end, next.begin}))) break;
        comments.push_back(next = each->range);
    }
    std::vector<Line> lines;
    for (auto each = comments.rbegin(); each != comments.rend(); ++each)
        addLines(sources.text(*each), *each, lines);
    return lines;
}

}  // namespace strc::plugins
