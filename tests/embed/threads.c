/// Two handles in two threads, which give the same: for ThreadSanitizer. threads IN
#include <pthread.h>

#include "host.h"

enum { kPiece = 100 };

typedef struct job {
    block in;
    unsigned char* out;
    size_t given;
} job;

static void* work(void* of) {
    job* own = of;
    OF(handle)* handle = OF(create)(NULL);
    if (!handle) die("create");
    for (int round = 0; round < 20; ++round) {
        own->given = 0;
        for (size_t taken = 0; taken < own->in.items;) {
            size_t in = own->in.items - taken < kPiece ? own->in.items - taken : kPiece;
            size_t more, given;
            if (OF(process)(handle, (const void*)(own->in.bytes + taken * kInSize), in,
                            (void*)(own->out + own->given * kOutSize), kPiece, &more,
                            &given) != OF(OK))
                die(OF(message)(handle));
            taken += more;
            own->given += given;
        }
        OF(reset)(handle);
    }
    OF(destroy)(handle);
    return NULL;
}

int main(int argc, char** argv) {
    if (argc < 2) die("threads IN");
    job jobs[2];
    pthread_t threads[2];
    for (int k = 0; k < 2; ++k) {
        jobs[k].in = read_all(argv[1]);
        jobs[k].out = malloc((jobs[k].in.items * 4 + kPiece) * kOutSize);
        if (pthread_create(&threads[k], NULL, work, &jobs[k]) != 0) die("thread");
    }
    for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
    int same = jobs[0].given != 0 && jobs[0].given == jobs[1].given &&
               memcmp(jobs[0].out, jobs[1].out, jobs[0].given * kOutSize) == 0;
    return same ? 0 : 1;
}
