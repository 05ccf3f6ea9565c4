// Sinks pull, what is upstream fires on demand, what is left over is drained: the same as interp/pull.cpp.
#include "demand.h"

#include <string.h>

#include "messages.h"
#include "run.h"
#include "timing.h"

static int holds(const strc_queue *queue, uint64_t items) {
    return strc_queue_bytes(queue) >= items * queue->item;
}

// ---------------------------------------------------------------- queues

static _Noreturn void full(strc_puller *p) {
    strc_trap(p->env, (int32_t)p->demand->nodes[p->acting].full, (int32_t)p->acting, 0, 0);
    __builtin_unreachable();
}

/// Where so many items at the end of the queue have to be written.
static char *append(strc_puller *p, strc_queue *queue, uint64_t items) {
    uint64_t bytes = items * queue->item;
    if ((uint64_t)(queue->end - queue->last) < bytes && p->memory->grow(p, queue, bytes) != 0)
        full(p);
    char *at = queue->last;
    queue->last += bytes;
    return at;
}

static char *take(strc_queue *queue, uint64_t items) {
    char *at = queue->first;
    queue->first += items * queue->item;
    return at;
}

int64_t strc_make_room(strc_env *env, void *to) {
    strc_puller *p = env->puller;
    strc_queue *queue = to;
    uint64_t bytes = strc_queue_bytes(queue) + queue->item;
    return p->memory->grow(p, queue, queue->item) == 0 ? 0 : (int64_t)bytes;
}

// ---------------------------------------------------------------- the host

static void look_for_end(strc_puller *p) {
    if (strc_is_set(p->env->interrupt) || strc_is_set(&p->env->poll)) strc_stop(p->env);
}

/// How many items more of the input there are, one at the least, but no more than are wanted. Several iterations at once do not wait for them.
static uint64_t supplied(strc_puller *p, uint32_t input, uint64_t wanted) {
    const strc_host *host = p->env->host;
    if (p->times == 1) wanted = 1;
    int lacks = host->supply(host->self, input, wanted, p->times == 1);
    if (lacks < 0) strc_leave(p->env, STRC_END_STOPPED);
    if (lacks) look_for_end(p);  // whoever waits may be interrupted
    if (lacks && p->times != 1) strc_leave(p->env, STRC_END_INPUT);
    return lacks ? 0 : wanted;
}

/// Nonzero: the host takes no more.
static int write_output(strc_puller *p) {
    const strc_demand *demand = p->demand;
    if (demand->output_edge == STRC_NONE) return 0;
    strc_queue *queue = &p->queues[demand->output_edge];
    uint64_t items = strc_queue_bytes(queue) / queue->item;
    if (items == 0) return 0;
    const strc_host *host = p->env->host;
    return host->write(host->self, demand->output, take(queue, items), items);
}

// ---------------------------------------------------------------- firings

static const uint32_t *inputs_of(const strc_demand *demand, const strc_node *node) {
    return demand->lists + node->first_edge;
}
static const uint32_t *outputs_of(const strc_demand *demand, const strc_node *node) {
    return inputs_of(demand, node) + node->inputs;
}

/// Items that have to be there before it fires so many times.
static uint64_t need_of(const strc_puller *p, uint32_t id, uint32_t port, uint64_t times) {
    const strc_node *node = &p->demand->nodes[id];
    if (node->kind >= STRC_NODE_DUPLICATE)
        return times * (uint64_t)p->demand->edges[inputs_of(p->demand, node)[port]].need;
    const strc_rates *rates = p->actors[id].fired == 0 ? &node->first : &node->later;
    return (uint64_t)rates->need + (times - 1) * (uint64_t)node->later.pop;
}

static void distribute(strc_puller *p, const strc_node *node) {
    const uint32_t *outputs = outputs_of(p->demand, node);
    strc_queue *in = &p->queues[inputs_of(p->demand, node)[0]];
    uint64_t taken = 0;
    for (uint32_t port = 0; port < node->outputs; ++port) {
        uint64_t weight = node->kind == STRC_NODE_DUPLICATE
                              ? 1
                              : (uint64_t)p->demand->weights[node->first_weight + port];
        if (weight == 0) continue;
        char *to = append(p, &p->queues[outputs[port]], weight);
        memcpy(to, in->first + taken * in->item, weight * in->item);
        if (node->kind != STRC_NODE_DUPLICATE) taken += weight;
    }
    take(in, node->kind == STRC_NODE_DUPLICATE ? 1 : taken);
}

static void collect(strc_puller *p, const strc_node *node) {
    const uint32_t *inputs = inputs_of(p->demand, node);
    const int64_t *weights = p->demand->weights + node->first_weight;
    strc_queue *out = &p->queues[outputs_of(p->demand, node)[0]];
    uint64_t total = 0;
    for (uint32_t port = 0; port < node->inputs; ++port) total += (uint64_t)weights[port];
    char *to = append(p, out, total);
    for (uint32_t port = 0; port < node->inputs; ++port) {
        uint64_t weight = (uint64_t)weights[port];
        if (weight == 0) continue;
        memcpy(to, take(&p->queues[inputs[port]], weight), weight * out->item);
        to += weight * out->item;
    }
}

static void fire_code(strc_puller *p, uint32_t id, const strc_node *node) {
    strc_actor *actor = &p->actors[id];
    strc_env *env = p->env;
    strc_mailbox *box = node->mailbox == STRC_NONE ? NULL : &env->mailboxes[node->mailbox];
    if (box && box->due <= box->fired) strc_deliver(env, p->state, (int32_t)node->mailbox);
    const strc_rates *rates = actor->fired == 0 ? &node->first : &node->later;
    strc_queue *in = node->inputs ? &p->queues[inputs_of(p->demand, node)[0]] : NULL;
    strc_queue *out = node->outputs ? &p->queues[outputs_of(p->demand, node)[0]] : NULL;
    if (out) p->memory->reserve(p, id, out, rates->push);
    env->firings += (uint64_t)rates->firings - 1;
    actor->is_firing = 1;
    if (box) box->is_firing = 1;
    ++p->nesting;
    node->fire(env, p->state, in, out, actor->fired == 0);
    --p->nesting;
    actor->is_firing = 0;
    if (!box) return;
    box->is_firing = 0;
    ++box->fired;
}

static void read_items(strc_puller *p, uint32_t input, strc_queue *to, uint64_t items) {
    strc_read(p->env, (int32_t)input, append(p, to, items), items);
}

/// What went by until now belongs to the firing in whose middle this one is wanted, or to nobody.
static void lap(strc_puller *p) {
    const uint32_t nobody = p->program->node_count;
    strc_lap(p->env, (int32_t)(p->under_way == STRC_NOBODY ? nobody : p->under_way));
}

static void note_items(strc_puller *p, const strc_node *node) {
    const uint32_t *outputs = outputs_of(p->demand, node);
    for (uint32_t port = 0; port < node->outputs; ++port) {
        const strc_queue *queue = &p->queues[outputs[port]];
        if (queue->item == 0) continue;
        strc_profile_note_items(p->env->profile, outputs[port],
                                strc_queue_bytes(queue) / queue->item);
    }
}

static void fire_node(strc_puller *p, uint32_t id);

static void fire(strc_puller *p, uint32_t id) {
    const uint32_t outer = p->under_way;
    if (!p->env->profile) {
        fire_node(p, id);
        return;
    }
    if (p->env->timing) lap(p);
    p->under_way = id;
    fire_node(p, id);
    if (p->env->timing) lap(p);
    p->under_way = outer;
    note_items(p, &p->demand->nodes[id]);
}

static void fire_node(strc_puller *p, uint32_t id) {
    const strc_node *node = &p->demand->nodes[id];
    const uint32_t *edges = inputs_of(p->demand, node);
    if (p->memory->between && p->nesting == 0) p->memory->between(p);
    p->acting = id;
    ++p->env->firings;
    switch ((strc_node_kind)node->kind) {
        case STRC_NODE_FILTER: fire_code(p, id, node); break;
        case STRC_NODE_IDENTITY: {
            strc_queue *out = &p->queues[edges[1]];
            char *to = append(p, out, 1);
            memcpy(to, take(&p->queues[edges[0]], 1), out->item);
            break;
        }
        case STRC_NODE_READER:
            if (!supplied(p, node->host, 1)) strc_leave(p->env, STRC_END_INPUT);
            read_items(p, node->host, &p->queues[edges[0]], 1);
            break;
        case STRC_NODE_WRITER:
            strc_write(p->env, (int32_t)node->host, take(&p->queues[edges[0]], 1), 1);
            break;
        case STRC_NODE_DISPLAY: take(&p->queues[edges[0]], (uint64_t)node->later.need); break;
        case STRC_NODE_DUPLICATE:
        case STRC_NODE_SPLITTER: distribute(p, node); break;
        case STRC_NODE_JOINER: collect(p, node); break;
    }
    ++p->actors[id].fired;
    look_for_end(p);
}

/// Of a region, for `times` firings that are asked for; all that it needs is there.
static void fire_region(strc_puller *p, uint32_t id, uint64_t fired, uint64_t times) {
    const strc_node *node = &p->demand->nodes[id];
    strc_queue *in = node->inputs ? &p->queues[inputs_of(p->demand, node)[0]] : NULL;
    strc_queue *out = &p->queues[outputs_of(p->demand, node)[0]];
    p->acting = id;
    p->memory->reserve(p, id, out, (int64_t)fired * node->later.push);
    if (fired != times) p->batch->save(p->batches, node, in, out);
    p->batch->fire(p->batches, node, in, out, fired);
    if (fired != times) p->batch->hide(p->batches, node, out, fired, times);
    p->env->firings += times * (uint64_t)node->later.firings;
    p->actors[id].fired += (int64_t)times;
    look_for_end(p);
}

/// All that it needs is there.
static void fire_often(strc_puller *p, uint32_t id, uint64_t times) {
    const strc_node *node = &p->demand->nodes[id];
    if (times != 0 && p->actors[id].fired == 0) {
        fire(p, id);
        --times;
    }
    if (node->kind == STRC_NODE_WRITER && times > 1) {
        strc_write(p->env, (int32_t)node->host,
                   take(&p->queues[inputs_of(p->demand, node)[0]], times), times);
        p->env->firings += times;
        p->actors[id].fired += (int64_t)times;
        return;
    }
    if (!node->region || times < node->region->iterations) {
        for (; times != 0; --times) fire(p, id);
        return;
    }
    fire_region(p, id, times, times);
}

void strc_fired_empty(strc_env *env, int32_t site, int32_t node, int64_t most) {
    strc_actor *actor = &env->puller->actors[node];
    int follows = actor->empty != 0 && actor->last_empty == actor->fired - 1;
    actor->empty = follows ? actor->empty + 1 : 1;
    actor->last_empty = actor->fired;
    if (actor->empty >= most) strc_trap(env, site, node, actor->empty, 0);
}

// ---------------------------------------------------------------- demand

static void request(strc_puller *p, uint32_t edge, uint64_t items, uint32_t asker) {
    if (p->depth == p->capacity && p->memory->more_requests(p) != 0) full(p);
    p->requests[p->depth++] = (strc_request){edge, asker, items};
}

/// Asks for what the node lacks to fire so many times; 0: nothing.
static int request_inputs(strc_puller *p, uint32_t id, uint64_t times) {
    const strc_node *node = &p->demand->nodes[id];
    for (uint32_t port = 0; port < node->inputs; ++port) {
        uint32_t edge = inputs_of(p->demand, node)[port];
        uint64_t need = need_of(p, id, port, times);
        if (holds(&p->queues[edge], need)) continue;
        request(p, edge, need, id);
        p->actors[id].is_waiting = 1;
        return 1;
    }
    return 0;
}

/// In a batch: the region fires as often as what is lacking takes, or more often.
static int pursue_region(strc_puller *p, uint32_t id, uint64_t lacking) {
    const strc_node *node = &p->demand->nodes[id];
    const uint64_t push = (uint64_t)node->later.push;
    const uint64_t times = (lacking + push - 1) / push;
    strc_queue *out = &p->queues[outputs_of(p->demand, node)[0]];
    const uint64_t released = p->batch->release(p->batches, node, out, times);
    if (released != 0) {
        p->env->firings += released * (uint64_t)node->later.firings;
        p->actors[id].fired += (int64_t)released;
        return 1;
    }
    const uint64_t firings =
        p->actors[id].fired == 0 ? times : p->batch->firings(p->batches, node, times);
    if (request_inputs(p, id, firings)) return 1;
    if (firings == times)
        fire_often(p, id, times);
    else
        fire_region(p, id, firings, times);
    return 1;
}

/// Goes on with the latest request: 0 if that cannot be met.
static int pursue(strc_puller *p) {
    strc_request top = p->requests[p->depth - 1];
    if (holds(&p->queues[top.edge], top.items)) {
        if (top.asker != STRC_NONE) p->actors[top.asker].is_waiting = 0;
        --p->depth;
        return 1;
    }
    const uint32_t source = p->demand->edges[top.edge].from;
    strc_queue *queue = &p->queues[top.edge];
    const uint64_t lacking = top.items - strc_queue_bytes(queue) / queue->item;
    if (p->batch && p->batch->read(p->batches, top.edge, lacking) != 0) return 1;
    if (source == STRC_NONE) {
        const uint64_t items = supplied(p, p->demand->input, lacking);
        if (items != 0) read_items(p, p->demand->input, queue, items);
        return items != 0;
    }
    const strc_actor *up = &p->actors[source];
    if (up->is_firing || up->is_waiting) return 0;  // it needs its own output
    const strc_node *node = &p->demand->nodes[source];
    if (node->region && p->times != 1) return pursue_region(p, source, lacking);
    if (request_inputs(p, source, 1)) return 1;
    if (p->is_draining && node->kind == STRC_NODE_READER && !supplied(p, node->host, 1)) return 0;
    fire(p, source);
    return 1;
}

/// Those above the first `base` cannot be met. When no input comes any more, others may bring what they waited for.
static void forget_requests(strc_puller *p, uint64_t base) {
    for (uint64_t k = base; p->is_draining && k < p->depth; ++k)
        if (p->requests[k].asker != STRC_NONE) p->actors[p->requests[k].asker].is_waiting = 0;
    p->depth = base;
}

/// Runs sources until the edge holds so many items. Only dynamic input, which is asked for in the middle
/// of a firing, nests on the machine's stack.
static int ensure(strc_puller *p, uint32_t edge, uint64_t items) {
    uint64_t base = p->depth;
    request(p, edge, items, STRC_NONE);
    while (p->depth > base) {
        if (pursue(p)) continue;
        forget_requests(p, base);
        return 0;
    }
    return 1;
}

void strc_want(strc_env *env, void *from, int64_t items) {
    strc_puller *p = env->puller;
    uint32_t depth = env->depth;
    uint64_t strings = env->strings_kept;
    env->depth = 0;
    env->strings_kept = (uint64_t)strc_strings_mark(env);
    int is_there = ensure(p, (uint32_t)((strc_queue *)from - p->queues), (uint64_t)items);
    env->strings_kept = strings;
    env->depth = depth;
    if (!is_there) strc_leave(env, STRC_END_INPUT);
}

static int fire_on_demand(strc_puller *p, uint32_t id, uint64_t times) {
    const strc_node *node = &p->demand->nodes[id];
    if (p->actors[id].is_firing) return 0;
    for (uint32_t port = 0; port < node->inputs; ++port)
        if (!ensure(p, inputs_of(p->demand, node)[port], need_of(p, id, port, times))) return 0;
    fire_often(p, id, times);
    return 1;
}

/// At a stretch, of which it is known what it needs, if the node does not ask while it fires.
static int fire_at_a_stretch(strc_puller *p, uint32_t id, uint64_t times) {
    if (!p->demand->nodes[id].later.is_dynamic) return fire_on_demand(p, id, times);
    while (times != 0 && fire_on_demand(p, id, 1)) --times;
    return times == 0;
}

/// Several iterations at once. Each node has fired before, so all firings are alike.
static void pull_at_once(strc_puller *p) {
    const strc_demand *demand = p->demand;
    for (uint32_t k = 0; k < demand->sink_count; ++k)
        if (!fire_at_a_stretch(p, demand->sinks[k].node, demand->sinks[k].firings * p->times))
            strc_leave(p->env, STRC_END_INPUT);
    p->batch->take_back(p->batches);
    p->progress = 1;
}

static void pull(strc_puller *p) {
    const strc_demand *demand = p->demand;
    if (p->times != 1) return pull_at_once(p);
    for (uint32_t k = 0; k < demand->sink_count; ++k) {
        for (uint64_t times = 0; times < demand->sinks[k].firings; ++times) {
            if (!fire_on_demand(p, demand->sinks[k].node, 1)) return;
            p->progress = 1;
        }
    }
}

// ---------------------------------------------------------------- draining

static int64_t required(const strc_guard *guard, int64_t firing) {
    const int64_t most = INT64_C(1) << 60;
    int64_t count;
    if (guard->route->is_downstream) {
        count = strc_route_sdep(guard->route, firing) - guard->latency;
    } else {
        int64_t first = strc_route_first(guard->route, firing);
        if (first == INT64_MAX) return 0;
        count = first - 1 - guard->latency;
    }
    return count < 0 ? 0 : count > most ? most : count;
}

static int guards_allow(const strc_puller *p, uint32_t id) {
    const strc_node *node = &p->demand->nodes[id];
    const strc_guard *guards = p->demand->guards + node->first_guard;
    for (uint32_t k = 0; k < node->guards; ++k)
        if (p->actors[guards[k].waits_for].fired < required(&guards[k], p->actors[id].fired + 1))
            return 0;
    return 1;
}

static int can_fire(const strc_puller *p, uint32_t id) {
    const strc_node *node = &p->demand->nodes[id];
    if (p->actors[id].is_firing) return 0;
    for (uint32_t port = 0; port < node->inputs; ++port)
        if (!holds(&p->queues[inputs_of(p->demand, node)[port]], need_of(p, id, port, 1))) return 0;
    return guards_allow(p, id);
}

static int waits_for_data(const strc_puller *p, uint32_t id) {
    const strc_node *node = &p->demand->nodes[id];
    return (p->actors[id].fired == 0 ? &node->first : &node->later)->is_dynamic != 0;
}

/// Did anything fire?
static int drain(strc_puller *p) {
    int any = 0;
    for (int moved = 1; moved;) {
        moved = 0;
        for (uint32_t k = 0; k < p->demand->drained_count; ++k) {
            uint32_t id = p->demand->drained[k];
            if (waits_for_data(p, id)) continue;
            for (; can_fire(p, id); moved = any = 1) fire(p, id);
        }
    }
    return any;
}

// ---------------------------------------------------------------- the run

void strc_puller_begin(strc_puller *p, const strc_queue_memory *memory, const strc_program *program,
                       strc_env *env, void *state) {
    const strc_demand *demand = program->demand;
    *p = (strc_puller){.program = program,
                       .demand = demand,
                       .env = env,
                       .state = state,
                       .memory = memory,
                       .times = 1,
                       .under_way = STRC_NOBODY};
    p->queues = (strc_queue *)((char *)state + demand->queues_at);
    p->actors = (strc_actor *)((char *)state + demand->actors_at);
    p->bytes_left = program->most_bytes;
    for (uint32_t k = 0; k < demand->edge_count; ++k) p->queues[k].item = demand->edges[k].item;
    env->puller = p;
}

/// Items of feedback loops.
static void put_initial(strc_puller *p) {
    for (uint32_t k = 0; k < p->demand->edge_count; ++k) {
        const strc_edge *edge = &p->demand->edges[k];
        for (uint64_t i = 0; i < edge->initial_count; ++i)
            memcpy(append(p, &p->queues[k], 1), (const char *)edge->initial + i * edge->item,
                   edge->item);
    }
}

static void begin_iteration(strc_puller *p) {
    strc_profile *profile = p->env->profile;
    if (profile) p->env->timing = strc_timing_begin(&profile->threads[0], STRC_PROFILE_STEADY);
}

static void end_iteration(strc_puller *p) {
    if (!p->env->timing) return;
    lap(p);
    strc_timing_end(p->env->timing, STRC_PROFILE_STEADY);
    p->env->timing = NULL;
}

strc_end strc_puller_iterate(strc_puller *p, uint64_t times) {
    if (!p->has_begun) put_initial(p);
    p->has_begun = 1;
    if (p->memory->before_iteration) p->memory->before_iteration(p);
    look_for_end(p);
    p->progress = 0;
    p->times = times;
    begin_iteration(p);
    pull(p);
    drain(p);
    if (write_output(p) != 0) return STRC_END_STOPPED;
    end_iteration(p);
    strc_settle(p->env, p->state);
    if (!p->progress) return STRC_END_INPUT;
    p->progress = 0;
    p->done += times;
    p->times = 1;
    return STRC_END_ITERATIONS;
}

/// Who waits for input in the middle of a firing leaves: it never goes on, and others do.
static void forget_firings(strc_puller *p) {
    p->is_draining = 1;
    p->under_way = STRC_NOBODY;
    p->env->timing = NULL;
    forget_requests(p, 0);
    p->env->depth = 0;
    p->env->strings_kept = 0;
    p->nesting = 0;
}

/// The next sink, whether it lacks its items or not; 0: it was the last one of this round.
static int pull_next(strc_puller *p) {
    if (p->sink == p->demand->sink_count) return 0;
    const strc_sink *sink = &p->demand->sinks[p->sink++];
    for (uint64_t times = 0; sink->depends && times < sink->firings; ++times) {
        if (!fire_on_demand(p, sink->node, 1)) break;
        p->moves = 1;
    }
    return 1;
}

static strc_end drain_on(void *self) {
    strc_puller *p = self;
    for (;;) {
        while (pull_next(p)) continue;
        const int moves = drain(p) || p->moves;
        if (write_output(p) != 0) return STRC_END_STOPPED;
        if (!moves) return STRC_END_ITERATIONS;
        p->sink = 0;
        p->moves = 0;
    }
}

strc_end strc_puller_drain(strc_puller *p) {
    strc_end end;
    p->sink = 0;
    p->moves = 0;
    for (uint32_t k = 0; k < p->program->node_count; ++k) p->actors[k].is_waiting = 0;
    do {
        forget_firings(p);
        end = strc_attempt(p->env, drain_on, p);
    } while (end == STRC_END_INPUT);
    return end == STRC_END_ITERATIONS ? STRC_END_INPUT : end;
}

strc_waiting strc_puller_waiting(const strc_puller *p) {
    strc_waiting waiting = {0, STRC_NOBODY};
    int64_t most = 0;
    for (uint32_t k = 0; k < p->demand->edge_count; ++k) {
        const strc_edge *edge = &p->demand->edges[k];
        const int64_t items =
            (int64_t)(strc_queue_bytes(&p->queues[k]) / p->queues[k].item) - edge->kept;
        if (edge->kept < 0 || items <= 0) continue;
        waiting.items += items;
        if (items > most) {
            most = items;
            waiting.most = edge->to;
        }
    }
    return waiting;
}

int strc_puller_conclude(strc_puller *p) {
    if (p->progress) ++p->done;
    p->progress = 0;
    for (uint32_t k = 0; p->env->profile && k < p->program->node_count; ++k)
        strc_profile_set_firings(p->env->profile, k, (uint64_t)p->actors[k].fired);
    return write_output(p);
}
