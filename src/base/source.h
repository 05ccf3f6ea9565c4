#pragma once
/// Source texts and positions in them. A position is a buffer and a byte offset; line and column
/// are computed only to be printed. Lines typed at a prompt and library files are buffers too.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace strc::base {

struct BufferId {
    std::uint32_t index = UINT32_MAX;
    bool valid() const { return index != UINT32_MAX; }
    bool operator==(const BufferId&) const = default;
};

/// Bytes [begin, end) of a buffer.
struct SourceRange {
    BufferId buffer;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    bool valid() const { return buffer.valid(); }
    bool operator==(const SourceRange&) const = default;
    /// The smallest range that covers both (of one buffer).
    SourceRange to(SourceRange last) const { return {buffer, begin, last.end}; }
    SourceRange atEnd() const { return {buffer, end, end}; }
    SourceRange atBegin() const { return {buffer, begin, begin}; }
};

/// One-based; columns count bytes.
struct LineColumn {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

class SourceManager {
public:
    /// `name` is what messages print (a path as the user gave it, "<stdin>", "<stdlib>/fir.str").
    BufferId add(std::string name, std::string text, bool library = false);

    std::string_view text(BufferId id) const { return buffers[id.index].text; }
    const std::string& name(BufferId id) const { return buffers[id.index].name; }
    /// Text of the standard library: its declarations are weak and its warnings are not shown.
    bool isLibrary(BufferId id) const { return id.valid() && buffers[id.index].isLibrary; }
    std::string_view text(SourceRange range) const;
    LineColumn position(BufferId id, std::uint32_t offset) const;
    /// The text of a one-based line, without its end of line.
    std::string_view lineText(BufferId id, std::uint32_t line) const;
    std::size_t size() const { return buffers.size(); }

private:
    struct Buffer {
        std::string name;
        std::string text;
        bool isLibrary;
        std::vector<std::uint32_t> lineStarts;
    };
    std::deque<Buffer> buffers;
};

}  // namespace strc::base
