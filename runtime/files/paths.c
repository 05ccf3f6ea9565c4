#define _GNU_SOURCE  // memmem
#include "strc/files/paths.h"

#include <string.h>

static const char before_tensor[] = ".safetensors:";

size_t strc_path_size(const char *name, size_t size) {
    const char *found = memmem(name, size, before_tensor, sizeof before_tensor - 1);
    return found ? (size_t)(found - name) + sizeof before_tensor - 2 : size;
}

const char *strc_path_of(const char *name, char capacity[STRC_PATH]) {
    const size_t size = strc_path_size(name, strlen(name));
    if (!name[size] || size >= STRC_PATH) return name;
    memcpy(capacity, name, size);
    capacity[size] = '\0';
    return capacity;
}

const char *strc_tensor_in(const char *name) {
    const char *colon = name + strc_path_size(name, strlen(name));
    return *colon ? colon + 1 : colon;
}
