// The segments of a rank as chunks of their own: one segment more in front, which receives, and one behind, which sends.
#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "run.h"
#include "strc/ranks.h"
#include "thread.h"

struct strc_rank_part {
    const strc_program *program;
    const strc_ranks *ranks;
    uint32_t first, end;
    strc_chunks chunks;
    strc_carry *carries;
    uint32_t *given;
    void (**segments)(strc_env *, void *state, uint64_t slice);
    strc_team *team;
    unsigned char *before;  ///< what the last run began with
};

void strc_rank_part_prepare(const strc_program *program, strc_env *env, void *state) {
    strc_state_begin(program, state);
    env->poll = 0;
    env->stack_end = strc_end_of_stack();
}

// ---- which segments carry what

static int is_computed(const strc_carry *carry) {
    return carry->kind == STRC_CARRY_AFFINE || carry->kind == STRC_CARRY_COUNTER;
}

/// What is computed belongs to everybody.
static int is_carried(const strc_carry *carry, uint32_t first, uint32_t end) {
    return is_computed(carry) || (carry->taken >= first && carry->taken < end);
}

static char *place(const strc_carry *carry, const strc_env *env, const void *state) {
    return carry->kind == STRC_CARRY_RANDOM ? (char *)&env->random : (char *)state + carry->to;
}

uint64_t strc_rank_part_bytes(const strc_program *program, uint32_t first, uint32_t end) {
    const strc_chunks *chunks = program->chunks;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < chunks->carry_count; ++k)
        if (is_carried(&chunks->fine.carries[k], first, end)) sum += chunks->fine.carries[k].size;
    return sum;
}

void strc_rank_part_save(const strc_program *program, uint32_t first, uint32_t end,
                         const strc_env *env, const void *state, void *to) {
    const strc_chunks *chunks = program->chunks;
    char *next = to;
    for (uint32_t k = 0; k < chunks->carry_count; ++k) {
        const strc_carry *carry = &chunks->fine.carries[k];
        if (!is_carried(carry, first, end)) continue;
        memcpy(next, place(carry, env, state), carry->size);
        next += carry->size;
    }
}

void strc_rank_part_restore(const strc_program *program, uint32_t first, uint32_t end,
                            strc_env *env, void *state, const void *from) {
    const strc_chunks *chunks = program->chunks;
    const char *next = from;
    for (uint32_t k = 0; k < chunks->carry_count; ++k) {
        const strc_carry *carry = &chunks->fine.carries[k];
        if (!is_carried(carry, first, end)) continue;
        memcpy(place(carry, env, state), next, carry->size);
        next += carry->size;
    }
}

// ---- its chunks

static void receive(strc_env *env, void *state, uint64_t slice) {
    if (slice == 0) env->ranks->receive(env->ranks->self, env, state);
}

static void send(strc_env *env, void *state, uint64_t slice) {
    if (slice == 0) env->ranks->send(env->ranks->self, env, state);
}

/// A segment that does all slices of a chunk at once is in the order of chunks.
static void add_turn(strc_rank_part *part, uint32_t segment) {
    part->carries[part->chunks.carry_count++] =
        (strc_carry){.kind = STRC_CARRY_BYTES, .taken = segment, .given = segment + 1};
}

/// Items that the writer gives early are given when they have been received.
static strc_carry carry_of(const strc_rank_part *part, const strc_carry *from) {
    const uint32_t ahead = part->first != 0;
    strc_carry made = *from;
    if (is_computed(from)) {
        made.taken = made.given = 0;
        return made;
    }
    made.taken = from->taken - part->first + ahead;
    made.given = (from->given > part->first ? from->given - part->first : 0) + ahead;
    return made;
}

static int by_taken(const void *a, const void *b) {
    const strc_carry *left = a, *right = b;
    if (left->taken != right->taken) return left->taken < right->taken ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/// Numbers of carries, by where they are given. There are few.
static void sort_given(strc_rank_part *part) {
    const uint32_t count = part->chunks.carry_count;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t at = k;
        for (; at > 0 && part->carries[part->given[at - 1]].given > part->carries[k].given; --at)
            part->given[at] = part->given[at - 1];
        part->given[at] = k;
    }
}

static int make_chunks(strc_rank_part *part) {
    const strc_chunks *whole = part->program->chunks;
    const uint32_t own = part->end - part->first;
    part->segments = calloc((size_t)own + 2, sizeof *part->segments);
    part->carries = calloc((size_t)whole->carry_count + 2, sizeof *part->carries);
    part->given = calloc((size_t)whole->carry_count + 2, sizeof *part->given);
    part->before = malloc(strc_rank_part_bytes(part->program, part->first, part->end) + 1);
    if (!part->segments || !part->carries || !part->given || !part->before) return -1;
    part->chunks = *whole;
    strc_chunks *made = &part->chunks;
    made->segment_count = made->carry_count = 0;
    for (uint32_t k = 0; k < whole->carry_count; ++k)
        if (is_carried(&whole->fine.carries[k], part->first, part->end))
            part->carries[made->carry_count++] = carry_of(part, &whole->fine.carries[k]);
    if (part->first != 0) {
        add_turn(part, made->segment_count);
        part->segments[made->segment_count++] = receive;
    }
    memcpy(part->segments + made->segment_count, whole->segments + part->first,
           own * sizeof *part->segments);
    made->segment_count += own;
    if (part->end != part->ranks->segments) {
        add_turn(part, made->segment_count);
        part->segments[made->segment_count++] = send;
    }
    qsort(part->carries, made->carry_count, sizeof *part->carries, by_taken);
    sort_given(part);
    made->segments = part->segments;
    made->fine = (strc_hand_overs){part->carries, part->given};
    made->coarse = (strc_hand_overs){NULL, NULL};
    return 0;
}

strc_rank_part *strc_rank_part_new(const strc_program *program, const strc_ranks *ranks,
                                   uint32_t first, uint32_t end, const strc_env *env,
                                   const void *state) {
    strc_rank_part *part = calloc(1, sizeof *part);
    if (!part) return NULL;
    part->program = program;
    part->ranks = ranks;
    part->first = first;
    part->end = end;
    if (make_chunks(part) == 0) part->team = strc_team_new(program, &part->chunks, env, state);
    if (part->team) return part;
    strc_rank_part_free(part);
    return NULL;
}

void strc_rank_part_free(strc_rank_part *part) {
    if (!part) return;
    strc_team_free(part->team);
    free(part->segments);
    free(part->carries);
    free(part->given);
    free(part->before);
    free(part);
}

strc_end strc_rank_part_run(strc_rank_part *part, strc_env *env, void *state, uint64_t count) {
    strc_end why = STRC_END_INTERRUPTED;
    strc_rank_part_save(part->program, part->first, part->end, env, state, part->before);
    const strc_division division = {.threads = env->workers, .slices = part->ranks->slices};
    return strc_team_run(part->team, env, state, count, division, &why) == count
               ? STRC_END_ITERATIONS
               : why;
}

void strc_rank_part_undo(strc_rank_part *part, strc_env *env, void *state) {
    strc_rank_part_restore(part->program, part->first, part->end, env, state, part->before);
}
