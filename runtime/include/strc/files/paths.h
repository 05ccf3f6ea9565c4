/// Names of files, which may say a tensor: "FILE.safetensors:TENSOR".
#ifndef STRC_PATHS_H
#define STRC_PATHS_H

#include <stddef.h>

enum { STRC_PATH = 4096 };

/// What stands in front of the colon; `capacity` has space for it.
const char *strc_path_of(const char *name, char capacity[STRC_PATH]);
/// What stands behind it; "": there is none.
const char *strc_tensor_in(const char *name);

#endif
