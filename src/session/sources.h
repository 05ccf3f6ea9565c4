#pragma once
/// Source files as strings.

#include <iosfwd>
#include <string>

#include "base/result.h"

namespace strc::session {

constexpr std::uint64_t kMostSourceBytes = 1ull << 30;

struct SourceText {
    std::string name;  ///< as messages print it
    std::string text;
};

base::Result<std::string> readFile(const std::string& path);
/// "-" is `in`.
base::Result<SourceText> readSource(const std::string& path, std::istream& in);

}  // namespace strc::session
