// Functions that generated code calls to end a run and to reach the host, and those that call generated code.
#include <setjmp.h>
#include <string.h>

#include "run.h"
#include "subnormals.h"

void strc_leave(strc_env *env, strc_end end) {
    env->end = (int)end;
    longjmp(*(jmp_buf *)env->escape, 1);
}

void strc_trap(strc_env *env, int32_t site, int32_t node, int64_t first, int64_t second) {
    env->fault = (strc_fault){(uint32_t)site, (uint32_t)node, {first, second}};
    strc_leave(env, STRC_END_FAULT);
}

void strc_need_stack(strc_env *env, int32_t site, int32_t node, int64_t bytes) {
    enum { kSpare = 1 << 17 };  // for what is called without asking
    const char *here = __builtin_frame_address(0);
    if (here - env->stack_end < bytes + kSpare) strc_trap(env, site, node, bytes, 0);
}

void strc_stop(strc_env *env) { strc_leave(env, STRC_END_INTERRUPTED); }

int32_t strc_fire(strc_env *env, int32_t node, void *const *parts) {
    const strc_symbolic *symbolic = env->symbolic;
    int32_t left = 0;
    if (symbolic->fire(symbolic->self, env, (uint32_t)node, parts, &left) != 0)
        strc_leave(env, STRC_END_STOPPED);
    return left;
}

void strc_next(strc_env *env, int32_t node, void *to) {
    const strc_symbolic *symbolic = env->symbolic;
    if (symbolic->next(symbolic->self, (uint32_t)node, to) != 0) strc_leave(env, STRC_END_STOPPED);
}

void strc_settle(strc_env *env, const void *state) {
    const strc_symbolic *symbolic = env->symbolic;
    if (symbolic) symbolic->settle(symbolic->self, state);
}

void strc_read(strc_env *env, int32_t input, void *to, int64_t items) {
    const strc_host *host = env->host;
    if (host->read(host->self, (uint32_t)input, to, (uint64_t)items) != 0)
        strc_leave(env, STRC_END_STOPPED);
}

void strc_write(strc_env *env, int32_t output, const void *from, int64_t items) {
    const strc_host *host = env->host;
    if (host->write(host->self, (uint32_t)output, from, (uint64_t)items) != 0)
        strc_leave(env, STRC_END_STOPPED);
}

void strc_state_begin(const strc_program *program, void *state) {
    char *bytes = state;
    uint64_t end = 0;
    for (uint64_t k = 0; k < program->piece_count; ++k) {
        const strc_piece *piece = &program->pieces[k];
        memset(bytes + end, 0, piece->at - end);
        memcpy(bytes + piece->at, piece->bytes, piece->size);
        end = piece->at + piece->size;
    }
    if (program->state_size > end) memset(bytes + end, 0, program->state_size - end);
}

strc_end strc_attempt(strc_env *env, strc_end (*part)(void *), void *self) {
    jmp_buf escape;
    env->escape = &escape;
    env->depth = 0;
    const uint32_t outside = strc_subnormals();
    if (env->flushes_subnormals) strc_set_subnormals(STRC_SUBNORMALS_FLUSHED);
    strc_end end;
    if (setjmp(escape) != 0)
        end = (strc_end)env->end;
    else
        end = part(self);
    strc_set_subnormals(outside);
    return end;
}
