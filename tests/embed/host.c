/// Puts a file through a library in pieces of any size: host IN OUT MOST SEED CAPACITY. Pieces have up to MOST
/// items, those for the output room for CAPACITY in all. With THREADED the handles have HOST_THREADS threads, and it says what these have done. Now and then the state is saved and another handle goes on from it. Between
/// create and destroy it ends at once if the library allocates, locks or makes a thread. The exit status is that of the library; its message goes to
/// standard error.
#include "host.h"

#include <errno.h>
#include <pthread.h>

// ---- the C library as the library under test sees it

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

static int armed, failing, allocations;

static void guard(const char* what) {
    if (!armed) return;
    armed = 0;
    fprintf(stderr, "%s in a callback\n", what);
    abort();
}

static int fails(void) {
    ++allocations;
    if (failing) errno = ENOMEM;
    return failing;
}

void* malloc(size_t size) {
    guard("malloc");
    return fails() ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
    guard("calloc");
    return fails() ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
    guard("realloc");
    return fails() ? NULL : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    guard("aligned_alloc");
    return fails() ? NULL : __libc_memalign(alignment, size);
}
void free(void* old) {
    guard("free");
    __libc_free(old);
}
#ifndef THREADED
int pthread_mutex_lock(pthread_mutex_t* mutex) {
    (void)mutex;
    guard("pthread_mutex_lock");
    return 0;
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    (void)mutex;
    guard("pthread_mutex_trylock");
    return 0;
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
    (void)thread, (void)attributes, (void)run, (void)argument;
    guard("pthread_create");
    return EAGAIN;
}
#endif

// ---- pieces

static size_t at_most(size_t a, size_t b) { return a < b ? a : b; }

typedef struct stream {
    OF(handle) * handle, *other;
    block in;
    unsigned char* out;
    size_t taken, given, capacity;
    int status;
} stream;

/// The other handle goes on, whatever it has done before, if there is a state to be saved.
static void hop(stream* s, uint32_t* seed) {
    static unsigned char state[1 << 22], again[1 << 22];
    size_t room = OF(state_size)(s->handle), size = 0, same = 0;
    if (room == 0 || draw(seed) % 4 != 0) return;
    if (room > sizeof state) die("a large state");
    armed = 1;
    if (OF(save)(s->handle, state, room, &size) != OF(OK) || size > room) die("save");
    if (OF(restore)(s->other, state, size) != OF(OK)) die(OF(message)(s->other));
    if (OF(save)(s->other, again, room, &same) != OF(OK)) die("save again");
    armed = 0;
    if (same != size || memcmp(state, again, size) != 0) die("another state");
    OF(handle)* left = s->handle;
    s->handle = s->other;
    s->other = left;
}

/// One call; the pieces are copied so that nothing outside of them can be used.
static void step(stream* s, size_t in, size_t room) {
    static unsigned char from[1 << 16], to[1 << 20];
    in = at_most(in, s->in.items - s->taken);
    room = at_most(room, s->capacity - s->given);
    memcpy(from, s->in.bytes + s->taken * kInSize, in * kInSize);
    size_t taken = 77, given = 77;
    armed = 1;
    s->status = OF(process)(s->handle, in ? (const void*)from : NULL, in, room ? (void*)to : NULL,
                            room, &taken, &given);
    armed = 0;
    if (taken > in || given > room) die("more than there was");
    memcpy(s->out + s->given * kOutSize, to, given * kOutSize);
    s->taken += taken;
    s->given += given;
}

/// Until nothing moves any more with room for everything.
static void pump(stream* s, size_t most, uint32_t seed) {
    for (int idle = 0; idle < 100 && s->status == OF(OK);) {
        size_t before = s->taken + s->given;
        size_t in = most == 1 ? 1 : draw(&seed) % (most + 1);
        size_t room = most == 1 ? 1 : draw(&seed) % (most + 1);
        hop(s, &seed);
        step(s, in, room);
        idle = s->taken + s->given == before ? idle + 1 : 0;
    }
}

/// What can still be computed when the input is over; then nothing is taken.
static void drain(stream* s, size_t most, uint32_t seed) {
    static unsigned char to[1 << 20];
    for (int idle = 0; idle < 100 && s->status == OF(OK);) {
        size_t room = most == 1 ? 1 : draw(&seed) % (most + 1), given = 77;
        room = at_most(room, s->capacity - s->given);
        hop(s, &seed);
        armed = 1;
        s->status = OF(drain)(s->handle, room ? (void*)to : NULL, room, &given);
        armed = 0;
        if (given > room) die("more than there was");
        memcpy(s->out + s->given * kOutSize, to, given * kOutSize);
        s->given += given;
        idle = given == 0 ? idle + 1 : 0;
    }
    if (s->status != OF(OK)) return;
    if (*OF(message)(s->handle)) die("a message without a failure");
    if (OF(process)(s->handle, NULL, 0, NULL, 0, NULL, NULL) != OF(CALL))
        die("goes on behind the end");
}

static OF(handle) * create(void) {
    int status = 77;
    failing = 1;
    if (OF(create)(&status) || status != OF(MEMORY)) die("create without memory");
    failing = 0;
    allocations = 0;
    OF(handle)* made = OF(create)(&status);
    if (!made || status != OF(OK)) die("create");
#ifdef THREADED
    OF(thread_options)
    how = {.size = sizeof how, .threads = (uint32_t)atoi(getenv("HOST_THREADS"))};
    if (OF(threads)(made, &how) != OF(OK)) die(OF(message)(made));
#else
    if (allocations != 1) die("more than one allocation");
#endif
    return made;
}

/// Blocks that were shared, and those in which each thread did something.
static void tell(OF(handle) * handle) {
#ifdef THREADED
    OF(report) report = {.size = sizeof report};
    for (uint32_t k = 0; OF(thread_report)(handle, k, &report) == OF(OK); ++k)
        printf("%d/%d ", (int)report.joined, (int)report.blocks);
#endif
    (void)handle;
}

int main(int argc, char** argv) {
    if (argc < 6) die("host IN OUT MOST SEED CAPACITY");
    stream s = {.handle = create(), .other = create(), .in = read_all(argv[1])};
    s.capacity = strtoul(argv[5], NULL, 10);
    s.out = malloc((s.capacity + 1) * kOutSize);
#ifdef SETTING
    if (SETTING(s.handle) != OF(OK)) die("set");
    OF(reset)(s.handle);
#endif
    size_t most = strtoul(argv[3], NULL, 10);
    uint32_t seed = (uint32_t)strtoul(argv[4], NULL, 10);
    // A first half that is forgotten.
    stream half = s;
    half.in.items /= 2;
    half.out = malloc((s.capacity + 1) * kOutSize);
    pump(&half, most, ~seed);
    s.handle = half.handle;
    s.other = half.other;
    armed = 1;
    OF(reset)(s.handle);
    armed = 0;
    pump(&s, most, seed);
    if (OF(process)(NULL, NULL, 0, NULL, 0, NULL, NULL) != OF(CALL)) die("no handle");
    if (s.status == OF(OK) && s.given < s.capacity && s.taken != s.in.items) die("input left");
    if (s.taken == s.in.items) drain(&s, most, seed);
    if (s.status != OF(OK)) fputs(OF(message)(s.handle), stderr);
    FILE* file = fopen(argv[2], "wb");
    if (!file || fwrite(s.out, kOutSize, s.given, file) != s.given) die("output");
    fclose(file);
    tell(s.handle);
    OF(destroy)(s.handle);
    OF(destroy)(s.other);
    OF(destroy)(NULL);
    return s.status;
}
