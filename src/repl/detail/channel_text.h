#pragma once
/// Channels of a running stream, as they are shown. Private to repl.

#include <cstdint>
#include <string>

#include "repl/detail/running.h"

namespace strc::repl {

constexpr std::uint64_t kMostItemsShown = 16;  ///< items of a channel in a list of channels

/// "Ramp -> Scale: [1, 2]" in a line; of more than `most` items the first and the last. `isCounted`: and how many.
std::string channelText(const Running&, graph::EdgeId, std::uint64_t most = kMostItemsShown,
                        bool isCounted = false);
/// "Ramp fired; Ramp -> Scale: [1, 2]" in a line.
std::string changeText(const Running&, graph::EdgeId);

}  // namespace strc::repl
