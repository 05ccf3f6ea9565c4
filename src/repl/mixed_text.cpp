#include "repl/mixed_text.h"

#include <algorithm>

namespace strc::repl {

MixedText& MixedText::piece(std::size_t begin, std::size_t end) {
    pieces.push_back({made.size(), end - begin, begin});
    made += typed.substr(begin, end - begin);
    return *this;
}

/// An offset outside of all pieces becomes the end of the piece before it.
std::uint32_t MixedText::translate(std::uint32_t offset) const {
    std::size_t best = pieces.empty() ? 0 : pieces.front().begin;
    for (const Piece& each : pieces)
        if (offset >= each.at)
            best = each.begin + std::min<std::size_t>(offset - each.at, each.size);
    return static_cast<std::uint32_t>(best);
}

base::SourceRange MixedText::translate(base::SourceRange range, base::BufferId from,
                                       base::BufferId to) const {
    if (!range.valid() || !(range.buffer == from)) return range;
    return {to, translate(range.begin), std::max(translate(range.begin), translate(range.end))};
}

base::Diagnostic MixedText::translate(base::Diagnostic diag, base::BufferId from,
                                      base::BufferId to) const {
    // Fixes of text that was not typed are dropped.
    std::erase_if(diag.fixes, [&](const base::Fix& fix) {
        return fix.range.buffer == from && isOwn(fix.range);
    });
    diag.range = translate(diag.range, from, to);
    for (base::DiagNote& note : diag.notes) note.range = translate(note.range, from, to);
    for (base::Fix& fix : diag.fixes) fix.range = translate(fix.range, from, to);
    return diag;
}

bool MixedText::isOwn(base::SourceRange range) const {
    return std::none_of(pieces.begin(), pieces.end(), [&](const Piece& each) {
        return range.begin < each.at + each.size && range.end > each.at;
    });
}

}  // namespace strc::repl
