#pragma once
/// Where pop, peek, push and iter() are possible.

#include "sema/detail/checker.h"

namespace strc::sema {

enum class TapeOp : std::uint8_t { Pop, Peek, Push };

/// Reports a tape operation that is not possible here. The type of its items; the error type after
/// a report.
const Type* checkTape(Checker&, TapeOp, SourceRange);
void checkIter(Checker&, SourceRange);
/// Reports the call of an I/O function from where there are no tapes.
void checkIoCall(Checker&, const FunctionInfo&, SourceRange);

}  // namespace strc::sema
