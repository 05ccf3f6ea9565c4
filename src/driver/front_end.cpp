#include "driver/detail/front_end.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
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
std::optional<fs::path> find(const fs::path& strc, const fs::path& file) {
    for (const fs::path& place : {strc.parent_path().parent_path() / "share/strc",
                                  fs::path(STRC_PYTHON_SOURCES).parent_path()}) {
        std::error_code failed;
        if (fs::exists(place / file, failed)) return place / file;
    }
    return std::nullopt;
}

/// Returns only if that cannot be: why.
std::string become(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    return fmt::format("cannot start '{}': {}", words[0], std::strerror(errno));
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

std::string becomeFrontEnd(const std::vector<std::string>& options,
                           const std::vector<std::string>& files) {
    fs::path strc = ownPath();
    auto main = find(strc, "python/strc_repl/__main__.py");
    if (!main) return "the folder strc_repl is missing";
    std::vector<std::string> words{findPython(), main->parent_path().string(), "--strc",
                                   strc.string()};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), files.begin(), files.end());
    return become(std::move(words));
}

std::string scriptOf(std::string_view command) {
    if (command == "import") return "import-model";
    return command == "setup" ? "set-up-torch" : "";
}

std::string becomeScript(const std::string& script, const std::vector<std::string>& arguments) {
    auto found = find(ownPath(), fs::path("scripts") / script);
    if (!found) return fmt::format("the script '{}' is missing", script);
    std::vector<std::string> words{found->string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return become(std::move(words));
}

void setUpKernels(std::string_view kernels) {
    const char* other = kernels == "onednn"  ? "STRC_ONEDNN_LIB"
                        : kernels == "torch" ? "STRC_TORCH_LIB"
                                             : nullptr;
    if (!other || !variable(other).empty()) return;
    auto script = find(ownPath(), "scripts/set-up-torch");
    if (!script) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    std::string path = script->string();
    char* words[] = {path.data(), nullptr};
    pid_t child = 0;
    if (posix_spawn(&child, path.c_str(), &actions, nullptr, words, environ) == 0) {
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    }
    posix_spawn_file_actions_destroy(&actions);
}

}  // namespace strc::driver
