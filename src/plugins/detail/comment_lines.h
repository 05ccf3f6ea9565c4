#pragma once
/// The lines of the comment in front of a declaration.

#include <string_view>
#include <vector>

#include "ast/nodes.h"
#include "base/source.h"

namespace strc::plugins {

/// What is behind an '@' that begins a line: words with their places.
struct Line {
    std::vector<std::string_view> words;  ///< the first one with the '@'
    base::SourceRange range;  ///< from the '@' to the end of the last word

    std::string_view word(std::size_t k) const { return k < words.size() ? words[k] : ""; }
    /// From the k-th word to the end.
    std::string_view from(std::size_t k) const;
};

/// In order. Comments follow each other, and the declaration, with nothing but blanks and single ends of lines between.
std::vector<Line> annotationLines(const base::SourceManager&, const ast::Unit&,
                                  const ast::StreamDecl&);

}  // namespace strc::plugins
