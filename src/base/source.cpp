#include "base/source.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::base {

BufferId SourceManager::add(std::string name, std::string text, bool library) {
    STRC_ASSERT(text.size() < UINT32_MAX, "source buffer of 4 GiB or more");
    Buffer buffer{std::move(name), std::move(text), library, {0}};
    for (std::uint32_t i = 0; i < buffer.text.size(); ++i)
        if (buffer.text[i] == '\n') buffer.lineStarts.push_back(i + 1);
    buffers.push_back(std::move(buffer));
    return {static_cast<std::uint32_t>(buffers.size() - 1)};
}

std::string_view SourceManager::text(SourceRange range) const {
    return text(range.buffer).substr(range.begin, range.end - range.begin);
}

LineColumn SourceManager::position(BufferId id, std::uint32_t offset) const {
    const auto& starts = buffers[id.index].lineStarts;
    auto next = std::upper_bound(starts.begin(), starts.end(), offset);
    auto line = static_cast<std::uint32_t>(next - starts.begin());
    return {line, offset - starts[line - 1] + 1};
}

std::string_view SourceManager::lineText(BufferId id, std::uint32_t line) const {
    const Buffer& buffer = buffers[id.index];
    if (line == 0 || line > buffer.lineStarts.size()) return {};
    std::uint32_t begin = buffer.lineStarts[line - 1];
    std::string_view rest = std::string_view(buffer.text).substr(begin);
    rest = rest.substr(0, rest.find('\n'));
    if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
    return rest;
}

}  // namespace strc::base
