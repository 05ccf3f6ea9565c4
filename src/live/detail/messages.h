#pragma once
/// Messages on their way from one program to the next. Private to live.

#include "live/detail/version.h"
#include "live/transfer.h"

namespace strc::live {

/// Which handlers get what was sent to those of the old program.
void matchMessages(const Version& before, const std::vector<plan::Handler>& oldHandlers,
                   const Version& after, const std::vector<plan::Handler>& handlers, Transfer&);

/// Latencies count the firings of sender and receiver from the beginning. With dynamic rates no schedule says how many there would
/// have been, so that both ends have to go on with theirs, or none. Why that is not so, as half a sentence; or empty.
std::string whyMessagesCannotGoOn(const Version& before, const Version& after);

}  // namespace strc::live
