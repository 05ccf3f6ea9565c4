/// What the runtime asks the processor and the system about the thread that runs. Private to the runtime.
#ifndef STRC_THREAD_H
#define STRC_THREAD_H

#include <stdint.h>

/// For loops that wait for another thread.
static inline void strc_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// The lowest address of this thread's stack; null if the system does not say.
const char *strc_end_of_stack(void);

/// ns since some moment, the same for all threads; nobody sets that clock.
int64_t strc_nanoseconds(void);

#endif
