#pragma once
/// The libraries that read and write PNG and JPEG, as files.

#include <string>
#include <vector>

namespace strc::io {

/// Where those lie that executables load (strc/picture_libraries.h), and those that these need. Without any that are not there.
std::vector<std::string> pictureLibraries();

}  // namespace strc::io
