/// Steady states that are done wholly or not at all: the memory of a run as it was before them, and the
/// transaction of its host. Private to the runtime.
#ifndef STRC_UNDO_H
#define STRC_UNDO_H

#include "watch.h"

typedef struct strc_undo {
    strc_env *env;
    strc_watch *watch;
    const strc_program *program;
    void *state, *copy;
    strc_mailbox *mailboxes;  ///< as they were: within a transaction copies of theirs are used
    uint64_t bytes_left;  ///< strc_env.bytes_left, likewise
    uint64_t size;  ///< bytes of both
    uint32_t length;  ///< ticks that a transaction may take
    int64_t due;  ///< ns: it is as long as it should be
    uint64_t random;
    int is_open;
    int is_copied;  ///< a rollback has something to put back
} strc_undo;

/// Nothing to undo, and no memory taken yet.
void strc_undo_init(strc_undo *, strc_env *, strc_watch *, const strc_program *, void *state);
void strc_undo_free(strc_undo *);

/// Begins a transaction. 0: it is open. Else there is no memory for it.
int strc_undo_begin(strc_undo *);
/// The same of steady states that a team does (chunks.h), which leave the state alone unless all of them go well.
void strc_undo_begin_team(strc_undo *);
/// It has taken so long that its results should be let out.
int strc_undo_is_due(const strc_undo *);
/// 0: go on. What commit and rollback say of a transaction they do of none as well.
int strc_undo_commit(strc_undo *);
void strc_undo_rollback(strc_undo *);

#endif
