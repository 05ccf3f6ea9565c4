// A driver of CUDA without a device. Memory is the host's, and a few kernels are functions (fake_kernels.h). Work on streams
// is put off until somebody waits for it, and then done in one of two extreme orders, FAKE_CUDA_ORDER: "late", in which
// nothing is done that nobody waits for, or "early", in which streams other than the first go ahead as far as they can. Who
// forgets to wait sees wrong data in one of them.
// With FAKE_CUDA_TOOLS, the folder of ptx_to_c.py, and FAKE_CUDA_CACHE, one for what it makes, kernels are no functions of ours but the code that the driver is given, done by
// the processor (fake_grid.h), in an order of threads that is turned round where FAKE_CUDA_ORDER is "early"; the
// library's code is then the PTX in the file FAKE_CUDA_LIBRARY, as a processor cannot read what the toolkit makes of it.
// FAKE_CUDA names a function, its result, and at which call it fails ("cuMemAlloc_v2=2", "cuLaunchKernel=719:5");
// FAKE_CUDA_LOG is a file for the calls.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_grid.h"
#include "fake_kernels.h"

enum {
    kInvalid = 1,
    kFull = 2,
    kUnjoined = 904,
    kIsolation = 907,
    kMostStreams = 8,
    kMostPinned = 256
};
static const size_t kMemory = (size_t)1 << 30;

// ---- calls

static int call_of(const char* name, const char* about) {
    static int times;
    const char *log = getenv("FAKE_CUDA_LOG"), *fault = getenv("FAKE_CUDA");
    size_t length = strlen(name);
    if (log) {
        FILE* file = fopen(log, "a");
        fprintf(file, "%s%s%s\n", name, *about ? " " : "", about);
        fclose(file);
    }
    if (fake_fault) return fake_fault;
    if (!fault || strncmp(fault, name, length) != 0 || fault[length] != '=') return 0;
    const char* from = strchr(fault, ':');
    return ++times >= (from ? atoi(from + 1) : 1) ? atoi(fault + length + 1) : 0;
}

static int call(const char* name) { return call_of(name, ""); }

int cuGetErrorString(int result, const char** text) {
    *text = result == 2     ? "out of memory"
            : result == 700 ? "an illegal memory access was encountered"
            : result == 719 ? "unspecified launch failure"
            : result == 999 ? "GPU is lost"
                            : "some fault";
    return 0;
}

// ---- the device

int cuInit(unsigned flags) { return (void)flags, call("cuInit"); }
int cuDeviceGetCount(int* count) { return *count = 1, call("cuDeviceGetCount"); }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, call("cuDeviceGet"); }
int cuDeviceGetAttribute(int* value, int which, int device) {
    (void)device;
    *value = which == 75 ? (getenv("FAKE_CUDA_OLD") ? 6 : 9) : which == 76 ? 0 : FAKE_PROCESSORS;
    return call("cuDeviceGetAttribute");
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
    (void)device;
    return *context = (void*)1, call("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int device) {
    return (void)device, call("cuDevicePrimaryCtxRelease_v2");
}
int cuCtxSetCurrent(void* context) { return (void)context, call("cuCtxSetCurrent"); }

static char* text_of(const char* path) {
    FILE* file = path ? fopen(path, "r") : NULL;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    char* text = calloc(1, (size_t)size + 1);
    rewind(file);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) abort();
    fclose(file);
    return text;
}

int cuModuleLoadDataEx(void** module, const void* code, unsigned count, int* names, void** values) {
    (void)count, (void)names, (void)values;
    int result = call("cuModuleLoadDataEx");
    *module = (void*)1;
    if (result != 0 || !getenv("FAKE_CUDA_TOOLS")) return result;
    const int is_binary = *(const char*)code != '/' && *(const char*)code != '.';
    char* text = is_binary ? text_of(getenv("FAKE_CUDA_LIBRARY")) : NULL;
    if (is_binary && !text) return kInvalid;
    *module = (void*)fake_code_of(is_binary ? text : code);
    free(text);
    return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                size_t shared) {
    (void)function, (void)threads, (void)shared;
    return *blocks = fake_blocks_each(), call("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
int cuModuleUnload(void* module) { return (void)module, call("cuModuleUnload"); }

/// A kernel whose code is done by the processor.
typedef struct emulated {
    const fake_code* code;
    const fake_entry* entry;
} emulated;

int cuModuleGetFunction(void** function, void* module, const char* name) {
    if (getenv("FAKE_CUDA_TOOLS")) {
        emulated* made = malloc(sizeof *made);
        made->code = module;
        made->entry = fake_entry_of(module, name);
        *function = made;
    } else {
        *function = (void*)fake_kernel(name);
    }
    return call_of("cuModuleGetFunction", name);
}

// ---- memory

static size_t taken;  ///< bytes, of kMemory

int cuMemGetInfo_v2(size_t* available, size_t* total) {
    *total = kMemory;
    return *available = kMemory - taken, 0;
}
int cuMemAlloc_v2(uint64_t* to, size_t bytes) {
    int result = call("cuMemAlloc_v2");
    if (result == 0 && bytes > kMemory - taken) result = kFull;
    if (result == 0) taken += bytes;
    *to = result == 0 ? (uint64_t)(uintptr_t)malloc(bytes) : 0;
    if (*to) memset((void*)(uintptr_t)*to, 0xA5, bytes);
    if (*to) fake_memory_add(*to, bytes);
    return result;
}
int cuMemFree_v2(uint64_t at) {
    fake_memory_remove(at);
    return free((void*)(uintptr_t)at), call("cuMemFree_v2");
}

static struct {
    char *begin, *end;
} pinned[kMostPinned];
static int pinned_count;

static void pin(void* at, size_t bytes) {
    if (pinned_count == kMostPinned) abort();
    pinned[pinned_count].begin = at;
    pinned[pinned_count++].end = (char*)at + bytes;
}

static int is_pinned(const void* at, size_t bytes) {
    for (int k = 0; k < pinned_count; ++k)
        if ((const char*)at >= pinned[k].begin && (const char*)at + bytes <= pinned[k].end)
            return 1;
    return 0;
}

int cuMemHostAlloc(void** to, size_t bytes, unsigned flags) {
    (void)flags;
    *to = calloc(1, bytes);
    pin(*to, bytes);
    return call("cuMemHostAlloc");
}
int cuMemFreeHost(void* at) { return free(at), call("cuMemFreeHost"); }
int cuMemHostRegister_v2(void* at, size_t bytes, unsigned flags) {
    (void)flags;
    int result = call("cuMemHostRegister_v2");
    if (result == 0) pin(at, bytes);
    return result;
}
int cuMemHostUnregister(void* at) { return (void)at, call("cuMemHostUnregister"); }
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
    memcpy((void*)(uintptr_t)to, from, bytes);
    return call("cuMemcpyHtoD_v2");
}

// ---- streams: lists of work; marks are places in them

typedef struct mark {
    struct stream* in;
    int is_done;
} mark;

enum kind { COPY, SET, KERNEL, GRID, RECORD, WAIT, GRAPH };

typedef struct work {
    struct work* next;
    enum kind kind;
    void* to;
    const void* from;
    size_t bytes, pitch, rows;
    unsigned char byte;
    fake_launch launch;
    const emulated* kernel;
    fake_grid grid;
    mark* mark;
    int number;  ///< of the mark, in a graph
    struct graph* graph;
} work;

typedef struct stream {
    work *first, **end;
    struct graph* captured_by;
    int lane;
} stream;

typedef struct graph {
    stream lanes[kMostStreams];
    int lane_count, mark_count;
    char is_waited_for[256];
} graph;

typedef struct event {
    mark* mark;
    graph* captured_by;
    int number;
} event;

static stream* streams[kMostStreams];
static int stream_count;

static void add(stream* to, work item) {
    work* made = malloc(sizeof *made);
    *made = item;
    made->next = NULL;
    if (!to->first) to->end = &to->first;
    *to->end = made;
    to->end = &made->next;
}

/// To a stream, or to what it is captured as.
static void submit(void* handle, work item) {
    stream* on = handle;
    add(on->captured_by ? &on->captured_by->lanes[on->lane] : on, item);
}

static void run(stream* of, const mark* until, stream* const* all, int count);

static void launch_graph(const graph* from) {
    stream lanes[kMostStreams] = {0}, *all[kMostStreams];
    mark* marks = calloc((size_t)from->mark_count + 1, sizeof *marks);
    for (int lane = 0; lane < from->lane_count; ++lane) {
        all[lane] = &lanes[lane];
        for (const work* each = from->lanes[lane].first; each; each = each->next) {
            work copy = *each;
            copy.mark = &marks[each->number];
            if (each->kind == RECORD) copy.mark->in = &lanes[lane];
            add(&lanes[lane], copy);
        }
    }
    run(&lanes[0], NULL, all, from->lane_count);
    for (int lane = 0; lane < from->lane_count; ++lane)
        if (lanes[lane].first) abort();  // it has been joined
    free(marks);
}

static int is_early(void) {
    const char* order = getenv("FAKE_CUDA_ORDER");
    return order && strcmp(order, "early") == 0;
}

static void perform(work* item, stream* const* all, int count) {
    switch (item->kind) {
        case COPY: memmove(item->to, item->from, item->bytes); break;
        case SET:
            for (size_t k = 0; k < item->rows; ++k)
                memset((char*)item->to + k * item->pitch, item->byte, item->bytes);
            break;
        case KERNEL: fake_perform(&item->launch); break;
        case GRID:
            fake_grid_run(item->kernel->code, item->kernel->entry, item->launch.arguments,
                          &item->grid, is_early());
            break;
        case RECORD: item->mark->is_done = 1; break;
        case WAIT:
            if (!item->mark->is_done) run(item->mark->in, item->mark, all, count);
            break;
        case GRAPH: launch_graph(item->graph); break;
    }
}

static void pop(stream* of, stream* const* all, int count) {
    work* item = of->first;
    of->first = item->next;
    perform(item, all, count);
    free(item);
}

/// Streams but the first, as far as they need not wait.
static void go_ahead(stream* const* all, int count) {
    if (!is_early()) return;
    for (int k = 1; k < count; ++k)
        while (all[k]->first && !(all[k]->first->kind == WAIT && !all[k]->first->mark->is_done))
            pop(all[k], all, count);
}

static void run(stream* of, const mark* until, stream* const* all, int count) {
    while (of->first && !(until && until->is_done)) {
        pop(of, all, count);
        go_ahead(all, count);
    }
}

int cuStreamCreate(void** made, unsigned flags) {
    (void)flags;
    *made = streams[stream_count++] = calloc(1, sizeof(stream));
    return call("cuStreamCreate");
}
int cuStreamDestroy_v2(void* at) { return (void)at, call("cuStreamDestroy_v2"); }
int cuStreamSynchronize(void* at) {
    stream* on = at;
    if (on->captured_by) return kIsolation;
    run(on, NULL, streams, stream_count);
    return call("cuStreamSynchronize");
}

int cuEventCreate(void** made, unsigned flags) {
    (void)flags;
    *made = calloc(1, sizeof(event));
    return call("cuEventCreate");
}
int cuEventDestroy_v2(void* at) { return free(at), call("cuEventDestroy_v2"); }

int cuEventRecord(void* at, void* handle) {
    event* e = at;
    stream* on = handle;
    work item = {.kind = RECORD};
    e->captured_by = on->captured_by;
    if (on->captured_by) {
        item.number = e->number = on->captured_by->mark_count++;
    } else {
        item.mark = e->mark = calloc(1, sizeof(mark));
        e->mark->in = on;
    }
    submit(on, item);
    return call("cuEventRecord");
}

int cuStreamWaitEvent(void* handle, void* at, unsigned flags) {
    stream* on = handle;
    event* e = at;
    (void)flags;
    if (on->captured_by != e->captured_by) {
        if (on->captured_by || !e->captured_by) return kIsolation;
        on->captured_by = e->captured_by;
        on->lane = e->captured_by->lane_count++;
    }
    if (e->captured_by) e->captured_by->is_waited_for[e->number] = 1;
    submit(on, (work){.kind = WAIT, .mark = e->mark, .number = e->number});
    return call("cuStreamWaitEvent");
}

// ---- graphs

int cuStreamBeginCapture_v2(void* handle, int mode) {
    (void)mode;
    stream* on = handle;
    on->captured_by = calloc(1, sizeof(graph));
    on->lane = 0;
    on->captured_by->lane_count = 1;
    return call("cuStreamBeginCapture_v2");
}

/// What is last in another stream has to be waited for.
static int is_joined(const graph* made) {
    for (int lane = 1; lane < made->lane_count; ++lane) {
        const work* last = made->lanes[lane].first;
        while (last->next) last = last->next;
        if (last->kind != RECORD || !made->is_waited_for[last->number]) return 0;
    }
    return 1;
}

int cuStreamEndCapture(void* handle, void** result) {
    graph* made = ((stream*)handle)->captured_by;
    for (int k = 0; k < stream_count; ++k)
        if (streams[k]->captured_by == made) streams[k]->captured_by = NULL;
    *result = made;
    return is_joined(made) ? call("cuStreamEndCapture") : kUnjoined;
}
int cuGraphInstantiateWithFlags(void** made, void* from, unsigned long long flags) {
    (void)flags;
    *made = from;
    return call("cuGraphInstantiateWithFlags");
}
int cuGraphLaunch(void* at, void* handle) {
    submit(handle, (work){.kind = GRAPH, .graph = at});
    return call("cuGraphLaunch");
}
int cuGraphDestroy(void* at) { return (void)at, call("cuGraphDestroy"); }
int cuGraphExecDestroy(void* at) { return (void)at, call("cuGraphExecDestroy"); }

// ---- work

int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* on) {
    submit(on, (work){.kind = COPY, .to = (void*)(uintptr_t)to, .from = from, .bytes = bytes});
    return call_of("cuMemcpyHtoDAsync_v2", is_pinned(from, bytes) ? "pinned" : "pageable");
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* on) {
    submit(on,
           (work){.kind = COPY, .to = to, .from = (const void*)(uintptr_t)from, .bytes = bytes});
    return call_of("cuMemcpyDtoHAsync_v2", is_pinned(to, bytes) ? "pinned" : "pageable");
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* on) {
    submit(on, (work){.kind = COPY,
                      .to = (void*)(uintptr_t)to,
                      .from = (const void*)(uintptr_t)from,
                      .bytes = bytes});
    return call("cuMemcpyDtoDAsync_v2");
}
int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes, void* on) {
    submit(
        on,
        (work){.kind = SET, .to = (void*)(uintptr_t)to, .byte = byte, .bytes = bytes, .rows = 1});
    return call("cuMemsetD8Async");
}
int cuMemsetD2D8Async(uint64_t to, size_t pitch, unsigned char byte, size_t width, size_t height,
                      void* on) {
    submit(on, (work){.kind = SET,
                      .to = (void*)(uintptr_t)to,
                      .byte = byte,
                      .bytes = width,
                      .pitch = pitch,
                      .rows = height});
    return call("cuMemsetD2D8Async");
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* on, void** parameters, void** extra) {
    (void)shared, (void)extra;
    work item = {.kind = KERNEL};
    if (getenv("FAKE_CUDA_TOOLS")) {
        item.kind = GRID;
        item.kernel = function;
        item.grid = (fake_grid){{gx, gy, gz}, {bx, by, bz}};
        if (gx == 0 || gy == 0 || gz == 0 || gy > 65535 || gz > 65535 || bx * by * bz > 1024)
            return kInvalid;
        if (fake_parameters(item.kernel->entry, parameters, item.launch.arguments, kMostArguments) <
            0)
            return kInvalid;
    } else {
        item.launch = fake_launch_of(function, parameters);
    }
    submit(on, item);
    return call("cuLaunchKernel");
}
