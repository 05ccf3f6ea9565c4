/// A second stack, on which something runs that can stop in the middle and go on later. Switching is a few instructions:
/// it neither locks nor enters the system, and the thread may be another one each time. Private to the runtime.
#ifndef STRC_COROUTINE_H
#define STRC_COROUTINE_H

#include <stddef.h>

typedef struct strc_coroutine {
    void *here;  ///< the stack pointer of the side that does not run
    void *stack;
    size_t bytes;
    void (*body)(void *);
    void *self;
    // ---- for AddressSanitizer: the stack of who resumes it, and what it keeps of this one
    const void *caller_stack;
    size_t caller_bytes;
    void *shadow;
} strc_coroutine;

/// Will do `body(self)` on `bytes` bytes of `stack`, aligned to 16. What was under way there is forgotten.
void strc_coroutine_begin(strc_coroutine *, void *stack, size_t bytes, void (*body)(void *),
                          void *self);
/// Goes on with it until it pauses, which it does for ever once the body has returned.
void strc_coroutine_resume(strc_coroutine *);
/// From inside: back to who resumed it.
void strc_coroutine_pause(strc_coroutine *);

#endif
