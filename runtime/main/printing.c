#include "printing.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { kMoment = 100000000, kSecond = 1000000000 };  // ns

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of the sink and of what follows
static pthread_cond_t changed;
static pthread_t thread;
static int has_thread, over;

static struct timespec in_a_moment(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += kMoment;
    if (time.tv_nsec >= kSecond) {
        time.tv_nsec -= kSecond;
        ++time.tv_sec;
    }
    return time;
}

/// What cannot be written stays, and whoever prints next finds out why.
static void *hand_on_late(void *of) {
    strc_sink *sink = of;
    pthread_mutex_lock(&mutex);
    while (!over) {
        // Of a terminal a line that has begun stays: nothing may stand behind the line of progress.
        if (sink->used == 0 || sink->failed || sink->by_line) {
            pthread_cond_wait(&changed, &mutex);
            continue;
        }
        const struct timespec until = in_a_moment();
        int waited = 0;
        while (!over && waited == 0) waited = pthread_cond_timedwait(&changed, &mutex, &until);
        if (!over) strc_sink_offer(sink);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

void strc_printing_begin(strc_sink *sink) {
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &clock);
    pthread_condattr_destroy(&clock);
    sigset_t all, before;  // signals are for the thread that may be waiting for input
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    has_thread = pthread_create(&thread, NULL, hand_on_late, sink) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int strc_printing_write(strc_sink *sink, const void *from, size_t count) {
    pthread_mutex_lock(&mutex);
    const int was_empty = sink->used == 0;
    const int status = strc_sink_write(sink, from, count);
    if (was_empty && sink->used != 0) pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return status;
}

int strc_printing_flush(strc_sink *sink) {
    pthread_mutex_lock(&mutex);
    const int status = strc_sink_flush(sink);
    pthread_mutex_unlock(&mutex);
    return status;
}

int strc_printing_close(strc_sink *sink) {
    pthread_mutex_lock(&mutex);
    over = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    if (has_thread) pthread_join(thread, NULL);
    has_thread = 0;
    return strc_sink_close(sink);
}
