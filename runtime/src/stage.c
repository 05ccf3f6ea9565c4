// The segments of a rank as chunks of their own: one segment more in front, which receives, and one behind, which sends.
#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "run.h"
#include "strc/ranks.h"
#include "thread.h"

struct strc_stage {
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

void strc_stage_prepare(const strc_program *program, strc_env *env, void *state) {
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

uint64_t strc_stage_bytes(const strc_program *program, uint32_t first, uint32_t end) {
    const strc_chunks *chunks = program->chunks;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < chunks->carry_count; ++k)
        if (is_carried(&chunks->fine.carries[k], first, end)) sum += chunks->fine.carries[k].size;
    return sum;
}

void strc_stage_save(const strc_program *program, uint32_t first, uint32_t end, const strc_env *env,
                     const void *state, void *to) {
    const strc_chunks *chunks = program->chunks;
    char *next = to;
    for (uint32_t k = 0; k < chunks->carry_count; ++k) {
        const strc_carry *carry = &chunks->fine.carries[k];
        if (!is_carried(carry, first, end)) continue;
        memcpy(next, place(carry, env, state), carry->size);
        next += carry->size;
    }
}

void strc_stage_restore(const strc_program *program, uint32_t first, uint32_t end, strc_env *env,
                        void *state, const void *from) {
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
static void add_turn(strc_stage *stage, uint32_t segment) {
    stage->carries[stage->chunks.carry_count++] =
        (strc_carry){.kind = STRC_CARRY_BYTES, .taken = segment, .given = segment + 1};
}

/// Items that the writer gives early are given when they have been received.
static strc_carry carry_of(const strc_stage *stage, const strc_carry *from) {
    const uint32_t ahead = stage->first != 0;
    strc_carry made = *from;
    if (is_computed(from)) {
        made.taken = made.given = 0;
        return made;
    }
    made.taken = from->taken - stage->first + ahead;
    made.given = (from->given > stage->first ? from->given - stage->first : 0) + ahead;
    return made;
}

static int by_taken(const void *a, const void *b) {
    const strc_carry *left = a, *right = b;
    if (left->taken != right->taken) return left->taken < right->taken ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/// Numbers of carries, by where they are given. There are few.
static void sort_given(strc_stage *stage) {
    const uint32_t count = stage->chunks.carry_count;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t at = k;
        for (; at > 0 && stage->carries[stage->given[at - 1]].given > stage->carries[k].given; --at)
            stage->given[at] = stage->given[at - 1];
        stage->given[at] = k;
    }
}

static int make_chunks(strc_stage *stage) {
    const strc_chunks *whole = stage->program->chunks;
    const uint32_t own = stage->end - stage->first;
    stage->segments = calloc((size_t)own + 2, sizeof *stage->segments);
    stage->carries = calloc((size_t)whole->carry_count + 2, sizeof *stage->carries);
    stage->given = calloc((size_t)whole->carry_count + 2, sizeof *stage->given);
    stage->before = malloc(strc_stage_bytes(stage->program, stage->first, stage->end) + 1);
    if (!stage->segments || !stage->carries || !stage->given || !stage->before) return -1;
    stage->chunks = *whole;
    strc_chunks *made = &stage->chunks;
    made->segment_count = made->carry_count = 0;
    for (uint32_t k = 0; k < whole->carry_count; ++k)
        if (is_carried(&whole->fine.carries[k], stage->first, stage->end))
            stage->carries[made->carry_count++] = carry_of(stage, &whole->fine.carries[k]);
    if (stage->first != 0) {
        add_turn(stage, made->segment_count);
        stage->segments[made->segment_count++] = receive;
    }
    memcpy(stage->segments + made->segment_count, whole->segments + stage->first,
           own * sizeof *stage->segments);
    made->segment_count += own;
    if (stage->end != stage->ranks->segments) {
        add_turn(stage, made->segment_count);
        stage->segments[made->segment_count++] = send;
    }
    qsort(stage->carries, made->carry_count, sizeof *stage->carries, by_taken);
    sort_given(stage);
    made->segments = stage->segments;
    made->fine = (strc_hand_overs){stage->carries, stage->given};
    made->coarse = (strc_hand_overs){NULL, NULL};
    return 0;
}

strc_stage *strc_stage_new(const strc_program *program, const strc_ranks *ranks, uint32_t first,
                           uint32_t end, const strc_env *env, const void *state) {
    strc_stage *stage = calloc(1, sizeof *stage);
    if (!stage) return NULL;
    stage->program = program;
    stage->ranks = ranks;
    stage->first = first;
    stage->end = end;
    if (make_chunks(stage) == 0) stage->team = strc_team_new(program, &stage->chunks, env, state);
    if (stage->team) return stage;
    strc_stage_free(stage);
    return NULL;
}

void strc_stage_free(strc_stage *stage) {
    if (!stage) return;
    strc_team_free(stage->team);
    free(stage->segments);
    free(stage->carries);
    free(stage->given);
    free(stage->before);
    free(stage);
}

strc_end strc_stage_run(strc_stage *stage, strc_env *env, void *state, uint64_t count) {
    strc_end why = STRC_END_INTERRUPTED;
    strc_stage_save(stage->program, stage->first, stage->end, env, state, stage->before);
    const strc_division division = {.threads = env->workers, .slices = stage->ranks->slices};
    return strc_team_run(stage->team, env, state, count, division, &why) == count
               ? STRC_END_ITERATIONS
               : why;
}

void strc_stage_undo(strc_stage *stage, strc_env *env, void *state) {
    strc_stage_restore(stage->program, stage->first, stage->end, env, state, stage->before);
}

void strc_stage_stop(strc_stage *stage) { strc_team_stop(stage->team); }
