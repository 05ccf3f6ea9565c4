#include "session/sources.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace strc::session {

using base::Diag;
using base::Result;

namespace {

base::Failure tooLarge(const std::string& path) {
    return base::failure(Diag::SourceTooLarge, {path, std::to_string(kMostSourceBytes)});
}

Result<std::string> readAll(int file, const std::string& path) {
    struct stat status{};
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode))
        return base::failure(Diag::CannotOpenFile, {path, std::strerror(EISDIR)});
    std::string text;
    std::array<char, 1 << 16> buffer{};
    while (true) {
        ssize_t got = read(file, buffer.data(), buffer.size());
        if (got < 0) return base::failure(Diag::CannotReadFile, {path, std::strerror(errno)});
        if (got == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > kMostSourceBytes) return tooLarge(path);
    }
}

}  // namespace

Result<std::string> readFile(const std::string& path) {
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return base::failure(Diag::CannotOpenFile, {path, std::strerror(errno)});
    Result<std::string> text = readAll(file, path);
    close(file);
    return text;
}

Result<std::string> readText(const std::string& name, const ReadText& read) {
    std::string text;
    std::array<char, 1 << 16> buffer{};
    while (const std::size_t got = std::min(read(buffer.data(), buffer.size()), buffer.size())) {
        text.append(buffer.data(), got);
        if (text.size() > kMostSourceBytes) return tooLarge(name);
    }
    return text;
}

std::string expandHome(std::string path) {
    if (!path.starts_with('~')) return path;
    const std::size_t end = std::min(path.find('/'), path.size());
    const char* home = nullptr;
    if (end == 1) {
        home = std::getenv("HOME");
    } else if (const passwd* user = getpwnam(path.substr(1, end - 1).c_str())) {
        home = user->pw_dir;
    }
    return home ? home + path.substr(end) : path;
}

}  // namespace strc::session
