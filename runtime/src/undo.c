// Transactions: a copy of the state is all that it takes, since a state has no pointers inside but those of mailboxes.
#include "undo.h"

#include <stdlib.h>
#include <string.h>

#include "mail_arena.h"
#include "messages.h"
#include "thread.h"

enum {
    kBytesPerTick = 1 << 22,  ///< copied in a small part of a tick
    kMostBytes = 1 << 28,  ///< beyond, transactions would have to be too long
    kTeamTicks = 20,  ///< that some chunks may take: they are meant to take one
    kPatience = 4,  ///< ticks more than it should take
    /// The shortest transaction: its memory should still be in a near cache at its end, and beginning one
    /// must cost next to nothing of that time.
    kShortest = 200000,  ///< ns
    kPerByte = 3,  ///< ns for each byte of the state: some thirty times what the copy takes
};

void strc_undo_init(strc_undo *undo, strc_env *env, strc_watch *watch, const strc_program *program,
                    void *state) {
    const uint64_t size = program->state_size;
    *undo =
        (strc_undo){.env = env, .watch = watch, .program = program, .state = state, .size = size};
    undo->length = 1 + (uint32_t)(size / kBytesPerTick);
}

void strc_undo_free(strc_undo *undo) {
    free(undo->copy);
    free(undo->mailboxes);
    undo->copy = NULL;
    undo->mailboxes = NULL;
}

/// Mailboxes of the state become copies of what they are. Nonzero: there is no memory.
static int set_mail_aside(strc_undo *undo) {
    strc_env *env = undo->env;
    const uint32_t count = undo->program->mailbox_count;
    if (count == 0) return 0;
    if (!undo->mailboxes) undo->mailboxes = malloc(count * sizeof *undo->mailboxes);
    if (!undo->mailboxes) return 1;
    memcpy(undo->mailboxes, env->mailboxes, count * sizeof *undo->mailboxes);
    undo->bytes_left = env->bytes_left;
    if (strc_mail_copy(env, env->mailboxes, undo->mailboxes, count) == 0) {
        env->message_memory = &strc_message_heap_undone;
        return 0;
    }
    strc_mail_free(env->mailboxes, count);
    memcpy(env->mailboxes, undo->mailboxes, count * sizeof *undo->mailboxes);
    return 1;
}

static void put_mail_back(strc_undo *undo) {
    strc_env *env = undo->env;
    const uint32_t count = undo->program->mailbox_count;
    if (count == 0) return;
    memcpy(env->mailboxes, undo->mailboxes, count * sizeof *undo->mailboxes);
    env->bytes_left = undo->bytes_left;
    env->message_memory = &strc_message_heap;
}

/// What waits now is what waits; the copies go.
static void settle_mail(strc_undo *undo) {
    strc_env *env = undo->env;
    const uint32_t count = undo->program->mailbox_count;
    if (count == 0) return;
    env->bytes_left = undo->bytes_left + strc_mail_bytes(undo->mailboxes, count) -
                      strc_mail_bytes(env->mailboxes, count);
    env->message_memory = &strc_message_heap;
    strc_mail_free(undo->mailboxes, count);
}

int strc_undo_begin(strc_undo *undo) {
    if (undo->size > kMostBytes) return 1;
    if (!undo->copy) undo->copy = malloc(undo->size ? undo->size : 1);
    if (!undo->copy || set_mail_aside(undo) != 0) return 1;
    memcpy(undo->copy, undo->state, undo->size);
    undo->random = undo->env->random;
    undo->env->host->begin(undo->env->host->self);
    undo->is_open = undo->is_copied = 1;
    undo->due = strc_nanoseconds() + kShortest + (int64_t)undo->size * kPerByte;
    strc_watch_arm(undo->watch, undo->length + kPatience);
    return 0;
}

void strc_undo_begin_team(strc_undo *undo) {
    undo->env->host->begin(undo->env->host->self);
    undo->is_open = 1;
    undo->is_copied = 0;
    strc_watch_arm(undo->watch, kTeamTicks);
}

int strc_undo_is_due(const strc_undo *undo) {
    return strc_nanoseconds() >= undo->due || strc_watch_ticks(undo->watch) >= undo->length;
}

int strc_undo_commit(strc_undo *undo) {
    if (!undo->is_open) return 0;
    strc_watch_disarm(undo->watch);
    undo->is_open = 0;
    if (undo->is_copied) settle_mail(undo);
    return undo->env->host->commit(undo->env->host->self);
}

void strc_undo_rollback(strc_undo *undo) {
    if (!undo->is_open) return;
    strc_watch_disarm(undo->watch);
    undo->is_open = 0;
    if (undo->is_copied) {
        strc_mail_free(undo->env->mailboxes, undo->program->mailbox_count);
        memcpy(undo->state, undo->copy, undo->size);
        put_mail_back(undo);
        undo->env->random = undo->random;
    }
    undo->env->host->rollback(undo->env->host->self);
}
