// Transactions of several ranks. Rank 0 says how many chunks there are; each does its segments of all of them, and says how that went.
// Only when all went well anything is let out; else each goes back to where it was, and rank 0 goes on alone.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks.h"
#include "strc/runtime.h"

static const strc_origin nowhere = STRC_ORIGIN(0, 0);
static const double longest = 30e6, shortest = 15e6;  // ns of a transaction

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static uint32_t rank_of(const strc_rank *rank) { return rank->link.transport.rank; }

static uint32_t first_of(const strc_rank *rank, uint32_t which) {
    return which < rank->parts ? rank->first[which] : rank->about->ranks->segments;
}

static uint32_t end_of(const strc_rank *rank, uint32_t which) {
    return which < rank->parts ? rank->first[which + 1] : rank->about->ranks->segments;
}

// ---- what crosses

static void receive(void *self, strc_env *env, void *state) {
    strc_rank *rank = self;
    const strc_ranks *table = rank->about->ranks;
    const uint32_t before = rank_of(rank) - 1, segment = rank->first[rank_of(rank)];
    strc_message_in *message = strc_link_items(&rank->link, before);
    if (!message) strc_stop(env);
    const unsigned char *from = message->bytes;
    for (uint64_t k = 0; k < table->tape_count; ++k) {
        uint64_t at = 0;
        const uint64_t bytes = strc_cut_piece(table, &table->tapes[k], segment, &at);
        if (bytes != 0) memcpy((char *)state + table->tapes[k].at + at, from, bytes);
        from += bytes;
    }
    const uint64_t transaction = message->a;
    strc_link_free(message);
    strc_link_send(&rank->link, before,
                   (strc_message_out){STRC_SAID_CREDIT, transaction, 0, NULL, 0});
}

static void send(void *self, strc_env *env, const void *state) {
    strc_rank *rank = self;
    const strc_ranks *table = rank->about->ranks;
    const uint32_t segment = rank->first[rank_of(rank) + 1];
    const uint64_t size = strc_cut_bytes(table, segment);
    if (strc_link_credit(&rank->link) != 0) strc_stop(env);
    unsigned char *packed = malloc(size + 1), *to = packed;
    if (!packed) strc_stop(env);
    for (uint64_t k = 0; k < table->tape_count; ++k) {
        uint64_t at = 0;
        const uint64_t bytes = strc_cut_piece(table, &table->tapes[k], segment, &at);
        if (bytes != 0) memcpy(to, (const char *)state + table->tapes[k].at + at, bytes);
        to += bytes;
    }
    const int status = strc_link_send(
        &rank->link, rank_of(rank) + 1,
        (strc_message_out){STRC_SAID_ITEMS, rank->link.transaction, 0, packed, size});
    free(packed);
    if (status != 0) strc_stop(env);
}

// ---- the part of one rank

static int out_of_memory(uint64_t bytes) {
    strc_digits digits;
    return STRC_FAIL(nowhere, OutOfMemory, "the ranks", strc_decimal_text(digits, (int64_t)bytes));
}

static strc_end do_part(strc_rank *rank, const strc_program *program, strc_env *env, void *state,
                        uint64_t transaction, uint64_t chunks) {
    const uint32_t own = rank_of(rank);
    strc_link_transaction(&rank->link, transaction, rank->window);
    if (own >= rank->parts) return STRC_END_ITERATIONS;
    if (!rank->part)
        rank->part = strc_rank_part_new(program, rank->about->ranks, rank->first[own],
                                        rank->first[own + 1], env, state);
    if (rank->part) return strc_rank_part_run(rank->part, env, state, chunks);
    out_of_memory(program->state_size);
    return STRC_END_STOPPED;
}

void strc_rank_serve_go(strc_rank *rank, const strc_program *program, strc_env *env, void *state,
                        const strc_message_in *go) {
    const strc_end end = do_part(rank, program, env, state, go->a, go->b);
    strc_link_send(&rank->link, 0,
                   (strc_message_out){STRC_SAID_VOTE, go->a, (uint64_t)end, NULL, 0});
    strc_message_in *result = strc_rank_wait(rank, 0, STRC_SAYS(STRC_SAID_RESULT));
    if (!result->a && end == STRC_END_ITERATIONS && rank->part)
        strc_rank_part_undo(rank->part, env, state);
    strc_link_free(result);
}

// ---- rank 0

static uint64_t wanted(void *self) {
    const strc_rank *rank = self;
    const int32_t workers = rank->all->options.workers;
    const int shares = workers > 0 ? workers > 1 : rank->threads > 1;
    return rank->parts > 1 || shares ? rank->chunks : 0;
}

/// Each gets what its segments carry; the first time all there is, as init has left it.
static int scatter(strc_rank *rank, const strc_program *program, const strc_env *env,
                   const void *state) {
    if (!rank->have_state) {
        rank->have_state = 1;
        return strc_link_send_all(&rank->link, (strc_message_out){STRC_SAID_STATE, env->random, 0,
                                                                  state, program->state_size});
    }
    int status = 0;
    for (uint32_t k = 1; k < rank->parts; ++k) {
        const uint32_t first = first_of(rank, k), end = end_of(rank, k);
        const uint64_t size = strc_rank_part_bytes(program, first, end);
        unsigned char *bytes = malloc(size + 1);
        if (!bytes) return -1;
        strc_rank_part_save(program, first, end, env, state, bytes);
        status |= strc_link_send(&rank->link, k,
                                 (strc_message_out){STRC_SAID_CARRIED, 0, 0, bytes, size});
        free(bytes);
    }
    return status;
}

/// STRC_END_ITERATIONS if all say so.
static strc_end count_votes(strc_rank *rank, strc_end own) {
    strc_end end = own;
    for (uint32_t k = 1; k < rank->link.transport.size; ++k) {
        strc_message_in *vote = strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_VOTE));
        const strc_end other = (strc_end)vote->b;
        if (other != STRC_END_ITERATIONS &&
            (end == STRC_END_ITERATIONS || end == STRC_END_INTERRUPTED))
            end = other;
        strc_link_free(vote);
    }
    return end;
}

/// Transactions take about as long as is worth waiting for each other.
static void choose_length(strc_rank *rank, uint64_t count, int64_t took) {
    enum { kMost = 1024 };
    if ((double)took < shortest && count == rank->chunks && rank->chunks < kMost) rank->chunks *= 2;
    if ((double)took > longest && rank->chunks > 2) rank->chunks /= 2;
}

static uint64_t run(void *self, strc_env *env, void *state, uint64_t count, strc_end *why) {
    strc_rank *rank = self;
    const strc_program *program = rank->about->program;
    const uint64_t transaction = rank->link.transaction + 1;
    const int64_t begun = now();
    if (!rank->is_apart && scatter(rank, program, env, state) != 0) {
        out_of_memory(program->state_size);
        strc_host_end(rank->all, STRC_FAILED);
        *why = STRC_END_STOPPED;
        return 0;
    }
    rank->is_apart = 1;
    strc_link_send_all(&rank->link, (strc_message_out){STRC_SAID_GO, transaction, count, NULL, 0});
    const strc_end own = do_part(rank, program, env, state, transaction, count);
    if (own != STRC_END_ITERATIONS)
        strc_link_send_all(&rank->link,
                           (strc_message_out){STRC_SAID_ABORT, transaction, 0, NULL, 0});
    const strc_end end = count_votes(rank, own);
    const int is_fine = end == STRC_END_ITERATIONS;
    strc_link_send_all(&rank->link,
                       (strc_message_out){STRC_SAID_RESULT, (uint64_t)is_fine, 0, NULL, 0});
    if (is_fine) {
        choose_length(rank, count, now() - begun);
        return count;
    }
    if (own == STRC_END_ITERATIONS) strc_rank_part_undo(rank->part, env, state);
    *why = end;
    return 0;
}

static int settle(void *self, strc_env *env, void *state) {
    strc_rank *rank = self;
    const strc_program *program = rank->about->program;
    if (!rank->is_apart) return 0;
    rank->is_apart = 0;
    for (uint32_t k = 1; k < rank->parts; ++k)
        strc_link_send(&rank->link, k, (strc_message_out){STRC_SAID_SETTLE, 0, 0, NULL, 0});
    for (uint32_t k = 1; k < rank->parts; ++k) {
        strc_message_in *carried = strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_CARRIED));
        strc_rank_part_restore(program, first_of(rank, k), end_of(rank, k), env, state,
                               carried->bytes);
        strc_link_free(carried);
    }
    return 0;
}

// ---- checkpoints

/// Each says how it went.
static int all_have_done(strc_rank *rank, int status) {
    for (uint32_t k = 1; k < rank->link.transport.size; ++k) {
        strc_message_in *reply = strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_REPLY));
        if (reply->a != 0) status = -1;
        strc_link_free(reply);
    }
    if (status != 0) {
        rank->has_failed = 1;
        strc_host_end(rank->all, STRC_FAILED);
    }
    return status;
}

static int committed(void *self, strc_env *env, const void *state, uint64_t done) {
    strc_rank *rank = self;
    const strc_options *options = &rank->all->options;
    if (!options->checkpoint || done == rank->epoch ||
        (double)(now() - rank->saved) < options->every * 1e9)
        return 0;
    strc_link_send_all(&rank->link,
                       (strc_message_out){STRC_SAID_SAVE, done, (uint64_t)rank->is_apart, NULL, 0});
    int status = strc_checkpoint_write(rank, env, state, done);
    status = all_have_done(rank, status);
    if (status == 0) status = strc_checkpoint_keep(rank, done);
    if (status != 0) {
        strc_host_end(rank->all, STRC_FAILED);
        return -1;
    }
    strc_link_send_all(&rank->link, (strc_message_out){STRC_SAID_KEEP, done, 0, NULL, 0});
    strc_checkpoint_clean(rank, done);
    rank->epoch = done;
    rank->saved = now();
    return 0;
}

static int resume(void *self, strc_env *env, void *state, uint64_t *done) {
    strc_rank *rank = self;
    rank->saved = now();
    if (!rank->all->options.resume || rank->epoch == 0) return 0;
    // The state has been read before the run, by each rank (ranks.c).
    (void)env;
    (void)state;
    *done = rank->epoch;
    return 1;
}

strc_rank_calls strc_rank_calls_of(strc_rank *rank) {
    return (strc_rank_calls){.self = rank,
                             .wanted = wanted,
                             .run = run,
                             .settle = settle,
                             .resume = resume,
                             .committed = committed,
                             .receive = receive,
                             .send = send};
}
