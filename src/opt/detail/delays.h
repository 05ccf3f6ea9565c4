#pragma once
/// Fields that are delays: each firing stores an item of its window to one, or another delay, and nothing else.

#include <cstdint>
#include <map>
#include <optional>

#include "elab/elaborate.h"

namespace strc::opt {

struct Delays {
    /// By field: where its value lies before the first firing, counted from the item that this pops first; less than 0.
    std::map<std::uint32_t, std::int64_t> places;
    std::int64_t depth = 0;  ///< items before the window that are looked at, whole firings
};

/// Of a filter with no other state and no prework, whose work pops outside of loops and branches. None: it is no such filter.
std::optional<Delays> findDelays(const elab::Kernel&);

/// The filter that looks at its window instead, which begins `depth` items earlier. Its fields stay, unused.
elab::Kernel withoutDelays(const elab::Kernel&, const Delays&, types::TypeTable&);

}  // namespace strc::opt
