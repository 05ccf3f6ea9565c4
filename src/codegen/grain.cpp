#include "codegen/detail/grain.h"

#include <limits>

namespace strc::codegen {

std::int64_t grainOf(std::int64_t trips, std::int64_t least) {
    std::int64_t best = least, fewest = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t grain = least; grain < 2 * least; ++grain) {
        const std::int64_t parts = piecesOf(trips, grain);
        const std::int64_t missing = (parts + parts % 2) * grain - trips;
        if (missing >= fewest) continue;
        best = grain;
        fewest = missing;
    }
    return best;
}

}  // namespace strc::codegen
