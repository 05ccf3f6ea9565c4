/// What happens to helpers: they sleep when a handle is destroyed, a child process has none, several handles have theirs, and hosts ask for
/// what there is not. team IN OUT
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

enum { kPiece = 64, kSleep = 20000000 /* ns: longer than a helper spins */ };

static OF(handle) * create(uint32_t threads) {
    OF(handle)* made = OF(create)(NULL);
    OF(thread_options) how = {.size = sizeof how, .threads = threads};
    if (!made || OF(threads)(made, &how) != OF(OK)) die("create");
    return made;
}

static void rest(void) {
    const struct timespec time = {.tv_nsec = kSleep};
    nanosleep(&time, NULL);
}

typedef struct play {
    OF(handle) * handle;
    block in;
    unsigned char* out;
    size_t taken, given;
} play;

static void step(play* p, size_t pieces) {
    for (; pieces > 0 && p->taken < p->in.items; --pieces) {
        size_t left = p->in.items - p->taken, more, given;
        if (OF(process)(p->handle, (const void*)(p->in.bytes + p->taken * kInSize),
                        left < kPiece ? left : kPiece, (void*)(p->out + p->given * kOutSize),
                        kPiece, &more, &given) != OF(OK))
            die(OF(message)(p->handle));
        p->taken += more;
        p->given += given;
    }
}

static void in_child(play* p) {
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        step(p, SIZE_MAX);
        OF(destroy)(p->handle);
        FILE* file = fopen("child.raw", "wb");
        if (!file || fwrite(p->out, kOutSize, p->given, file) != p->given) _exit(3);
        fclose(file);
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) die("the child failed");
}

static void ask_for_too_much(void) {
    OF(handle)* handle = OF(create)(NULL);
    const int32_t nowhere[16] = {4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000,
                                 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000};
    OF(thread_options) how = {.size = sizeof how, .processors = nowhere};
    if (OF(threads)(handle, &how) != OF(REFUSED)) die("a processor that is not there");
    if (!strstr(OF(message)(handle), "processor")) die(OF(message)(handle));
    how = (OF(thread_options)){.size = sizeof how, .priority = 100};
    if (OF(threads)(handle, &how) != OF(CALL)) die("a priority that there is not");
    how = (OF(thread_options)){.size = sizeof how, .priority = 1};
    const int status = OF(threads)(handle, &how);
    if (status != OF(OK) && (status != OF(REFUSED) || !strstr(OF(message)(handle), "priority")))
        die("a priority");
    if (OF(threads)(handle, &(OF(thread_options)){0}) != OF(CALL)) die("no size");
    how = (OF(thread_options)){.size = offsetof(OF(thread_options), priority), .priority = 1000};
    if (OF(threads)(handle, &how) != OF(OK))
        die("what lies behind the options that the host knows");
    OF(report) report = {.size = sizeof report};
    if (OF(thread_report)(handle, OF(THREADS), &report) != OF(CALL)) die("one thread too many");
    if (OF(thread_report)(handle, 0, &report) != OF(OK) || report.blocks != 0) die("no report");
    if (OF(threads)(NULL, NULL) != OF(CALL)) die("no handle");
    OF(destroy)(handle);
}

int main(int argc, char** argv) {
    if (argc != 3) die("team IN OUT");
    for (int k = 0; k < 3; ++k) {  // asleep, just awake, at once
        OF(handle)* handle = create(k + 1);
        if (k == 0) rest();
        OF(destroy)(handle);
    }
    ask_for_too_much();
    play plays[3];
    const uint32_t threads[3] = {1, 2, 16};
    for (int k = 0; k < 3; ++k) {
        plays[k] = (play){.handle = create(threads[k]), .in = read_all(argv[1])};
        plays[k].out = malloc((plays[k].in.items + kPiece) * kOutSize);
    }
    for (int round = 0; plays[0].taken < plays[0].in.items; ++round) {
        for (int k = 0; k < 3; ++k) step(&plays[k], 20);
        if (round < 3) rest();
        if (round == 5) in_child(&plays[1]);
    }
    for (int k = 1; k < 3; ++k)
        if (plays[k].given != plays[0].given ||
            memcmp(plays[k].out, plays[0].out, plays[0].given * kOutSize) != 0)
            die("threads make a difference");
    FILE* file = fopen(argv[2], "wb");
    if (!file || fwrite(plays[0].out, kOutSize, plays[0].given, file) != plays[0].given)
        die("output");
    fclose(file);
    for (int k = 0; k < 3; ++k) OF(destroy)(plays[k].handle);
    return 0;
}
