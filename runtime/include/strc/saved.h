/// The state of a flow as data (docs/state.md): bytes without pointers, which say of which program they are, and from which
/// a flow of that program goes on, in whatever process. Nothing here allocates, locks or enters the system.
#ifndef STRC_SAVED_H
#define STRC_SAVED_H

#include "strc/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of the layout of the bytes.
#define STRC_SAVED_VERSION 1u

typedef enum strc_saved_status {
    STRC_SAVED_FINE,
    STRC_SAVED_TRUNCATED,  ///< the end is missing
    STRC_SAVED_DAMAGED,  ///< they are not what was written, or never were a state
    STRC_SAVED_OTHER_PROGRAM,
    STRC_SAVED_NEWER,  ///< of a later version of the layout
} strc_saved_status;

/// A sentence for people.
const char *strc_saved_text(strc_saved_status);

/// Bytes that a state of the program takes at most.
size_t strc_saved_most(const strc_flow_facts *);

/// Why it cannot be saved now, a sentence; null: it can. With dynamic rates an iteration under way may have taken more items than there
/// is room for, or seen parameters change.
const char *strc_saved_why_not(const strc_flow *);

/// Writes the state between two calls to `to`, which has room for strc_saved_most bytes; how many it took. The flow has not failed, and
/// nothing says why not (strc_saved_why_not).
size_t strc_saved_write(const strc_flow *, void *to);

/// The flow goes on from that state, its parameters included. Whatever else than FINE comes back, nothing has changed.
strc_saved_status strc_saved_read(strc_flow *, const void *from, size_t size);

#ifdef __cplusplus
}
#endif
#endif
