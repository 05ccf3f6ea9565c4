#include "strc/files/loading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;

const char *strc_load_once(int *is_loaded, const char *library, const char *const *names,
                           size_t count, void *to) {
    pthread_mutex_lock(&once);
    const char *why = *is_loaded ? NULL : strc_load_functions(library, names, count, to);
    *is_loaded = why == NULL;
    pthread_mutex_unlock(&once);
    return why;
}

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
