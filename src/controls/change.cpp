#include "controls/change.h"

#include <fmt/format.h>

namespace strc::controls {

std::string lineOf(const Change& change) {
    return fmt::format("{}={}\n", change.parameter, change.value);
}

}  // namespace strc::controls
