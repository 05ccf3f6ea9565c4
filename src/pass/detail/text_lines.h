#pragma once
/// The lines of a program behind the code of its kernels: words, and at the end of some ": " with a type or a typed value, which
/// are read as globals of the module. Private to pass.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "ir/ir.h"

namespace strc::pass::detail {

struct Word {
    std::string_view text;
    base::SourceRange range;
};

struct Line {
    bool isPart = false;  ///< it is indented: it belongs to the one before
    std::vector<Word> words;
    std::uint32_t typed = ir::kNone;  ///< into the values of the text
    base::SourceRange end;  ///< behind the last word
};

struct Lines {
    std::vector<Line> lines;
    ir::Module module;
    std::vector<types::Value> values;  ///< without bytes where there is a type alone
};

/// Where the line is that ends the code of the kernels; npos: there is none.
std::size_t findMain(std::string_view text);

/// None: what is wrong has been reported.
std::optional<Lines> linesOf(base::Context&, base::BufferId, types::TypeTable&);

}  // namespace strc::pass::detail
