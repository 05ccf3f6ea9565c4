// Several instances at once: their states go into lanes, phases run on vectors, and the states go back.
#include "strc/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "flow_parts.h"
#include "run.h"

/// A call for several instances.
typedef struct strc_lanes_call {
    strc_lane *lanes;
    size_t count;  ///< instances; the lanes behind them do what the first one does, for nothing
    strc_env *env;
    unsigned char *state;
    uint64_t states;  ///< to do
} strc_lanes_call;

// ---- in lanes and back

#define STRC_INLINE static inline __attribute__((always_inline))

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define STRC_HAS_SHUFFLES 1
#endif
#endif

/// Values of 4 bytes that are transposed together: as many rows of as many.
enum { kSquare = 4 };

#ifdef STRC_HAS_SHUFFLES
typedef uint32_t strc_row __attribute__((vector_size(16)));

STRC_INLINE strc_row row_at(const unsigned char *from) {
    strc_row row;
    memcpy(&row, from, sizeof row);
    return row;
}

STRC_INLINE void put_row(unsigned char *to, strc_row row) { memcpy(to, &row, sizeof row); }

/// The rows at four places become columns: row k of the result goes to `to[k]`.
STRC_INLINE void transpose(unsigned char *to0, unsigned char *to1, unsigned char *to2,
                           unsigned char *to3, const unsigned char *const from[kSquare]) {
    const strc_row r0 = row_at(from[0]), r1 = row_at(from[1]), r2 = row_at(from[2]),
                   r3 = row_at(from[3]);
    const strc_row a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    const strc_row b = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    const strc_row c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const strc_row d = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    put_row(to0, __builtin_shufflevector(a, b, 0, 1, 4, 5));
    put_row(to1, __builtin_shufflevector(a, b, 2, 3, 6, 7));
    put_row(to2, __builtin_shufflevector(c, d, 0, 1, 4, 5));
    put_row(to3, __builtin_shufflevector(c, d, 2, 3, 6, 7));
}
#else
STRC_INLINE void transpose(unsigned char *to0, unsigned char *to1, unsigned char *to2,
                           unsigned char *to3, const unsigned char *const from[kSquare]) {
    for (int k = 0; k < kSquare; ++k) {
        memcpy(to0 + 4 * k, from[k], 4);
        memcpy(to1 + 4 * k, from[k] + 4, 4);
        memcpy(to2 + 4 * k, from[k] + 8, 4);
        memcpy(to3 + 4 * k, from[k] + 12, 4);
    }
}
#endif

/// The values from `first` on, one by one.
STRC_INLINE void spread_each(unsigned char *to, const unsigned char *const *from, size_t width,
                             size_t first, size_t count, size_t bytes) {
    for (size_t lane = 0; lane < width; ++lane) {
        const unsigned char *one = from[lane];
        for (size_t k = first; k < count; ++k)
            memcpy(to + (k * width + lane) * bytes, one + k * bytes, bytes);
    }
}

STRC_INLINE void collect_each(unsigned char *const *to, size_t lanes, const unsigned char *from,
                              size_t width, size_t count, size_t bytes) {
    for (size_t lane = 0; lane < lanes; ++lane) {
        unsigned char *one = to[lane];
        for (size_t k = 0; k < count; ++k)
            memcpy(one + k * bytes, from + (k * width + lane) * bytes, bytes);
    }
}

/// Values of 4 bytes, whole squares of them.
static size_t spread_squares(unsigned char *to, const unsigned char *const *from, size_t width,
                             size_t count) {
    const size_t whole = width % kSquare == 0 ? count / kSquare * kSquare : 0, row = 4 * width;
    for (size_t lane = 0; whole != 0 && lane < width; lane += kSquare) {
        const unsigned char *rows[kSquare] = {from[lane], from[lane + 1], from[lane + 2],
                                              from[lane + 3]};
        unsigned char *at = to + 4 * lane;
        for (size_t k = 0; k < whole; k += kSquare, at += kSquare * row) {
            transpose(at, at + row, at + 2 * row, at + 3 * row, rows);
            for (int i = 0; i < kSquare; ++i) rows[i] += 4 * kSquare;
        }
    }
    return whole;
}

/// The same back, of so many lanes.
static size_t collect_squares(unsigned char *const *to, size_t lanes, const unsigned char *from,
                              size_t width, size_t count) {
    const size_t whole = count / kSquare * kSquare, row = 4 * width;
    for (size_t lane = 0; lane < lanes; lane += kSquare) {
        const unsigned char *at = from + 4 * lane;
        for (size_t k = 0; k < whole; k += kSquare, at += kSquare * row) {
            const unsigned char *rows[kSquare] = {at, at + row, at + 2 * row, at + 3 * row};
            transpose(to[lane] + 4 * k, to[lane + 1] + 4 * k, to[lane + 2] + 4 * k,
                      to[lane + 3] + 4 * k, rows);
        }
    }
    return whole;
}

/// `count` values of `bytes` bytes from one array for each of `width` lanes.
static void spread(unsigned char *to, const unsigned char *const *from, size_t width, size_t count,
                   size_t bytes) {
    switch (bytes) {
        case 1: return spread_each(to, from, width, 0, count, 1);
        case 4:
            return spread_each(to, from, width, spread_squares(to, from, width, count), count, 4);
        case 8: return spread_each(to, from, width, 0, count, 8);
        default: return spread_each(to, from, width, 0, count, bytes);
    }
}

static void collect_words(unsigned char *const *to, size_t lanes, const unsigned char *from,
                          size_t width, size_t count) {
    const size_t squares = lanes / kSquare * kSquare;
    const size_t first = collect_squares(to, squares, from, width, count);
    unsigned char *rest[STRC_MOST_LANES];
    for (size_t lane = 0; lane < squares; ++lane) rest[lane] = to[lane] + 4 * first;
    collect_each(rest, squares, from + 4 * first * width, width, count - first, 4);
    collect_each(to + squares, lanes - squares, from + 4 * squares, width, count, 4);
}

/// Back to one array for each of the first `lanes`.
static void collect(unsigned char *const *to, size_t lanes, const unsigned char *from, size_t width,
                    size_t count, size_t bytes) {
    switch (bytes) {
        case 1: return collect_each(to, lanes, from, width, count, 1);
        case 4: return collect_words(to, lanes, from, width, count);
        case 8: return collect_each(to, lanes, from, width, count, 8);
        default: return collect_each(to, lanes, from, width, count, bytes);
    }
}

static const strc_lanes *lanes_of(const strc_lanes_call *call) {
    return call->lanes[0].flow->facts->program->lanes;
}

/// The first lane's for those that there are not.
static const strc_lane *lane_at(const strc_lanes_call *call, size_t k) {
    return &call->lanes[k < call->count ? k : 0];
}

// ---- states

static void enter(const strc_lanes_call *call, unsigned char *state) {
    const strc_lanes *about = lanes_of(call);
    const unsigned char *from[STRC_MOST_LANES];
    for (uint64_t k = 0; k < about->piece_count; ++k) {
        const strc_lane_piece *piece = &about->pieces[k];
        for (size_t lane = 0; lane < about->count; ++lane)
            from[lane] = lane_at(call, lane)->flow->state + piece->at;
        spread(state + piece->in_lanes, from, about->count, piece->count, piece->bytes);
    }
}

static void leave(const strc_lanes_call *call, const unsigned char *state) {
    const strc_lanes *about = lanes_of(call);
    unsigned char *to[STRC_MOST_LANES];
    for (uint64_t k = 0; k < about->piece_count; ++k) {
        const strc_lane_piece *piece = &about->pieces[k];
        for (size_t lane = 0; lane < call->count; ++lane)
            to[lane] = call->lanes[lane].flow->state + piece->at;
        collect(to, call->count, state + piece->in_lanes, about->count, piece->count, piece->bytes);
    }
}

// ---- items

/// Of what waits first, which is as much in all of them.
static size_t read_waiting(strc_lanes_call *call, unsigned char *to, size_t items) {
    const size_t width = lanes_of(call)->count;
    const unsigned char *from[STRC_MOST_LANES];
    strc_flow_queue *queue = &call->lanes[0].flow->waiting;
    const size_t old = queue->count < items ? queue->count : items;
    if (old == 0) return 0;
    for (size_t lane = 0; lane < width; ++lane) {
        queue = &lane_at(call, lane)->flow->waiting;
        from[lane] = queue->items + queue->first * queue->size;
    }
    spread(to, from, width, old, queue->size);
    for (size_t lane = 0; lane < call->count; ++lane) {
        queue = &call->lanes[lane].flow->waiting;
        queue->count -= old;
        queue->first = queue->count == 0 ? 0 : queue->first + old;
    }
    return old;
}

static int read_items(void *of, uint32_t input, void *to, uint64_t items) {
    (void)input;
    strc_lanes_call *call = of;
    const size_t width = lanes_of(call)->count, size = call->lanes[0].flow->facts->in_size;
    const unsigned char *from[STRC_MOST_LANES];
    items /= width;
    const size_t old = read_waiting(call, to, items);
    if (items == old) return 0;
    for (size_t lane = 0; lane < width; ++lane)
        from[lane] = lane_at(call, lane)->in + lane_at(call, lane)->taken * size;
    spread((unsigned char *)to + old * width * size, from, width, items - old, size);
    for (size_t lane = 0; lane < call->count; ++lane) call->lanes[lane].taken += items - old;
    return 0;
}

static int write_items(void *of, uint32_t output, const void *from, uint64_t items) {
    (void)output;
    strc_lanes_call *call = of;
    const size_t width = lanes_of(call)->count, size = call->lanes[0].flow->facts->out_size;
    unsigned char *to[STRC_MOST_LANES];
    items /= width;
    for (size_t lane = 0; lane < call->count; ++lane) {
        strc_lane *self = &call->lanes[lane];
        to[lane] = self->out + self->given * size;
        self->given += items;
    }
    collect(to, call->count, from, width, items, size);
    return 0;
}

// ---- phases

/// Memory that an instance of the call has from a call before, or that the first one takes now. Null: there is none.
static unsigned char *memory_of(const strc_lane *lanes, size_t count, size_t bytes) {
    for (size_t k = 0; k < count; ++k)
        if (lanes[k].flow->lanes_memory) return lanes[k].flow->lanes_memory;
    return lanes[0].flow->lanes_memory = aligned_alloc(STRC_FLOW_ALIGNMENT, bytes);
}

void strc_lanes_free(strc_flow *flow) {
    free(flow->lanes_memory);
    flow->lanes_memory = NULL;
}

int strc_lanes_fit(const strc_flow *flow, const strc_flow *other) {
    const strc_flow_facts *facts = flow->facts;
    return facts->program->lanes && flow->has_begun && !flow->has_failed && !flow->is_draining &&
           flow->pending.count == 0 && flow->changed == 0 &&
           flow->waiting.count == other->waiting.count &&
           (facts->parameter_bytes == 0 ||
            memcmp(flow->parameters, other->parameters, facts->parameter_bytes) == 0);
}

/// Steady states for which there are items and room.
static uint64_t possible(const strc_flow *flow, size_t in_count, size_t out_count) {
    const strc_flow_facts *facts = flow->facts;
    const uint64_t reads = strc_flow_reads(facts, &facts->program->steady);
    const uint64_t by_input = reads != 0 ? (flow->waiting.count + in_count) / reads : UINT64_MAX;
    const uint64_t by_room =
        facts->steady_writes != 0 ? out_count / facts->steady_writes : UINT64_MAX;
    const uint64_t least = by_input < by_room ? by_input : by_room;
    return least == UINT64_MAX ? 0 : least;
}

int strc_lanes_done(const strc_lane *lane, size_t in_count) {
    const strc_flow *flow = lane->flow;
    return lane->taken == in_count && flow->pending.count == 0 &&
           flow->waiting.count < strc_flow_reads(flow->facts, &flow->facts->program->steady);
}

void strc_lanes_alone(const strc_flow *flow, size_t in_count, size_t out_count, size_t *takes,
                      size_t *gives) {
    const strc_flow_facts *facts = flow->facts;
    const strc_program *program = facts->program;
    const uint64_t many = program->scaled.iterations;
    *takes = *gives = 0;
    if (program->lanes->has_state || many == 0) return;
    const uint64_t states = possible(flow, in_count, out_count) / many * many;
    const uint64_t reads = states * strc_flow_reads(facts, &program->steady);
    if (reads < flow->waiting.count) return;
    *takes = reads - flow->waiting.count;
    *gives = states * facts->steady_writes;
}

static strc_end run(void *of) {
    strc_lanes_call *call = of;
    const strc_program *program = lanes_of(call)->program;
    const uint64_t many = program->scaled.iterations;
    uint64_t states = call->states;
    while (many != 0 && states >= many) {
        program->scaled.run(call->env, call->state);
        states -= many;
    }
    for (; states != 0; --states) program->steady.run(call->env, call->state);
    return STRC_END_ITERATIONS;
}

/// What a call changes in flows before their states come back.
typedef struct strc_lane_place {
    size_t taken, given;
    strc_flow_queue waiting;
} strc_lane_place;

static void note_places(const strc_lanes_call *call, strc_lane_place *places) {
    for (size_t k = 0; k < call->count; ++k)
        places[k] = (strc_lane_place){call->lanes[k].taken, call->lanes[k].given,
                                      call->lanes[k].flow->waiting};
}

static void go_back(strc_lanes_call *call, const strc_lane_place *places) {
    for (size_t k = 0; k < call->count; ++k) {
        call->lanes[k].taken = places[k].taken;
        call->lanes[k].given = places[k].given;
        call->lanes[k].flow->waiting = places[k].waiting;
    }
}

/// All of them have done as much more since.
static void count_on(const strc_lanes_call *call, const strc_lane_place *places) {
    for (size_t k = 0; k < call->count; ++k) {
        strc_flow *flow = call->lanes[k].flow;
        flow->done += call->states;
        flow->all_taken += call->lanes[k].taken - places[k].taken;
        flow->all_given += call->lanes[k].given - places[k].given;
    }
}

/// So many steady states of all of them, in `state`. If a check of one fails nothing has happened.
static void go_on(strc_lane *lanes, size_t count, unsigned char *state, uint64_t states) {
    static const volatile unsigned char never = 0;
    strc_flow *first = lanes[0].flow;
    strc_lanes_call call = {.lanes = lanes, .count = count, .state = state, .states = states};
    strc_host host = {.self = &call, .read = read_items, .write = write_items};
    strc_env env = {.host = &host,
                    .interrupt = &never,
                    .parameters = first->parameters,
                    .work = first->work,
                    .stack_end = first->env.stack_end,
                    .flushes_subnormals = first->env.flushes_subnormals};
    strc_lane_place places[STRC_MOST_LANES];
    call.env = &env;
    note_places(&call, places);
    enter(&call, state);
    if (strc_attempt(&env, run, &call) == STRC_END_FAULT) return go_back(&call, places);
    leave(&call, state);
    count_on(&call, places);
}

void strc_lanes_process(strc_lane *lanes, size_t count, size_t in_count, size_t out_count) {
    const strc_flow *first = lanes[0].flow;
    const size_t aligned = STRC_FLOW_ALIGNMENT - 1;
    const size_t bytes = (first->facts->program->lanes->program->state_size + aligned) & ~aligned;
    const uint64_t states = possible(first, in_count, out_count);
    if (states == 0) return;
    if (bytes > STRC_LANES_ON_STACK) {
        unsigned char *state = memory_of(lanes, count, bytes);
        if (state) go_on(lanes, count, state, states);
        return;
    }
    unsigned char *memory = __builtin_alloca(bytes + aligned);
    go_on(lanes, count, memory + (-(uintptr_t)memory & aligned), states);
}
