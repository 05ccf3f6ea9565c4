/// What ranks say to each other, on top of a transport. Several threads of a rank may use it at a time.
#ifndef STRC_LINK_H
#define STRC_LINK_H

#include <pthread.h>

#include "transport.h"

typedef enum strc_said {
    STRC_SAID_HELLO,  ///< each rank to the first: what it is
    STRC_SAID_AGREED,  ///< the first to each: a status, and what follows from all
    STRC_SAID_OPENED,  ///< each to the first: a status, and what its files tell
    STRC_SAID_STATE,  ///< to each: the whole state; `a`: the generator of random numbers
    STRC_SAID_CARRIED,  ///< to each, or from it: what its segments carry
    STRC_SAID_GO,  ///< to each: transaction `a` has `b` chunks
    STRC_SAID_ITEMS,  ///< to the next rank: of a chunk of transaction `a`
    STRC_SAID_CREDIT,  ///< to the rank before: one more may come
    STRC_SAID_VOTE,  ///< to the first: transaction `a` ended as `b` says (strc_end)
    STRC_SAID_ABORT,  ///< to each: transaction `a` has failed
    STRC_SAID_RESULT,  ///< to each: `a` nonzero: all went well
    STRC_SAID_SETTLE,  ///< to each: what do you carry?
    STRC_SAID_CALL,  ///< to each: do that for me (host_apart.c)
    STRC_SAID_REPLY,
    STRC_SAID_SAVE,  ///< to each: a checkpoint behind `a` steady states
    STRC_SAID_KEEP,  ///< to each: that behind `a` steady states is complete
    STRC_SAID_END,  ///< to each: the run is over; `a`: strc_outcome
    STRC_SAID_CLOSED,  ///< to the first: a status, and numbers
    STRC_SAID_PART,  ///< to the first, or from it: of a product (mesh.c)
} strc_said;

#define STRC_SAYS(what) (UINT32_C(1) << (what))

typedef struct strc_message_in {
    struct strc_message_in *next;
    int64_t due;  ///< ns: not seen before
    uint32_t from;
    strc_said what;
    uint64_t a, b;
    const unsigned char *bytes;  ///< in `whole`
    uint64_t size;
    void *whole;
} strc_message_in;

typedef struct strc_message_out {
    strc_said what;
    uint64_t a, b;
    const void *bytes;
    uint64_t size;
} strc_message_out;

typedef struct strc_link {
    strc_transport transport;
    pthread_mutex_t mutex;
    strc_message_in *first, *last;  ///< that have come
    uint64_t transaction;  ///< items of those before are of no use
    uint64_t aborted;  ///< the last one that has failed
    uint64_t credits;  ///< chunks that may be sent in this transaction
    unsigned char *ended;  ///< by rank: nonzero: it is gone
    uint32_t lost;  ///< of these one that was waited for; UINT32_MAX: none
    double latency,
        pace;  ///< for tests: ns, and bytes in a ns, by which messages are held up; 0: they are not
    int64_t *busy;  ///< by rank: until when its way here is in use
} strc_link;

/// The transport is there.
int strc_link_begin(strc_link *);
void strc_link_end(strc_link *);

/// 0, or -1: no memory. Bytes are copied.
int strc_link_send(strc_link *, uint32_t to, strc_message_out);
int strc_link_send_all(strc_link *, strc_message_out);
/// Waits until all that was sent is on its way, for who does not look after it soon; the others have to be taking it.
void strc_link_flush(strc_link *);
/// Waits for the next message of that rank that says one of `wanted`; to be given to strc_link_free. Null: the rank is gone.
strc_message_in *strc_link_wait(strc_link *, uint32_t from, uint32_t wanted);
void strc_link_free(strc_message_in *);

/// A transaction begins, in which `credits` chunks may be sent before one comes back.
void strc_link_transaction(strc_link *, uint64_t number, uint64_t credits);
int strc_link_has_aborted(strc_link *);
/// Waits for the items of a chunk of this transaction; null: it has failed, or a rank is gone.
strc_message_in *strc_link_items(strc_link *, uint32_t from);
/// Waits until a chunk may be sent; nonzero: as above.
int strc_link_credit(strc_link *);

#endif
