#include "strc/beside.h"

#include <string.h>
#include <unistd.h>

const char *strc_own_file(char path[STRC_OWN_PATH], const char *name) {
    const size_t prefix = strlen(STRC_BESIDE);
    if (strncmp(name, STRC_BESIDE, prefix) != 0) return name;
    ssize_t size = readlink("/proc/self/exe", path, STRC_OWN_PATH - 1);
    while (size > 0 && path[size - 1] != '/') --size;
    if (size <= 0 || (size_t)size + strlen(name + prefix) >= STRC_OWN_PATH) return name + prefix;
    strcpy(path + size, name + prefix);
    return path;
}
