#include "base/trials.h"

#include <cstdlib>

namespace strc::base {

bool isTried(std::string_view name) {
    const char* all = std::getenv("STRC_TRY");
    std::string_view rest = all ? all : "";
    while (!rest.empty()) {
        const std::size_t end = rest.find(',');
        if (rest.substr(0, end) == name) return true;
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return false;
}

}  // namespace strc::base
