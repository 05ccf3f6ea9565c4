/// Threads that share the calls of one handle: the caller's and helpers, which do partitions of a phase (strc/partitions.h) when they can be
/// done. Whoever is free takes the next one, so the caller never waits for a helper that has not begun: it waits for partitions
/// that another thread is doing, each of which ends by itself.
#ifndef STRC_HELPERS_H
#define STRC_HELPERS_H

#include "strc/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the threads of a handle work. Zeros are the defaults.
typedef struct strc_thread_options {
    size_t size;  ///< of this, as the host knows it
    uint32_t
        threads;  ///< that take part, the caller's being the first; 0: as many as the library was built for
    int32_t priority;  ///< of helpers, by SCHED_FIFO: 1 to 99; 0: like other threads
    uint32_t spin;  ///< µs for which a helper looks for the next block before it sleeps; 0: 50
    const int32_t *processors;  ///< of the helpers, the first one first; -1: any; null: any for all
} strc_thread_options;

/// What thread `k` has done since the handle has its threads.
typedef struct strc_thread_report {
    size_t size;  ///< of this, as the host knows it
    uint64_t blocks;  ///< that were shared
    uint64_t joined;  ///< of these it did something in so many
    uint64_t late;  ///< so many ended later since it was held up, by others on its processor say
    uint64_t worst;  ///< ns that the caller once waited for it
    const char *filter;  ///< that it was at then; "" if the caller never waited
} strc_thread_report;

typedef struct strc_helpers strc_helpers;

/// What could not be as it was asked for.
typedef enum strc_helpers_refusal {
    STRC_HELPERS_FINE,
    STRC_HELPERS_PRIORITY = 1,  ///< the priority may not be used
    STRC_HELPERS_PROCESSOR = 2,  ///< a processor is not there, or may not be used
    STRC_HELPERS_BOTH = STRC_HELPERS_PRIORITY | STRC_HELPERS_PROCESSOR,
    STRC_HELPERS_FEWER = 4,  ///< the system has no more threads
} strc_helpers_refusal;

/// A sentence; null: there is nothing to say.
const char *strc_helpers_refusal_text(strc_helpers_refusal);

enum { STRC_MOST_HELPERS = 63 };

/// `how->threads` threads at most, for the flow's program, which has partitions. Null if there is no memory.
strc_helpers *strc_helpers_new(const strc_flow *, const strc_thread_options *how,
                               strc_helpers_refusal *);
/// Ends the threads. In a child process, which has none of them, only the memory goes.
void strc_helpers_free(strc_helpers *);
uint32_t strc_helpers_threads(const strc_helpers *);

/// Does the phase; 0, or -1 if something in it failed: then nothing of the state counts. 1: nothing has been done, as blocks have
/// been seen to take less than is worth it.
int strc_helpers_run(strc_helpers *, strc_env *, void *state);

typedef struct strc_helpers_numbers {
    uint64_t blocks, joined, late, worst;
    uint32_t node;  ///< STRC_NOBODY: the caller never waited
} strc_helpers_numbers;
/// Between two calls; zeros if there is no such thread.
strc_helpers_numbers strc_helpers_tell(const strc_helpers *, uint32_t thread);

#ifdef __cplusplus
}
#endif
#endif
