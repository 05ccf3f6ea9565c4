#include "session/detail/host_files.h"

#include "executable/plugin.h"

namespace strc::session {

using executable::Companion;
using executable::Export;

bool HostFiles::describe(const executable::Program& program,
                         const plugins::Annotations& annotations) {
    if (host == Host::GnuRadio) {
        radio = executable::radioBlockOf(program, annotations);
        return radio.has_value();
    }
    plugin = executable::pluginOf(program, annotations);
    if (plugin) plugin->binary = program.mainStream + ".so";
    return plugin.has_value();
}

std::string HostFiles::library() const { return radio ? radio->library : plugin->binary; }

std::vector<Export> HostFiles::exports() const {
    if (radio) return executable::libraryFunctions(radio->stream);
    return {{"lv2_descriptor", "lv2_descriptor"}};
}

std::vector<Companion> HostFiles::files(const std::string& folder,
                                        const std::string& header) const {
    if (radio)
        return {{folder + "/lib" + radio->module + ".h", header},
                {folder + "/" + radio->module + ".py", plugins::radioModule(*radio)},
                {folder + "/" + radio->module + ".block.yml", plugins::radioDescription(*radio)}};
    const std::string description = plugin->binary.substr(0, plugin->binary.size() - 3) + ".ttl";
    return {{folder + "/" + description, plugins::lv2Description(*plugin)},
            {folder + "/manifest.ttl", plugins::lv2Manifest(*plugin, description)}};
}

}  // namespace strc::session
