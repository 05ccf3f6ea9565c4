#pragma once
/// The header of NumPy's files. Private to io.

#include <string_view>

#include "io/detail/bytes.h"

namespace strc::io {

/// Type of the elements in the file.
struct NpyElement {
    char kind = 0;  ///< b, i, u, f, c as in NumPy
    std::size_t size = 0;
    bool bigEndian = false;
};

struct NpyHeader {
    NpyElement element;
    std::vector<std::int64_t> dims;
    std::uint64_t count = 1;  ///< elements
    std::uint64_t start = 0;  ///< where they begin
};

/// Takes it from the source.
base::Result<NpyHeader> readNpyHeader(Source&);

/// Digits of the number of items in a header that is written before all of them are.
constexpr std::size_t kMostDigits = 20;

/// `shape`: "(2, 3)"; there is room for so many characters.
std::string npyHeader(std::string_view descr, std::string_view shape, std::size_t longest);

}  // namespace strc::io
