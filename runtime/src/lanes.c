// Several instances at once: their states go into lanes, phases run on vectors, and the states go back.
#include "strc/lanes.h"

#include <string.h>

#include "flow_parts.h"

/// A call for several instances.
typedef struct strc_lanes_call {
    strc_lane *lanes;
    size_t count;  ///< instances; the lanes behind them do what the first one does, for nothing
} strc_lanes_call;

// ---- in lanes and back

/// One value.
static void move(unsigned char *to, const unsigned char *from, size_t bytes) {
    switch (bytes) {
        case 1: *to = *from; break;
        case 4: memcpy(to, from, 4); break;
        case 8: memcpy(to, from, 8); break;
        default: memcpy(to, from, bytes);
    }
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define STRC_HAS_SHUFFLES 1
#endif
#endif

enum { kSquare = 4 };  ///< values of 4 bytes that are transposed together

/// Four values of each of four rows become four rows of one of each.
static void transpose(unsigned char *const *to, const unsigned char *const *from) {
#ifdef STRC_HAS_SHUFFLES
    typedef uint32_t four __attribute__((vector_size(16)));
    four rows[kSquare];
    for (int k = 0; k < kSquare; ++k) memcpy(&rows[k], from[k], sizeof rows[k]);
    const four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    const four b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    const four c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    const four d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    for (int k = 0; k < kSquare; ++k) memcpy(to[k], &rows[k], sizeof rows[k]);
#else
    for (int k = 0; k < kSquare; ++k)
        for (int i = 0; i < kSquare; ++i) memcpy(to[k] + 4 * i, from[i] + 4 * k, 4);
#endif
}

/// `count` values of `bytes` bytes from one array for each of `width` lanes.
static void spread(unsigned char *to, const unsigned char *const *from, size_t width, size_t count,
                   size_t bytes) {
    size_t k = 0;
    for (; bytes == 4 && width % kSquare == 0 && k + kSquare <= count; k += kSquare)
        for (size_t lane = 0; lane < width; lane += kSquare) {
            const unsigned char *rows[kSquare];
            unsigned char *columns[kSquare];
            for (size_t i = 0; i < kSquare; ++i) {
                rows[i] = from[lane + i] + 4 * k;
                columns[i] = to + 4 * ((k + i) * width + lane);
            }
            transpose(columns, rows);
        }
    for (; k < count; ++k)
        for (size_t lane = 0; lane < width; ++lane)
            move(to + (k * width + lane) * bytes, from[lane] + k * bytes, bytes);
}

/// Back to one array for each of the first `lanes`.
static void collect(unsigned char *const *to, size_t lanes, const unsigned char *from, size_t width,
                    size_t count, size_t bytes) {
    size_t k = 0;
    const size_t whole = bytes == 4 ? lanes / kSquare * kSquare : 0;
    for (; whole != 0 && k + kSquare <= count; k += kSquare) {
        for (size_t lane = 0; lane < whole; lane += kSquare) {
            const unsigned char *rows[kSquare];
            unsigned char *columns[kSquare];
            for (size_t i = 0; i < kSquare; ++i) {
                rows[i] = from + 4 * ((k + i) * width + lane);
                columns[i] = to[lane + i] + 4 * k;
            }
            transpose(columns, rows);
        }
        for (size_t i = k; i < k + kSquare; ++i)
            for (size_t lane = whole; lane < lanes; ++lane)
                move(to[lane] + i * bytes, from + (i * width + lane) * bytes, bytes);
    }
    for (; k < count; ++k)
        for (size_t lane = 0; lane < lanes; ++lane)
            move(to[lane] + k * bytes, from + (k * width + lane) * bytes, bytes);
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

size_t strc_lanes_stack(const strc_program *program) {
    return program->lanes ? program->lanes->program->state_size + STRC_FLOW_ALIGNMENT : 0;
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

static void run(strc_lanes_call *call, strc_env *env, unsigned char *state, uint64_t states) {
    const strc_program *program = lanes_of(call)->program;
    const uint64_t many = program->scaled.iterations;
    while (many != 0 && states >= many) {
        program->scaled.run(env, state);
        states -= many;
    }
    for (; states != 0; --states) program->steady.run(env, state);
}

void strc_lanes_process(strc_lane *lanes, size_t count, size_t in_count, size_t out_count) {
    static const volatile unsigned char never = 0;
    strc_flow *first = lanes[0].flow;
    const strc_program *program = first->facts->program;
    const uint64_t states = possible(first, in_count, out_count);
    if (states == 0) return;
    unsigned char *memory = __builtin_alloca(strc_lanes_stack(program));
    unsigned char *state = memory + (-(uintptr_t)memory & (STRC_FLOW_ALIGNMENT - 1));
    strc_lanes_call call = {lanes, count};
    strc_host host = {.self = &call, .read = read_items, .write = write_items};
    strc_env env = {.host = &host,
                    .interrupt = &never,
                    .parameters = first->parameters,
                    .work = first->work,
                    .stack_end = first->env.stack_end};
    enter(&call, state);
    run(&call, &env, state, states);
    leave(&call, state);
    for (size_t lane = 0; lane < count; ++lane) {
        strc_flow *flow = lanes[lane].flow;
        flow->done += states;
        flow->all_taken += lanes[lane].taken;
        flow->all_given += lanes[lane].given;
    }
}
