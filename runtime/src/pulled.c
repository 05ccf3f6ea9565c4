// A run by demand that stops in the middle of firings.
#include "pulled.h"

#include <string.h>

#include "coroutine.h"
#include "demand.h"
#include "flow_parts.h"
#include "replay.h"
#include "run.h"

struct strc_pulled {
    strc_flow *flow;
    strc_puller puller;
    strc_queue_memory memory;
    strc_host host;
    strc_coroutine coroutine;
    const char *text;  ///< to be printed on the caller's stack; null: nothing
    uint64_t text_bytes;
    strc_end end;
    int is_over;
    strc_replay replay;
    // ---- behind this structure
    strc_request *requests;
    unsigned char *parameters;  ///< that firings see: they change only between two of them
    unsigned char *queues, *stack;
};

static void wait(strc_pulled *self) { strc_coroutine_pause(&self->coroutine); }

// ---- queues: each has twice the memory of the items that it may hold, so that these move to its front once for as many
// ---- that have gone. The end that bodies look at lies where the bound is reached.

static uint64_t most_bytes(const strc_pulled *self, const strc_queue *queue) {
    return self->flow->facts->bound * queue->item;
}

/// Gives as many of the items as there is room for, but those that have been given before; how many of them are done with.
static uint64_t give(strc_pulled *self, const char *from, uint64_t items) {
    strc_replay *replay = &self->replay;
    const uint64_t old = items < replay->given_again ? items : replay->given_again;
    const uint64_t room = strc_flow_room(self->flow);
    const uint64_t now = items - old < room ? items - old : room;
    replay->given_again -= old;
    if (now == 0) return old;
    strc_flow_give(self->flow, from + old * self->flow->facts->out_size, now);
    replay->since.given += now;
    return old + now;
}

/// What leaves the program goes as far as there is room. 0: all of it has gone.
static int let_out(strc_pulled *self) {
    const uint32_t edge = self->puller.demand->output_edge;
    if (edge == STRC_NONE) return 0;
    strc_queue *queue = &self->puller.queues[edge];
    const uint64_t items = strc_queue_bytes(queue) / queue->item;
    if (items != 0) queue->first += give(self, queue->first, items) * queue->item;
    return queue->first != queue->last;
}

/// The open output waits for the host, others are full.
static int grow(strc_puller *puller, strc_queue *queue, uint64_t bytes) {
    strc_pulled *self = puller->memory->self;
    const uint64_t most = most_bytes(self, queue);
    const uint32_t edge = (uint32_t)(queue - puller->queues);
    const strc_edge *about = &puller->demand->edges[edge];
    while (strc_queue_bytes(queue) + bytes > most) {
        if (edge != puller->demand->output_edge || bytes > most)
            strc_trap(puller->env, (int32_t)about->full, (int32_t)about->owner, 0, 0);
        const uint64_t before = strc_queue_bytes(queue);
        let_out(self);
        if (strc_queue_bytes(queue) == before) wait(self);
    }
    const uint64_t used = strc_queue_bytes(queue);
    if ((uint64_t)(queue->data + 2 * most - queue->last) < bytes) {
        memcpy(queue->data, queue->first, used);
        queue->first = queue->data;
        queue->last = queue->first + used;
    }
    queue->end = queue->data + 2 * most;
    if ((uint64_t)(queue->end - queue->first) > most) queue->end = queue->first + most;
    return 0;
}

static void reserve(strc_puller *puller, uint32_t node, strc_queue *queue, int64_t items) {
    (void)node;
    const uint64_t bytes = (uint64_t)items * queue->item;
    if ((uint64_t)(queue->end - queue->last) < bytes) grow(puller, queue, bytes);
}

/// At most one for each node that waits for its input, and one for each firing under way that does.
static uint64_t most_requests(const strc_program *program) {
    return 2 * (uint64_t)program->node_count + 1;
}

static int no_more_requests(strc_puller *puller) {
    (void)puller;
    return -1;
}

/// No firing is under way: parameters may change, but for what is done again.
static void see_parameters(strc_puller *puller) {
    strc_pulled *self = puller->memory->self;
    strc_flow *flow = self->flow;
    if (flow->changed == 0 || strc_replays(&self->replay)) return;
    memcpy(self->parameters, flow->parameters, flow->facts->parameter_bytes);
    strc_flow_update(flow);
    self->replay.is_lost = 1;
}

/// Somebody may want the state as it is between two iterations, and change it.
static void stop_between(strc_pulled *self) {
    strc_flow *flow = self->flow;
    if (!strc_replays(&self->replay)) {
        while (flow->stops_between) {
            flow->is_between = 1;
            wait(self);
            self->replay.is_lost = 1;
        }
    }
    flow->is_between = 0;
}

static void before_iteration(strc_puller *puller) {
    strc_pulled *self = puller->memory->self;
    stop_between(self);
    see_parameters(puller);
    strc_replay_remember(&self->replay, puller, self->parameters);
}

// ---- the host

/// Before an item is taken all that came of others has to be gone. The program hears that there is none only once the host has
/// said so.
static int supply(void *of, uint32_t input, uint64_t items, int must) {
    (void)input, (void)items, (void)must;
    strc_pulled *self = of;
    while (let_out(self) != 0 ||
           (strc_flow_left(self->flow) == 0 && self->replay.again == self->replay.since.taken)) {
        if (self->flow->is_draining && strc_flow_left(self->flow) == 0) return 1;
        wait(self);
    }
    return 0;
}

static int read_items(void *of, uint32_t input, void *to, uint64_t items) {
    (void)input;
    strc_pulled *self = of;
    const size_t size = self->flow->facts->in_size;
    unsigned char *at = to;
    for (; items != 0 && strc_replay_take(&self->replay, at); --items) at += size;
    if (items == 0) return 0;
    strc_flow_take(self->flow, at, items);
    strc_replay_note(&self->replay, at, items);
    return 0;
}

/// At the end of an iteration, or of the run. A program without input goes on only when there is room for more.
static int write_items(void *of, uint32_t output, const void *from, uint64_t items) {
    (void)output;
    strc_pulled *self = of;
    const strc_flow_facts *facts = self->flow->facts;
    const char *at = from;
    for (;;) {
        const uint64_t now = give(self, at, items);
        at += now * facts->out_size;
        items -= now;
        if (items == 0 && (facts->program->inputs != 0 || strc_flow_room(self->flow) != 0))
            return 0;
        wait(self);
    }
}

static int print(void *of, const char *text, uint64_t size) {
    strc_pulled *self = of;
    strc_replay *replay = &self->replay;
    if (replay->printed_again != 0) {
        --replay->printed_again;
        return 0;
    }
    ++replay->since.printed;
    self->text = text;
    self->text_bytes = size;
    wait(self);
    return 0;
}

// ---- the run

static strc_end run(void *of) {
    strc_pulled *self = of;
    strc_flow *flow = self->flow;
    const strc_program *program = flow->facts->program;
    strc_puller *puller = &self->puller;
    see_parameters(puller);
    if (!flow->has_begun) program->init.run(&flow->env, flow->state);
    flow->has_begun = 1;
    strc_end end = STRC_END_ITERATIONS;
    while (end == STRC_END_ITERATIONS) end = strc_puller_iterate(puller, 1);
    return end;
}

/// A fault is told when all that came before it has left.
static void run_to_the_end(void *of) {
    strc_pulled *self = of;
    strc_env *env = &self->flow->env;
    self->end = strc_attempt(env, run, self);
    if (self->end == STRC_END_INPUT) self->end = strc_puller_drain(&self->puller);
    const strc_fault fault = env->fault;
    strc_puller_conclude(&self->puller);
    env->fault = fault;
    self->is_over = 1;
}

strc_end strc_pulled_process(strc_pulled *self) {
    strc_flow *flow = self->flow;
    flow->env.stack_end = (const char *)self->stack;
    while (!self->is_over) {
        self->text = NULL;
        strc_coroutine_resume(&self->coroutine);
        if (!self->text) break;
        flow->host.print(flow, self->text, self->text_bytes);
    }
    return self->is_over ? self->end : STRC_END_INPUT;
}

// ---- its memory

static uint64_t queue_bytes(const strc_edge *edge, uint64_t bound) {
    return edge->is_queue ? strc_flow_aligned(2 * bound * edge->item) : 0;
}

static uint64_t all_queues(const strc_flow_facts *facts) {
    const strc_demand *demand = facts->program->demand;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < demand->edge_count; ++k)
        bytes += queue_bytes(&demand->edges[k], facts->bound);
    return bytes;
}

uint64_t strc_pulled_bytes(const strc_flow_facts *facts) {
    return strc_flow_aligned(sizeof(strc_pulled)) +
           strc_flow_aligned(most_requests(facts->program) * sizeof(strc_request)) +
           strc_flow_aligned(facts->parameter_bytes) + all_queues(facts) +
           strc_flow_aligned(facts->firing_bytes) + strc_replay_bytes(facts);
}

void strc_pulled_make(strc_pulled *self, strc_flow *flow) {
    const strc_flow_facts *facts = flow->facts;
    unsigned char *at = (unsigned char *)self + strc_flow_aligned(sizeof *self);
    self->flow = flow;
    self->requests = (strc_request *)at;
    at += strc_flow_aligned(most_requests(facts->program) * sizeof(strc_request));
    self->parameters = at;
    at += strc_flow_aligned(facts->parameter_bytes);
    self->queues = at;
    self->stack = at + all_queues(facts);
    strc_replay_make(&self->replay, flow, self->stack + strc_flow_aligned(facts->firing_bytes));
    self->memory = (strc_queue_memory){.grow = grow,
                                       .reserve = reserve,
                                       .more_requests = no_more_requests,
                                       .between = see_parameters,
                                       .before_iteration = before_iteration,
                                       .self = self};
    self->host = (strc_host){
        .self = self, .supply = supply, .read = read_items, .write = write_items, .print = print};
}

void strc_pulled_reset(strc_pulled *self) {
    strc_flow *flow = self->flow;
    const strc_flow_facts *facts = flow->facts;
    flow->env.host = &self->host;
    flow->env.parameters = self->parameters;
    if (facts->parameter_bytes != 0)
        memcpy(self->parameters, flow->parameters, facts->parameter_bytes);
    strc_puller_begin(&self->puller, &self->memory, facts->program, &flow->env, flow->state);
    self->puller.requests = self->requests;
    self->puller.capacity = most_requests(facts->program);
    char *at = (char *)self->queues;
    for (uint32_t k = 0; k < facts->program->demand->edge_count; ++k) {
        strc_queue *queue = &self->puller.queues[k];
        queue->data = queue->first = queue->last = queue->end = at;
        at += queue_bytes(&facts->program->demand->edges[k], facts->bound);
    }
    self->is_over = 0;
    flow->is_between = 0;
    strc_replay_reset(&self->replay);
    strc_coroutine_begin(&self->coroutine, self->stack, strc_flow_aligned(facts->firing_bytes),
                         run_to_the_end, self);
}

// ---- as data

uint64_t strc_pulled_random(const strc_pulled *self) {
    return self->replay.size != 0 ? self->replay.random : self->flow->env.random;
}

int strc_pulled_can_save(const strc_pulled *self) { return !self->replay.is_lost; }

size_t strc_pulled_save(const strc_pulled *self, unsigned char *to) {
    return strc_replay_save(&self->replay, to);
}

void strc_pulled_restore(strc_pulled *self, const unsigned char *from) {
    strc_replay_restore(&self->replay, &self->puller, self->parameters, from);
    self->flow->has_begun = self->replay.size != 0;
}
