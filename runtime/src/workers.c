// The pool: a job is open while its owner works at it, and whoever is awake joins it. Threads that look for a job find it
// without a lock, which would cost as much as a short part; locks are for those that sleep.
#define _GNU_SOURCE  // CPU_COUNT
#include "strc/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "run.h"
#include "subnormals.h"
#include "thread.h"

enum {
    kMostThreads = 255,
    kSpins = 20000,  ///< looks for the next job before a thread sleeps: some 20 to 100 µs
    kStack = 16 << 20,  ///< bytes: parts have arrays of their own there
    kLine = 64,  ///< bytes
};

/// The lower bits of a gate; the number of the job is above them.
enum { kNumberShift = 16, kOpen = 1 << 15, kThreads = kOpen - 1 };

typedef struct job {
    strc_part *part;
    void *self;
    int64_t parts;
    uint32_t threads;  ///< that may take part, the owner being the first
    const volatile unsigned char *ends;
    uint32_t subnormals;  ///< how the owner computes with them
} job;

/// Neighbours, which the same thread begins with in each job of as many parts: what it has read or written before is near it.
typedef struct range {
    _Alignas(kLine) int64_t next;  ///< the first part that has not been begun; atomic
    int64_t end;
} range;

static struct {
    pthread_mutex_t owner;  ///< held by who has a job
    pthread_mutex_t mutex;  ///< of who sleeps
    pthread_cond_t opened, left;
    uint32_t threads;
    uint32_t sleeping;  ///< threads; atomic
    int owner_sleeps;  ///< atomic
    int spins;  ///< who waits looks so often before it sleeps; atomic
    _Alignas(kLine)
        uint64_t gate;  ///< number of the job, whether it is open, threads at work for it; atomic
    // The owner may change these while no thread works at the job.
    _Alignas(kLine) job job;
    range ranges[kMostThreads + 1];
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

/// Does the parts that are left of the thread's own range, then those of the others.
static void work(const job *job, uint32_t me) {
    for (uint32_t k = 0; k < job->threads; ++k) {
        range *range = &pool.ranges[(me + k) % job->threads];
        while (!strc_is_set(job->ends)) {
            const int64_t part = __atomic_fetch_add(&range->next, 1, __ATOMIC_RELAXED);
            if (part >= range->end) break;
            job->part(job->self, part, part + 1);
        }
    }
}

static uint64_t look(void) { return __atomic_load_n(&pool.gate, __ATOMIC_SEQ_CST); }

// ---- threads

/// The gate of a job behind number `seen`.
static uint64_t wait_for_job(uint64_t seen) {
    const int spins = __atomic_load_n(&pool.spins, __ATOMIC_RELAXED);
    for (int k = 0; k < spins; ++k) {
        const uint64_t gate = look();
        if (gate >> kNumberShift != seen) return gate;
        strc_pause();
    }
    pthread_mutex_lock(&pool.mutex);
    __atomic_fetch_add(&pool.sleeping, 1, __ATOMIC_SEQ_CST);
    while (look() >> kNumberShift == seen) pthread_cond_wait(&pool.opened, &pool.mutex);
    __atomic_fetch_sub(&pool.sleeping, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&pool.mutex);
    return look();
}

/// Nonzero: the job that is open now, if any, does not end without this thread. `gate` is then its gate.
static int join_job(uint64_t *gate) {
    while (*gate & kOpen)
        if (__atomic_compare_exchange_n(&pool.gate, gate, *gate + 1, 1, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return 1;
    return 0;
}

static void leave_job(void) {
    const uint64_t gate = __atomic_sub_fetch(&pool.gate, 1, __ATOMIC_SEQ_CST);
    if ((gate & kThreads) != 0 || !__atomic_load_n(&pool.owner_sleeps, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_signal(&pool.left);
    pthread_mutex_unlock(&pool.mutex);
}

static void *serve(void *number) {
    const uint32_t me = (uint32_t)(uintptr_t)number;
    for (uint64_t seen = 0;;) {
        uint64_t gate = wait_for_job(seen);
        const int has_joined = join_job(&gate);
        seen = gate >> kNumberShift;
        if (!has_joined) continue;
        strc_set_subnormals(pool.job.subnormals);
        if (me < pool.job.threads) work(&pool.job, me);
        leave_job();
    }
    return NULL;
}

/// Signals go to the threads that were there before, but for what a thread does itself: memory of a file that is not
/// there any more. Nonzero: there is no further one.
static int start_thread(uint32_t number) {
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
        failed = pthread_create(&thread, &attributes, serve, (void *)(uintptr_t)number);
        pthread_attr_destroy(&attributes);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

// ---- the owner

static void divide(const job *job) {
    for (uint32_t k = 0; k < job->threads; ++k) {
        range *range = &pool.ranges[k];
        __atomic_store_n(&range->next, job->parts * k / job->threads, __ATOMIC_RELAXED);
        range->end = job->parts * (k + 1) / job->threads;
    }
}

static void open_job(const job *job) {
    while (pool.threads + 1 < job->threads && start_thread(pool.threads + 1) == 0) ++pool.threads;
    // A thread that spins without a processor of its own keeps others from working.
    __atomic_store_n(&pool.spins, pool.threads < strc_processors() ? kSpins : 0, __ATOMIC_RELAXED);
    pool.job = *job;
    divide(job);
    const uint64_t number = (look() >> kNumberShift) + 1;
    __atomic_store_n(&pool.gate, number << kNumberShift | kOpen, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&pool.sleeping, __ATOMIC_SEQ_CST) == 0) return;
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_broadcast(&pool.opened);
    pthread_mutex_unlock(&pool.mutex);
}

static int is_anyone_active(void) { return (look() & kThreads) != 0; }

static void close_job(void) {
    __atomic_fetch_and(&pool.gate, ~(uint64_t)kOpen, __ATOMIC_SEQ_CST);
    // Parts are short, so threads that are still at work end soon.
    const int spins = __atomic_load_n(&pool.spins, __ATOMIC_RELAXED);
    for (int k = 0; k < spins && is_anyone_active(); ++k) strc_pause();
    if (!is_anyone_active()) return;
    pthread_mutex_lock(&pool.mutex);
    __atomic_store_n(&pool.owner_sleeps, 1, __ATOMIC_SEQ_CST);
    while (is_anyone_active()) pthread_cond_wait(&pool.left, &pool.mutex);
    __atomic_store_n(&pool.owner_sleeps, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&pool.mutex);
}

/// Nonzero: the pool works at the job of another owner.
static int share(const job *job) {
    if (pthread_mutex_trylock(&pool.owner) != 0) return 1;
    open_job(job);
    work(job, 0);
    close_job();
    pthread_mutex_unlock(&pool.owner);
    return 0;
}

void strc_workers_share(uint32_t workers, strc_part *part, void *self, int64_t parts,
                        const volatile unsigned char *ends) {
    job job = {part, self, parts, workers, ends, strc_subnormals()};
    if (job.threads > kMostThreads + 1) job.threads = kMostThreads + 1;
    if (job.threads > parts) job.threads = (uint32_t)parts;
    if (job.threads > 1 && share(&job) == 0) return;
    for (int64_t k = 0; k < parts && !strc_is_set(ends); ++k) part(self, k, k + 1);
}

void strc_share(strc_env *env, void *part, void *self, int64_t parts) {
    strc_workers_share(env->workers, (strc_part *)part, self, parts, &env->poll);
    if (strc_is_set(&env->poll)) strc_stop(env);
}
