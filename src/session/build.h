#pragma once
/// Executables, shared libraries and object files of compilations, for whoever asks for them.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

struct Building {
    std::string printed;  ///< while the graph was built: an executable prints it when it starts
    std::function<bool()> interrupted = {};
};

/// What is linked. Empty after reporting, and when it was interrupted.
std::optional<std::string> objectFile(Compilation&, const Settings&, const Building&);

/// Makes the executable, or the library and its header. False after reporting, and when it was interrupted.
bool build(Compilation&, const Settings&, const Building&, const std::string& output);

/// "libp.h" of "libp.so".
std::string headerOf(const std::string& library);

}  // namespace strc::session
