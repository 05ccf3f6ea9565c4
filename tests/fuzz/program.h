#pragma once
/// Texts compiled as the driver does it, under limits so small that any text is done in a moment, and
/// what has to hold of every product on the way.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "session/pipeline.h"

namespace strc::fuzz {

/// Aborts if a stage breaks a promise: see program.cpp.
std::unique_ptr<session::Compilation> compileText(const std::uint8_t* data, std::size_t size,
                                                  session::Stage last);

/// Merges the messages and draws each of them; each needs a place inside of a text.
void checkMessages(base::Context&);

}  // namespace strc::fuzz
