/* host LIBRARY NAME SAMPLES CHUNK...: calls a stream of floats as an audio callback would, so many samples at a time.
   Prints for each size of chunk the processor nanoseconds a sample, and last the sum of what comes out of the first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void* (*create_function)(int*);
typedef int (*process_function)(void*, const float*, size_t, float*, size_t, size_t*, size_t*);
typedef void (*destroy_function)(void*);

static void* function(void* library, const char* name, const char* what) {
    char symbol[256];
    snprintf(symbol, sizeof symbol, "%s_%s", name, what);
    void* found = dlsym(library, symbol);
    if (!found) exit((fprintf(stderr, "host: %s\n", dlerror()), 1));
    return found;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int count, char** words) {
    if (count < 5) return 2;
    void* library = dlopen(words[1], RTLD_NOW);
    if (!library) exit((fprintf(stderr, "host: %s\n", dlerror()), 1));
    create_function create = (create_function)function(library, words[2], "create");
    process_function process = (process_function)function(library, words[2], "process");
    destroy_function destroy = (destroy_function)function(library, words[2], "destroy");
    const size_t samples = strtoul(words[3], NULL, 10), before = 8192;
    float *in = malloc((samples + before) * sizeof *in),
          *out = malloc((samples + before) * sizeof *out);
    for (size_t k = 0; k < samples + before; ++k)
        in[k] = (float)((k * 7919) % 1000) / 1000.0f - 0.5f;
    double sum = 0;
    for (int word = 4; word < count; ++word) {
        const size_t chunk = strtoul(words[word], NULL, 10);
        void* handle = create(NULL);
        size_t taken, given;
        if (process(handle, in, before, out, before, &taken, &given)) return 1;
        const double start = now();
        for (size_t k = 0; k + chunk <= samples; k += chunk)
            if (process(handle, in + before + k, chunk, out + k, chunk, &taken, &given)) return 1;
        printf("%.2f\n", (now() - start) / (double)(samples / chunk * chunk));
        destroy(handle);
        if (word == 4)
            for (size_t k = 0; k < samples / 2; ++k) sum += out[k];
    }
    printf("%.6f\n", sum);
    return 0;
}
