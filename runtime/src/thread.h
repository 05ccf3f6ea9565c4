/// What the runtime asks the processor and the system about the thread that runs. Private to the runtime.
#ifndef STRC_THREAD_H
#define STRC_THREAD_H

#include <stdint.h>

/// ns since some moment, the same for all threads; nobody sets that clock.
int64_t strc_nanoseconds(void);

/// For loops that wait for another thread.
static inline void strc_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// A clock that is quick to read: it goes on evenly, and all threads read the same, in units of its own.
static inline uint64_t strc_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    return (uint64_t)strc_nanoseconds();
#endif
}

/// For tests: stops the thread for some time, at random, so that orders of events come about that would be rare otherwise. `numbers`, which threads
/// share, is the last random number; 0: nothing happens.
void strc_delay(uint32_t *numbers);
/// What it begins with, by STRC_TEST_DELAYS; 0 without that.
uint32_t strc_delays(void);

/// The lowest address of this thread's stack; null if the system does not say.
const char *strc_end_of_stack(void);

#endif
