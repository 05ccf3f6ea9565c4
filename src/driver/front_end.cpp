#include "driver/front_end.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace strc::driver {

namespace {

namespace fs = std::filesystem;

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

fs::path ownPath() {
    std::error_code failed;
    return fs::read_symlink("/proc/self/exe", failed);
}

/// Beside the binary where it is installed, else in the sources.
std::optional<fs::path> findPackage(const fs::path& strc) {
    for (const fs::path& place :
         {strc.parent_path().parent_path() / "share/strc/python", fs::path(STRC_PYTHON_SOURCES)}) {
        std::error_code failed;
        if (fs::exists(place / "strc_repl/__main__.py", failed)) return place / "strc_repl";
    }
    return std::nullopt;
}

/// Debian's packages belong to the system's Python, whatever `python3` on the path is.
std::string findPython() {
    if (std::string_view chosen = variable("STRC_PYTHON"); !chosen.empty())
        return std::string(chosen);
    return access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
}

}  // namespace

bool isForEditing() {
    std::string_view kind = variable("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !kind.empty() && kind != "dumb";
}

std::string becomeFrontEnd(const std::vector<std::string>& arguments) {
    fs::path strc = ownPath();
    auto package = findPackage(strc);
    if (!package) return "the folder strc_repl is missing";
    std::vector<std::string> words{findPython(), package->string(), "--strc", strc.string(), "--"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    return fmt::format("cannot start '{}': {}", words[0], std::strerror(errno));
}

}  // namespace strc::driver
