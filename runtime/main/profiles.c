#include "profiles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"

static const strc_origin nowhere = STRC_ORIGIN(0, 0);

static void out_of_memory(void) { STRC_FAIL(nowhere, OutOfMemory, "the profile", "0"); }

strc_profile *strc_begin_profile(const strc_executable *about, const strc_options *options,
                                 uint32_t threads) {
    strc_profile *made =
        about->profile_calls->make(about->profile, threads, options->profile_file != NULL);
    if (!made) out_of_memory();
    return made;
}

/// 0, or the error.
static int write_all(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    if (!file) return errno;
    int failed = fputs(text, file) < 0 ? errno : 0;
    if (fclose(file) != 0 && !failed) failed = errno;
    return failed;
}

/// A file beside it becomes it when it is complete; what is no ordinary file is written as it is.
static int replace(const char *name, const char *text) {
    struct stat old;
    if (stat(name, &old) == 0 && !S_ISREG(old.st_mode)) return write_all(name, text);
    const size_t capacity = strlen(name) + 32;
    char *beside = malloc(capacity);
    if (!beside) return ENOMEM;
    snprintf(beside, capacity, "%s.%ld~", name, (long)getpid());
    int failed = write_all(beside, text);
    if (!failed && rename(beside, name) != 0) failed = errno;
    if (failed) unlink(beside);
    free(beside);
    return failed;
}

void strc_show_profile(const strc_executable *about, const strc_options *options,
                       strc_profile *profile) {
    const strc_profile_calls *calls = about->profile_calls;
    const char *file = options->profile_file;
    char *table = calls->table(profile);
    char *json = file ? calls->json(profile) : NULL;
    if (table) fputs(table, stderr);
    const int error = json ? replace(file, json) : 0;
    if (error) STRC_FAIL(nowhere, CannotWriteFile, file, strerror(error));
    if (!table || (file && !json)) out_of_memory();
    free(table);
    free(json);
    calls->free(profile);
}
