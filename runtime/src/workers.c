// The pool: a job is open while its owner works at it, and whoever is awake joins it.
#define _GNU_SOURCE  // CPU_COUNT
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "run.h"

enum {
    kMostThreads = 255,
    kSpins = 20000,  ///< looks for the next job before a thread sleeps: some 20 to 100 µs
    kStack = 16 << 20,  ///< bytes: parts have arrays of their own there
};

typedef struct job {
    strc_part *part;  ///< null: no job is open
    void *self;
    int64_t parts;
    uint32_t most;  ///< threads that may join
} job;

static struct {
    pthread_mutex_t owner;  ///< held by who has a job
    pthread_mutex_t mutex;  ///< of what follows, but for atomics
    pthread_cond_t opened, left;
    uint32_t threads;
    uint32_t sleeping;
    uint32_t joined;  ///< threads that have joined the job
    uint32_t active;  ///< of these, at work; atomic
    int spins;  ///< who waits looks so often before it sleeps; atomic
    job job;
    uint64_t number;  ///< of the last job that was opened; atomic
    int64_t next;  ///< the first part that nobody has begun; atomic
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
          .mutex = PTHREAD_MUTEX_INITIALIZER,
          .opened = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

uint32_t strc_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
}

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void work(const job *job, const volatile unsigned char *ends) {
    while (!strc_is_set(ends)) {
        int64_t k = __atomic_fetch_add(&pool.next, 1, __ATOMIC_RELAXED);
        if (k >= job->parts) return;
        job->part(job->self, k, k + 1);
    }
}

// ---- threads

/// With the mutex.
static void join_job(void) {
    static const volatile unsigned char never = 0;
    const job job = pool.job;
    if (!job.part || pool.joined >= job.most) return;
    ++pool.joined;
    __atomic_fetch_add(&pool.active, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool.mutex);
    work(&job, &never);
    pthread_mutex_lock(&pool.mutex);
    if (__atomic_sub_fetch(&pool.active, 1, __ATOMIC_RELEASE) == 0) pthread_cond_signal(&pool.left);
}

static void *serve(void *nothing) {
    uint64_t seen = 0;
    for (;;) {
        int spins = __atomic_load_n(&pool.spins, __ATOMIC_RELAXED);
        for (int k = 0; k < spins && __atomic_load_n(&pool.number, __ATOMIC_RELAXED) == seen; ++k)
            pause_briefly();
        pthread_mutex_lock(&pool.mutex);
        ++pool.sleeping;
        while (__atomic_load_n(&pool.number, __ATOMIC_RELAXED) == seen)
            pthread_cond_wait(&pool.opened, &pool.mutex);
        --pool.sleeping;
        seen = __atomic_load_n(&pool.number, __ATOMIC_RELAXED);
        join_job();
        pthread_mutex_unlock(&pool.mutex);
    }
    return nothing;
}

/// Signals go to the threads that were there before, but for what a thread does itself: memory of a file that is not
/// there any more. Nonzero: there is no further one.
static int start_thread(void) {
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    pthread_attr_t attributes;
    int failed = pthread_attr_init(&attributes);
    if (!failed) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, kStack);
        failed = pthread_create(&thread, &attributes, serve, NULL);
        pthread_attr_destroy(&attributes);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

// ---- the owner

static void open_job(const job *job) {
    pthread_mutex_lock(&pool.mutex);
    while (pool.threads < job->most && start_thread() == 0) ++pool.threads;
    // Who looks without a processor of its own keeps others from working.
    __atomic_store_n(&pool.spins, pool.threads < strc_processors() ? kSpins : 0, __ATOMIC_RELAXED);
    pool.job = *job;
    pool.joined = 0;
    __atomic_store_n(&pool.next, 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pool.number, 1, __ATOMIC_RELAXED);
    int wake = pool.sleeping > 0;
    pthread_mutex_unlock(&pool.mutex);
    if (wake) pthread_cond_broadcast(&pool.opened);
}

static int is_anyone_active(void) { return __atomic_load_n(&pool.active, __ATOMIC_ACQUIRE) > 0; }

/// Parts that nobody has begun are left undone.
static void close_job(void) {
    __atomic_store_n(&pool.next, INT64_MAX / 2, __ATOMIC_RELAXED);
    pthread_mutex_lock(&pool.mutex);
    pool.job.part = NULL;
    pthread_mutex_unlock(&pool.mutex);
    // Parts are short: whoever is still at work has done soon.
    int spins = __atomic_load_n(&pool.spins, __ATOMIC_RELAXED);
    for (int k = 0; k < spins && is_anyone_active(); ++k) pause_briefly();
    pthread_mutex_lock(&pool.mutex);
    while (is_anyone_active()) pthread_cond_wait(&pool.left, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
}

/// Nonzero: the pool is at work for somebody else.
static int share(const job *job, const volatile unsigned char *ends) {
    if (pthread_mutex_trylock(&pool.owner) != 0) return 1;
    open_job(job);
    work(job, ends);
    close_job();
    pthread_mutex_unlock(&pool.owner);
    return 0;
}

void strc_workers_share(uint32_t workers, strc_part *part, void *self, int64_t parts,
                        const volatile unsigned char *ends) {
    job job = {part, self, parts, workers ? workers - 1 : 0};
    if (job.most > kMostThreads) job.most = kMostThreads;
    if (job.most >= parts) job.most = parts > 0 ? (uint32_t)parts - 1 : 0;
    if (job.most > 0 && share(&job, ends) == 0) return;
    for (int64_t k = 0; k < parts && !strc_is_set(ends); ++k) part(self, k, k + 1);
}

void strc_share(strc_env *env, void *part, void *self, int64_t parts) {
    strc_workers_share(env->workers, (strc_part *)part, self, parts, &env->poll);
    if (strc_is_set(&env->poll)) strc_stop(env);
}
