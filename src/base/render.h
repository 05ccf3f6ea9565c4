#pragma once
/// Diagnostics as text with a caret picture, or as JSON lines.

#include <string>

#include "base/diagnostics.h"
#include "base/source.h"

namespace strc::base {

struct RenderOptions {
    bool colour = false;
};

/// "FILE:LINE:COLUMN: error: TEXT [name]", the source line, carets, instances, notes, fixes. Ends in
/// a newline. Control characters and bytes that are no text never reach the output.
std::string renderText(const Diagnostic&, const SourceManager&, RenderOptions = {});

/// One JSON object on one line: severity, code, message, file, range, notes, fixes, instance,
/// instances. `file`, `range` and `instance` may be null; lines and columns count from 1, columns
/// and offsets in bytes; the end of a range is exclusive.
std::string renderJson(const Diagnostic&, const SourceManager&);

}  // namespace strc::base
