/// Functions of libraries that are loaded when they are needed, which is in few runs.
#ifndef STRC_LOADING_H
#define STRC_LOADING_H

#include <stddef.h>

/// Puts the functions of these names into a struct of so many pointers; null, or why there is no such library.
const char *strc_load_functions(const char *library, const char *const *names, size_t count,
                                void *to);
/// The same for a struct that all share, unless it is loaded: threads may ask for it side by side.
const char *strc_load_once(int *is_loaded, const char *library, const char *const *names,
                           size_t count, void *to);

#endif
