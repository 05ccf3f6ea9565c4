#include "session/detail/c_source.h"

#include "csource/print.h"
#include "executable/library.h"
#include "executable/tables.h"
#include "graph/turns.h"
#include "lowered/lower.h"
#include "session/products.h"

namespace strc::session {
namespace {

executable::Program parts(Compilation& program) {
    executable::Program made{program.context,
                             *program.plan,
                             program.repetitions,
                             program.module,
                             std::string(program.main->name.text()),
                             {}};
    made.isLibrary = true;
    made.whole = &program.elaboration.graph;
    return made;
}

/// The program as one filter: as it is, if it is one, else its lower form.
struct OneFilter {
    const elab::Elaboration* asWritten = nullptr;
    std::optional<lowered::Program> lowered;

    const elab::Elaboration& elaboration() const {
        return lowered ? lowered->elaboration : *asWritten;
    }
};

void refuse(Compilation& program, const std::string& why, base::SourceRange range) {
    program.context.diags.add(base::Diag::CannotCompile,
                              range.valid() ? range : mainHeader(program))
        << why;
}

/// Empty after reporting why there is none.
std::optional<OneFilter> oneFilter(Compilation& program) {
    const elab::Elaboration& planned = *program.plan->program;
    base::SourceRange range;
    if (csource::isOneFilter(planned)) {
        const std::string why = csource::whyNot(program.module, planned, range);
        if (why.empty()) return OneFilter{&planned, std::nullopt};
        refuse(program, why, range);
        return std::nullopt;
    }
    std::string why = lowered::whyNot(program.module, *program.plan);
    OneFilter made;
    if (why.empty()) {
        made.lowered = lowered::lower(program.context, *program.program.types, program.module,
                                      *program.plan, {.target = {}});
        why = csource::whyNot(program.module, made.elaboration(), range);
    }
    if (why.empty()) return made;
    refuse(program, why, range);
    return std::nullopt;
}

std::optional<OneFilter> check(Compilation& program) {
    if (!canBeCompiled(program) || !hasAllShapes(program)) return std::nullopt;
    if (!executable::checkLibrary(parts(program))) return std::nullopt;
    return oneFilter(program);
}

}  // namespace

std::optional<std::string> cHeader(Compilation& program, const Settings&) {
    const std::optional<OneFilter> filter = check(program);
    if (!filter) return std::nullopt;
    return executable::sourceHeader(parts(program), csource::handleBytes(filter->elaboration()));
}

std::optional<std::string> cSource(Compilation& program, const Settings& settings) {
    const std::optional<OneFilter> filter = check(program);
    if (!filter) return std::nullopt;
    const executable::Program all = parts(program);
    const elab::Elaboration& elaboration = filter->elaboration();
    csource::Program printed{program.context,
                             program.module,
                             elaboration,
                             all.mainStream,
                             executable::sourceHeader(all, csource::handleBytes(elaboration)),
                             executable::identityOf(all),
                             settings.checks};
    printed.inTurns = graph::turnsOf(*all.whole, true);
    printed.outTurns = graph::turnsOf(*all.whole, false);
    if (filter->lowered || program.before)
        printed.instances = &plan::firingProgram(*program.plan).graph;
    return csource::print(printed);
}

}  // namespace strc::session
