/// What a flow that takes the place of another one goes on with, as far as only a run knows it: messages on their way, and, of
/// programs with dynamic rates, items in queues and how often nodes have fired. What has its place in the state is copied by whoever
/// calls this. Nothing here allocates, locks or enters the system.
#ifndef STRC_TRANSFER_H
#define STRC_TRANSFER_H

#include "strc/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Messages to a handler of the old program.
typedef struct strc_handler_transfer {
    uint32_t
        handler;  ///< of the new program that gets them (strc_program.handlers); STRC_NOBODY: they are dropped
    uint32_t box;  ///< its mailbox
    uint64_t kept, dropped;  ///< so many of them were on their way
} strc_handler_transfer;

/// Mailboxes of a filter that goes on.
typedef struct strc_box_transfer {
    uint32_t from, to;
} strc_box_transfer;

/// A queue of the new program.
typedef struct strc_queue_transfer {
    uint32_t
        from;  ///< edge of the old one whose items it gets; STRC_NOBODY: it keeps those that it begins with
    uint32_t to;
    int64_t shift;  ///< zeros in front of them; negative: so many of the oldest ones go
    uint64_t kept, had;  ///< items, without those zeros
} strc_queue_transfer;

/// A node that goes on; from: STRC_NOBODY: it has fired before, nobody knows how often.
typedef struct strc_actor_transfer {
    uint32_t from, to;
} strc_actor_transfer;

typedef struct strc_flow_transfer {
    strc_handler_transfer *handlers;  ///< by row of the old program's
    const strc_box_transfer *boxes;
    strc_queue_transfer *queues;
    const strc_actor_transfer *actors;
    uint64_t box_count, queue_count, actor_count;
    /// Firings go on being counted as in the old program. Else messages keep their distance from the firings of their receivers.
    uint32_t keeps_counts;
} strc_flow_transfer;

/// Between two steady states or iterations of `from`, which stays as it is. `to` has done what comes before its first one.
void strc_flow_go_on(const strc_flow *from, strc_flow *to, const strc_flow_transfer *);

#ifdef __cplusplus
}
#endif
#endif
