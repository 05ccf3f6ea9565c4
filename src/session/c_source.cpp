#include "session/c_source.h"

#include "csource/print.h"
#include "executable/library.h"
#include "executable/tables.h"
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

/// The program as one filter; null after reporting that it is none.
const elab::Elaboration* oneFilter(Compilation& program) {
    const elab::Elaboration& planned = *program.plan->program;
    base::SourceRange range;
    const std::string why = csource::whyNot(program.module, planned, range);
    if (why.empty()) return &planned;
    program.context.diags.add(base::Diag::CannotCompile,
                              range.valid() ? range : mainHeader(program))
        << why;
    return nullptr;
}

const elab::Elaboration* check(Compilation& program) {
    if (!canBeCompiled(program) || !hasAllShapes(program)) return nullptr;
    if (!executable::checkLibrary(parts(program))) return nullptr;
    return oneFilter(program);
}

}  // namespace

std::optional<std::string> cHeader(Compilation& program, const Settings&) {
    const elab::Elaboration* filter = check(program);
    if (!filter) return std::nullopt;
    return executable::sourceHeader(parts(program), csource::handleBytes(*filter));
}

std::optional<std::string> cSource(Compilation& program, const Settings& settings) {
    const elab::Elaboration* filter = check(program);
    if (!filter) return std::nullopt;
    const executable::Program all = parts(program);
    return csource::print({program.context, program.module, *filter, all.mainStream,
                           executable::sourceHeader(all, csource::handleBytes(*filter)),
                           settings.checks});
}

}  // namespace strc::session
