#include "driver/report.h"

#include <cstdlib>
#include <ostream>

#include "base/render.h"

namespace strc::driver {

using base::Diag;
using base::Diagnostic;
using base::Severity;

namespace {

/// Is it the call that has to be changed?
bool isCallFault(const Diagnostic& diag) {
    switch (diag.id) {
        case Diag::UnknownFormat:
        case Diag::FormatItemType:
            return !diag.range.valid();  // else a file that the program names
        case Diag::BadCommandLine:
        case Diag::BadOptionValue:
        case Diag::ConflictingOptions:
        case Diag::NoInputFiles:
        case Diag::UnknownTopStream:
        case Diag::UnknownDefine:
        case Diag::BadDefineValue:
        case Diag::MainStreamSide:
        case Diag::UnknownProcessor:
        case Diag::UnknownDiagnostic: return true;
        default: return false;
    }
}

/// https://no-color.org
bool wantsColour(When when, const World& world) {
    if (when != When::Auto) return when == When::Always;
    const char* forbidden = std::getenv("NO_COLOR");
    return world.errIsTerminal && !(forbidden && *forbidden);
}

}  // namespace

void Reporter::show(base::Diagnostics& diags, const base::SourceManager& sources,
                    std::uint32_t mostErrors) {
    diags.merge();
    const base::RenderOptions text{wantsColour(options.colour, world)};
    auto render = [&](const Diagnostic& diag) {
        world.err << (options.json ? base::renderJson(diag, sources)
                                   : base::renderText(diag, sources, text));
    };
    std::uint32_t errors = 0;
    for (const Diagnostic& diag : diags.all()) {
        if (diag.severity == Severity::Error) {
            (isCallFault(diag) ? callFaults : otherFaults) = true;
            ++errors;
        }
        if (errors <= mostErrors) render(diag);
    }
    if (errors > mostErrors) {
        Diagnostic more{Diag::MoreErrors,
                        Severity::Note,
                        {},
                        {std::to_string(errors - mostErrors)},
                        {},
                        {},
                        {}};
        render(more);
    }
    world.err.flush();
    diags.clear();
}

ExitStatus Reporter::status() const {
    if (otherFaults) return kProgramFault;
    return callFaults ? kWrongCall : kFine;
}

}  // namespace strc::driver
