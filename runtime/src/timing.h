/// How a run is timed for its profile. Private to the runtime.
#ifndef STRC_TIMING_H
#define STRC_TIMING_H

#include "strc/profile.h"
#include "thread.h"

enum {
    kEvents = 1 << 14,  ///< that a thread keeps at the most
    kEventsOfPhase = 1 << 10,  ///< laps of one phase among them
};

/// What an event is about: a lap's entry, or one of these.
#define STRC_EVENT_PHASE UINT32_C(0x80000000)  ///< + strc_profile_phase
#define STRC_EVENT_SEGMENT UINT32_C(0x90000000)  ///< + number of the segment
#define STRC_EVENT_WAIT UINT32_C(0xa0000000)
#define STRC_EVENT_KIND UINT32_C(0xf0000000)

typedef struct strc_event {
    uint64_t begin, end;  ///< ticks
    uint32_t what;
    uint32_t group;  ///< number of the phase, among those of which events were kept
} strc_event;

/// Decides which runs of a phase are timed.
typedef struct strc_sampler {
    uint64_t runs;
    uint64_t since;  ///< runs since the last one that was timed
    uint64_t left;  ///< so many more are not timed
    uint64_t typical;  ///< ticks that a run takes, if nothing interrupts it
} strc_sampler;

typedef struct strc_profile_thread {
    strc_sampler samplers[STRC_PROFILE_PHASES];
    uint64_t *ticks;  ///< by phase and entry
    uint64_t entry_count;
    uint64_t last;  ///< when the present lap began
    uint64_t begin;  ///< of the present phase
    uint64_t waited_before;  ///< `waited` then
    uint64_t cost;  ///< ticks that a lap takes
    uint64_t laps;  ///< of the present phase
    uint64_t weight;  ///< runs for which the present one stands
    uint64_t longest;  ///< what takes longer was interrupted
    uint64_t busy_now;  ///< of the present phase
    uint64_t *now;  ///< `ticks` of the present phase
    uint64_t busy[STRC_PROFILE_PHASES];
    uint64_t waited;  ///< for other threads, within phases
    strc_event *events;  ///< null: they are not kept
    uint32_t event_count, stride, group, events_of_phase;
    int keeps;  ///< events of the present phase
    uint32_t random;
} strc_profile_thread;

struct strc_profile {
    const strc_profile_tables *tables;
    strc_profile_thread *threads;
    uint32_t thread_count;
    uint64_t begin, end;  ///< ticks
    int64_t begin_ns, end_ns;
    uint64_t iterations;
    uint64_t drained;  ///< firings behind the last steady state, which are nobody's in particular
    uint64_t *fired;  ///< by node, if the engine counts
    int counts;  ///< else the schedule says it
    uint64_t *marks;  ///< by channel: the most that was seen
};

/// A phase begins; what is returned is for strc_env.timing.
strc_profile_thread *strc_timing_begin(strc_profile_thread *, strc_profile_phase);
/// The phase is over, whose begin returned `timing`.
void strc_timing_end(strc_profile_thread *timing, strc_profile_phase);
/// Keeps an event, if those of the present phase are kept.
void strc_timing_event(strc_profile_thread *, uint32_t what, uint64_t begin, uint64_t end);
/// A thread has waited for others since then.
void strc_timing_waited(strc_profile_thread *, uint64_t begin);

/// What the results are made of. Seconds of one tick.
double strc_profile_tick(const strc_profile *);
uint64_t strc_profile_firings(const strc_profile *, uint32_t node);
/// Seconds by node, and at [node_count] of what moves items; 0: there is no memory. `estimated`: by node: is any of it a share? Both
/// to be freed.
double *strc_profile_times(const strc_profile *, unsigned char **estimated);
double strc_profile_busy(const strc_profile *, uint32_t thread);
/// The most items that were on it; -1: nobody knows.
int64_t strc_profile_mark(const strc_profile *, uint32_t channel);

#endif
