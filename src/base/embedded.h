#pragma once

#include <string_view>

namespace strc::base {

/// A text file that travels inside the binary (CMake's strc_embed makes the tables).
/// `name` is the path relative to the folder embedded; both views live as long as the program.
struct EmbeddedFile {
    std::string_view name;
    std::string_view text;
};

}  // namespace strc::base
