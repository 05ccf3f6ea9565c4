#include "strc/files/paths.h"

#include <string.h>

static const char before_tensor[] = ".safetensors:";

/// The colon, or the end of the name.
static const char *colon_of(const char *name) {
    const char *found = strstr(name, before_tensor);
    return found ? found + sizeof before_tensor - 2 : name + strlen(name);
}

const char *strc_path_of(const char *name, char capacity[STRC_PATH]) {
    const size_t size = (size_t)(colon_of(name) - name);
    if (!name[size] || size >= STRC_PATH) return name;
    memcpy(capacity, name, size);
    capacity[size] = '\0';
    return capacity;
}

const char *strc_tensor_in(const char *name) {
    const char *colon = colon_of(name);
    return *colon ? colon + 1 : colon;
}
