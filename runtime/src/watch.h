/// A thread that watches one run: whether it is to end, and whether a transaction takes too long. What it
/// finds it says through env->poll, which generated code looks at. Private to the runtime.
#ifndef STRC_WATCH_H
#define STRC_WATCH_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "strc/runtime.h"

typedef struct strc_watch {
    strc_env *env;
    pthread_t thread;
    pthread_mutex_t mutex;  ///< of all that follows
    pthread_cond_t changed;
    struct timespec end;  ///< the time is up, CLOCK_MONOTONIC; used if env->seconds is not 0
    int over;  ///< the thread is to end
    int armed;  ///< a transaction is open
    int idles;  ///< the thread looks at the clock rarely
    uint32_t patience;  ///< ticks that it may take
    uint32_t ticks;  ///< since it was opened; read without the mutex
    int interrupted;  ///< by *env->interrupt or the time
    struct strc_team *team;  ///< null, or threads that end when env->poll is set
} strc_watch;

/// A tick is 10 ms. 0: there is a thread now.
int strc_watch_start(strc_watch *, strc_env *);
void strc_watch_end(strc_watch *);

/// A transaction begins. If it is still open after `patience` ticks, env->poll is set.
void strc_watch_arm(strc_watch *, uint32_t patience);
/// It is over; env->poll is set only if the run is to end.
void strc_watch_disarm(strc_watch *);

/// Threads at work, which end when env->poll is set; null: there are none any more.
void strc_watch_team(strc_watch *, struct strc_team *);

/// The ticks of the present transaction.
uint32_t strc_watch_ticks(strc_watch *);
int strc_watch_interrupted(strc_watch *);

#endif
