// Operators by libtorch: the shared library strc_torch, and what it needs, loaded once a process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provider.h"
#include "strc/torch.h"

typedef struct library {
    strc_torch_open_function *open;
    strc_torch_run_function *run;
    strc_torch_close_function *close;
} library;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static library found;
static int is_found;
static _Thread_local char words[512];

/// Names are bound when they are used: so what is loaded can say that it is of another version.
static void *load_one(const char *path) {
    void *loaded = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!loaded) snprintf(words, sizeof words, "%s", dlerror());
    return loaded;
}

/// STRC_TORCH_LIB names a folder with libtorch: what is loaded already is not looked for elsewhere.
static int load_torch(const char *folder) {
    static const char *const names[] = {"libc10.so", "libtorch_cpu.so"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        if (!dlopen(path, RTLD_LAZY | RTLD_LOCAL)) {
            snprintf(words, sizeof words, "STRC_TORCH_LIB: %s", dlerror());
            return -1;
        }
    }
    return 0;
}

static int find(void *from, void *member, const char *symbol) {
    void *address = dlsym(from, symbol);
    memcpy(member, &address, sizeof address);
    if (!address) snprintf(words, sizeof words, "it has no function '%s'", symbol);
    return address != NULL;
}

static int load(const char *path) {
    const char *folder = getenv("STRC_TORCH_LIB");
    if (folder && *folder && load_torch(folder) != 0) return -1;
    void *loaded = load_one(path);
    if (!loaded) return -1;
    return find(loaded, &found.open, "strc_torch_open") &&
                   find(loaded, &found.run, "strc_torch_run") &&
                   find(loaded, &found.close, "strc_torch_close")
               ? 0
               : -1;
}

static void *open_torch(const strc_kernel_program *program, const char *path, const char **why) {
    pthread_mutex_lock(&lock);
    if (!is_found) is_found = load(path) == 0;
    const int is_there = is_found;
    pthread_mutex_unlock(&lock);
    *why = words;
    return is_there ? found.open(program, strc_kernel_weights_of, words, sizeof words) : NULL;
}

static int run_torch(void *self, uint64_t kernel, float *result, const float *source,
                     const float *weights) {
    return found.run(self, kernel, result, source, weights);
}

static void close_torch(void *self) { found.close(self); }

const strc_provider strc_torch_provider = {NULL, open_torch, run_torch, close_torch};
