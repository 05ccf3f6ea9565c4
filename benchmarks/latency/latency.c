/// Plays noise through handles of one library with 1, 2, ... threads, block by block in turn, and says how long the blocks of each took:
/// latency BLOCKS SPIN THREADS...   A line for each number: threads, median, 99.9th percentile and worst in µs, blocks that were shared,
/// blocks that a helper joined, late. It fails if outputs differ.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define OF(name) PASTE(STREAM, name)

enum { kBlock = 64, kMost = 8 };

typedef struct way {
    OF(handle) * handle;
    uint32_t threads;
    float* took;  ///< µs, by block
} way;

static int compare(const void* a, const void* b) {
    const float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static void tell(way* w, long blocks) {
    OF(report) caller = {.size = sizeof caller}, helper = {.size = sizeof helper};
    uint64_t joined = 0, late = 0;
    OF(thread_report)(w->handle, 0, &caller);
    for (uint32_t k = 1; OF(thread_report)(w->handle, k, &helper) == OF(OK); ++k) {
        joined += helper.joined;
        late += helper.late;
    }
    qsort(w->took, (size_t)blocks, sizeof *w->took, compare);
    printf("%u %.1f %.1f %.1f %llu %llu %llu\n", w->threads, w->took[blocks / 2],
           w->took[blocks - 1 - blocks / 1000], w->took[blocks - 1],
           (unsigned long long)caller.blocks, (unsigned long long)joined, (unsigned long long)late);
}

int main(int argc, char** argv) {
    if (argc < 4 || argc > 3 + kMost) return 2;
    const long blocks = atol(argv[1]);
    way ways[kMost];
    const int count = argc - 3;
    for (int k = 0; k < count; ++k) {
        ways[k] = (way){OF(create)(NULL), (uint32_t)atoi(argv[3 + k]),
                        malloc((size_t)blocks * sizeof(float))};
        OF(thread_options)
        how = {.size = sizeof how, .threads = ways[k].threads, .spin = (uint32_t)atoi(argv[2])};
        if (!ways[k].handle || !ways[k].took || OF(threads)(ways[k].handle, &how) != OF(OK))
            return 3;
    }
    float in[kBlock], out[kMost][kBlock];
    uint32_t seed = 1;
    for (long block = 0; block < blocks; ++block) {
        for (int i = 0; i < kBlock; ++i) {
            seed = seed * 1664525u + 1013904223u;
            in[i] = (float)(int32_t)seed * 0x1p-31f;
        }
        for (int turn = 0; turn < count; ++turn) {
            way* w = &ways[(turn + block) % count];
            const double began = now();
            size_t given = 0;
            if (OF(process)(w->handle, in, kBlock, out[w - ways], kBlock, NULL, &given) != OF(OK))
                return 4;
            w->took[block] = (float)(now() - began);
            memset(out[w - ways] + given, 0, (kBlock - given) * sizeof(float));
        }
        for (int k = 1; k < count; ++k)
            if (memcmp(out[k], out[0], sizeof out[0]) != 0) return 5;
    }
    for (int k = 0; k < count; ++k) {
        tell(&ways[k], blocks);
        OF(destroy)(ways[k].handle);
    }
    return 0;
}
