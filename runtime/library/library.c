// A program behind a handle: phases run as soon as their input is there, between a caller's two arrays and
// what has to wait for the next call.
#include "strc/library.h"

#include <stdlib.h>
#include <string.h>

#include "../src/run.h"
#include "message.h"
#include "strc/executable.h"
#include "strc/processor.h"

enum {
    kAlignment = 64,
    kUndoWorth = 16,  ///< bytes of state that are copied for each byte of items
};

#define STRC_EXPORTED __attribute__((visibility("default")))

/// Items that wait: those of the input for a phase, those of the output for room.
typedef struct strc_queue {
    unsigned char *items;
    size_t first, count;  ///< items
    size_t size;  ///< of an item
} strc_queue;

/// What is done wholly or not at all: several steady states at once (undo.h does it for runs with a clock).
typedef struct strc_before {
    unsigned char *state;
    uint64_t random;
    const unsigned char *in;
    unsigned char *out;
    size_t in_count, room;
    strc_queue waiting;
    int is_valid;
} strc_before;

struct strc_library {
    const strc_executable *about;
    const strc_program *program;
    strc_env env;
    strc_world world;
    unsigned char *state;
    unsigned char *parameters;
    strc_queue waiting, pending;
    const unsigned char *in;  ///< of the call under way, as far as not taken
    unsigned char *out;
    size_t in_count, room;
    strc_before before;
    int has_begun;  ///< the phase `init` is done
    int scales;  ///< in the call under way
    int has_failed;
    char message[STRC_MESSAGE_ROOM];
};

static const volatile unsigned char never = 0;

// ---- the program's two ends

/// Items that are there for the next phase.
static size_t supplied(const strc_library *self) { return self->waiting.count + self->in_count; }

static void give(strc_library *self, unsigned char **to, size_t items) {
    size_t bytes = items * self->waiting.size;
    memcpy(*to, self->in, bytes);
    *to += bytes;
    self->in += bytes;
    self->in_count -= items;
}

static int read_items(void *of, uint32_t input, void *to, uint64_t items) {
    (void)input;
    strc_library *self = of;
    unsigned char *at = to;
    strc_queue *waiting = &self->waiting;
    size_t old = waiting->count < items ? waiting->count : items;
    if (old != 0) {
        memcpy(at, waiting->items + waiting->first * waiting->size, old * waiting->size);
        at += old * waiting->size;
        waiting->count -= old;
        waiting->first = waiting->count == 0 ? 0 : waiting->first + old;
    }
    if (items > old) give(self, &at, items - old);
    return 0;
}

static int write_items(void *of, uint32_t output, const void *from, uint64_t items) {
    (void)output;
    strc_library *self = of;
    strc_queue *pending = &self->pending;
    size_t now = pending->count != 0 ? 0 : items < self->room ? items : self->room;
    size_t bytes = now * pending->size;
    if (now != 0) {
        memcpy(self->out, from, bytes);
        self->out += bytes;
        self->room -= now;
    }
    if (items > now) {  // a phase begins without any: there is room for all that it gives
        memcpy(pending->items + pending->count * pending->size, (const char *)from + bytes,
               (items - now) * pending->size);
        pending->count += items - now;
    }
    return 0;
}

/// What found no room before.
static void hand_over(strc_library *self) {
    strc_queue *pending = &self->pending;
    size_t items = pending->count < self->room ? pending->count : self->room;
    if (items == 0) return;
    size_t bytes = items * pending->size;
    memcpy(self->out, pending->items + pending->first * pending->size, bytes);
    self->out += bytes;
    self->room -= items;
    pending->count -= items;
    pending->first = pending->count == 0 ? 0 : pending->first + items;
}

/// What is too little for the next phase, which needs `wanted`.
static void put_aside(strc_library *self, uint64_t wanted) {
    strc_queue *waiting = &self->waiting;
    size_t items = wanted > waiting->count ? wanted - waiting->count : 0;
    if (items > self->in_count) items = self->in_count;
    if (items == 0) return;
    unsigned char *to = waiting->items + (waiting->first + waiting->count) * waiting->size;
    give(self, &to, items);
    waiting->count += items;
}

// ---- phases

static uint64_t reads_of(const strc_library *self, const strc_phase *phase) {
    return self->program->inputs != 0 ? phase->reads[0] : 0;
}

/// Can anything come of it?
static int is_idle(const strc_library *self, const strc_phase *phase) {
    return phase->iterations != 0 && reads_of(self, phase) == 0 && self->about->steady_writes == 0;
}

/// Several steady states at once, if all their input and the room for their output are there.
static int can_scale(const strc_library *self) {
    const strc_phase *scaled = &self->program->scaled;
    return self->scales && supplied(self) >= reads_of(self, scaled) &&
           self->room >= self->about->steady_writes * scaled->iterations;
}

/// The state is copied once a call, if a check may fail and what is done at once is worth it.
static void begin_scaling(strc_library *self) {
    const strc_executable *about = self->about;
    uint64_t times = self->program->scaled.iterations;
    self->before.is_valid = 0;
    self->scales = times != 0;
    if (!self->scales || !about->can_fail) return;
    size_t reads = reads_of(self, &self->program->scaled);
    if (reads == 0 && about->steady_writes == 0) return;
    size_t rounds =
        reads != 0 ? supplied(self) / reads : self->room / (about->steady_writes * times);
    size_t bytes = reads * self->waiting.size + about->steady_writes * times * self->pending.size;
    self->scales = rounds >= self->program->state_size / (kUndoWorth * bytes) + 1;
}

static void remember(strc_library *self) {
    strc_before *before = &self->before;
    if (before->is_valid || !self->about->can_fail) return;
    memcpy(before->state, self->state, self->program->state_size);
    before->random = self->env.random;
    before->in = self->in;
    before->in_count = self->in_count;
    before->out = self->out;
    before->room = self->room;
    before->waiting =
        self->waiting;  // what waits is overwritten only between phases done one by one
    before->is_valid = 1;
}

/// After a fault in what was done at once: 1 if it is undone, to be done again one by one.
static int go_back(strc_library *self) {
    strc_before *before = &self->before;
    if (!before->is_valid) return 0;
    memcpy(self->state, before->state, self->program->state_size);
    self->env.random = before->random;
    self->in = before->in;
    self->in_count = before->in_count;
    self->out = before->out;
    self->room = before->room;
    self->waiting = before->waiting;
    before->is_valid = 0;
    self->scales = 0;
    return 1;
}

static void run_phase(strc_library *self, const strc_phase *phase) {
    phase->run(&self->env, self->state);
}

/// Until there is too little input, or no room.
static strc_end run_phases(void *of) {
    strc_library *self = of;
    const strc_program *program = self->program;
    for (;;) {
        const strc_phase *next = self->has_begun ? &program->steady : &program->init;
        hand_over(self);
        if (self->pending.count != 0 || is_idle(self, next)) return STRC_END_ITERATIONS;
        if (self->has_begun && can_scale(self)) {
            remember(self);
            run_phase(self, &program->scaled);
            continue;
        }
        self->before.is_valid = 0;
        uint64_t reads = reads_of(self, next);
        if (supplied(self) < reads) {
            put_aside(self, reads);
            return STRC_END_INPUT;
        }
        if (reads == 0 && self->room == 0 && self->has_begun) return STRC_END_ITERATIONS;
        run_phase(self, next);
        self->has_begun = 1;
    }
}

static int run(strc_library *self) {
    strc_end end;
    begin_scaling(self);
    self->env.stack_end = (const char *)__builtin_frame_address(0) - self->about->stack_bytes;
    do {
        end = strc_attempt(&self->env, run_phases, self);
    } while (end == STRC_END_FAULT && go_back(self));
    if (end != STRC_END_FAULT) return STRC_LIBRARY_OK;
    strc_fault_message(self->message, self->about, &self->env.fault);
    self->has_failed = 1;
    return STRC_LIBRARY_FAULT;
}

// ---- the handle

static size_t aligned(uint64_t bytes) {
    return (size_t)((bytes + kAlignment - 1) / kAlignment * kAlignment);
}

static uint64_t item_size(const strc_executable *about, const strc_port *port, uint32_t ports) {
    return ports != 0 ? about->types[port->type].size : 0;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/// Lays all parts out in a block, if there is one yet; the bytes that it has to have.
static size_t lay_out(strc_library *self, unsigned char *block) {
    const strc_executable *about = self->about;
    const strc_program *program = self->program;
    size_t at = aligned(sizeof *self);
    unsigned char **parts[] = {&self->state, &self->before.state, &self->parameters,
                               &self->waiting.items, &self->pending.items};
    int undoes = program->scaled.iterations != 0 && about->can_fail;
    uint64_t reads = larger(reads_of(self, &program->init), reads_of(self, &program->steady));
    const uint64_t bytes[] = {
        program->state_size, undoes ? program->state_size : 0,
        (uint64_t)about->parameter_count * STRC_PARAMETER_BYTES, reads * self->waiting.size,
        larger(about->init_writes, about->steady_writes) * self->pending.size};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        if (block) *parts[k] = block + at;
        at += aligned(bytes[k]);
    }
    return at;
}

static strc_library described(void) {
    const strc_executable *about = &strc_executable_data;
    strc_library made = {.about = about, .program = about->program};
    made.waiting.size = item_size(about, about->inputs, about->program->inputs);
    made.pending.size = item_size(about, about->outputs, about->program->outputs);
    return made;
}

static strc_library *fail(int *status, strc_library_status why) {
    if (status) *status = (int)why;
    return NULL;
}

STRC_EXPORTED strc_library *strc_library_create(int *status) {
    if (strc_missing_feature(strc_executable_data.features))
        return fail(status, STRC_LIBRARY_PROCESSOR);
    strc_library made = described();
    size_t bytes = lay_out(&made, NULL);
    unsigned char *block = aligned_alloc(kAlignment, bytes);
    if (!block) return fail(status, STRC_LIBRARY_MEMORY);
    memset(block, 0, bytes);  // all of it is there from now on
    strc_library *self = (strc_library *)block;
    *self = made;
    lay_out(self, block);
    if (made.about->parameter_count != 0)
        memcpy(self->parameters, made.about->parameter_values,
               (size_t)made.about->parameter_count * STRC_PARAMETER_BYTES);
    self->world = (strc_world){.self = self, .read = read_items, .write = write_items};
    strc_library_reset(self);
    if (status) *status = STRC_LIBRARY_OK;
    return self;
}

STRC_EXPORTED void strc_library_destroy(strc_library *self) { free(self); }

STRC_EXPORTED void strc_library_reset(strc_library *self) {
    if (!self) return;
    strc_state_begin(self->program, self->state);
    self->env = (strc_env){.world = &self->world,
                           .interrupt = &never,
                           .random = self->about->random,
                           .parameters = self->parameters};
    self->waiting.first = self->waiting.count = 0;
    self->pending.first = self->pending.count = 0;
    self->has_begun = self->has_failed = 0;
    self->message[0] = '\0';
}

STRC_EXPORTED int strc_library_process(strc_library *self, const void *in, size_t in_count,
                                       void *out, size_t out_capacity, size_t *consumed,
                                       size_t *produced) {
    if (consumed) *consumed = 0;
    if (produced) *produced = 0;
    if (!self || (!in && in_count != 0) || (!out && out_capacity != 0)) return STRC_LIBRARY_CALL;
    if (self->has_failed) return STRC_LIBRARY_FAULT;
    if (self->program->inputs == 0) in_count = 0;
    if (self->program->outputs == 0) out_capacity = 0;
    self->in = in;
    self->in_count = in_count;
    self->out = out;
    self->room = out_capacity;
    int status = run(self);
    if (consumed) *consumed = in_count - self->in_count;
    if (produced) *produced = out_capacity - self->room;
    self->in = NULL;
    self->out = NULL;
    return status;
}

STRC_EXPORTED int strc_library_set(strc_library *self, int parameter, const void *value,
                                   size_t size) {
    if (!self || !value || parameter < 0 || (uint32_t)parameter >= self->about->parameter_count)
        return STRC_LIBRARY_CALL;
    static const unsigned char sizes[] = {
        [STRC_BOOLEAN] = 1, [STRC_BIT] = 1,    [STRC_INT] = 4,
        [STRC_FLOAT] = 4,   [STRC_DOUBLE] = 8, [STRC_COMPLEX] = 8};
    uint32_t kind = self->about->parameters[parameter].kind;
    if (kind > STRC_COMPLEX || size != sizes[kind]) return STRC_LIBRARY_CALL;
    unsigned char *to = self->parameters + (size_t)parameter * STRC_PARAMETER_BYTES;
    memcpy(to, value, size);
    if (kind == STRC_BOOLEAN || kind == STRC_BIT) *to = *to != 0;
    return STRC_LIBRARY_OK;
}

STRC_EXPORTED const char *strc_library_message(const strc_library *self) {
    return self ? self->message : "";
}
