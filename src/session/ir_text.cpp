#include "session/ir_text.h"

#include <utility>

#include "opt/run_on_text.h"

namespace strc::session {

std::optional<std::string> optimiseText(base::Context& context, SourceText source,
                                        const Settings& settings) {
    const base::BufferId buffer =
        context.sources.add(std::move(source.name), std::move(source.text));
    return opt::runOnText(context, buffer, settings.passes);
}

}  // namespace strc::session
