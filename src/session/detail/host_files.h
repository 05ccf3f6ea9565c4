#pragma once
/// What a library has beside it in the folder of a plug-in.

#include <optional>
#include <string>
#include <vector>

#include "executable/link.h"
#include "executable/tables.h"
#include "plugins/annotations.h"
#include "session/settings.h"

namespace strc::session {

class HostFiles {
public:
    explicit HostFiles(Host wanted) : host(wanted) {}

    bool areWanted() const { return host != Host::None; }
    /// False after reporting why the program cannot be that.
    bool describe(const executable::Program&, const plugins::Annotations&);
    const plugins::Plugin* audio() const { return plugin ? &*plugin : nullptr; }

    // ---- behind `describe`
    /// The library's name in the folder.
    std::string library() const;
    std::vector<executable::Export> exports() const;
    std::vector<executable::Companion> files(const std::string& folder,
                                             const std::string& header) const;

private:
    Host host;
    std::optional<plugins::Plugin> plugin;
    std::optional<plugins::RadioBlock> radio;
};

}  // namespace strc::session
