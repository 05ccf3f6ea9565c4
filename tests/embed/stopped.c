/// What a call does if the system stops a helper within a slice: a signal whose handler takes its time stands for another process that has got the
/// processor. What is given is the same, and soon helpers are called rarely. stopped IN [PRIORITY]
/// With a real-time priority of the helper all share one processor: the helper then comes back in the middle of what the caller does.
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

enum {
    kPiece = 64,
    kMostStops = 20000,
    kMostTurns = 50,
    kLong = 2000000,  ///< ns of waiting: the usual time and more than 1 ms
    kStop = 4000000,  ///< ns for which a helper stands still
    kBetween = 1000000,  ///< ns in which it may work
};

static void pause_for(long nanoseconds) {
    const struct timespec time = {.tv_nsec = nanoseconds};
    nanosleep(&time, NULL);
}

static void stand_still(int signal) {
    (void)signal;
    pause_for(kStop);
}

/// The thread that is none of these; 0: there is none.
static pid_t find_other(pid_t a, pid_t b) {
    DIR* all = opendir("/proc/self/task");
    pid_t found = 0;
    for (struct dirent* each; all && (each = readdir(all));) {
        const pid_t thread = (pid_t)atoi(each->d_name);
        if (thread != 0 && thread != a && thread != b) found = thread;
    }
    if (all) closedir(all);
    return found;
}

static atomic_int ends;

static void* stop_helper(void* caller) {
    const pid_t helper = find_other(*(pid_t*)caller, (pid_t)syscall(SYS_gettid));
    if (helper == 0) die("there is no helper");
    for (int k = 0; k < kMostStops && !atomic_load(&ends); ++k) {
        syscall(SYS_tgkill, getpid(), helper, SIGILL);  // which helpers do not block
        pause_for(kStop + kBetween);
    }
    return NULL;
}

typedef struct play {
    OF(handle) * handle;
    unsigned char* out;
    size_t taken, given;
} play;

static void step(play* p, const block* in) {
    size_t left = in->items - p->taken, more, given;
    if (OF(process)(p->handle, (const void*)(in->bytes + p->taken * kInSize),
                    left < kPiece ? left : kPiece, (void*)(p->out + p->given * kOutSize), kPiece,
                    &more, &given) != OF(OK))
        die(OF(message)(p->handle));
    p->taken += more;
    p->given += given;
}

static OF(report) report_of(OF(handle) * handle, uint32_t thread) {
    OF(report) report = {.size = sizeof report};
    if (OF(thread_report)(handle, thread, &report) != OF(OK)) die("no report");
    return report;
}

/// Once more, from the beginning, on both handles. Calls of each.
static unsigned long long play_all(play* plays, const block* in) {
    unsigned long long calls = 0;
    for (int k = 0; k < 2; ++k) plays[k].taken = plays[k].given = 0;
    for (; plays[0].taken < in->items; ++calls)
        for (int k = 0; k < 2; ++k) step(&plays[k], in);
    if (plays[1].given != plays[0].given ||
        memcmp(plays[1].out, plays[0].out, plays[0].given * kOutSize) != 0)
        die("a helper that stands still makes a difference");
    return calls;
}

/// Threads that are made later are there, too.
static void stay_on_one_processor(void) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) die("no processors");
    CPU_ZERO(&one);
    for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++k)
        if (CPU_ISSET(k, &all)) CPU_SET(k, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) die("no processor");
}

static OF(handle) * create(uint32_t threads, int priority) {
    OF(handle)* made = OF(create)(NULL);
    OF(thread_options) how = {.size = sizeof how, .threads = threads, .priority = priority};
    const int status = made ? OF(threads)(made, &how) : OF(MEMORY);
    if (status == OF(REFUSED)) exit(77);
    if (status != OF(OK)) die("create");
    return made;
}

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) die("stopped IN [PRIORITY]");
    const int priority = argc == 3 ? atoi(argv[2]) : 0;
    if (priority != 0) stay_on_one_processor();
    const struct sigaction action = {.sa_handler = stand_still, .sa_flags = SA_RESTART};
    sigaction(SIGILL, &action, NULL);
    const block in = read_all(argv[1]);
    play plays[2];
    for (uint32_t k = 0; k < 2; ++k) {
        plays[k] = (play){create(k + 1, priority), malloc((in.items + kPiece) * kOutSize), 0, 0};
        if (!plays[k].out) die("memory");
    }
    pid_t self = (pid_t)syscall(SYS_gettid);
    pthread_t stopper;
    if (pthread_create(&stopper, NULL, stop_helper, &self) != 0) die("a thread");
    unsigned long long calls = 0;
    for (int turn = 0; turn < kMostTurns && report_of(plays[1].handle, 1).worst < kLong; ++turn)
        calls += play_all(plays, &in);
    atomic_store(&ends, 1);
    pthread_join(stopper, NULL);
    const OF(report) caller = report_of(plays[1].handle, 0), helper = report_of(plays[1].handle, 1);
    printf("%llu %llu %llu %llu\n", calls, (unsigned long long)caller.blocks,
           (unsigned long long)helper.late, (unsigned long long)helper.worst);
    for (int k = 0; k < 2; ++k) OF(destroy)(plays[k].handle);
    return 0;
}
