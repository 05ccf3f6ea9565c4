#pragma once
/// Programs as libraries (strc/library.h): what one of them can be, and the header that comes with it.

#include <cstdint>
#include <string>

#include "executable/tables.h"

namespace strc::executable {

/// Reports all that a library cannot do, each at its place: make strings, open files, take items of a
/// type that C has not; without a bound, send messages and have dynamic rates; and, unless `mayPrint`, print. False if
/// there is anything.
bool checkLibrary(const Program&, bool mayPrint = false);

/// Bytes of the stack for what asks at run time whether there is room for it (ir::bodiesThatNest, arrays whose size only the run
/// knows): what needs more is refused there. 0: there is none of it.
std::uint64_t nestingBytes(const Program&);

/// Bytes of the stack that a call may take in all, if the program's functions take `codeBytes` (codegen::Object::stackBytes).
std::uint64_t stackBytes(const Program&, std::uint64_t codeBytes);

/// Reports what has no place within the program's bound: firings that need more items at once, loops that may wait for
/// their own output, and more memory than there is. False if there is anything.
bool checkBound(const Program&);

/// Arrays on the stack, of the bodies of a filter.
std::uint64_t bytesOfBodies(const Program&, const elab::Kernel&);

/// Bytes of the stack on which a program with dynamic rates fires; 0 for others.
std::uint64_t firingBytes(const Program&);

/// Items of the open ends.
struct Rates {
    std::int64_t firstIn = 0, firstOut = 0;  ///< before the first steady state
    std::int64_t in = 0, out = 0;  ///< of a steady state

    /// So many input items the program is behind at most, if `out` items are to come for `in`.
    std::int64_t latency() const;
};
Rates ratesOf(const plan::Plan&);

/// A number by which saved states (strc/saved.h) know whose they are: of the graph, the code of all filters, their weights and
/// what they begin with, and the types of open parameters. It does not depend on names of files, nor on the machine but
/// where that decides what passes make of the program.
std::uint64_t identityOf(const Program&);

/// The C header: types of items, latency, functions with the prefix `mainStream`. `codeBytes`: as for stackBytes.
std::string libraryHeader(const Program&, std::uint64_t codeBytes);

/// The same of C source (csource/print.h), whose handles take that many bytes.
std::string sourceHeader(const Program&, std::int64_t handleBytes);

/// Items that a phase gives to the open output.
std::int64_t openWrites(const plan::Plan&, const plan::Phase&);

}  // namespace strc::executable
