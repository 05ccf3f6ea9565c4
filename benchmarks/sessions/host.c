/* Many sessions on one core: host one|together SESSIONS ITEMS CALLS. Each call brings every session ITEMS items. Prints a hash of all output, and
 * processor seconds. Items have four bytes; a call gives at most so many more than it brings. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define OF(name) PASTE(STREAM, name)

enum { kMostPerItem = 8 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    const int together = strcmp(argv[1], "together") == 0;
    const size_t sessions = strtoul(argv[2], NULL, 10), items = strtoul(argv[3], NULL, 10),
                 calls = strtoul(argv[4], NULL, 10), room = kMostPerItem * items;
    OF(handle)** handles = calloc(sessions, sizeof *handles);
    const float** in = calloc(sessions, sizeof *in);
    float** out = calloc(sessions, sizeof *out);
    size_t* given = calloc(sessions, sizeof *given);
    uint32_t seed = 1;
    for (size_t k = 0; k < sessions; ++k) {
        float* made = malloc(items * sizeof *made);
        for (size_t i = 0; i < items; ++i) {
            seed = seed * 1664525u + 1013904223u;
            made[i] = (float)(int32_t)seed / 2147483648.0f;
        }
        in[k] = made;
        out[k] = malloc(room * sizeof **out);
        handles[k] = OF(create)(NULL);
        if (!handles[k]) return 3;
    }
    uint64_t hash = 1;
    double spent = 0;
    for (size_t call = 0; call < calls; ++call) {
        const double begin = seconds();
        if (together) {
            if (OF(process_many)(handles, sessions, in, items, out, room, NULL, given) != OF(OK))
                return 4;
        } else {
            for (size_t k = 0; k < sessions; ++k)
                if (OF(process)(handles[k], in[k], items, out[k], room, NULL, &given[k]) != OF(OK))
                    return 4;
        }
        spent += seconds() - begin;
        for (size_t k = 0; k < sessions; ++k)
            for (size_t i = 0; i < given[k]; ++i) {
                uint32_t bits;
                memcpy(&bits, &out[k][i], sizeof bits);
                hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
                hash ^= hash >> 29;
            }
    }
    printf("%016llx %.9f\n", (unsigned long long)hash, spent);
    return 0;
}
