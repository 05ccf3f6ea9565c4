#include "io/picture_libraries.h"

#include <cstdio>  // jpeglib.h needs it
#include <dlfcn.h>
#include <jpeglib.h>

#include <png.h>

#include "strc/picture_libraries.h"

namespace strc::io {

/// The compiler is linked with two of them, though it calls their functions as executables do (strc/files/loading.h): so they
/// are there, and packages bring them along.
std::vector<std::string> pictureLibraries() {
    void* const deflate = dlopen(STRC_DEFLATE_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    const void* const functions[] = {reinterpret_cast<const void*>(&png_create_read_struct),
                                     deflate ? dlsym(deflate, "zlibVersion") : nullptr,
                                     reinterpret_cast<const void*>(&jpeg_std_error)};
    std::vector<std::string> files;
    for (const void* function : functions) {
        Dl_info place{};
        if (function && dladdr(function, &place) != 0) files.emplace_back(place.dli_fname);
    }
    if (deflate) dlclose(deflate);
    return files;
}

}  // namespace strc::io
