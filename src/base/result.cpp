#include "base/result.h"

namespace strc::base {

Failure failure(Diag id, std::vector<std::string> args) {
    std::string text = message(id, args);
    return {std::move(text), id, std::move(args)};
}

Diagnostic& report(Diagnostics& diags, const Failure& failure, SourceRange range) {
    STRC_ASSERT(failure.id != Diag::Count, failure.text);
    Diagnostic& diag = diags.add(failure.id, range);
    for (const std::string& arg : failure.args) diag << arg;
    if (!failure.hint.empty()) diag.note(Diag::Hint) << failure.hint;
    return diag;
}

}  // namespace strc::base
