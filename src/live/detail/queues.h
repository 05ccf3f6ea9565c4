#pragma once
/// What waits in a program with dynamic rates, for the next one. Private to live.

#include "live/detail/version.h"
#include "live/transfer.h"

namespace strc::live {

/// Which queues of the new program, which has dynamic rates, get the items of which, and which nodes have fired already.
void matchQueues(const Version& before, const Version& after, Transfer&);

}  // namespace strc::live
