/// Declarations that several sources of the runtime share; private to it.
#ifndef STRC_RUN_H
#define STRC_RUN_H

#include "strc/runtime.h"

/// Flags that signal handlers and other threads set.
static inline int strc_is_set(const volatile unsigned char *flag) {
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/// Ends the run from inside generated code.
_Noreturn void strc_leave(strc_env *env, strc_end end);

/// Nothing fires: what only the run knows the shape of may go, as far as no channel has it.
void strc_settle(strc_env *env, const void *state);

/// Calls `part(self)`, which runs phases, until it returns or code inside of it calls strc_leave. Subnormal numbers are meanwhile what the
/// program wants them to be, and what they were for the caller afterwards.
strc_end strc_attempt(strc_env *env, strc_end (*part)(void *), void *self);

/// Initialises the state as it is before the phase `init`.
void strc_state_begin(const strc_program *, void *state);

/// Gives back the memory of all strings.
void strc_strings_free(strc_env *env);

#endif
