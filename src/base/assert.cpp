#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace strc::base {

void internalError(const char* file, int line, std::string_view text) {
    std::fflush(stdout);
    std::fprintf(stderr, "strc: internal error: %.*s (%s:%d)\n", static_cast<int>(text.size()),
                 text.data(), file, line);
    std::fflush(stderr);
#ifdef STRC_FUZZ
    std::abort();  // a quiet exit would hide the finding from libFuzzer
#else
    std::_Exit(70);
#endif
}

}  // namespace strc::base
