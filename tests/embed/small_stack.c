/// Puts a file through a library in a thread with 128 KB of stack, and sees to it that a call takes no more of it than the header
/// says: small_stack IN OUT. Says how much that was, and how large the handle is.
#include <malloc.h>
#include <pthread.h>

#include "host.h"

enum { kStack = 128 << 10, kPattern = 0xa5, kOwn = 512 };

typedef struct job {
    OF(handle) * handle;
    block in, out;
    size_t used;
    char stack[kStack] __attribute__((aligned(4096)));
} job;

/// Bytes below `top` that were written to.
static size_t used_below(const job* job, const char* top) {
    const char* at = job->stack;
    while (at < top && *at == (char)kPattern) ++at;
    return (size_t)(top - at);
}

static void* work(void* of) {
    job* own = of;
    char* top = (char*)__builtin_frame_address(0) - kOwn;
    memset(own->stack, kPattern, (size_t)(top - own->stack));
    size_t taken, given;
    if (OF(process)(own->handle, (const void*)own->in.bytes, own->in.items, (void*)own->out.bytes,
                    own->out.items, &taken, &given) != OF(OK))
        die(OF(message)(own->handle));
    own->used = used_below(own, top);
    own->out.items = given;
    return NULL;
}

int main(int argc, char** argv) {
    if (argc < 3) die("small_stack IN OUT");
    job* own = aligned_alloc(4096, sizeof *own);
    own->handle = OF(create)(NULL);
    own->in = read_all(argv[1]);
    own->out = (block){malloc(1 << 24), (1 << 24) / kOutSize};
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, own->stack, kStack);
    if (!own->handle || pthread_create(&thread, &attributes, work, own) != 0) die("thread");
    pthread_join(thread, NULL);
    FILE* out = fopen(argv[2], "wb");
    fwrite(own->out.bytes, kOutSize, own->out.items, out);
    fclose(out);
    printf("%zu of %d, %zu\n", own->used, OF(STACK_BYTES), malloc_usable_size(own->handle));
    return own->used > OF(STACK_BYTES) || own->out.items == 0;
}
