// Helpers of a flow. What there is to do are the slices of partitions; a thread takes one by counting it, if all that it needs is done.
// A count carries the number of its block, so that who comes late takes nothing of a block that is over.
#define _GNU_SOURCE  // pthread_setaffinity_np, syscall
#include "strc/helpers.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "run.h"
#include "shared_mail.h"
#include "strc/partitions.h"
#include "strc/rest.h"
#include "thread.h"

enum {
    kLine = 64,  ///< bytes
    kStack = 1 << 20,  ///< bytes, beyond what the program asks for
    kSpin = 50,  ///< µs
    kLooks = 256,  ///< between two looks at the clock
    kPatience = 100000,  ///< ns that the caller looks before it lets others have its processor
    kHelpersPatience = 500000,  ///< ns likewise of a helper
    kNap = 50000,  ///< ns for which they do
    kWorth = 10000,  ///< ns that a block takes one thread, below which it is not worth a hand-over
    kTryAgain = 1 << 16,  ///< blocks that were not worth it, of which one is shared all the same
    kTolerance = 20000,  ///< ns of waiting beyond a partition's usual time that are not yet late
    kStopped = 1000000,  ///< ns likewise, that only the system can have stopped a helper for
    kTaken = 0xffff,  ///< of a count; the number of the block is above
    kBlockShift = 16,
};

/// Where the slices of a partition stand in the present block.
typedef struct progress {
    _Alignas(kLine) uint64_t count;  ///< slices that have been taken, and the block; atomic
    uint32_t done;  ///< a bit for each slice; atomic
    uint32_t by;  ///< the thread that has taken the last one; atomic
    int64_t usual;  ///< ns that a slice takes; atomic
} progress;

typedef struct member {
    _Alignas(kLine) strc_env env;
    strc_helpers *team;
    uint32_t number;
    pthread_t thread;
    uint64_t last_block;  ///< in which it did something
    strc_helpers_numbers numbers;  ///< `joined` is its own, the others are the caller's
    // What it has taken.
    const strc_partition *partition;
    uint64_t slice;
} member;

struct strc_helpers {
    const strc_partitioning *parts;
    uint64_t stack_bytes;
    uint32_t threads;  ///< members
    int64_t spin;  ///< ns
    pid_t process;
    member *members;
    char *work;
    char *state;
    strc_shared_mail *mail;  ///< null: there are no messages
    uint64_t random;  ///< of the partition that draws numbers
    uint64_t block;  ///< how many there were
    uint64_t left_alone;  ///< and how many were not worth it
    strc_rest rest;
    int was_stopped;  ///< the system has stopped a helper in the block under way
    uint32_t delays;  ///< for tests (strc_delay)
    volatile unsigned char failed, ends;
    _Alignas(
        kLine) uint32_t opened;  ///< blocks so far; who sleeps waits for another number; atomic
    _Alignas(kLine) uint32_t sleeping;  ///< threads; atomic
    _Alignas(kLine) uint32_t left;  ///< slices that are not done; atomic
    progress rows[STRC_MOST_PARTITIONS];
};

static uint32_t first_bits(uint64_t count) {
    return count >= 32 ? UINT32_MAX : ((uint32_t)1 << count) - 1;
}

static void nap(int64_t nanoseconds) {
    const struct timespec time = {.tv_nsec = nanoseconds};
    nanosleep(&time, NULL);
}

// ---- what there is to do

static int is_ready(const strc_helpers *team, const strc_partition *partition, uint64_t slice) {
    const strc_partitioning *parts = team->parts;
    for (uint32_t k = 0; k < partition->need_count; ++k) {
        const uint32_t need = partition->needs[k], slices = parts->partitions[need].slices;
        const uint32_t wanted = first_bits(slices == partition->slices ? slice + 1 : slices);
        if ((__atomic_load_n(&team->rows[need].done, __ATOMIC_ACQUIRE) & wanted) != wanted)
            return 0;
    }
    if (!partition->in_order) return 1;
    const uint32_t before = first_bits(slice);
    const progress *own = &team->rows[partition - parts->partitions];
    return (__atomic_load_n(&own->done, __ATOMIC_ACQUIRE) & before) == before;
}

/// Takes the next slice of a partition, if it can be done; nonzero if so.
static int take(member *me, uint32_t number) {
    strc_helpers *team = me->team;
    const strc_partition *partition = &team->parts->partitions[number];
    progress *row = &team->rows[number];
    uint64_t count = __atomic_load_n(&row->count, __ATOMIC_ACQUIRE);
    do {
        me->slice = count & kTaken;
        if (me->slice >= partition->slices || !is_ready(team, partition, me->slice)) return 0;
    } while (!__atomic_compare_exchange_n(&row->count, &count, count + 1, 1, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    __atomic_store_n(&row->by, me->number, __ATOMIC_RELAXED);
    me->partition = partition;
    return 1;
}

/// Of its own partitions first, whose state is near it; then of any.
static int take_any(member *me) {
    const strc_partitioning *parts = me->team->parts;
    for (uint32_t k = 0; k < parts->count; ++k)
        if (parts->partitions[k].home % me->team->threads == me->number && take(me, k)) return 1;
    for (uint32_t k = 0; k < parts->count; ++k)
        if (take(me, k)) return 1;
    return 0;
}

static void do_slice_with_mail(member *me) {
    strc_helpers *team = me->team;
    const uint32_t partition = (uint32_t)(me->partition - team->parts->partitions);
    me->env.mailboxes = strc_shared_mail_of(team->mail, partition);
    if (strc_shared_mail_take(team->mail, &me->env, partition, me->slice) != 0)
        strc_leave(&me->env, STRC_END_FAULT);
    me->partition->run(&me->env, team->state, me->slice);
    strc_shared_mail_give(team->mail, partition, me->slice);
}

static strc_end do_slice(void *self) {
    member *me = self;
    strc_helpers *team = me->team;
    if (me->partition->random) me->env.random = team->random;
    if (team->mail) {
        do_slice_with_mail(me);
    } else {
        me->partition->run(&me->env, team->state, me->slice);
    }
    if (me->partition->random) team->random = me->env.random;
    return STRC_END_ITERATIONS;
}

static void finish(member *me) {
    strc_helpers *team = me->team;
    strc_delay(&team->delays);
    progress *row = &team->rows[me->partition - team->parts->partitions];
    const int64_t began = strc_nanoseconds();
    if (strc_attempt(&me->env, do_slice, me) != STRC_END_ITERATIONS)
        __atomic_store_n(&team->failed, 1, __ATOMIC_RELAXED);
    const int64_t usual = __atomic_load_n(&row->usual, __ATOMIC_RELAXED);
    const int64_t took = strc_nanoseconds() - began;
    __atomic_store_n(&row->usual, usual == 0 ? took : usual + (took - usual) / 16,
                     __ATOMIC_RELAXED);
    if (me->last_block != team->block) __atomic_fetch_add(&me->numbers.joined, 1, __ATOMIC_RELAXED);
    me->last_block = team->block;
    strc_delay(&team->delays);
    __atomic_fetch_or(&row->done, (uint32_t)1 << me->slice, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&team->left, 1, __ATOMIC_ACQ_REL);
}

static int is_over(const strc_helpers *team) {
    return __atomic_load_n(&team->left, __ATOMIC_ACQUIRE) == 0 || strc_is_set(&team->failed);
}

// ---- helpers

/// The number of a block behind `seen`.
static uint32_t wait_for_block(strc_helpers *team, uint32_t seen) {
    const int64_t end = strc_nanoseconds() + team->spin;
    do {
        for (int k = 0; k < kLooks; ++k) {
            const uint32_t now = __atomic_load_n(&team->opened, __ATOMIC_ACQUIRE);
            if (now != seen) return now;
            strc_pause();
        }
    } while (strc_nanoseconds() < end);
    __atomic_fetch_add(&team->sleeping, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&team->opened, __ATOMIC_SEQ_CST) == seen)
        syscall(SYS_futex, &team->opened, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    __atomic_fetch_sub(&team->sleeping, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&team->opened, __ATOMIC_ACQUIRE);
}

/// Nonzero: it has taken something.
static int look_for_work(member *me, int looks) {
    for (int k = 0; k < looks && !is_over(me->team); ++k) {
        if (take_any(me)) return 1;
        strc_pause();
    }
    return 0;
}

/// Until all is done. Who finds nothing to do lets others have its processor; after some time it sleeps for that, since the caller may be
/// one of them and have less priority.
static void help(member *me) {
    int64_t idle = strc_nanoseconds();
    while (!is_over(me->team)) {
        const int is_patient = strc_nanoseconds() - idle < kHelpersPatience;
        if (look_for_work(me, is_patient ? 8 * kLooks : 1)) {
            finish(me);
            idle = strc_nanoseconds();
        } else if (is_patient) {
            sched_yield();
        } else {
            nap(kNap);
        }
    }
}

static void *serve(void *self) {
    member *me = self;
    me->env.stack_end = (const char *)__builtin_frame_address(0) - me->team->stack_bytes;
    for (uint32_t seen = 0; !strc_is_set(&me->team->ends);) {
        seen = wait_for_block(me->team, seen);
        help(me);
    }
    return NULL;
}

// ---- the caller

static void open_block(strc_helpers *team, uint64_t random, void *state) {
    const strc_partitioning *parts = team->parts;
    team->state = state;
    team->random = random;
    __atomic_store_n(&team->failed, 0, __ATOMIC_RELAXED);
    ++team->block;
    uint32_t slices = 0;
    for (uint32_t k = 0; k < parts->count; ++k) {
        __atomic_store_n(&team->rows[k].done, 0, __ATOMIC_RELAXED);
        slices += parts->partitions[k].slices;
    }
    __atomic_store_n(&team->left, slices, __ATOMIC_RELEASE);
    for (uint32_t k = 0; k < parts->count; ++k)
        __atomic_store_n(&team->rows[k].count, team->block << kBlockShift, __ATOMIC_RELEASE);
}

/// By what slices took so far: the estimate that partitions were made by may be far too high.
static int is_worth_sharing(const strc_helpers *team) {
    int64_t sum = 0;
    for (uint32_t k = 0; k < team->parts->count; ++k) {
        const int64_t usual = __atomic_load_n(&team->rows[k].usual, __ATOMIC_RELAXED);
        if (usual == 0) return 1;
        sum += usual * team->parts->partitions[k].slices;
    }
    return sum >= kWorth;
}

/// Helpers come as soon as they see it.
static void call_helpers(strc_helpers *team) {
    __atomic_fetch_add(&team->opened, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&team->sleeping, __ATOMIC_SEQ_CST) != 0)
        syscall(SYS_futex, &team->opened, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/// A partition that is under way; null: there is none any more.
static const progress *under_way(const strc_helpers *team) {
    for (uint32_t k = 0; k < team->parts->count; ++k) {
        const progress *row = &team->rows[k];
        const uint64_t taken = __atomic_load_n(&row->count, __ATOMIC_ACQUIRE) & kTaken;
        if (__atomic_load_n(&row->done, __ATOMIC_ACQUIRE) != first_bits(taken)) return row;
    }
    return NULL;
}

/// The caller waited so long, at last for that partition.
static void note_waiting(strc_helpers *team, const progress *row, int64_t time) {
    member *other = &team->members[__atomic_load_n(&row->by, __ATOMIC_RELAXED)];
    if (other->number == 0) return;  // it was over before the caller looked
    if ((uint64_t)time > other->numbers.worst) {
        other->numbers.worst = (uint64_t)time;
        other->numbers.node = team->parts->partitions[row - team->rows].node;
    }
    const int64_t late = time - __atomic_load_n(&row->usual, __ATOMIC_RELAXED);
    if (late > kTolerance) ++other->numbers.late;
    if (late > kStopped) team->was_stopped = 1;
}

/// Until there is something to do, or all is done. Nonzero: it has taken something.
static int wait_for_others(member *me) {
    strc_helpers *team = me->team;
    const int64_t began = strc_nanoseconds();
    const progress *row = under_way(team);
    int has_taken = 0;
    for (int looks = 1; !is_over(team) && !(has_taken = take_any(me)); ++looks) {
        strc_pause();
        if (looks % kLooks != 0) continue;
        if (strc_nanoseconds() - began > kPatience) nap(kNap);
    }
    if (row) note_waiting(team, row, strc_nanoseconds() - began);
    return has_taken;
}

/// Nothing more is begun; what has been comes to its end.
static void close_block(strc_helpers *team) {
    uint32_t open = 0;  // slices that nobody has taken
    for (uint32_t k = 0; k < team->parts->count; ++k) {
        const uint64_t closed = team->block << kBlockShift | kTaken;
        open += team->parts->partitions[k].slices -
                (__atomic_exchange_n(&team->rows[k].count, closed, __ATOMIC_ACQ_REL) & kTaken);
    }
    const int64_t began = strc_nanoseconds();
    while (__atomic_load_n(&team->left, __ATOMIC_ACQUIRE) != open) {
        strc_pause();
        if (strc_nanoseconds() - began > kPatience) nap(kNap);
    }
}

int strc_helpers_run(strc_helpers *team, strc_env *env, void *state) {
    member *me = &team->members[0];
    if (strc_rest_lasts(&team->rest)) return 1;
    if (!is_worth_sharing(team) && ++team->left_alone % kTryAgain != 0) return 1;
    team->parts->begin(env, state);
    me->env.stack_end = env->stack_end;
    team->was_stopped = 0;
    if (team->mail) strc_shared_mail_begin(team->mail, env);
    open_block(team, env->random, state);
    call_helpers(team);
    while (!is_over(team))
        if (take_any(me) || wait_for_others(me)) finish(me);
    if (strc_is_set(&team->failed)) {
        close_block(team);
        if (team->mail) strc_shared_mail_drop(team->mail);
        return -1;
    }
    if (team->mail) strc_shared_mail_end(team->mail, env);
    env->random = team->random;
    team->parts->end(env, state);
    if (team->was_stopped)
        strc_rest_begin(&team->rest);
    else
        strc_rest_sound(&team->rest);
    return 0;
}

// ---- a team

const char *strc_helpers_refusal_text(strc_helpers_refusal refusal) {
    switch (refusal) {
        case STRC_HELPERS_FINE: break;
        case STRC_HELPERS_FEWER: return "the system has no more threads; there are fewer";
        case STRC_HELPERS_PRIORITY:
            return "the system refuses the priority, for which it wants CAP_SYS_NICE or a limit "
                   "RLIMIT_RTPRIO; the threads have the usual one";
        case STRC_HELPERS_PROCESSOR:
            return "the system refuses a processor; threads that should be there are anywhere";
        case STRC_HELPERS_BOTH:
            return "the system refuses the priority, for which it wants CAP_SYS_NICE or a limit "
                   "RLIMIT_RTPRIO, and a processor; the threads have the usual one and are "
                   "anywhere";
    }
    return NULL;
}

static int pin(pthread_t thread, int32_t processor) {
    if (processor < 0) return 0;
    if (processor >= CPU_SETSIZE) return 1;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return pthread_setaffinity_np(thread, sizeof set, &set);
}

/// Signals go to the host's own threads, but for faults. Nonzero: there is no further one.
static int start(member *me) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) sigdelset(&all, faults[k]);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return 1;
    pthread_attr_setstacksize(&attributes, kStack + me->team->stack_bytes);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&me->thread, &attributes, serve, me);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

static strc_helpers_refusal start_all(strc_helpers *team, uint32_t wanted,
                                      const strc_thread_options *how) {
    int refusal = STRC_HELPERS_FINE;
    // Who is there first sees how many there are once a block is opened.
    while (team->threads < wanted && start(&team->members[team->threads]) == 0) {
        const member *made = &team->members[team->threads++];
        const struct sched_param priority = {.sched_priority = how->priority};
        if (how->priority != 0 && pthread_setschedparam(made->thread, SCHED_FIFO, &priority) != 0)
            refusal |= STRC_HELPERS_PRIORITY;
        if (how->processors && pin(made->thread, how->processors[made->number - 1]) != 0)
            refusal |= STRC_HELPERS_PROCESSOR;
    }
    return team->threads < wanted ? STRC_HELPERS_FEWER : (strc_helpers_refusal)refusal;
}

static int make_members(strc_helpers *team, const strc_flow *flow, uint32_t count) {
    const uint64_t work = flow->facts->program->work_size;
    team->members = aligned_alloc(kLine, count * sizeof *team->members);
    team->work = aligned_alloc(kLine, count * work + kLine);
    const int has_mail = team->parts->owners != NULL;
    team->mail = has_mail ? strc_shared_mail_new(flow) : NULL;
    if (!team->members || !team->work || (has_mail && !team->mail)) return 1;
    memset(team->work, 0, count * work + kLine);  // all of it is there from now on
    for (uint32_t k = 0; k < count; ++k) {
        member *each = &team->members[k];
        *each = (member){.env = flow->env, .team = team, .number = k};
        each->env.work = team->work + k * work;
        each->env.escape = NULL;
        each->numbers.node = STRC_NOBODY;
    }
    return 0;
}

strc_helpers *strc_helpers_new(const strc_flow *flow, const strc_thread_options *how,
                               strc_helpers_refusal *refusal) {
    const uint32_t most = STRC_MOST_HELPERS + 1;
    const uint32_t wanted = how->threads < most ? how->threads : most;
    strc_helpers *team = aligned_alloc(kLine, sizeof *team);
    if (!team) return NULL;
    *team = (strc_helpers){.parts = flow->facts->program->partitioning,
                           .stack_bytes = flow->facts->stack_bytes,
                           .threads = 1,
                           .spin = (how->spin != 0 ? how->spin : kSpin) * INT64_C(1000),
                           .process = getpid(),
                           .delays = strc_delays()};
    for (uint32_t k = 0; k < team->parts->count; ++k)
        team->rows[k].count = kTaken;  // there is nothing to do yet
    if (make_members(team, flow, wanted) == 0) {
        *refusal = start_all(team, wanted, how);
        return team;
    }
    strc_helpers_free(team);
    return NULL;
}

void strc_helpers_free(strc_helpers *team) {
    if (!team) return;
    if (team->members && team->process == getpid()) {
        __atomic_store_n(&team->ends, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&team->opened, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &team->opened, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        for (uint32_t k = 1; k < team->threads; ++k) pthread_join(team->members[k].thread, NULL);
    }
    strc_shared_mail_free(team->mail);
    free(team->work);
    free(team->members);
    free(team);
}

uint32_t strc_helpers_threads(const strc_helpers *team) { return team->threads; }

strc_helpers_numbers strc_helpers_tell(const strc_helpers *team, uint32_t thread) {
    if (thread >= team->threads) return (strc_helpers_numbers){.node = STRC_NOBODY};
    strc_helpers_numbers numbers = team->members[thread].numbers;
    numbers.joined = __atomic_load_n(&team->members[thread].numbers.joined, __ATOMIC_RELAXED);
    numbers.blocks = team->block;
    return numbers;
}
