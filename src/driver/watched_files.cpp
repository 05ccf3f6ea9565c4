#include "driver/detail/watched_files.h"

#include <algorithm>
#include <sys/stat.h>
#include <utility>

namespace strc::driver {

WatchedFiles::WatchedFiles(std::vector<std::string> names) : files(std::move(names)) {
    known = last = look();
}

WatchedFiles::Stamp WatchedFiles::stampOf(const std::string& file) {
    struct stat found{};
    if (stat(file.c_str(), &found) != 0) return {};
    return {true, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size, found.st_ino};
}

std::vector<WatchedFiles::Stamp> WatchedFiles::look() const {
    std::vector<Stamp> stamps;
    for (const std::string& file : files) stamps.push_back(stampOf(file));
    return stamps;
}

bool WatchedFiles::haveChanged() {
    std::vector<Stamp> now = look();
    const bool isQuiet = now == last;
    last = std::move(now);
    const bool areThere =
        std::all_of(last.begin(), last.end(), [](const Stamp& each) { return each.isThere; });
    if (!isQuiet || !areThere || last == known) return false;
    known = last;
    return true;
}

}  // namespace strc::driver
