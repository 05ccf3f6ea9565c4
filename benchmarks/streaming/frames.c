/* What run_ten.py calls of a library of a stream of floats: a loop without Python in it. */
#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>

typedef int (*process_function)(void*, const float*, size_t, float*, size_t, size_t*, size_t*);

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Gives the same chunk `rounds` times; returns the seconds of processor time of all, or -1 if a call fails. */
double frames_time(process_function process, void* handle, const float* in, size_t count, float* out,
                   size_t room, size_t rounds) {
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (size_t k = 0; k < rounds; ++k)
        if (process(handle, in, count, out, room, NULL, NULL)) return -1;
    return seconds(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* The longest of `rounds` calls: in processor time, and in `wall` by the clock on the wall. */
double frames_worst(process_function process, void* handle, const float* in, size_t count,
                    float* out, size_t room, size_t rounds, double* wall) {
    double worst = 0;
    *wall = 0;
    for (size_t k = 0; k < rounds; ++k) {
        const double start = seconds(CLOCK_THREAD_CPUTIME_ID), begun = seconds(CLOCK_MONOTONIC);
        if (process(handle, in, count, out, room, NULL, NULL)) return -1;
        const double passed = seconds(CLOCK_MONOTONIC) - begun;
        const double took = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        if (passed > *wall) *wall = passed;
        if (took > worst) worst = took;
    }
    return worst;
}
