// A host of LV2 plug-ins: HOST FILE RATE BLOCK INPUTS OUTPUTS CONTROLS [VALUE]... < frames > frames. Frames are floats, the
// channels in turn. A block is BLOCK frames, but every third has one. Outputs are the input's buffers where there are
// any. Ends with 3 if the plug-in is refused. While it runs nothing may be allocated. VALUE may be A:B, which is B from the tenth block on.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_LV2
#include <lv2/core/lv2.h>
#else
typedef struct LV2_Feature LV2_Feature;
typedef void *LV2_Handle;
typedef struct LV2_Descriptor {
    const char *URI;
    LV2_Handle (*instantiate)(const struct LV2_Descriptor *, double, const char *, const LV2_Feature *const *);
    void (*connect_port)(LV2_Handle, uint32_t, void *);
    void (*activate)(LV2_Handle);
    void (*run)(LV2_Handle, uint32_t);
    void (*deactivate)(LV2_Handle);
    void (*cleanup)(LV2_Handle);
    const void *(*extension_data)(const char *);
} LV2_Descriptor;
#endif

enum { kMost = 4096, kPorts = 64 };
static int runs;

void *__libc_malloc(size_t);
void __libc_free(void *);
void *__libc_calloc(size_t, size_t);
static void check(void) {
    if (runs) abort();
}
void *malloc(size_t size) { check(); return __libc_malloc(size); }
void free(void *block) { check(); __libc_free(block); }
void *calloc(size_t count, size_t size) { check(); return __libc_calloc(count, size); }

int main(int argc, char **argv) {
    static float buffers[kPorts][kMost], frames[kPorts * kMost], first[kPorts], second[kPorts], third[kPorts], controls[kPorts];
    const int block = atoi(argv[3]), inputs = atoi(argv[4]), outputs = atoi(argv[5]), count = atoi(argv[6]);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    const LV2_Descriptor *(*find)(uint32_t) = (const LV2_Descriptor *(*)(uint32_t))dlsym(library, "lv2_descriptor");
    const LV2_Descriptor *plugin = find(0);
    if (find(1)) return 4;
    const LV2_Feature *const none[] = {NULL};
    LV2_Handle handle = plugin->instantiate(plugin, atof(argv[2]), ".", none);
    if (!handle) return 3;
    for (int k = 0; k < count; ++k) {
        const char *later = strchr(argv[7 + k], ':');
        controls[k] = first[k] = (float)atof(argv[7 + k]);
        second[k] = later ? (float)atof(later + 1) : first[k];
        const char *last = later ? strchr(later + 1, ':') : NULL;
        third[k] = last ? (float)atof(last + 1) : second[k];
    }
    for (int k = 0; k < inputs; ++k) plugin->connect_port(handle, (uint32_t)k, buffers[k]);
    for (int k = 0; k < outputs; ++k) plugin->connect_port(handle, (uint32_t)(inputs + k), buffers[k]);
    for (int k = 0; k <= count; ++k) plugin->connect_port(handle, (uint32_t)(inputs + outputs + k), &controls[k]);
    plugin->activate(handle);
    plugin->run(handle, 0);
    fprintf(stderr, "%s, latency %g\n", plugin->URI, controls[count]);
    const int width = inputs ? inputs : 1;
    for (int turn = 0;; ++turn) {
        const size_t wanted = turn % 3 == 2 ? 1 : (size_t)block;
        const size_t got = fread(frames, sizeof *frames * (size_t)width, wanted, stdin);
        if (got == 0) break;
        for (size_t k = 0; k < got; ++k)
            for (int c = 0; c < inputs; ++c) buffers[c][k] = frames[k * (size_t)inputs + (size_t)c];
        if (turn == 10) memcpy(controls, second, sizeof *controls * (size_t)count);
        if (turn == 11) memcpy(controls, third, sizeof *controls * (size_t)count);
        runs = 1;
        plugin->run(handle, (uint32_t)got);
        runs = 0;
        for (size_t k = 0; k < got; ++k)
            for (int c = 0; c < outputs; ++c) frames[k * (size_t)outputs + (size_t)c] = buffers[c][k];
        fwrite(frames, sizeof *frames * (size_t)outputs, got, stdout);
    }
    plugin->deactivate(handle);
    plugin->cleanup(handle);
    return dlclose(library);
}
