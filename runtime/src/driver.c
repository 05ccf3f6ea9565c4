// CUDA's driver, loaded once a process.
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static strc_driver driver;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *library, void *member, const char *symbol) {
    void *address = dlsym(library, symbol);
    if (!address) missing = "the NVIDIA driver is too old";
    memcpy(member, &address, sizeof address);
    return address != NULL;
}

static void load(void) {
    const char *given = getenv("STRC_CUDA_LIB");
    void *library = dlopen(given && *given ? given : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "no NVIDIA driver is installed (libcuda.so.1)";
        return;
    }
    int is_whole = 1;
#define STRC_ROW(member, symbol, parameters) \
    is_whole = is_whole && find(library, &driver.member, symbol);
    STRC_DRIVER_FUNCTIONS(STRC_ROW)
#undef STRC_ROW
    if (!is_whole) return;
    cu_result result = driver.init(0);
    if (result == 0) return;
    if (driver.error_string(result, &missing) != 0 || !missing)
        missing = "the NVIDIA driver cannot be started";
}

const strc_driver *strc_driver_get(const char **why) {
    pthread_once(&once, load);
    *why = missing;
    return missing ? NULL : &driver;
}
