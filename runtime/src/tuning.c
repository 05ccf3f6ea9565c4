#define _GNU_SOURCE  // secure_getenv
#include "tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strc/processor.h"
#include "strc/runtime.h"
#include "strc/safetensors.h"

enum {
    kPath = 1024,
    kText = 192,  ///< bytes of the file at the most
};
static const double kLongest = 1e15;  // ns

/// What a file is about: another program, processor or number of threads has another name.
typedef struct about {
    uint64_t key, processor;
    uint32_t threads, processors;
} about;

static uint64_t name_of(uint64_t key, uint32_t threads) {
    const about all = {key, strc_processor_identity(), threads, strc_processors()};
    return strc_safe_hash(&all, sizeof all);
}

static int join(char *to, const char *folder, const char *name) {
    const int size = snprintf(to, kPath, "%s/%s", folder, name);
    return size > 0 && size < kPath;
}

/// The folder, which may not be there yet; `above`: where it belongs. 0: there is none.
static int find_folder(char *folder, char *above) {
    const char *is_off = secure_getenv("STRC_CACHE");
    if (is_off && strcmp(is_off, "off") == 0) return 0;
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    if (cache && cache[0] == '/')  // the specification of XDG: others are to be ignored
        return join(above, cache, "") && join(folder, cache, "strc");
    return home && home[0] == '/' && join(above, home, ".cache") && join(folder, above, "strc");
}

static int is_time(double ns) { return ns > 0 && ns < kLongest; }

static int parse(const char *text, uint64_t name, strc_tuning *to) {
    unsigned long long read = 0;
    int end = 0;
    strc_division *division = &to->division;
    const int found = sscanf(text, "strc-tuning 3 %16llx %lf %lf %lf %u %u %u end\n%n", &read,
                             &to->alone, &to->shared, &to->chunk, &division->threads,
                             &division->slices, &division->is_coarse, &end);
    return found == 7 && end != 0 && text[end] == '\0' && read == name && is_time(to->alone) &&
           is_time(to->shared) && is_time(to->chunk);
}

static int read_file(const char *path, char *to) {
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return 0;
    ssize_t size = 0;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode)) size = read(file, to, kText);
    close(file);
    if (size <= 0 || size >= kText) return 0;
    to[size] = '\0';
    return strlen(to) == (size_t)size;
}

static int path_of(uint64_t name, const char *folder, char *path) {
    char file[40];
    snprintf(file, sizeof file, "tuning-%016llx", (unsigned long long)name);
    return join(path, folder, file);
}

int strc_tuning_load(uint64_t key, uint32_t threads, strc_tuning *to) {
    char folder[kPath], above[kPath], path[kPath], text[kText + 1];
    if (key == 0 || !find_folder(folder, above)) return 0;
    const uint64_t name = name_of(key, threads);
    return path_of(name, folder, path) && read_file(path, text) && parse(text, name, to);
}

/// A file beside it becomes it when it is complete.
static void replace(const char *path, const char *text, size_t size) {
    char beside[kPath];
    const int length = snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    if (length <= 0 || length >= kPath) return;
    const int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return;
    int failed = write(file, text, size) != (ssize_t)size;
    failed |= close(file) != 0;
    if (failed || rename(beside, path) != 0) unlink(beside);
}

void strc_tuning_store(uint64_t key, uint32_t threads, const strc_tuning *from) {
    char folder[kPath], above[kPath], path[kPath], text[kText];
    if (key == 0 || !find_folder(folder, above)) return;
    if (!is_time(from->alone) || !is_time(from->shared) || !is_time(from->chunk)) return;
    const uint64_t name = name_of(key, threads);
    const strc_division *division = &from->division;
    const int size =
        snprintf(text, sizeof text, "strc-tuning 3 %016llx %.9g %.9g %.9g %u %u %u end\n",
                 (unsigned long long)name, from->alone, from->shared, from->chunk,
                 division->threads, division->slices, division->is_coarse);
    if (size <= 0 || size >= kText || !path_of(name, folder, path)) return;
    const int error = errno;
    if (mkdir(above, 0700) != 0 && errno != EEXIST) return;
    if (mkdir(folder, 0700) == 0 || errno == EEXIST) replace(path, text, (size_t)size);
    errno = error;
}
