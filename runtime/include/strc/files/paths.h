/// Names of files, which may say a tensor: "FILE.safetensors:TENSOR".
#ifndef STRC_PATHS_H
#define STRC_PATHS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STRC_PATH = 4096 };

/// How much of a name stands in front of the colon.
size_t strc_path_size(const char *name, size_t size);

/// What stands in front of the colon; `capacity` has space for it.
const char *strc_path_of(const char *name, char capacity[STRC_PATH]);
/// What stands behind it; "": there is none.
const char *strc_tensor_in(const char *name);

#ifdef __cplusplus
}
#endif

#endif
