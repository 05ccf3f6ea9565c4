// The clock of a run.
#include "watch.h"

#include <signal.h>
#include <string.h>

#include "chunks.h"
#include "run.h"

enum { kTick = 10000000, kIdleTick = 50000000, kSecond = 1000000000 };  // ns

static struct timespec later(struct timespec from, int64_t nanoseconds) {
    nanoseconds += from.tv_nsec;
    from.tv_sec += nanoseconds / kSecond;
    from.tv_nsec = nanoseconds % kSecond;
    return from;
}

static int is_before(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static struct timespec now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

static void look(strc_watch *watch) {
    strc_env *env = watch->env;
    int is_late = env->seconds != 0 && !is_before(now(), watch->end);
    if (is_late || strc_is_set(env->interrupt)) watch->interrupted = 1;
    if (watch->armed) __atomic_store_n(&watch->ticks, watch->ticks + 1, __ATOMIC_RELAXED);
    int is_slow = watch->armed && watch->ticks > watch->patience;
    if (!watch->interrupted && !is_slow) return;
    __atomic_store_n(&env->poll, 1, __ATOMIC_RELAXED);
    if (watch->team) strc_team_stop(watch->team);
}

static void *watching(void *self) {
    strc_watch *watch = self;
    pthread_mutex_lock(&watch->mutex);
    while (!watch->over) {
        watch->idles = !watch->armed;
        struct timespec next = later(now(), watch->idles ? kIdleTick : kTick);
        if (watch->env->seconds != 0 && !watch->interrupted && is_before(watch->end, next))
            next = watch->end;
        pthread_cond_timedwait(&watch->changed, &watch->mutex, &next);
        if (!is_before(now(), next)) look(watch);
    }
    pthread_mutex_unlock(&watch->mutex);
    return NULL;
}

static struct timespec end_of(double seconds) {
    enum { kLongest = 1000000000 };
    if (seconds > kLongest) seconds = kLongest;
    struct timespec end = now();
    end.tv_sec += (time_t)seconds;
    return later(end, (int64_t)((seconds - (double)(time_t)seconds) * kSecond));
}

int strc_watch_start(strc_watch *watch, strc_env *env) {
    memset(watch, 0, sizeof *watch);
    watch->env = env;
    watch->end = end_of(env->seconds);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&watch->mutex, NULL);
    sigset_t all, before;  // signals are for the thread that may be waiting for input
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&watch->thread, NULL, watching, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) watch->over = 1;  // else the thread is reading it
    return failed;
}

void strc_watch_end(strc_watch *watch) {
    pthread_mutex_lock(&watch->mutex);
    int has_thread = !watch->over;
    watch->over = 1;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->mutex);
    if (has_thread) pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->mutex);
}

void strc_watch_arm(strc_watch *watch, uint32_t patience) {
    pthread_mutex_lock(&watch->mutex);
    watch->armed = 1;
    watch->patience = patience;
    __atomic_store_n(&watch->ticks, 0, __ATOMIC_RELAXED);
    // Transactions are short: to wake the thread for each would cost more than they do.
    if (watch->idles) pthread_cond_signal(&watch->changed);
    watch->idles = 0;
    pthread_mutex_unlock(&watch->mutex);
}

void strc_watch_disarm(strc_watch *watch) {
    pthread_mutex_lock(&watch->mutex);
    watch->armed = 0;
    __atomic_store_n(&watch->env->poll, watch->interrupted != 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&watch->mutex);
}

void strc_watch_team(strc_watch *watch, struct strc_team *team) {
    pthread_mutex_lock(&watch->mutex);
    watch->team = team;
    pthread_mutex_unlock(&watch->mutex);
}

uint32_t strc_watch_ticks(strc_watch *watch) {
    return __atomic_load_n(&watch->ticks, __ATOMIC_RELAXED);
}

int strc_watch_interrupted(strc_watch *watch) {
    pthread_mutex_lock(&watch->mutex);
    int interrupted = watch->interrupted || strc_is_set(watch->env->interrupt);
    pthread_mutex_unlock(&watch->mutex);
    return interrupted;
}
