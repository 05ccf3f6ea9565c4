// `strc explain`.
#include "base/spelling.h"
#include "driver/detail/commands.h"
#include "strc/strc.h"

namespace strc::driver {

using base::Diag;

namespace {

/// Null: the list of all. Empty: there is no such diagnostic.
std::string explanation(const char* name) {
    std::string text(strc_explain(name, nullptr, 0), '\0');
    strc_explain(name, text.data(), text.size() + 1);
    return text;
}

void reportUnknown(base::Diagnostics& diags, const std::string& name) {
    base::Diagnostic& diag = diags.add(Diag::UnknownDiagnostic) << name;
    base::SpellingSearch search(name);
    for (int id = 0; id < static_cast<int>(Diag::Count); ++id) {
        const base::DiagInfo& row = base::info(static_cast<Diag>(id));
        if (row.severity != base::Severity::Note) search.consider(row.name);
    }
    if (!search.best().empty()) diag.note(Diag::DidYouMean) << search.best();
}

}  // namespace

int explainCommand(const Call& call) {
    if (call.options.arguments.empty()) return printResult(call, explanation(nullptr));
    std::string text;
    base::Diagnostics diags;
    for (const std::string& name : call.options.arguments) {
        const std::string page = explanation(name.c_str());
        if (page.empty()) reportUnknown(diags, name);
        if (!page.empty() && !text.empty()) text += "\n";
        text += page;
    }
    call.reporter.show(diags);
    return printResult(call, text);
}

}  // namespace strc::driver
