// The shared library strc_symbolic, for executables with filters whose shapes only the run knows.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/beside.h"
#include "strc/symbolic.h"

const char *strc_symbolic_load(const char **library, const strc_symbolic_start *start,
                               strc_symbolic *to) {
    static char words[512];
    static char own[STRC_OWN_PATH];
    const char *given = getenv("STRC_SYMBOLIC_LIB");
    *library = given && *given ? given : strc_own_file(own, *library);
    void *loaded = dlopen(*library, RTLD_NOW | RTLD_LOCAL);
    strc_symbolic_open_function *open = NULL;
    void *address = loaded ? dlsym(loaded, "strc_symbolic_open") : NULL;
    memcpy(&open, &address, sizeof address);
    if (open) return open(start, to);
    snprintf(words, sizeof words, "%s",
             loaded ? "it has no function 'strc_symbolic_open'" : dlerror());
    return words;
}
