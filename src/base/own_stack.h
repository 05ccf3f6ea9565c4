#pragma once
/// A stack that does not run out: what runs a program nests as deep as its filters and functions do.

#include <functional>

namespace strc::base {

/// Does `work`, to its end, on a thread with a stack of 1 GiB, which takes only what is used of it (on
/// this thread's own if there can be no other). What it throws is thrown here. Signals meanwhile go to
/// the thread that does the work: it may be waiting for input.
void onOwnStack(const std::function<void()>& work);

}  // namespace strc::base
