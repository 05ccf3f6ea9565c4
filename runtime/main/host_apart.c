// What the program of rank 0 calls while it runs: what it asks of files of other ranks they do for it, in the order in which it asks.
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

typedef enum call {
    CALL_PRINT,
    CALL_SUPPLY,
    CALL_READ,
    CALL_WRITE,
    CALL_STILL,
    CALL_BEGIN,
    CALL_COMMIT,
    CALL_ROLLBACK,
} call;

/// In front of what is written or printed.
typedef struct request {
    uint64_t port;
    int64_t items;
    int64_t must;
} request;

static strc_message_in *ask(strc_rank *rank, uint32_t whom, call what, request wanted,
                            const void *bytes, uint64_t size) {
    unsigned char *whole = malloc(sizeof wanted + size);
    if (whole) {
        memcpy(whole, &wanted, sizeof wanted);
        if (size != 0) memcpy(whole + sizeof wanted, bytes, size);
    }
    if (!whole || strc_link_send(&rank->link, whom,
                                 (strc_message_out){STRC_SAID_CALL, (uint64_t)what, 0, whole,
                                                    sizeof wanted + size}) != 0)
        strc_rank_lost(rank);
    free(whole);
    return strc_rank_wait(rank, whom, STRC_SAYS(STRC_SAID_REPLY));
}

/// What it says, and why its run has ended, if it has.
static int64_t answer(strc_rank *rank, strc_message_in *reply) {
    const int64_t value = (int64_t)reply->a;
    const strc_outcome outcome = (strc_outcome)reply->b;
    strc_link_free(reply);
    if (outcome == STRC_FAILED) rank->has_failed = 1;
    if (outcome != STRC_RUNNING) strc_host_end(rank->all, outcome);
    return value;
}

static uint64_t item_size(const strc_rank *rank, const strc_port *port) {
    return rank->about->types[port->type].size;
}

static int print(void *self, const char *text, uint64_t size) {
    strc_rank *rank = self;
    const uint32_t whom = strc_rank_that_prints(rank);
    if (whom == 0) return rank->own.print(rank->own.self, text, size);
    return (int)answer(rank, ask(rank, whom, CALL_PRINT, (request){0, 0, 0}, text, size));
}

static int supply(void *self, uint32_t input, uint64_t items, int must) {
    strc_rank *rank = self;
    const uint32_t whom = strc_rank_of_input(rank, input);
    if (whom == 0) return rank->own.supply(rank->own.self, input, items, must);
    if (rank->all->outcome != STRC_RUNNING) return 1;
    const request wanted = {input, (int64_t)items, must};
    return (int)answer(rank, ask(rank, whom, CALL_SUPPLY, wanted, NULL, 0));
}

static int take(void *self, uint32_t input, void *to, uint64_t items) {
    strc_rank *rank = self;
    const uint32_t whom = strc_rank_of_input(rank, input);
    if (whom == 0) return rank->own.read(rank->own.self, input, to, items);
    const request wanted = {input, (int64_t)items, 0};
    strc_message_in *reply = ask(rank, whom, CALL_READ, wanted, NULL, 0);
    if (reply->size != 0) memcpy(to, reply->bytes, reply->size);
    return (int)answer(rank, reply);
}

static int put(void *self, uint32_t output, const void *from, uint64_t items) {
    strc_rank *rank = self;
    const uint32_t whom = strc_rank_of_output(rank, output);
    if (whom == 0) return rank->own.write(rank->own.self, output, from, items);
    const request wanted = {output, (int64_t)items, 0};
    const uint64_t size = items * item_size(rank, &rank->about->outputs[output]);
    return (int)answer(rank, ask(rank, whom, CALL_WRITE, wanted, from, size));
}

static int64_t still(void *self, uint32_t input, int64_t most) {
    strc_rank *rank = self;
    const uint32_t whom = strc_rank_of_input(rank, input);
    if (whom == 0) return rank->own.still(rank->own.self, input, most);
    return answer(rank, ask(rank, whom, CALL_STILL, (request){input, most, 0}, NULL, 0));
}

// ---- transactions, in which all take part

static void tell(strc_rank *rank, call what) {
    const request nothing = {0, 0, 0};
    strc_link_send_all(&rank->link, (strc_message_out){STRC_SAID_CALL, (uint64_t)what, 0, &nothing,
                                                       sizeof nothing});
}

static void begin(void *self) {
    strc_rank *rank = self;
    tell(rank, CALL_BEGIN);
    rank->own.begin(rank->own.self);
}

static int commit(void *self) {
    strc_rank *rank = self;
    tell(rank, CALL_COMMIT);
    int ends = rank->own.commit(rank->own.self);
    for (uint32_t k = 1; k < rank->link.transport.size; ++k)
        ends |= (int)answer(rank, strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_REPLY)));
    return ends;
}

static void rollback(void *self) {
    strc_rank *rank = self;
    tell(rank, CALL_ROLLBACK);
    rank->own.rollback(rank->own.self);
}

strc_host strc_rank_host(strc_rank *rank) {
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

// ---- the others

static void reply(strc_rank *rank, int64_t value, const void *bytes, uint64_t size) {
    strc_link_send(&rank->link, 0,
                   (strc_message_out){STRC_SAID_REPLY, (uint64_t)value,
                                      (uint64_t)rank->all->outcome, bytes, size});
}

static void serve_read(strc_rank *rank, const request *wanted) {
    const uint32_t input = (uint32_t)wanted->port;
    const uint64_t size = (uint64_t)wanted->items * item_size(rank, &rank->about->inputs[input]);
    void *bytes = malloc(size + 1);
    const int64_t value =
        bytes ? rank->own.read(rank->own.self, input, bytes, (uint64_t)wanted->items) : -1;
    reply(rank, value, bytes, value == 0 ? size : 0);
    free(bytes);
}

void strc_rank_serve_call(strc_rank *rank, const strc_message_in *message) {
    const strc_host *own = &rank->own;
    request wanted;
    memcpy(&wanted, message->bytes, sizeof wanted);
    const void *bytes = message->bytes + sizeof wanted;
    const uint64_t size = message->size - sizeof wanted;
    const uint32_t port = (uint32_t)wanted.port;
    const uint64_t items = (uint64_t)wanted.items;
    switch ((call)message->a) {
        case CALL_PRINT: reply(rank, own->print(own->self, bytes, size), NULL, 0); break;
        case CALL_SUPPLY:
            reply(rank, own->supply(own->self, port, items, (int)wanted.must), NULL, 0);
            break;
        case CALL_READ: serve_read(rank, &wanted); break;
        case CALL_WRITE: reply(rank, own->write(own->self, port, bytes, items), NULL, 0); break;
        case CALL_STILL: reply(rank, own->still(own->self, port, wanted.items), NULL, 0); break;
        case CALL_BEGIN: own->begin(own->self); break;
        case CALL_COMMIT: reply(rank, own->commit(own->self), NULL, 0); break;
        case CALL_ROLLBACK: own->rollback(own->self); break;
    }
}
