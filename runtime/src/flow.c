// Phases as soon as their input is there.
#include "strc/flow.h"

#include <string.h>

#include "flow_parts.h"
#include "messages.h"
#include "pulled.h"
#include "run.h"
#include "saved_messages.h"
#include "strc/partitions.h"

enum {
    kUndoWorth = 16,  ///< bytes of state that are copied for each byte of items
    kUndoWork = 8,  ///< of shared phases for each byte; to copy one is work of some 1
};

static const volatile unsigned char never = 0;

// ---- the program's two ends

/// Items that are there for the next phase.
static size_t supplied(const strc_flow *self) { return self->waiting.count + strc_flow_left(self); }

static int read_items(void *of, uint32_t input, void *to, uint64_t items) {
    (void)input;
    strc_flow *self = of;
    unsigned char *at = to;
    strc_flow_queue *waiting = &self->waiting;
    size_t old = waiting->count < items ? waiting->count : items;
    if (old != 0) {
        memcpy(at, waiting->items + waiting->first * waiting->size, old * waiting->size);
        at += old * waiting->size;
        waiting->count -= old;
        waiting->first = waiting->count == 0 ? 0 : waiting->first + old;
    }
    if (items > old) strc_flow_take(self, at, items - old);
    return 0;
}

static int write_items(void *of, uint32_t output, const void *from, uint64_t items) {
    (void)output;
    strc_flow *self = of;
    strc_flow_queue *pending = &self->pending;
    size_t now = pending->count != 0            ? 0
                 : items < strc_flow_room(self) ? items
                                                : strc_flow_room(self);
    if (now != 0) strc_flow_give(self, from, now);
    if (items > now) {  // a phase begins without any: there is room for all that it gives
        memcpy(pending->items + pending->count * pending->size,
               (const char *)from + now * pending->size, (items - now) * pending->size);
        pending->count += items - now;
    }
    return 0;
}

static int print(void *of, const char *text, uint64_t size) {
    strc_flow *self = of;
    if (self->ends && self->ends->print) self->ends->print(self->ends->self, text, size);
    return 0;
}

/// Gives out the items for which the caller had no room before.
static void hand_over(strc_flow *self) {
    strc_flow_queue *pending = &self->pending;
    size_t items = pending->count < strc_flow_room(self) ? pending->count : strc_flow_room(self);
    if (items == 0) return;
    strc_flow_give(self, pending->items + pending->first * pending->size, items);
    pending->count -= items;
    pending->first = pending->count == 0 ? 0 : pending->first + items;
}

/// Keeps the rest of the input, which is too little for the next phase: that needs `wanted` items.
static void put_aside(strc_flow *self, uint64_t wanted) {
    strc_flow_queue *waiting = &self->waiting;
    size_t items = wanted > waiting->count ? wanted - waiting->count : 0;
    if (items > strc_flow_left(self)) items = strc_flow_left(self);
    if (items == 0) return;
    strc_flow_take(self, waiting->items + (waiting->first + waiting->count) * waiting->size, items);
    waiting->count += items;
}

// ---- phases

/// Can anything come of it?
static int is_idle(const strc_flow *self, const strc_phase *phase) {
    return phase->iterations != 0 && strc_flow_reads(self->facts, phase) == 0 &&
           self->facts->steady_writes == 0;
}

/// Several steady states at once, if all their input and the room for their output are there.
static int can_scale(const strc_flow *self) {
    const strc_phase *scaled = &self->facts->program->scaled;
    return self->scales && supplied(self) >= strc_flow_reads(self->facts, scaled) &&
           strc_flow_room(self) >= self->facts->steady_writes * scaled->iterations;
}

static uint64_t shared_reads(const strc_flow *self) {
    const strc_program *program = self->facts->program;
    return program->inputs != 0 ? program->partitioning->reads[0] : 0;
}

/// The same with several threads.
static int can_share(const strc_flow *self) {
    if (!self->shares) return 0;
    const uint64_t states = self->facts->program->partitioning->iterations;
    return supplied(self) >= shared_reads(self) &&
           strc_flow_room(self) >= self->facts->steady_writes * states;
}

/// Phases of so many steady states that a call can do, of so many items each.
static size_t trips_of(const strc_flow *self, size_t reads, uint64_t states) {
    const size_t writes = self->facts->steady_writes * states;
    if (reads != 0) return supplied(self) / reads;
    return writes != 0 ? strc_flow_room(self) / writes : 0;
}

/// What may have to be undone is copied once a call: that has to be worth it.
static int is_worth_undoing(const strc_flow *self) {
    const strc_flow_facts *facts = self->facts;
    const uint64_t times = facts->program->scaled.iterations;
    const size_t reads = strc_flow_reads(facts, &facts->program->scaled);
    const size_t bytes = reads * facts->in_size + facts->steady_writes * times * facts->out_size;
    if (!facts->can_fail || bytes == 0) return 1;
    return trips_of(self, reads, times) >=
           strc_flow_kept_bytes(facts->program) / (kUndoWorth * bytes) + 1;
}

static int is_worth_sharing(const strc_flow *self) {
    const strc_partitioning *parts = self->facts->program->partitioning;
    const uint64_t work = parts->work * trips_of(self, shared_reads(self), parts->iterations);
    return !self->facts->can_fail || work >= kUndoWork * strc_flow_kept_bytes(self->facts->program);
}

static void begin_scaling(strc_flow *self) {
    const strc_flow_facts *facts = self->facts;
    self->before.is_valid = 0;
    self->scales = self->shares = 0;
    if (!facts->can_scale || strc_rest_lasts(&self->rest)) return;
    self->scales = facts->program->scaled.iterations != 0 && is_worth_undoing(self);
    self->shares = self->helpers && is_worth_sharing(self);
}

/// Copies what is kept out of the state, or back.
static void copy_kept(strc_flow *self, int back) {
    const strc_program *program = self->facts->program;
    unsigned char *kept = self->before.kept;
    for (uint64_t k = 0; k < program->kept_count; ++k) {
        const strc_kept_part *part = &program->kept[k];
        unsigned char *state = self->state + part->at;
        memcpy(back ? state : kept, back ? kept : state, part->size);
        kept += part->size;
    }
}

static void take_messages_back(strc_flow *self) {
    const strc_program *program = self->facts->program;
    memset(self->env.mailboxes, 0, program->mailbox_count * sizeof *self->env.mailboxes);
    strc_bounded_mail_begin(&self->env, program, self->state, (uint32_t)self->facts->bound,
                            self->message_memory);
    strc_messages_restore(&self->env, program, self->before.messages);
}

static void remember(strc_flow *self) {
    strc_flow_before *before = &self->before;
    if (before->is_valid || !self->facts->can_fail) return;
    copy_kept(self, 0);
    if (before->messages) strc_messages_save(&self->env, self->facts->program, before->messages);
    before->random = self->env.random;
    before->done = self->done;
    before->taken = self->taken;
    before->given = self->given;
    before->waiting =
        self->waiting;  // what waits is overwritten only between phases done one by one
    before->is_valid = 1;
}

/// After a fault in what was done at once: 1 if it is undone, to be done again one by one. There the fault comes again, but
/// for that of messages without room: in a phase of many steady states more of them wait.
static int go_back(strc_flow *self) {
    strc_flow_before *before = &self->before;
    if (!before->is_valid) return 0;
    copy_kept(self, 1);
    if (before->messages) take_messages_back(self);
    self->env.random = before->random;
    self->done = before->done;
    self->taken = before->taken;
    self->given = before->given;
    self->waiting = before->waiting;
    before->is_valid = 0;
    self->scales = self->shares = 0;
    strc_rest_begin(&self->rest);
    return 1;
}

static void run_phase(strc_flow *self, const strc_phase *phase) {
    phase->run(&self->env, self->state);
    self->done += phase->iterations;
}

/// Or lets one thread do the rest of the call.
static void share_phase(strc_flow *self) {
    const int end = self->run_shared(self->helpers, &self->env, self->state);
    if (end < 0) strc_leave(&self->env, STRC_END_FAULT);
    self->shares = end == 0;
    if (end == 0) self->done += self->facts->program->partitioning->iterations;
}

/// Random numbers go on as if nothing had been done again.
void strc_flow_update(strc_flow *self) {
    uint64_t changed = self->changed, random = self->env.random;
    self->changed = 0;
    if (!self->has_begun || changed == 0 || !self->facts->program->update) return;
    self->facts->program->update(&self->env, self->state, changed);
    self->env.random = random;
}

/// Until there is too little input, or no room.
static strc_end run_phases(void *of) {
    strc_flow *self = of;
    const strc_program *program = self->facts->program;
    strc_flow_update(self);
    for (;;) {
        const strc_phase *next = self->has_begun ? &program->steady : &program->init;
        uint64_t reads = strc_flow_reads(self->facts, next);
        hand_over(self);
        if (self->pending.count != 0) {
            if (reads != 0) put_aside(self, reads - 1);  // of which nothing comes yet
            return STRC_END_ITERATIONS;
        }
        if (is_idle(self, next)) return STRC_END_ITERATIONS;
        const int shares = self->has_begun && can_share(self);
        if (shares || (self->has_begun && can_scale(self))) {
            remember(self);
            if (shares)
                share_phase(self);
            else
                run_phase(self, &program->scaled);
            continue;
        }
        self->before.is_valid = 0;
        if (supplied(self) < reads) {
            put_aside(self, reads);
            return STRC_END_INPUT;
        }
        if (reads == 0 && strc_flow_room(self) == 0 && self->has_begun) return STRC_END_ITERATIONS;
        run_phase(self, next);
        self->has_begun = 1;
    }
}

/// Items that wait for a phase which will not come.
static int64_t still(void *of, uint32_t input, int64_t most) {
    (void)input;
    const strc_flow *self = of;
    return (int64_t)self->waiting.count < most ? (int64_t)self->waiting.count : most;
}

/// Until nothing has its items any more, or there is no room.
static strc_end run_draining(void *of) {
    strc_flow *self = of;
    strc_flow_update(self);
    for (;;) {
        hand_over(self);
        if (self->pending.count != 0) return STRC_END_ITERATIONS;
        void (*phase)(strc_env *, void *) = strc_draining_next(&self->draining);
        if (!phase) return STRC_END_INPUT;
        phase(&self->env, self->state);
    }
}

static void begin_draining(strc_flow *self) {
    const strc_program *program = self->facts->program;
    if (self->is_draining) return;
    self->is_draining = 1;
    self->draining = (strc_draining){0};
    if (!program->ending) return;
    const strc_draining_facts facts = {.ending = program->ending,
                                       .places = strc_draining_places(program),
                                       .states = self->has_begun ? (int64_t)self->done : -1,
                                       .still = still,
                                       .self = self};
    (void)strc_draining_begin(&self->draining, &facts, self->numbers);
    self->env.left = self->draining.left;
}

static void begin_call(strc_flow *self, const strc_flow_ends *ends) {
    self->ends = ends;
    self->taken = self->given = 0;
    self->env.stack_end = (const char *)__builtin_frame_address(0) - self->facts->stack_bytes;
}

static int conclude_call(strc_flow *self, strc_end end) {
    self->all_taken += self->taken;
    self->all_given += self->given;
    self->has_failed = end == STRC_END_FAULT || end == STRC_END_DEVICE;
    return self->has_failed ? -1 : 0;
}

int strc_flow_process(strc_flow *self, const strc_flow_ends *ends) {
    strc_end end;
    begin_call(self, ends);
    if (self->has_failed || self->is_draining) return -1;
    if (self->pulled) return conclude_call(self, strc_pulled_process(self->pulled));
    begin_scaling(self);
    do {
        end = strc_attempt(&self->env, run_phases, self);
    } while (end == STRC_END_FAULT && go_back(self));
    if (self->scales || self->shares) strc_rest_sound(&self->rest);
    return conclude_call(self, end);
}

int strc_flow_drain(strc_flow *self, const strc_flow_ends *ends) {
    begin_call(self, ends);
    if (self->has_failed) return -1;
    begin_draining(self);
    if (self->pulled) return conclude_call(self, strc_pulled_process(self->pulled));
    return conclude_call(self, strc_attempt(&self->env, run_draining, self));
}

// ---- its memory

/// Lays all parts out in a block, if there is one yet; the bytes that it has to have.
static size_t lay_out(const strc_flow_facts *facts, strc_flow *self) {
    const strc_program *program = facts->program;
    size_t at = strc_flow_aligned(sizeof *self);
    const size_t parts[] = {
        offsetof(strc_flow, state),          offsetof(strc_flow, work),
        offsetof(strc_flow, before.kept),    offsetof(strc_flow, before.messages),
        offsetof(strc_flow, parameters),     offsetof(strc_flow, waiting.items),
        offsetof(strc_flow, pending.items),  offsetof(strc_flow, numbers),
        offsetof(strc_flow, message_memory), offsetof(strc_flow, pulled)};
    const int undoes = (program->scaled.iterations != 0 || program->partitioning) &&
                       facts->can_scale && facts->can_fail;
    const uint32_t bound = (uint32_t)facts->bound;
    const int undoes_messages = undoes && program->mailbox_count != 0;
    const uint64_t numbers =
        program->ending ? strc_draining_numbers(program->ending, strc_draining_places(program)) : 0;
    const uint64_t bytes[] = {program->state_size,
                              program->work_size,
                              undoes ? strc_flow_kept_bytes(program) : 0,
                              undoes_messages ? strc_messages_most_saved(program, bound) : 0,
                              facts->parameter_bytes,
                              strc_flow_most_waiting(facts) * facts->in_size,
                              strc_flow_most_pending(facts) * facts->out_size,
                              numbers * sizeof(int64_t),
                              strc_bounded_mail_bytes(program, bound),
                              program->demand ? strc_pulled_bytes(facts) : 0};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        if (self && bytes[k] != 0)
            *(unsigned char **)((char *)self + parts[k]) = (unsigned char *)self + at;
        at += strc_flow_aligned(bytes[k]);
    }
    return at;
}

size_t strc_flow_bytes(const strc_flow_facts *facts) { return lay_out(facts, NULL); }

strc_flow *strc_flow_make(const strc_flow_facts *facts, void *block) {
    memset(block, 0, strc_flow_bytes(facts));  // all of it is there from now on
    strc_flow *self = block;
    self->facts = facts;
    lay_out(facts, self);
    self->waiting.size = facts->in_size;
    self->pending.size = facts->out_size;
    if (facts->parameter_bytes != 0)
        memcpy(self->parameters, facts->parameters, facts->parameter_bytes);
    self->host =
        (strc_host){.self = self, .read = read_items, .write = write_items, .print = print};
    if (self->pulled) strc_pulled_make(self->pulled, self);
    strc_flow_reset(self);
    return self;
}

typedef struct strc_flow_trial {
    strc_flow *flow;
    uint64_t mark;
} strc_flow_trial;

static strc_end try_value(void *of) {
    const strc_flow_trial *trial = of;
    strc_flow *self = trial->flow;
    self->facts->program->update(&self->env, self->state, trial->mark | STRC_FLOW_CHECK);
    return STRC_END_ITERATIONS;
}

/// Random numbers and state stay as they are, as does a firing under way, which sees its own parameters.
static int is_refused(strc_flow *self, uint64_t mark) {
    if (!self->facts->program->update) return 0;
    strc_flow_trial trial = {self, mark};
    strc_env before = self->env;
    self->env.parameters = self->parameters;
    self->env.stack_end = (const char *)__builtin_frame_address(0) - self->facts->stack_bytes;
    strc_end end = strc_attempt(&self->env, try_value, &trial);
    before.fault = self->env.fault;
    self->env = before;
    return end == STRC_END_FAULT;
}

int strc_flow_set(strc_flow *self, uint32_t k, const void *value, size_t size) {
    unsigned char *place = self->parameters + (size_t)k * STRC_PARAMETER_BYTES;
    unsigned char old[STRC_PARAMETER_BYTES];
    memcpy(old, place, size);
    memcpy(place, value, size);
    if (is_refused(self, STRC_PARAMETER_MARK(k))) {
        memcpy(place, old, size);
        return -1;
    }
    self->changed |= STRC_PARAMETER_MARK(k);
    return 0;
}

void strc_flow_reset(strc_flow *self) {
    strc_state_begin(self->facts->program, self->state);
    self->env = (strc_env){.host = &self->host,
                           .interrupt = &never,
                           .random = self->facts->random,
                           .parameters = self->parameters,
                           .work = self->work,
                           .kernels = self->env.kernels,
                           .mesh = self->env.mesh,
                           .flushes_subnormals = self->facts->program->flushes_subnormals};
    if (self->facts->program->mailbox_count != 0)
        strc_bounded_mail_begin(&self->env, self->facts->program, self->state,
                                (uint32_t)self->facts->bound, self->message_memory);
    if (self->pulled) strc_pulled_reset(self->pulled);
    self->waiting.first = self->waiting.count = 0;
    self->pending.first = self->pending.count = 0;
    self->has_begun = self->has_failed = self->is_draining = 0;
    self->rest = (strc_rest){0};
    self->done = 0;
    self->changed = 0;
    self->all_taken = self->all_given = 0;
}
