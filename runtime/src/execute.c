// One run: phases until an end.
#include <setjmp.h>
#include <string.h>

#include "run.h"

void strc_leave(strc_env *env, strc_end end) {
    env->end = (int)end;
    longjmp(*(jmp_buf *)env->escape, 1);
}

void strc_trap(strc_env *env, int32_t site, int32_t node, int64_t first, int64_t second) {
    env->fault = (strc_fault){(uint32_t)site, (uint32_t)node, {first, second}};
    strc_leave(env, STRC_END_FAULT);
}

void strc_stop(strc_env *env) { strc_leave(env, STRC_END_INTERRUPTED); }

void strc_read(strc_env *env, int32_t input, void *to, int64_t items) {
    const strc_world *world = env->world;
    if (world->read(world->self, (uint32_t)input, to, (uint64_t)items) != 0)
        strc_leave(env, STRC_END_STOPPED);
}

void strc_write(strc_env *env, int32_t output, const void *from, int64_t items) {
    const strc_world *world = env->world;
    if (world->write(world->self, (uint32_t)output, from, (uint64_t)items) != 0)
        strc_leave(env, STRC_END_STOPPED);
}

static int supplied(const strc_program *program, strc_env *env, const strc_phase *phase, int must) {
    const strc_world *world = env->world;
    for (uint32_t input = 0; input < program->inputs; ++input) {
        uint64_t items = phase->reads[input];
        if (items != 0 && world->supply(world->self, input, items, must) != 0) return 0;
    }
    return 1;
}

static void run_phase(strc_env *env, void *state, const strc_phase *phase) {
    phase->run(env, state);
    strc_strings_release(env);
}

/// Whoever waits for input may be interrupted.
static strc_end starved(const strc_env *env) {
    return *env->interrupt ? STRC_END_INTERRUPTED : STRC_END_INPUT;
}

static strc_end run_phases(const strc_program *program, strc_env *env, void *state, uint64_t left,
                           uint64_t *done) {
    const strc_phase *scaled = program->scaled.iterations != 0 ? &program->scaled : NULL;
    if (*env->interrupt) return STRC_END_INTERRUPTED;
    if (!supplied(program, env, &program->init, 1)) return starved(env);
    run_phase(env, state, &program->init);
    while (left != 0) {
        if (*env->interrupt) return STRC_END_INTERRUPTED;
        const strc_phase *phase = &program->steady;
        if (scaled && left >= scaled->iterations && supplied(program, env, scaled, 0))
            phase = scaled;
        else if (!supplied(program, env, phase, 1))
            return starved(env);
        run_phase(env, state, phase);
        left -= phase->iterations;
        if (done) *done += phase->iterations;
    }
    return STRC_END_ITERATIONS;
}

strc_end strc_execute(const strc_program *program, strc_env *env, void *state, uint64_t iterations,
                      uint64_t *done) {
    if (done) *done = 0;
    if (program->image_size) memcpy(state, program->image, program->image_size);
    if (program->state_size > program->image_size)
        memset((char *)state + program->image_size, 0, program->state_size - program->image_size);
    env->depth = 0;
    jmp_buf escape;
    env->escape = &escape;
    if (setjmp(escape) == 0) env->end = (int)run_phases(program, env, state, iterations, done);
    env->escape = NULL;
    strc_strings_free(env);
    return (strc_end)env->end;
}
