// The weights of an executable that were left in their file. Nothing but executables with such weights links this.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"

static const strc_origin nowhere = {0, 0};

static int unusable(const char *file, const char *why) {
    return STRC_FAIL(nowhere, WeightsFile, file, why);
}

/// The whole file, for as long as the program runs; null after reporting.
static const void *map(const char *name, uint64_t *size) {
    struct stat about;
    const char *why = NULL;
    void *bytes = NULL;
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &about) != 0)
        why = strerror(errno);
    else if (!S_ISREG(about.st_mode))
        why = "it is no regular file";
    else if (about.st_size == 0)
        why = "it is empty";
    else if ((bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0)) ==
             MAP_FAILED)
        why = strerror(errno);
    if (file >= 0) close(file);
    if (why) unusable(name, why);
    *size = why ? 0 : (uint64_t)about.st_size;
    return why ? NULL : bytes;
}

enum { kTypeText = STRC_SAFE_DIMENSIONS * 24 + 16 };

/// "F32[2, 3]"
static const char *type_text(char to[kTypeText], uint32_t type, uint32_t rank,
                             const uint64_t *dims) {
    int at = snprintf(to, kTypeText, "%s[", strc_safe_name(type));
    for (uint32_t k = 0; k < rank; ++k)
        at += snprintf(to + at, (size_t)(kTypeText - at), "%s%llu", k ? ", " : "",
                       (unsigned long long)dims[k]);
    snprintf(to + at, (size_t)(kTypeText - at), "]");
    return to;
}

/// 0, or -1 after reporting.
static int bind(const strc_weight *wanted, const void *bytes, const strc_safe_index *index,
                const char *file) {
    char have[kTypeText], want[kTypeText], why[STRC_SAFE_WHY];
    const char *name = strc_text_at(wanted->name);
    const strc_safe_tensor *found = strc_safe_find(index, name, strlen(name));
    if (!found) return STRC_FAIL(nowhere, WeightsMissing, name, file);
    if (found->type != wanted->type || found->rank != wanted->rank ||
        memcmp(found->dims, wanted->dims, sizeof *found->dims * found->rank) != 0)
        return STRC_FAIL(nowhere, WeightsMismatch, name, file,
                         type_text(have, found->type, found->rank, found->dims),
                         type_text(want, wanted->type, wanted->rank, wanted->dims));
    void *copy;  // as long as the program runs
    const void *values = strc_safe_values(bytes, found, &copy, why);
    if (!values) return unusable(file, why);
    if (wanted->hash && strc_safe_hash(values, found->size) != wanted->hash) {
        snprintf(why, sizeof why,
                 "'%.200s' has changed since the program was built, with values computed from it",
                 name);
        return unusable(file, why);
    }
    if (wanted->place) *wanted->place = values;
    return 0;
}

static int bind_all(const strc_executable *about, const void *bytes, uint64_t size,
                    const char *file) {
    char why[STRC_SAFE_WHY];
    strc_safe_index index;
    if (strc_safe_read(bytes, size, &index, why) != 0) return unusable(file, why);
    int status = 0;
    for (uint64_t k = 0; k < about->weight_count && status == 0; ++k)
        status = bind(&about->weights[k], bytes, &index, file);
    strc_safe_free(&index);
    return status;
}

int strc_open_weights(const strc_executable *about, const char *file) {
    uint64_t size;
    char path[STRC_OWN_PATH];
    if (!file) file = strc_own_file(path, strc_text_at(about->weights_file));
    const void *bytes = map(file, &size);
    return bytes ? bind_all(about, bytes, size, file) : -1;
}
