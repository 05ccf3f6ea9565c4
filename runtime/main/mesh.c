// Ranks that share the parts of products (strc/mesh.h). Each runs the whole program; rank 0 alone has files and the screen: what it is
// answered there all others hear, call by call, so all see the same input and end at the same place.
#include "strc/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "ranks.h"
#include "signals.h"

static const strc_origin nowhere = STRC_ORIGIN(0, 0);

static int is_first(const strc_rank *rank) { return rank->link.transport.rank == 0; }

// ---- the host

/// Tells all others what rank 0 was answered, or hears it; `bytes` come along.
static int64_t same(strc_rank *rank, int64_t value, void *bytes, uint64_t size) {
    if (is_first(rank)) {
        const strc_message_out told = {STRC_SAID_REPLY, (uint64_t)value,
                                       (uint64_t)rank->all->outcome, bytes, size};
        if (strc_link_send_all(&rank->link, told) != 0) strc_rank_lost(rank);
        if (size != 0) strc_link_flush(&rank->link);  // the others compute with it at once
        return value;
    }
    strc_message_in *reply = strc_rank_wait(rank, 0, STRC_SAYS(STRC_SAID_REPLY));
    value = (int64_t)reply->a;
    if (reply->size == size && size != 0) memcpy(bytes, reply->bytes, size);
    if ((strc_outcome)reply->b != STRC_RUNNING) strc_host_end(rank->all, (strc_outcome)reply->b);
    strc_link_free(reply);
    return value;
}

/// Signals and the time reach all ranks at once: as an answer to rank 0.
static int is_over(strc_rank *rank) {
    if (strc_interrupted()) strc_host_end(rank->all, STRC_INTERRUPTED);
    const double seconds = rank->all->options.seconds;
    if (seconds >= 0 && strc_clock() - rank->start >= seconds) strc_host_end(rank->all, STRC_TIME);
    return rank->all->outcome != STRC_RUNNING;
}

/// Ranks look at signals and the clock where nothing is read or written, too: rank 0 does, every so many steady states, and tells all
/// others after how many it looks again, so they all end in front of the same one.
static int ends_here(void *self) {
    static const double shortest = 5e-3, longest = 50e-3;  // seconds from look to look
    static const uint64_t most = (uint64_t)1 << 30;
    strc_rank *rank = self;
    if (rank->states_left != 0) {
        --rank->states_left;
        return 0;
    }
    uint64_t next = 0;
    if (is_first(rank) && !is_over(rank)) {
        const double time = strc_clock(), took = time - rank->looked;
        rank->looked = time;
        if (took < shortest && rank->stride < most) rank->stride *= 2;
        if (took > longest && rank->stride > 1) rank->stride /= 2;
        next = rank->stride;
    }
    next = (uint64_t)same(rank, (int64_t)next, NULL, 0);
    if (next != 0) rank->states_left = next - 1;
    return next == 0;
}

static int print(void *self, const char *text, uint64_t size) {
    strc_rank *rank = self;
    int64_t value = 0;
    if (is_first(rank)) value = is_over(rank) ? 1 : rank->own.print(rank->own.self, text, size);
    return (int)same(rank, value, NULL, 0);
}

static int supply(void *self, uint32_t input, uint64_t items, int must) {
    strc_rank *rank = self;
    int64_t value = 0;
    if (is_first(rank))
        value = is_over(rank) ? 1 : rank->own.supply(rank->own.self, input, items, must);
    return (int)same(rank, value, NULL, 0);
}

static int take(void *self, uint32_t input, void *to, uint64_t items) {
    strc_rank *rank = self;
    int64_t value = 0;
    if (is_first(rank)) value = rank->own.read(rank->own.self, input, to, items);
    const strc_executable *about = rank->about;
    return (int)same(rank, value, to, items * about->types[about->inputs[input].type].size);
}

static int put(void *self, uint32_t output, const void *from, uint64_t items) {
    strc_rank *rank = self;
    int64_t value = 0;
    if (is_first(rank))
        value = is_over(rank) ? 1 : rank->own.write(rank->own.self, output, from, items);
    return (int)same(rank, value, NULL, 0);
}

static int64_t still(void *self, uint32_t input, int64_t most) {
    strc_rank *rank = self;
    int64_t value = 0;
    if (is_first(rank)) value = rank->own.still(rank->own.self, input, most);
    return same(rank, value, NULL, 0);
}

static void begin(void *self) {
    strc_rank *rank = self;
    if (is_first(rank)) rank->own.begin(rank->own.self);
}

static int commit(void *self) {
    strc_rank *rank = self;
    int64_t value = 0;
    if (is_first(rank)) value = rank->own.commit(rank->own.self);
    return (int)same(rank, value, NULL, 0);
}

static void rollback(void *self) {
    strc_rank *rank = self;
    if (is_first(rank)) rank->own.rollback(rank->own.self);
}

static strc_host same_host(strc_rank *rank) {
    return (strc_host){.self = rank,
                       .print = print,
                       .supply = supply,
                       .read = take,
                       .write = put,
                       .begin = begin,
                       .commit = commit,
                       .rollback = rollback,
                       .still = still};
}

// ---- collectives: those of the transport, or by way of rank 0

static void send_part(strc_rank *rank, uint32_t to, const void *bytes, uint64_t size) {
    if (strc_link_send(&rank->link, to, (strc_message_out){STRC_SAID_PART, 0, 0, bytes, size}) != 0)
        strc_rank_lost(rank);
}

static void receive_part(strc_rank *rank, uint32_t from, void *bytes, uint64_t size) {
    strc_message_in *part = strc_rank_wait(rank, from, STRC_SAYS(STRC_SAID_PART));
    if (part->size != size) strc_rank_lost(rank);
    if (size != 0) memcpy(bytes, part->bytes, size);
    strc_link_free(part);
}

static int gather(void *self, const void *own, uint64_t bytes, void *all) {
    strc_rank *rank = self;
    const strc_transport *transport = &rank->link.transport;
    if (transport->gather) return transport->gather(transport->self, own, bytes, all);
    if (!is_first(rank)) {
        send_part(rank, 0, own, bytes);
        receive_part(rank, 0, all, bytes * transport->size);
        return 0;
    }
    memcpy(all, own, bytes);
    for (uint32_t k = 1; k < transport->size; ++k)
        receive_part(rank, k, (char *)all + k * bytes, bytes);
    for (uint32_t k = 1; k < transport->size; ++k) send_part(rank, k, all, bytes * transport->size);
    strc_link_flush(&rank->link);
    return 0;
}

static int exchange(void *self, const void *out, uint64_t bytes, void *in) {
    strc_rank *rank = self;
    const strc_transport *transport = &rank->link.transport;
    const uint64_t count = transport->size, whole = bytes * count;
    if (transport->exchange) return transport->exchange(transport->self, out, bytes, in);
    if (!is_first(rank)) {
        send_part(rank, 0, out, whole);
        receive_part(rank, 0, in, whole);
        return 0;
    }
    char *const all = malloc(whole * count + whole);
    if (!all) return 1;
    memcpy(all, out, whole);
    for (uint32_t k = 1; k < count; ++k) receive_part(rank, k, all + k * whole, whole);
    char *const column = all + whole * count;
    for (uint32_t to = 0; to < count; ++to) {
        for (uint32_t from = 0; from < count; ++from)
            memcpy((to == 0 ? (char *)in : column) + from * bytes, all + from * whole + to * bytes,
                   bytes);
        if (to != 0) send_part(rank, to, column, whole);
    }
    free(all);
    strc_link_flush(&rank->link);
    return 0;
}

static const char *why(void *self) {
    (void)self;
    return "there is not enough memory for what they send, or MPI has failed";
}

// ---- the run

/// One rank alone could not do its part.
static _Noreturn void leave(strc_rank *rank, const strc_device_error *error) {
    char name[sizeof error->text + 24];
    strc_digits digits;
    const unsigned own = rank->link.transport.rank;
    if (error->bytes != 0) {
        snprintf(name, sizeof name, "rank %u, which is %s,", own, error->text);
        STRC_FAIL(nowhere, OutOfMemory, name, strc_decimal_text(digits, (int64_t)error->bytes));
    } else {
        snprintf(name, sizeof name, "rank %u", own);
        STRC_FAIL(nowhere, CannotReadFile, name, error->why);
    }
    strc_messages_show();
    rank->link.transport.abort(rank->link.transport.self, 1);
    _exit(1);
}

strc_end strc_rank_run_mesh(strc_rank *rank, const strc_program *program, strc_env *env,
                            void *state, uint64_t *done) {
    static const volatile unsigned char never = 0;
    const strc_mesh mesh = {.self = rank,
                            .rank = rank->link.transport.rank,
                            .count = rank->link.transport.size,
                            .gather = gather,
                            .exchange = exchange,
                            .why = why,
                            .is_over = ends_here};
    rank->own = *env->host;
    rank->host = same_host(rank);
    rank->start = rank->looked = strc_clock();
    rank->stride = 1;
    env->host = &rank->host;
    env->mesh = &mesh;
    env->interrupt = &never;
    env->seconds = 0;
    const strc_end end = strc_execute(program, env, state, rank->all->options.iterations, done);
    env->mesh = NULL;
    if (end == STRC_END_DEVICE) leave(rank, &env->device_error);
    if (is_first(rank)) return end;
    // Rank 0 tells how the run has ended.
    strc_message_in *over = strc_rank_wait(rank, 0, STRC_SAYS(STRC_SAID_END));
    rank->all->outcome = (strc_outcome)over->a;
    strc_link_free(over);
    env->knows_waiting = 1;
    env->items_waiting = 0;
    return STRC_END_STOPPED;
}
