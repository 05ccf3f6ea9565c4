#pragma once
/// Texts and settings become a compilation: the whole way from outside to `compile`.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// Items of an open end that a library takes or gives at once: what audio callbacks bring at the least.
constexpr std::int64_t kMostAtOnce = 64;
/// Steady states at once where one alone takes or gives nearly so many items, as frames of networks do: a group of lanes.
/// Smaller portions are done one by one.
constexpr std::int64_t kFramesAtOnce = 16;

/// What passes over the graph may do; none: code as it was written, for debuggers and to compare with, is left as it was written.
std::optional<pass::Options> optimisations(const Settings&);

struct Loading {
    Stage last = Stage::Planned;
    std::function<void(std::string_view)> print;  ///< what composite bodies and `init` print
    std::function<void(std::string_view)> log;  ///< the lines of Settings::bisectLimit
    const volatile bool* interrupt = nullptr;
};

/// Limits, leniency, warnings and passes as the settings have them, before anything is reported.
void apply(base::Context&, const Settings&);

/// The settings have been applied. Opens the library of streams and those of natives, then goes through the
/// stages. Nothing is done if something has been reported before. On the way to a plan it is no fault that there is
/// none, unless Settings::noInterpret; who goes no further than the schedule wants to know why there is none.
Stage load(Compilation&, const Settings&, std::vector<SourceText>, const Loading&);

}  // namespace strc::session
