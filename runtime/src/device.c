// The part of a program that a CUDA device does: code and memory when it begins, then its segments, each of which is
// captured as a graph the second time it runs.
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

enum {
    kThreads = 256,  ///< of a block
    kBlocksEach = 16,  ///< for each processor at the most: threads go round
    kMostGrid = 65535,
    kOldest = 80,  ///< compute capability, times 10: what code is made for
    kMostNodes = 1 << 15,  ///< of a graph
    kMostPlaces = 64,
};

// ---- failures

static int fail(strc_device_error *error, uint32_t failure, const char *text, const char *why) {
    *error = (strc_device_error){.failure = failure, .ordinal = error->ordinal};
    snprintf(error->text, sizeof error->text, "%s", text);
    snprintf(error->why, sizeof error->why, "%s", why ? why : "");
    return -1;
}

static const char *words_of(const strc_driver *driver, cu_result result) {
    const char *text = NULL;
    return driver->error_string(result, &text) == 0 && text ? text : "an unknown fault";
}

int strc_device_check(strc_device *d, cu_result result, const char *what) {
    if (result == 0) return 0;
    strc_device_error *error = &d->env->device_error;
    const char *words = words_of(d->driver, result);
    return fail(error, result == CU_OUT_OF_MEMORY ? STRC_DEVICE_FULL : STRC_DEVICE_FAILED, what,
                words);
}

cu_address strc_device_allocate(strc_device *d, uint64_t bytes, const char *what) {
    cu_address made = 0;
    cu_result result = d->driver->allocate(&made, bytes ? bytes : 1);
    if (strc_device_check(d, result, what) == 0) return made;
    d->env->device_error.bytes = bytes;
    return 0;
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
    static const char *const elements[STRC_ELEMENTS] = {"float", "double", "int"};
    static const char *const ways[STRC_WAYS] = {"tile", "thin", "dots"};
    for (int element = 0; element < STRC_ELEMENTS; ++element) {
        for (int way = 0; way < STRC_WAYS; ++way)
            if (find_in_library(d, &d->ways[element][way], ways[way], elements[element]) != 0)
                return -1;
        if (find_in_library(d, &d->gathers[element], "gather", elements[element]) != 0) return -1;
    }
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

static int take_memory(strc_device *d, const strc_program *whole) {
    const struct {
        cu_address *to;
        uint64_t bytes;
        const char *what;
    } blocks[] = {
        {&d->memories[STRC_DEVICE_STATE], whole->state_size, "the tapes and fields of the program"},
        {&d->memories[STRC_DEVICE_SCRATCH], d->program->scratch_size, "what filters compute with"},
        {&d->memories[STRC_DEVICE_WEIGHTS], d->program->weights_size, "the weights"},
        {&d->faults, sizeof(strc_device_env), "checks that fail"},
        {&d->shadow, kept_bytes(d->program), "a copy of the state"},
    };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k)
        if (!(*blocks[k].to = strc_device_allocate(d, blocks[k].bytes, blocks[k].what))) return -1;
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
    if (result == 0) result = d->driver->stream_synchronize(d->stream);
    if (result == 0 && whole->image_size)
        result = d->driver->upload(state, whole->image, whole->image_size);
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

static int take_room(strc_device *d) {
    const strc_device_program *program = d->program;
    d->kernels = calloc(program->kernel_count + 1, sizeof *d->kernels);
    d->products = calloc(program->op_count + 1, sizeof *d->products);
    d->graphs = calloc(program->segment_count + 1, sizeof *d->graphs);
    d->has_run = calloc(program->segment_count + 1, 1);
    d->pinned = calloc(program->shared_count + 1, sizeof *d->pinned);
    if (d->kernels && d->products && d->graphs && d->has_run && d->pinned) return 0;
    return fail(&d->env->device_error, STRC_DEVICE_FULL, "its tables, in the host's memory", NULL);
}

// ---- beginning and end

static void close_device(strc_device *d) {
    if (!d) return;
    const strc_driver *driver = d->driver;
    if (d->context) {
        driver->stream_synchronize(d->stream);
        for (uint64_t k = 0; d->graphs && k < d->program->segment_count; ++k)
            if (d->graphs[k]) driver->graph_exec_destroy(d->graphs[k]);
        for (uint64_t k = 0; k < d->pinned_count; ++k)
            driver->host_unregister((void *)(uintptr_t)d->pinned[k].at);
        const cu_address blocks[] = {d->memories[0], d->memories[1], d->memories[2], d->tables,
                                     d->partial,     d->faults,      d->shadow};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k)
            if (blocks[k]) driver->release(blocks[k]);
        if (d->fault) driver->host_release(d->fault);
        if (d->stream) driver->stream_destroy(d->stream);
        if (d->code) driver->module_unload(d->code);
        if (d->library) driver->module_unload(d->library);
        driver->context_release(d->device);
    }
    free(d->kernels);
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
    env->device_error.ordinal = d->program->ordinal;
    d->driver = find(d->program->ordinal, &d->device, &env->device_error);
    const int fine = d->driver && take_room(d) == 0 && begin_context(d) == 0 && load_code(d) == 0 &&
                     find_library(d) == 0 && take_memory(d, whole) == 0 && upload_weights(d) == 0 &&
                     begin_state(d, whole) == 0 && strc_products_prepare(d) == 0;
    if (!fine) {
        close_device(d);
        return NULL;
    }
    pin(d);
    return d;
}

// ---- operations

static cu_address address(const strc_device *d, const strc_device_place *place) {
    int64_t at = place->at;
    for (int k = 0; k < STRC_DEVICE_DEPTH; ++k) at += place->per_round[k] * d->rounds[k];
    return d->memories[place->memory] + (cu_address)at;
}

/// Where it lies in the host's state.
static char *host(const strc_device *d, cu_address address) {
    return d->state + (address - d->memories[STRC_DEVICE_STATE]);
}

static int launch(strc_device *d, const strc_device_op *op) {
    const strc_device_place *places = d->program->places + op->first_place;
    cu_address at[kMostPlaces];
    int64_t per_firing[kMostPlaces];
    int32_t rounds[STRC_DEVICE_DEPTH];
    uint32_t firings = (uint32_t)op->count, node = op->node;
    void *parameters[3 + STRC_DEVICE_DEPTH + 2 * kMostPlaces] = {&d->faults, &node, &firings};
    uint32_t count = 3;
    if (op->place_count > kMostPlaces)
        return fail(&d->env->device_error, STRC_DEVICE_FAILED, "began a kernel", "too many arrays");
    for (uint32_t k = 0; k < op->round_count; ++k) {
        rounds[k] = (int32_t)d->rounds[op->first_round + k];
        parameters[count++] = &rounds[k];
    }
    for (uint32_t k = 0; k < op->place_count; ++k) {
        at[k] = address(d, &places[k]);
        per_firing[k] = places[k].per_firing;
        parameters[count++] = &at[k];
        parameters[count++] = &per_firing[k];
    }
    const uint64_t most = (uint64_t)kBlocksEach * (uint64_t)d->processors;
    uint64_t blocks = (op->threads + kThreads - 1) / kThreads;
    if (blocks > most) blocks = most;
    const unsigned threads = op->threads == 1 ? 1 : kThreads;
    const unsigned rows = op->count > kMostGrid ? kMostGrid : (unsigned)op->count;
    return strc_device_check(d,
                             d->driver->launch(d->kernels[op->what], (unsigned)blocks, rows, 1,
                                               threads, 1, 1, 0, d->stream, parameters, NULL),
                             "began a kernel");
}

static int copy(strc_device *d, const strc_device_op *op) {
    const strc_device_place *places = d->program->places + op->first_place;
    cu_address to = address(d, &places[0]), from = address(d, &places[1]);
    if (op->count == 1)
        return strc_device_check(d, d->driver->copy_async(to, from, op->bytes, d->stream),
                                 "copied an item");
    int64_t per_to = places[0].per_firing, per_from = places[1].per_firing,
            bytes = (int64_t)op->bytes, rows = (int64_t)op->count;
    void *parameters[] = {&to, &from, &per_to, &per_from, &bytes, &rows};
    uint64_t blocks = (op->bytes / 4 + kThreads - 1) / kThreads;
    if (blocks < 1) blocks = 1;
    if (blocks > (uint64_t)d->processors) blocks = (uint64_t)d->processors;
    const unsigned most = op->count > kMostGrid ? kMostGrid : (unsigned)op->count;
    return strc_device_check(d,
                             d->driver->launch(d->rows, (unsigned)blocks, most, 1, kThreads, 1, 1,
                                               0, d->stream, parameters, NULL),
                             "copied items");
}

static int zero(strc_device *d, const strc_device_op *op) {
    const strc_device_place *place = d->program->places + op->first_place;
    const cu_address at = address(d, place);
    cu_result result = op->count == 1 ? d->driver->set_async(at, 0, op->bytes, d->stream)
                                      : d->driver->set_rows_async(at, (size_t)place->per_firing, 0,
                                                                  op->bytes, op->count, d->stream);
    return strc_device_check(d, result, "cleared an array");
}

static int transfer(strc_device *d, const strc_device_op *op) {
    const cu_address at = address(d, d->program->places + op->first_place);
    cu_result result = op->kind == STRC_DEVICE_UPLOAD
                           ? d->driver->upload_async(at, host(d, at), op->bytes, d->stream)
                           : d->driver->download_async(host(d, at), at, op->bytes, d->stream);
    return strc_device_check(d, result, "copied from or to the host");
}

static int product(strc_device *d, const strc_device_op *op) {
    const strc_device_place *places = d->program->places + op->first_place;
    return strc_products_launch(d, op, address(d, &places[0]), address(d, &places[1]),
                                address(d, &places[2]));
}

static int operations(strc_device *d, const strc_device_op *op, const strc_device_op *end,
                      uint32_t depth);

static int repeat(strc_device *d, const strc_device_op *op, uint32_t depth) {
    int status = 0;
    for (uint64_t round = 0; round < op->count && status == 0; ++round) {
        d->rounds[depth] = (int64_t)round;
        status = operations(d, op + 1, op + 1 + op->what, depth + 1);
    }
    d->rounds[depth] = 0;
    return status;
}

static int operations(strc_device *d, const strc_device_op *op, const strc_device_op *end,
                      uint32_t depth) {
    int status = 0;
    for (; op < end && status == 0; ++op) {
        switch ((strc_device_kind)op->kind) {
            case STRC_DEVICE_LAUNCH: status = launch(d, op); break;
            case STRC_DEVICE_CONTRACT: status = product(d, op); break;
            case STRC_DEVICE_COPY: status = copy(d, op); break;
            case STRC_DEVICE_ZERO: status = zero(d, op); break;
            case STRC_DEVICE_UPLOAD:
            case STRC_DEVICE_DOWNLOAD: status = transfer(d, op); break;
            case STRC_DEVICE_REPEAT:
                status = repeat(d, op, depth);
                op += op->what;
                break;
        }
    }
    return status;
}

// ---- segments

/// Operations with all their rounds, as far as it matters.
static uint64_t count_all(const strc_device_op *op, const strc_device_op *end) {
    uint64_t count = 0;
    for (; op < end && count <= kMostNodes; ++op) {
        if (op->kind != STRC_DEVICE_REPEAT) {
            ++count;
            continue;
        }
        uint64_t inside = count_all(op + 1, op + 1 + op->what);
        count +=
            inside > kMostNodes || op->count > kMostNodes ? kMostNodes + 1 : inside * op->count;
        op += op->what;
    }
    return count;
}

static int enqueue(strc_device *d, const strc_device_segment *segment) {
    const strc_device_op *first = d->program->ops + segment->first_op;
    if (operations(d, first, first + segment->op_count, segment->depth) != 0) return -1;
    return strc_device_check(
        d, d->driver->download_async(d->fault, d->faults, sizeof *d->fault, d->stream),
        "was asked for checks that fail");
}

static int can_capture(const strc_device *d, const strc_device_segment *segment) {
    const strc_device_op *first = d->program->ops + segment->first_op;
    return segment->depth == 0 && d->is_pinned &&
           count_all(first, first + segment->op_count) <= kMostNodes;
}

/// The first time as it is: code is loaded to the device where it is first used.
static int run(strc_device *d, uint32_t number) {
    const strc_device_segment *segment = &d->program->segments[number];
    const strc_driver *driver = d->driver;
    if (!d->has_run[number] || !can_capture(d, segment)) {
        d->has_run[number] = 1;
        return enqueue(d, segment);
    }
    if (!d->graphs[number]) {
        cu_handle graph = NULL;
        if (strc_device_check(d, driver->capture_begin(d->stream, CU_CAPTURE_RELAXED),
                              "began a graph") != 0)
            return -1;
        const int status = enqueue(d, segment);
        cu_result result = driver->capture_end(d->stream, &graph);
        if (status == 0 && result == 0)
            result = driver->graph_instantiate(&d->graphs[number], graph, 0);
        if (graph) driver->graph_destroy(graph);
        if (status != 0 || strc_device_check(d, result, "made a graph") != 0) return -1;
    }
    return strc_device_check(d, driver->graph_launch(d->graphs[number], d->stream),
                             "began a graph");
}

void strc_device_run(strc_env *env, int32_t segment, const int64_t *rounds) {
    strc_device *d = env->device;
    if (strc_is_set(&env->poll)) strc_stop(env);
    for (uint32_t k = 0; k < d->program->segments[segment].depth; ++k) d->rounds[k] = rounds[k];
    if (run(d, (uint32_t)segment) != 0 ||
        strc_device_check(d, d->driver->stream_synchronize(d->stream), "ran a kernel") != 0)
        strc_leave(env, STRC_END_DEVICE);
    if (d->fault->state == 0) return;
    const strc_device_env fault = *d->fault;
    if (strc_device_check(d, d->driver->set_async(d->faults, 0, sizeof fault, d->stream),
                          "cleared what has failed") != 0)
        strc_leave(env, STRC_END_DEVICE);
    strc_trap(env, (int32_t)fault.site, (int32_t)fault.node, fault.numbers[0], fault.numbers[1]);
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
