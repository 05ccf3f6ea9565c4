#include "io/picture_libraries.h"

#include <cstdio>  // jpeglib.h needs it
#include <dlfcn.h>
#include <jpeglib.h>

#include <png.h>

#include "strc/picture_libraries.h"

namespace strc::io {

std::vector<std::string> pictureLibraries() {
    struct Library {
        const char *name, *function;
    };
    std::vector<std::string> files;
    for (const Library& library : {Library{STRC_PNG_LIBRARY, "png_create_read_struct"},
                                   Library{STRC_DEFLATE_LIBRARY, "zlibVersion"},
                                   Library{STRC_JPEG_LIBRARY, "jpeg_std_error"}}) {
        void* loaded = dlopen(library.name, RTLD_LAZY | RTLD_LOCAL);
        if (!loaded) continue;
        Dl_info place{};
        if (dladdr(dlsym(loaded, library.function), &place) != 0)
            files.emplace_back(place.dli_fname);
        dlclose(loaded);
    }
    return files;
}

}  // namespace strc::io
