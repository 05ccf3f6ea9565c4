#pragma once
/// A program text around pieces of what was typed, which knows where each piece came from: messages about it
/// show what was typed.

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace strc::repl {

class MixedText {
public:
    explicit MixedText(std::string_view typedText) : typed(typedText) {}

    MixedText& own(std::string_view text) {
        made += text;
        return *this;
    }
    /// Bytes [begin, end) of what was typed.
    MixedText& piece(std::size_t begin, std::size_t end);
    const std::string& text() const { return made; }

    /// The range of `from` (this text as a buffer) in `to` (what was typed).
    base::SourceRange translate(base::SourceRange, base::BufferId from, base::BufferId to) const;
    base::Diagnostic translate(base::Diagnostic, base::BufferId from, base::BufferId to) const;
    /// Nothing of it was typed.
    bool isOwn(base::SourceRange) const;

private:
    struct Piece {
        std::size_t at, size, begin;
    };
    std::uint32_t translate(std::uint32_t offset) const;

    std::string_view typed;
    std::string made;
    std::vector<Piece> pieces;
};

}  // namespace strc::repl
