// `strc completion` and `strc man`: what packages put where shells and `man` look for it.
#include "driver/detail/commands.h"
#include "driver/detail/table.h"
#include "strc/strc.h"

namespace strc::driver {

int completionCommand(const Call& call) {
    const std::string& shell = call.options.arguments.front();
    const Shell which = shell == "bash" ? Shell::Bash : shell == "zsh" ? Shell::Zsh : Shell::Fish;
    return printResult(call, completionScript(commandTable(), which));
}

int manCommand(const Call& call) {
    const std::string command =
        call.options.arguments.empty() ? "" : call.options.arguments.front();
    return printResult(call, manualPage(commandTable(), command, strc_version()));
}

}  // namespace strc::driver
