#pragma once
/// Programs as libraries (strc/library.h): what one of them can be, and the header that comes with it.

#include <cstdint>
#include <string>

#include "executable/tables.h"

namespace strc::executable {

/// Reports all that a library cannot do, each at its place: print, make strings, open files, take items of a
/// type that C has not. False if there is anything.
bool checkLibrary(const Program&);

/// Bytes of the stack that a call may take, but for what recursion beyond that is refused at run time.
std::uint64_t stackBytes(const Program&);

/// The C header: types of items, latency, functions with the prefix `mainStream`.
std::string libraryHeader(const Program&);

/// Items that a phase gives to the open output.
std::int64_t openWrites(const plan::Plan&, const plan::Phase&);

}  // namespace strc::executable
