#include "driver/detail/report.h"

#include <cstdlib>
#include <new>
#include <ostream>

#include "base/limits.h"
#include "base/render.h"

namespace strc::driver {

using base::Diag;
using base::Diagnostic;

namespace {

constexpr std::size_t kMostErrors = base::Limits{}.errors;

/// Is it the call that has to be changed?
bool isCallFault(Diag id, bool hasPlace) {
    switch (id) {
        case Diag::UnknownFormat:
        case Diag::FormatItemType: return !hasPlace;  // else a file that the program names
        case Diag::BadCommandLine:
        case Diag::BadOptionValue:
        case Diag::ConflictingOptions:
        case Diag::NoInputFiles:
        case Diag::UnknownTopStream:
        case Diag::UnknownDefine:
        case Diag::BadDefineValue:
        case Diag::MainStreamSide:
        case Diag::NumberOfFiles:
        case Diag::UnknownProcessor:
        case Diag::UnknownDiagnostic: return true;
        default: return false;
    }
}

}  // namespace

/// https://no-color.org
bool Reporter::hasColour() const {
    if (options.colour != When::Auto) return options.colour == When::Always;
    const char* forbidden = std::getenv("NO_COLOR");
    return process.errIsTerminal && !(forbidden && *forbidden);
}

void Reporter::render(const Diagnostic& diag) {
    static const base::SourceManager none;
    process.err << (options.json ? base::renderJson(diag, none)
                                 : base::renderText(diag, none, {.colour = hasColour()}));
}

void Reporter::show(strc_compiler* compiler, Seen& seen) {
    const std::size_t all = strc_compiler_diagnostic_count(compiler);
    const std::size_t errors = strc_compiler_error_count(compiler);
    std::size_t left = kMostErrors;
    for (; seen.diagnostics < all; ++seen.diagnostics) {
        strc_diagnostic diag;
        if (strc_compiler_diagnostic(compiler, seen.diagnostics, &diag) != STRC_OK)
            throw std::bad_alloc();
        if (diag.severity == STRC_SEVERITY_ERROR) {
            (isCallFault(base::findDiag(diag.code), diag.file) ? callFaults : otherFaults) = true;
            if (left-- == 0) break;
        }
        process.err << (options.json ? diag.json : diag.text);
    }
    if (seen.diagnostics < all)
        render({Diag::MoreErrors,
                base::Severity::Note,
                {},
                {std::to_string(errors - seen.errors - kMostErrors)},
                {},
                {},
                {}});
    process.err.flush();
    seen = {all, errors};
}

void Reporter::show(base::Diagnostics& diags) {
    for (const Diagnostic& diag : diags.all()) {
        if (diag.severity == base::Severity::Error)
            (isCallFault(diag.id, diag.range.valid()) ? callFaults : otherFaults) = true;
        render(diag);
    }
    process.err.flush();
    diags.clear();
}

ExitStatus Reporter::status() const {
    if (otherFaults) return kProgramFault;
    return callFaults ? kWrongCall : kFine;
}

}  // namespace strc::driver
