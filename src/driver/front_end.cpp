#include "driver/front_end.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include "driver/driver.h"
#include "io/subprocess.h"

namespace strc::driver {

namespace {

namespace fs = std::filesystem;

/// Beside an installed compiler, in its build tree, in the source tree.
std::string packageFolder(const fs::path& binary) {
    const fs::path around = binary.parent_path().parent_path();
    for (const fs::path& folder :
         {around / "share" / "strc" / "python", around.parent_path().parent_path() / "python"}) {
        std::error_code error;
        if (fs::exists(folder / "strc_repl" / "__main__.py", error)) return folder.string();
    }
    return {};
}

}  // namespace

std::string startFrontEnd(const std::vector<std::string>& files) {
    const char* term = std::getenv("TERM");
    if (!term || std::strcmp(term, "dumb") == 0 || *term == '\0')
        return "this terminal is a simple one";
    std::error_code error;
    const fs::path binary = fs::read_symlink("/proc/self/exe", error);
    const std::string folder = error ? std::string() : packageFolder(binary);
    if (folder.empty()) return "the line editor is not installed";
    const char* chosen = std::getenv("STRC_PYTHON");
    const std::string python = chosen ? chosen : "python3";
    auto found = io::runTool({python, "-c", "import prompt_toolkit"}, "");
    if (!found)
        return "the line editor needs Python 3 with prompt_toolkit (python3-prompt-toolkit)";
    const char* path = std::getenv("PYTHONPATH");
    setenv("PYTHONPATH", (folder + (path ? ":" + std::string(path) : "")).c_str(), 1);
    setenv("STRC_BINARY", binary.c_str(), 1);
    std::vector<std::string> words{python, "-m", "strc_repl"};
    words.insert(words.end(), files.begin(), files.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(python.c_str(), arguments.data());
    return std::string("the line editor cannot be started: ") + std::strerror(errno);
}

std::string buildText(const std::string& text, const std::string& top, const std::string& file) {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    std::string name = (folder / "strc-repl-XXXXXX").string();
    const int handle = error ? -1 : mkstemp(name.data());
    if (handle < 0) return "no temporary file can be made";
    close(handle);
    std::ofstream(name) << text;
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    const char* arguments[] = {"strc", "build", "--top",      top.c_str(),
                               "-w",   "-o",    file.c_str(), name.c_str()};
    const int status = run(static_cast<int>(std::size(arguments)), arguments, {in, out, err});
    fs::remove(name, error);
    return status == kFine ? std::string() : err.str();
}

}  // namespace strc::driver
