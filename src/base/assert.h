#pragma once
/// Faults of the compiler itself. They end the process with exit status 70 and name the place; a
/// user's mistake must never reach one (it is a Diagnostic instead, see diagnostics.h).

#include <string_view>

namespace strc::base {

/// Prints "internal error: TEXT (FILE:LINE)" on standard error and ends the process with status 70.
[[noreturn]] void internalError(const char* file, int line, std::string_view text);

}  // namespace strc::base

#define STRC_ASSERT(condition, text)                               \
    do {                                                           \
        if (!(condition)) [[unlikely]]                             \
            ::strc::base::internalError(__FILE__, __LINE__, text); \
    } while (false)

#define STRC_UNREACHABLE(text) ::strc::base::internalError(__FILE__, __LINE__, text)
