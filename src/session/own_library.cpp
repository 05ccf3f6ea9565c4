#include "session/detail/own_library.h"

#include <dlfcn.h>
#include <filesystem>

namespace strc::session {
namespace {

bool isFile(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

/// Of this code: libstrc, or the program that it is part of.
std::filesystem::path ownFolder() {
    std::error_code ignored;
    Dl_info about{};
    if (dladdr(reinterpret_cast<const void*>(&ownFolder), &about) != 0) {
        const std::filesystem::path own = about.dli_fname;
        if (own.has_parent_path() && isFile(own)) return own.parent_path();
    }
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

std::string ownLibrary(const char* file) {
    const std::filesystem::path own = ownFolder();
    for (const std::filesystem::path& folder : {own, own.parent_path() / STRC_LIBRARY_NAME})
        if (isFile(folder / file)) return (folder / file).string();
    return std::string(STRC_LIBRARY_FOLDER "/") + file;
}

}  // namespace strc::session
