#include "controls/change.h"

#include <fmt/format.h>

namespace strc::controls {

std::string textOf(const Change& change) {
    return fmt::format("{}={}", change.parameter, change.value);
}

}  // namespace strc::controls
