#include "strc/files/libsndfile.h"

#include <stdio.h>
#include <string.h>

#include "strc/files/loading.h"

int strc_libsndfile_load(strc_libsndfile *library, strc_origin origin, const char *name) {
    static const char *const names[] = {"sf_open_virtual", "sf_close",       "sf_error",
                                        "sf_strerror",     "sf_readf_int",   "sf_readf_float",
                                        "sf_writef_int",   "sf_writef_float"};
    _Static_assert(sizeof *library == sizeof names, "a pointer for each name");
    const char *missing =
        strc_load_functions("libsndfile.so.1", names, sizeof names / sizeof *names, library);
    return missing ? STRC_FAIL(origin, MissingLibrary, name, "libsndfile1", missing) : 0;
}

/// The library says "Error : words." of some faults, and of others nothing but the words.
const char *strc_libsndfile_why(const strc_libsndfile *library, strc_sndfile *file,
                                char why[STRC_SNDFILE_WHY]) {
    static const char head[] = "Error : ";
    const char *text = library->error_text(file);
    if (strncmp(text, head, sizeof head - 1) == 0) text += sizeof head - 1;
    snprintf(why, STRC_SNDFILE_WHY, "%s", text);
    const size_t size = strlen(why);
    if (size > 0 && why[size - 1] == '.') why[size - 1] = '\0';
    return why;
}
