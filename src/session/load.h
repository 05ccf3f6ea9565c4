#pragma once
/// Texts and settings become a compilation: the whole way from outside to `compile`.

#include <functional>
#include <string_view>
#include <vector>

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

struct Loading {
    Stage last = Stage::Planned;
    bool planIfPossible = false;  ///< Request::planIfPossible
    std::optional<linear::Options> improve;  ///< Request::improve
    std::function<void(std::string_view)> print;  ///< what composite bodies and `init` print
    const volatile bool* interrupt = nullptr;
};

/// Limits, leniency, warnings and passes as the settings have them, before anything is reported.
void apply(base::Context&, const Settings&);

/// The settings have been applied. Opens the library of streams and those of natives, then goes through the
/// stages. Nothing is done if something has been reported before.
Stage load(Compilation&, const Settings&, std::vector<SourceText>, const Loading&);

}  // namespace strc::session
