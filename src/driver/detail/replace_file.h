#pragma once
/// Files that are replaced as a whole.

#include <string>
#include <string_view>

#include "base/result.h"

namespace strc::driver {

/// Makes the file, or gives an old one other contents: it appears, or changes, when it is complete, and after a
/// failure (CannotWriteFile) all is as it was. Links and permissions of an old one stay. What is no ordinary file, such
/// as a device or a pipe, is written to as it is.
base::Status replaceFile(const std::string& name, std::string_view text);

}  // namespace strc::driver
