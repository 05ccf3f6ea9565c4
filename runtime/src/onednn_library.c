// oneDNN, loaded once a process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onednn.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static strc_onednn found;
static int is_found;
static char words[256];

/// In a bundle its own library of threads lies beside it.
static void load_threads(const char *path) {
    static const char name[] = "libgomp.so.1";
    char beside[4096];
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    if (folder == 0 || folder + sizeof name > sizeof beside) return;
    memcpy(beside, path, folder);
    memcpy(beside + folder, name, sizeof name);
    dlopen(beside, RTLD_NOW | RTLD_LOCAL);
}

/// One thread, whatever calls it: that is said where it begins, so that no call has to.
static void *load_alone(const char *path) {
    static const char variable[] = "OMP_NUM_THREADS";
    const char *set = getenv(variable);
    char *before = set ? strdup(set) : NULL;
    setenv(variable, "1", 1);
    load_threads(path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (before)
        setenv(variable, before, 1);
    else
        unsetenv(variable);
    free(before);
    return library;
}

static const char *load(const char *path) {
    void *library = load_alone(path);
    if (!library) {
        snprintf(words, sizeof words, "%s", dlerror());
        return words;
    }
    void *address;
#define STRC_ROW(result, member, symbol, parameters)                                        \
    address = dlsym(library, symbol);                                                       \
    if (!address) return "it is no oneDNN 3 with threads of OpenMP: " symbol " is missing"; \
    memcpy(&found.member, &address, sizeof address);
    STRC_ONEDNN_FUNCTIONS(STRC_ROW)
#undef STRC_ROW
    const nn_version *version = found.version();
    if (version->major == NN_VERSION) return NULL;
    snprintf(words, sizeof words, "it is oneDNN %d.%d, and version %d is needed", version->major,
             version->minor, NN_VERSION);
    return words;
}

const strc_onednn *strc_onednn_get(const char *path, const char **why) {
    pthread_mutex_lock(&lock);
    *why = is_found ? NULL : load(path);
    is_found = *why == NULL;
    pthread_mutex_unlock(&lock);
    return *why ? NULL : &found;
}
