#include "strc/files/loading.h"

#include <dlfcn.h>
#include <string.h>

const char *strc_load_functions(const char *library, const char *const *names, size_t count,
                                void *to) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    for (size_t k = 0; loaded && k < count; ++k) {
        void *function = dlsym(loaded, names[k]);
        if (!function) return dlerror();
        memcpy((unsigned char *)to + k * sizeof function, &function, sizeof function);
    }
    return loaded ? NULL : dlerror();
}
