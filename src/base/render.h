#pragma once
/// Diagnostics as text with a caret picture, or as JSON lines.

#include <string>

#include "base/diagnostics.h"
#include "base/source.h"

namespace strc::base {

struct RenderOptions {
    bool colour = false;
};

/// "FILE:LINE:COLUMN: error: TEXT [name]", the source line, carets, notes, fixes. Ends in a newline.
std::string renderText(const Diagnostic&, const SourceManager&, RenderOptions = {});

/// One JSON object on one line: severity, code, message, file, range, notes, fixes, instance.
std::string renderJson(const Diagnostic&, const SourceManager&);

}  // namespace strc::base
