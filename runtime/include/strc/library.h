/// A program as a library, without its names: what `strc build --shared` makes of a program exports these
/// functions as NAME_create and so on, and the header that it writes says to users what they do. Everything
/// that changes lies behind the handle; after strc_library_create nothing allocates, locks or enters the system.
#ifndef STRC_LIBRARY_H
#define STRC_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "strc/turns.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strc_library strc_library;

typedef enum strc_library_status {
    STRC_LIBRARY_OK,
    STRC_LIBRARY_FAULT,  ///< a check of the program failed: strc_library_message
    STRC_LIBRARY_MEMORY,  ///< there is not enough
    STRC_LIBRARY_PROCESSOR,  ///< the code was made for another one
    STRC_LIBRARY_CALL,  ///< an argument is wrong
    STRC_LIBRARY_TRUNCATED,  ///< the end of a saved state is missing
    STRC_LIBRARY_DAMAGED,  ///< what should be a saved state is none any more, or never was
    STRC_LIBRARY_OTHER_PROGRAM,  ///< it is of another program
    STRC_LIBRARY_NEWER,  ///< it was written by a newer version of strc
    STRC_LIBRARY_REFUSED,  ///< the system refuses something; all else is as it was asked for
} strc_library_status;

/// Null, with the reason in `*status` (which may be null), if there is no memory or no such processor.
strc_library *strc_library_create(int *status);
void strc_library_destroy(strc_library *);

/// Takes up to `in_count` items and gives up to `out_capacity`: all that is taken if there is room for what
/// comes of it. What has been taken and does not yet suffice for a steady state is kept, as are items
/// for which there was no room. `*consumed` and `*produced` (which may be null) say how many there were, after
/// a fault too; from then on all calls fail until strc_library_reset.
int strc_library_process(strc_library *, const void *in, size_t in_count, void *out,
                         size_t out_capacity, size_t *consumed, size_t *produced);

/// What strc_library_process does, with an array for each input and each output of the main stream in order (strc_port::turns), whose items take
/// turns; `done` says how many of each there were. Null: the stream has no such side.
int strc_library_process_ends(strc_library *, strc_open_end *in, strc_open_end *out);
int strc_library_drain_ends(strc_library *, strc_open_end *out);

/// What strc_library_process does, for `count` handles, which are all different: handle k takes up to `in_count` items of `in[k]` and gives up to
/// `out_capacity` to `out[k]`; `consumed[k]` and `produced[k]` (either array may be null) say how many there were. The bits are those of one call after the
/// other; a library with lanes (strc/lanes.h) does those together that have done as much. The status is that of the first handle
/// that fails; the others go on.
int strc_library_process_many(strc_library *const *handles, size_t count, const void *const *in,
                              size_t in_count, void *const *out, size_t out_capacity,
                              size_t *consumed, size_t *produced);

/// The input is over, all of which has been taken: gives what can still be computed of the items that are inside, up to
/// `out_capacity`, and the rest in further calls; all of it has been given when `*produced` is less. Then
/// nothing is taken until strc_library_reset.
int strc_library_drain(strc_library *, void *out, size_t out_capacity, size_t *produced);

/// As it was after strc_library_create, but for the parameters.
void strc_library_reset(strc_library *);

/// Bytes that a saved state takes at most: a constant of the program. 0: it cannot be saved, since its rates are dynamic.
size_t strc_library_state_size(const strc_library *);

/// Writes the state between two calls, parameters and waiting items included (strc/saved.h), to `to`, which has room for
/// strc_library_state_size bytes; `*size` says how many it took. STRC_LIBRARY_FAULT after a fault, STRC_LIBRARY_CALL if it cannot be saved.
int strc_library_save(strc_library *, void *to, size_t room, size_t *size);

/// Goes on from that state. Unless it is STRC_LIBRARY_OK, nothing has changed.
int strc_library_restore(strc_library *, const void *from, size_t size);

/// Another handle with the same state, which takes memory. Null, with the reason in `*status`, as for strc_library_create, or as for
/// strc_library_save.
strc_library *strc_library_clone(strc_library *, int *status);

/// A parameter that the program was built with open, by its place in the order of --keep-param: the value as
/// it lies in memory, `size` bytes. Firings from now on see it; what `init` makes of it is computed again at the beginning of
/// the next call of strc_library_process, and state is kept.
/// STRC_LIBRARY_FAULT: the program refuses the value (`require`, or another check); the old one stays, and nothing else has changed.
int strc_library_set(strc_library *, int parameter, const void *value, size_t size);

/// Of libraries that were built for several threads: the handle has others from now on (strc/helpers.h), between two calls; null: as after
/// strc_library_create, which makes as many as the library was built for. STRC_LIBRARY_REFUSED if the system does not give threads, a
/// priority or a processor; STRC_LIBRARY_MEMORY: there is the caller's thread alone.
struct strc_thread_options;
int strc_library_threads(strc_library *, const struct strc_thread_options *);

/// What thread `thread` has done, 0 being the caller's; `to->size` is set. STRC_LIBRARY_CALL if there is no such thread.
struct strc_thread_report;
int strc_library_thread_report(strc_library *, uint32_t thread, struct strc_thread_report *to);

/// Why the last call failed; "" if it did not.
const char *strc_library_message(const strc_library *);

#ifdef __cplusplus
}
#endif
#endif
