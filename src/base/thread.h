#pragma once
/// Threads beside the one that signals are for.

#include <functional>
#include <thread>

namespace strc::base {

/// Does `work`, which throws nothing, on a thread of its own, to which no signal goes. Throws std::system_error if there can be none.
std::thread threadWithoutSignals(std::function<void()> work);

}  // namespace strc::base
