// The part of a program that a CUDA device does: code and memory when it begins, what of it transactions keep, its end.
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

enum {
    kMostBlocks = 32,  ///< of a processor at the same time, on any device
    kOldest = 80,  ///< compute capability, times 10: what code is made for
};

// ---- failures

static int fail(strc_device_error *error, uint32_t failure, const char *text, const char *why) {
    *error = (strc_device_error){
        .failure = failure, .ordinal = error->ordinal, .node = STRC_NOBODY, .last = STRC_NOBODY};
    snprintf(error->text, sizeof error->text, "%s", text);
    snprintf(error->why, sizeof error->why, "%s", why ? why : "");
    return -1;
}

static const char *words_of(const strc_driver *driver, cu_result result) {
    const char *text = NULL;
    return driver->error_string(result, &text) == 0 && text ? text : "an unknown fault";
}

static int fail_at_work(strc_device *d, uint32_t failure, const char *text, const char *why) {
    strc_device_error *error = &d->env->device_error;
    fail(error, failure, text, why);
    error->node = d->node;
    error->last = d->last;
    return -1;
}

int strc_device_check(strc_device *d, cu_result result, const char *what) {
    if (result == 0) return 0;
    return fail_at_work(d, STRC_DEVICE_FAILED, what, words_of(d->driver, result));
}

void strc_device_at_work(strc_device *d, uint32_t node, uint32_t last) {
    d->node = node;
    d->last = last;
}

cu_address strc_device_allocate(strc_device *d, uint64_t bytes, const char *what) {
    cu_address made = 0;
    cu_result result = d->driver->allocate(&made, bytes ? bytes : 1);
    if (result == CU_OUT_OF_MEMORY) {
        fail_at_work(d, STRC_DEVICE_FULL, what, NULL);
        d->env->device_error.bytes = bytes;
        return 0;
    }
    return strc_device_check(d, result, "was asked for memory") == 0 ? made : 0;
}

// ---- finding a device

static const strc_driver *find(int32_t ordinal, cu_device *device, strc_device_error *error) {
    const char *why;
    char text[200];
    int count = 0, major = 0, minor = 0;
    const strc_driver *driver = strc_driver_get(&why);
    if (!driver) {
        fail(error, STRC_DEVICE_MISSING, why, NULL);
        return NULL;
    }
    driver->device_count(&count);
    if (ordinal < 0 || ordinal >= count) {
        snprintf(text, sizeof text, "there %s %d CUDA device%s, so none is number %d",
                 count == 1 ? "is" : "are", count, count == 1 ? "" : "s", (int)ordinal);
        fail(error, STRC_DEVICE_MISSING, text, NULL);
        return NULL;
    }
    cu_result result = driver->device_get(device, ordinal);
    if (result == 0) result = driver->device_attribute(&major, CU_MAJOR, *device);
    if (result == 0) result = driver->device_attribute(&minor, CU_MINOR, *device);
    if (result != 0) {
        fail(error, STRC_DEVICE_MISSING, words_of(driver, result), NULL);
        return NULL;
    }
    if (major * 10 + minor >= kOldest) return driver;
    snprintf(text, sizeof text, "device %d has compute capability %d.%d, and 8.0 is needed",
             (int)ordinal, major, minor);
    fail(error, STRC_DEVICE_MISSING, text, NULL);
    return NULL;
}

static int probe(int32_t ordinal, strc_device_error *error) {
    cu_device device;
    error->ordinal = ordinal;
    return find(ordinal, &device, error) ? 0 : -1;
}

// ---- code

static int load_code(strc_device *d) {
    char log[200] = "";
    int names[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    cu_result result = d->driver->module_load(&d->code, d->program->code, 2, names, values);
    if (result != 0 && log[0])
        return fail(&d->env->device_error, STRC_DEVICE_FAILED, "was given code", log);
    if (strc_device_check(d, result, "was given code") != 0) return -1;
    result = d->driver->module_load(&d->library, d->program->library, 0, NULL, NULL);
    if (strc_device_check(d, result, "was given the kernels of the library") != 0) return -1;
    for (uint64_t k = 0; k < d->program->kernel_count; ++k) {
        result = d->driver->module_function(&d->kernels[k], d->code,
                                            d->program->names + d->program->kernels[k]);
        if (strc_device_check(d, result, "was asked for a kernel") != 0) return -1;
    }
    return 0;
}

static int find_in_library(strc_device *d, cu_handle *function, const char *name,
                           const char *element) {
    char symbol[40];
    snprintf(symbol, sizeof symbol, "strc_%s%s%s", name, *element ? "_" : "", element);
    return strc_device_check(d, d->driver->module_function(function, d->library, symbol),
                             "was asked for a kernel of the library");
}

static int find_library(strc_device *d) {
    static const char *const elements[STRC_ELEMENTS] = {"float", "double", "int", "half",
                                                        "bfloat16"};
    static const char *const ways[STRC_WAYS] = {"tile", "thin", "dots", "tensor"};
    for (int element = 0; element < STRC_ELEMENTS; ++element) {
        const int has_tensor = element != STRC_DEVICE_DOUBLE && element != STRC_DEVICE_INT;
        for (int way = 0; way < STRC_WAYS; ++way)
            if ((way != STRC_WAY_TENSOR || has_tensor) &&
                find_in_library(d, &d->ways[element][way], ways[way], elements[element]) != 0)
                return -1;
        if (find_in_library(d, &d->gathers[element], "gather", elements[element]) != 0) return -1;
    }
    static const char *const widths[2][STRC_ATTENTION_WIDTHS] = {
        {"few_32", "few_64", "few_128"}, {"many_32", "many_64", "many_128"}};
    for (int many = 0; many < 2; ++many)
        for (int width = 0; width < STRC_ATTENTION_WIDTHS; ++width)
            if (find_in_library(d, &d->attends[many][width], "attend", widths[many][width]) != 0)
                return -1;
    return find_in_library(d, &d->rows, "rows", "");
}

// ---- memory

static int upload_weights(strc_device *d) {
    for (uint64_t k = 0; k < d->program->weight_count; ++k) {
        const strc_device_weight *weight = &d->program->weights[k];
        const void *bytes =
            weight->is_pointer ? *(const void *const *)weight->bytes : weight->bytes;
        cu_result result =
            d->driver->upload(d->memories[STRC_DEVICE_WEIGHTS] + weight->at, bytes, weight->size);
        if (strc_device_check(d, result, "was given weights") != 0) return -1;
    }
    return 0;
}

static uint64_t kept_bytes(const strc_device_program *program) {
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < program->kept_count; ++k) bytes += program->kept[k].size;
    return bytes;
}

/// For as many firings as blocks can ever be at work at the same time.
static uint64_t barrier_bytes(const strc_device *d) {
    return (uint64_t)d->processors * kMostBlocks * sizeof(strc_device_barrier);
}

static int take_memory(strc_device *d, const strc_program *whole) {
    const struct {
        cu_address *to;
        uint64_t bytes;
        const char *what;
        uint32_t most;
    } blocks[] = {
        {&d->memories[STRC_DEVICE_STATE], whole->state_size, "the tapes and fields of the program",
         d->program->most[STRC_DEVICE_STATE]},
        {&d->memories[STRC_DEVICE_SCRATCH], d->program->scratch_size, "what filters compute with",
         d->program->most[STRC_DEVICE_SCRATCH]},
        {&d->memories[STRC_DEVICE_WEIGHTS], d->program->weights_size, "the weights",
         d->program->most[STRC_DEVICE_WEIGHTS]},
        {&d->faults, sizeof(strc_device_env), "checks that fail", STRC_NOBODY},
        {&d->barriers, barrier_bytes(d), "barriers", STRC_NOBODY},
        {&d->shadow, kept_bytes(d->program), "a copy of the state", STRC_NOBODY},
    };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) {
        strc_device_at_work(d, blocks[k].most, blocks[k].most);
        if (!(*blocks[k].to = strc_device_allocate(d, blocks[k].bytes, blocks[k].what))) return -1;
    }
    strc_device_at_work(d, STRC_NOBODY, STRC_NOBODY);
    void *fault = NULL;
    cu_result result = d->driver->host_allocate(&fault, sizeof *d->fault, 0);
    if (strc_device_check(d, result, "took memory of the host") != 0) return -1;
    d->fault = fault;
    return 0;
}

static int begin_state(strc_device *d, const strc_program *whole) {
    const cu_address state = d->memories[STRC_DEVICE_STATE];
    cu_result result = 0;
    if (whole->state_size) result = d->driver->set_async(state, 0, whole->state_size, d->stream);
    if (result == 0)
        result = d->driver->set_async(d->faults, 0, sizeof(strc_device_env), d->stream);
    if (result == 0) result = d->driver->set_async(d->barriers, 0, barrier_bytes(d), d->stream);
    if (result == 0) result = d->driver->stream_synchronize(d->stream);
    for (uint64_t k = 0; k < whole->piece_count && result == 0; ++k) {
        const strc_piece *piece = &whole->pieces[k];
        result = d->driver->upload(state + piece->at, piece->bytes, piece->size);
    }
    return strc_device_check(d, result, "was given the state");
}

/// Whole pages of the host's state, so that the device can reach them by itself. If it cannot, copies are slower.
static void pin(strc_device *d) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    d->is_pinned = 1;
    for (uint64_t k = 0; k < d->program->shared_count; ++k) {
        const uint64_t at = (uint64_t)(uintptr_t)d->state + d->program->shared[k].at;
        const uint64_t begin = at / page * page,
                       end = (at + d->program->shared[k].size + page - 1) / page * page;
        strc_device_range *last = d->pinned_count ? &d->pinned[d->pinned_count - 1] : NULL;
        if (last && begin <= last->at + last->size) {
            if (end > last->at + last->size) last->size = end - last->at;
            continue;
        }
        d->pinned[d->pinned_count++] = (strc_device_range){begin, end - begin};
    }
    for (uint64_t k = 0; k < d->pinned_count; ++k) {
        void *begin = (void *)(uintptr_t)d->pinned[k].at;
        if (d->driver->host_register(begin, d->pinned[k].size, 0) == 0) continue;
        d->pinned_count = k;
        d->is_pinned = 0;
    }
}

static int take_scratch(strc_device *d) {
    const strc_device_program *program = d->program;
    d->kernels = calloc(program->kernel_count + 1, sizeof *d->kernels);
    d->fits = calloc(program->kernel_count + 1, sizeof *d->fits);
    d->products = calloc(program->op_count + 1, sizeof *d->products);
    d->graphs = calloc(program->segment_count + 1, sizeof *d->graphs);
    d->has_run = calloc(program->segment_count + 1, 1);
    d->pinned = calloc(program->shared_count + 1, sizeof *d->pinned);
    if (d->kernels && d->fits && d->products && d->graphs && d->has_run && d->pinned) return 0;
    return fail(&d->env->device_error, STRC_DEVICE_FULL, "its tables, in the host's memory", NULL);
}

// ---- beginning and end

static void close_device(strc_device *d) {
    if (!d) return;
    const strc_driver *driver = d->driver;
    if (d->context) {
        const cu_handle streams[] = {d->stream, d->up, d->down};
        for (size_t k = 0; k < sizeof streams / sizeof *streams; ++k)
            if (streams[k]) driver->stream_synchronize(streams[k]);
        for (uint64_t k = 0; d->graphs && k < d->program->segment_count; ++k)
            if (d->graphs[k]) driver->graph_exec_destroy(d->graphs[k]);
        for (uint64_t k = 0; k < d->pinned_count; ++k)
            driver->host_unregister((void *)(uintptr_t)d->pinned[k].at);
        const cu_address blocks[] = {d->memories[0], d->memories[1], d->memories[2], d->tables,
                                     d->partial,     d->faults,      d->shadow,      d->barriers};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k)
            if (blocks[k]) driver->release(blocks[k]);
        if (d->fault) driver->host_release(d->fault);
        for (size_t k = 0; k < sizeof streams / sizeof *streams; ++k)
            if (streams[k]) driver->stream_destroy(streams[k]);
        if (d->event) driver->event_destroy(d->event);
        if (d->code) driver->module_unload(d->code);
        if (d->library) driver->module_unload(d->library);
        driver->context_release(d->device);
    }
    free(d->kernels);
    free(d->fits);
    free(d->products);
    free(d->graphs);
    free(d->has_run);
    free(d->pinned);
    free(d);
}

static int begin_context(strc_device *d) {
    cu_result result = d->driver->context_retain(&d->context, d->device);
    if (result == 0) result = d->driver->context_set(d->context);
    if (result == 0) result = d->driver->stream_create(&d->stream, CU_STREAM_NON_BLOCKING);
    if (result == 0) result = d->driver->device_attribute(&d->processors, CU_PROCESSORS, d->device);
    return strc_device_check(d, result, "was begun with");
}

/// Copies that go on beside the work have streams of their own.
static int begin_copies(strc_device *d) {
    int are_cut = 0;
    for (uint64_t k = 0; k < d->program->segment_count; ++k)
        are_cut |= d->program->segments[k].parts > 1;
    if (!are_cut) return 0;
    cu_result result = d->driver->stream_create(&d->up, CU_STREAM_NON_BLOCKING);
    if (result == 0) result = d->driver->stream_create(&d->down, CU_STREAM_NON_BLOCKING);
    if (result == 0) result = d->driver->event_create(&d->event, CU_EVENT_DISABLE_TIMING);
    return strc_device_check(d, result, "was begun with");
}

static strc_device *open_device(const strc_program *whole, strc_env *env, void *state) {
    strc_device *d = calloc(1, sizeof *d);
    if (!d) {
        fail(&env->device_error, STRC_DEVICE_FULL, "its tables, in the host's memory", NULL);
        return NULL;
    }
    d->env = env;
    d->program = whole->device;
    d->state = state;
    d->state_size = whole->state_size;
    strc_device_at_work(d, STRC_NOBODY, STRC_NOBODY);
    env->device_error.ordinal = d->program->ordinal;
    d->driver = find(d->program->ordinal, &d->device, &env->device_error);
    const int fine = d->driver && take_scratch(d) == 0 && begin_context(d) == 0 &&
                     begin_copies(d) == 0 && load_code(d) == 0 && find_library(d) == 0 &&
                     take_memory(d, whole) == 0 && upload_weights(d) == 0 &&
                     begin_state(d, whole) == 0 && strc_products_prepare(d) == 0;
    if (!fine) {
        close_device(d);
        return NULL;
    }
    pin(d);
    return d;
}

// ---- transactions

static int move_kept(strc_device *d, int is_saved) {
    cu_address shadow = d->shadow;
    for (uint64_t k = 0; k < d->program->kept_count; ++k) {
        const strc_device_range *range = &d->program->kept[k];
        const cu_address at = d->memories[STRC_DEVICE_STATE] + range->at;
        cu_result result = d->driver->copy_async(is_saved ? shadow : at, is_saved ? at : shadow,
                                                 range->size, d->stream);
        if (strc_device_check(d, result, "kept the state") != 0) return -1;
        shadow += range->size;
    }
    return 0;
}

static int save(strc_device *d) { return move_kept(d, 1); }
static int restore(strc_device *d) { return move_kept(d, 0); }

const strc_device_calls strc_device_functions = {probe, open_device, close_device, save, restore};
