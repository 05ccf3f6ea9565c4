#pragma once
/// Words that the printer and the reader of programs have in common. Private to pass.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "types/builtin_streams.h"

namespace strc::pass::detail {

/// The line behind the code of the kernels.
constexpr const char* kMain = "program";
/// Stands for no number and no name.
constexpr const char* kNothing = "-";
/// Of an array whose elements are written out.
constexpr std::int64_t kMostBytes = 1 << 20;

/// By graph::CompositeKind.
constexpr std::array<std::string_view, 3> compositeWords{"pipeline", "splitjoin", "feedbackloop"};
/// By graph::NodeKind.
constexpr std::array<std::string_view, 4> nodeWords{"filter", "duplicate", "splitter", "joiner"};

/// "filter" for one that is declared.
std::string_view builtinWord(types::BuiltinStream);
std::optional<types::BuiltinStream> findBuiltinWord(std::string_view);

/// Two digits for each byte; "-" for none.
std::string hex(std::string_view bytes);
std::optional<std::string> bytesOf(std::string_view digits);

}  // namespace strc::pass::detail
