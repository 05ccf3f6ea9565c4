/// The interface of the shared library strc_symbolic, which executes filters whose shapes only the run knows (src/symbolic). Both
/// sides must be of one version of strc.
#ifndef STRC_SYMBOLIC_H
#define STRC_SYMBOLIC_H

#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Names that lie in the state between two phases, or in a queue of it.
typedef struct strc_names {
    uint64_t at;  ///< offset of the first, or of a strc_queue (strc/demand.h)
    uint64_t count;  ///< 0: a queue
} strc_names;

/// Calls `wanted` with all of them.
void strc_each_name(const void *state, const strc_names *, uint64_t count,
                    void (*wanted)(void *self, int32_t name), void *self);

/// Why a firing has failed. Texts last until the next one.
typedef struct strc_symbolic_fault {
    uint32_t filter;  ///< by number
    uint32_t place;  ///< in its code, by number; STRC_NOBODY: none
    uint32_t is_shape;  ///< it is told where the filter is added
    const char *message, *name;
} strc_symbolic_fault;

typedef struct strc_symbolic_start {
    uint32_t abi_version;  ///< STRC_ABI_VERSION
    uint32_t c_format;
    const void *packed;  ///< src/dynamic_shapes/pack.h
    uint64_t size;
    uint64_t most_bytes;  ///< of tensors
    const strc_names *names;
    uint64_t name_count;
    const volatile unsigned char *interrupt;
    double seconds;  ///< from now on; 0: as long as it likes
    void *callbacks;
    void (*print)(void *callbacks, const char *text, uint64_t size);
    void (*report)(void *callbacks, const strc_symbolic_fault *);
    void (*interrupted)(void *callbacks);  ///< a firing has been left
} strc_symbolic_start;

/// Fills the calls; null, or a word about why not, which stays. What the start points to outlives them.
typedef const char *strc_symbolic_open_function(const strc_symbolic_start *, strc_symbolic *);

/// How executables find it: null, or why not. `library` becomes the file that was looked for.
typedef const char *strc_symbolic_loader(const char **library, const strc_symbolic_start *,
                                         strc_symbolic *);
extern strc_symbolic_loader strc_symbolic_load;

#ifdef __cplusplus
}
#endif
#endif
