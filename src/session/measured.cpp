#include "session/detail/measured.h"

#include <fmt/format.h>

#include "graph/hierarchy.h"

namespace strc::session {

profile::Measured measuredOf(base::Context& context, const Settings& settings) {
    if (settings.profileUse.empty()) return {};
    base::Result<profile::Measured> read = profile::readProfile(settings.profileUse);
    if (read) return std::move(*read);
    base::report(context.diags, read.failure());
    return {};
}

void checkMeasured(Compilation& program, const Settings& settings,
                   const profile::Measured& measured) {
    if (settings.profileUse.empty() || !program.plan) return;
    std::size_t known = 0;
    const std::vector<std::string> paths = graph::allPaths(program.plan->program->graph).nodes;
    for (const std::string& path : paths) known += measured.firings.count(path);
    if (2 * known >= paths.size()) return;
    base::Diagnostic& told = program.context.diags.add(base::Diag::Hint);
    if (known == 0)
        told << fmt::format(
            "'{}' is the profile of another program, '{}', or of other options: nothing of it is "
            "used",
            settings.profileUse, measured.program);
    else
        told << fmt::format(
            "'{}' knows {} of {} filters, splitters and joiners of this program: it may be of "
            "another version of it, or of other options; others are estimated",
            settings.profileUse, known, paths.size());
}

}  // namespace strc::session
