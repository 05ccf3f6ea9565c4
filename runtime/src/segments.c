// Segments of a program on a CUDA device: their operations as calls of the driver, and as graphs, which are captured the
// second time a segment runs.
#include "device.h"
#include "run.h"

enum {
    kThreads = STRC_DEVICE_THREADS,
    kBlocksEach = 16,  ///< for each processor at the most: threads go round
    kMostGrid = 65535,
    kMostNodes = 1 << 15,  ///< of a graph
    kMostPlaces = 64,
};

// ---- operations

static cu_address address(const strc_device *d, const strc_device_address *place) {
    int64_t at = place->at;
    for (int k = 0; k < STRC_DEVICE_DEPTH; ++k) at += place->per_iteration[k] * d->iterations[k];
    return d->memories[place->memory] + (cu_address)at;
}

/// Where it lies in the host's state.
static char *host(const strc_device *d, cu_address address) {
    return d->state + (address - d->memories[STRC_DEVICE_STATE]);
}

/// Of a kernel for firings of a filter, in the order in which it takes them.
typedef struct arguments {
    uint32_t node, firings;
    int32_t iterations[STRC_DEVICE_DEPTH];
    cu_address at[kMostPlaces];
    int64_t per_firing[kMostPlaces];
    void *all[4 + STRC_DEVICE_DEPTH + 2 * kMostPlaces];
} arguments;

static int find_arguments(strc_device *d, const strc_device_op *op, arguments *to) {
    const strc_device_address *places = d->program->places + op->first_address;
    uint32_t count = 0;
    to->node = op->node;
    to->firings = (uint32_t)op->count;
    to->all[count++] = &d->faults;
    to->all[count++] = &to->node;
    to->all[count++] = &to->firings;
    if (op->kind == STRC_DEVICE_PERSIST) to->all[count++] = &d->barriers;
    if (op->address_count > kMostPlaces)
        return strc_device_check(d, CU_INVALID, "began a kernel with so many arrays");
    for (uint32_t k = 0; k < op->iteration_count; ++k) {
        to->iterations[k] = (int32_t)d->iterations[op->first_iteration + k];
        to->all[count++] = &to->iterations[k];
    }
    for (uint32_t k = 0; k < op->address_count; ++k) {
        to->at[k] = address(d, &places[k]);
        to->per_firing[k] = places[k].per_firing;
        to->all[count++] = &to->at[k];
        to->all[count++] = &to->per_firing[k];
    }
    return 0;
}

static int launch(strc_device *d, const strc_device_op *op) {
    arguments given;
    if (find_arguments(d, op, &given) != 0) return -1;
    const uint64_t most = (uint64_t)kBlocksEach * (uint64_t)d->processors;
    const int is_thread_each = op->threads == 0;
    uint64_t blocks = ((is_thread_each ? op->count : op->threads) + kThreads - 1) / kThreads;
    if (blocks > most) blocks = most;
    const unsigned threads = op->threads == 1 ? 1 : kThreads;
    const unsigned rows = is_thread_each          ? 1
                          : op->count > kMostGrid ? kMostGrid
                                                  : (unsigned)op->count;
    return strc_device_check(d,
                             d->driver->launch(d->kernels[op->what], (unsigned)blocks, rows, 1,
                                               threads, 1, 1, 0, d->stream, given.all, NULL),
                             "began a kernel");
}

/// How many blocks of the kernel are at work at the same time, if nothing else is.
static int find_fit(strc_device *d, uint32_t kernel) {
    int each = 0;
    if (d->fits[kernel]) return 0;
    cu_result result = d->driver->occupancy(&each, d->kernels[kernel], kThreads, 0);
    d->fits[kernel] = each * d->processors;
    return strc_device_check(d, result, "was asked how much fits");
}

/// `is_done`: false if so many blocks do not fit, since those that are left would be waited for, for ever.
static int persist(strc_device *d, const strc_device_op *op, int *is_done) {
    arguments given;
    *is_done = 0;
    if (find_fit(d, op->what) != 0) return -1;
    if ((int64_t)(op->threads * op->count) > d->fits[op->what]) return 0;
    *is_done = 1;
    if (find_arguments(d, op, &given) != 0) return -1;
    return strc_device_check(
        d,
        d->driver->launch(d->kernels[op->what], (unsigned)op->threads, (unsigned)op->count, 1,
                          kThreads, 1, 1, 0, d->stream, given.all, NULL),
        "began a kernel");
}

static int copy(strc_device *d, const strc_device_op *op) {
    const strc_device_address *places = d->program->places + op->first_address;
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
    const strc_device_address *place = d->program->places + op->first_address;
    const cu_address at = address(d, place);
    cu_result result = op->count == 1 ? d->driver->set_async(at, 0, op->bytes, d->stream)
                                      : d->driver->set_rows_async(at, (size_t)place->per_firing, 0,
                                                                  op->bytes, op->count, d->stream);
    return strc_device_check(d, result, "cleared an array");
}

/// Names all filters of the segment, since any of them may be the one that failed.
static void name_all(strc_device *d) {
    const strc_device_op *op = d->program->ops + d->segment->first_op,
                         *end = op + d->segment->op_count;
    uint32_t first = STRC_NOBODY, last = STRC_NOBODY;
    for (; op < end; ++op) {
        if (op->node == STRC_NOBODY) continue;
        if (first == STRC_NOBODY) first = op->node;
        last = op->node;
    }
    strc_device_at_work(d, first, last);
}

static int transfer(strc_device *d, const strc_device_op *op) {
    const cu_address at = address(d, d->program->places + op->first_address);
    cu_result result =
        op->kind == STRC_DEVICE_UPLOAD
            ? d->driver->upload_async(at, host(d, at), op->bytes, d->is_cut ? d->up : d->stream)
            : d->driver->download_async(host(d, at), at, op->bytes,
                                        d->is_cut ? d->down : d->stream);
    return strc_device_check(d, result, "copied from or to the host");
}

static int product(strc_device *d, const strc_device_op *op) {
    const strc_device_address *places = d->program->places + op->first_address;
    cu_address at[3 + STRC_ADDENDS];
    for (uint32_t k = 0; k < op->address_count; ++k) at[k] = address(d, &places[k]);
    return strc_products_launch(d, op, at);
}

static int attend(strc_device *d, const strc_device_op *op) {
    const strc_device_address *places = d->program->places + op->first_address;
    cu_address at[STRC_ATTENTION_ARRAYS];
    for (uint32_t k = 0; k < op->address_count; ++k) at[k] = address(d, &places[k]);
    return strc_attention_launch(d, op, at);
}

static int operations(strc_device *d, const strc_device_op *op, const strc_device_op *end,
                      uint32_t depth);

static int repeat(strc_device *d, const strc_device_op *op, uint32_t depth) {
    int status = 0;
    for (uint64_t iteration = 0; iteration < op->count && status == 0; ++iteration) {
        d->iterations[depth] = (int64_t)iteration;
        status = operations(d, op + 1, op + 1 + op->what, depth + 1);
    }
    d->iterations[depth] = 0;
    return status;
}

static int operations(strc_device *d, const strc_device_op *op, const strc_device_op *end,
                      uint32_t depth) {
    int status = 0, is_done;
    for (; op < end && status == 0; ++op) {
        if (op->node != STRC_NOBODY) strc_device_at_work(d, op->node, op->node);
        switch ((strc_device_kind)op->kind) {
            case STRC_DEVICE_LAUNCH: status = launch(d, op); break;
            case STRC_DEVICE_CONTRACT: status = product(d, op); break;
            case STRC_DEVICE_ATTEND: status = attend(d, op); break;
            case STRC_DEVICE_COPY: status = copy(d, op); break;
            case STRC_DEVICE_ZERO: status = zero(d, op); break;
            case STRC_DEVICE_UPLOAD:
            case STRC_DEVICE_DOWNLOAD:
                name_all(d);
                status = transfer(d, op);
                break;
            case STRC_DEVICE_REPEAT:
                status = repeat(d, op, depth);
                op += op->what;
                break;
            case STRC_DEVICE_PERSIST:
                status = persist(d, op, &is_done);
                if (is_done) op += op->skips;
                break;
        }
    }
    return status;
}

// ---- segments

/// Behind the operations that are of its kind: copies one way, or work.
static const strc_device_op *end_of_kind(const strc_device_op *op, const strc_device_op *end) {
    const uint32_t up = STRC_DEVICE_UPLOAD, down = STRC_DEVICE_DOWNLOAD;
    const uint32_t kind = op->kind == up || op->kind == down ? op->kind : STRC_DEVICE_REPEAT;
    for (; op < end; op += op->kind == STRC_DEVICE_REPEAT ? 1 + op->what : 1)
        if ((op->kind == up || op->kind == down ? op->kind : STRC_DEVICE_REPEAT) != kind) break;
    return op;
}

/// Later operations of `stream` wait for all that the other stream contains now.
static int follow(strc_device *d, cu_handle stream, cu_handle other) {
    cu_result result = d->driver->event_record(d->event, other);
    if (result == 0) result = d->driver->stream_wait(stream, d->event, 0);
    return strc_device_check(d, result, "ordered its work");
}

/// Copies of the next part to the device, and of the last one from it, go on beside the work of a part. In the end all of it is
/// in the order of d->stream again.
static int in_parts(strc_device *d, const strc_device_op *op, const strc_device_op *end) {
    int status = 0, has_up = 0, has_down = 0;
    while (op < end && status == 0) {
        const strc_device_op *next = end_of_kind(op, end);
        const uint32_t kind = op->kind;
        if (kind == STRC_DEVICE_UPLOAD && !has_up) status = follow(d, d->up, d->stream);
        if (kind == STRC_DEVICE_DOWNLOAD) status = follow(d, d->down, d->stream);
        if (status == 0) status = operations(d, op, next, 0);
        if (kind == STRC_DEVICE_UPLOAD && status == 0) status = follow(d, d->stream, d->up);
        has_up |= kind == STRC_DEVICE_UPLOAD;
        has_down |= kind == STRC_DEVICE_DOWNLOAD;
        op = next;
    }
    return status == 0 && has_down ? follow(d, d->stream, d->down) : status;
}

static int does_fit(const strc_device *d, const strc_device_op *op) {
    return (int64_t)(op->threads * op->count) <= d->fits[op->what];
}

/// Operations with all their iterations, as far as it matters, once it is known which kernels fit.
static uint64_t count_all(const strc_device *d, const strc_device_op *op,
                          const strc_device_op *end) {
    uint64_t count = 0;
    for (; op < end && count <= kMostNodes; ++op) {
        if (op->kind != STRC_DEVICE_REPEAT) {
            ++count;
            if (op->kind == STRC_DEVICE_PERSIST && does_fit(d, op)) op += op->skips;
            continue;
        }
        uint64_t inside = count_all(d, op + 1, op + 1 + op->what);
        count +=
            inside > kMostNodes || op->count > kMostNodes ? kMostNodes + 1 : inside * op->count;
        op += op->what;
    }
    return count;
}

static int enqueue(strc_device *d, const strc_device_segment *segment) {
    const strc_device_op *first = d->program->ops + segment->first_op,
                         *end = first + segment->op_count;
    d->is_cut = segment->parts > 1 && d->is_pinned;
    const int status =
        d->is_cut ? in_parts(d, first, end) : operations(d, first, end, segment->depth);
    if (status != 0) return -1;
    name_all(d);
    return strc_device_check(
        d, d->driver->download_async(d->fault, d->faults, sizeof *d->fault, d->stream),
        "was asked for checks that fail");
}

static int can_capture(const strc_device *d, const strc_device_segment *segment) {
    const strc_device_op *first = d->program->ops + segment->first_op;
    return segment->depth == 0 && d->is_pinned &&
           count_all(d, first, first + segment->op_count) <= kMostNodes;
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

void strc_device_run(strc_env *env, int32_t segment, const int64_t *iterations) {
    strc_device *d = env->device;
    if (strc_is_set(&env->poll)) strc_stop(env);
    const strc_device_segment *about = &d->program->segments[segment];
    d->segment = about;
    for (uint32_t k = 0; k < about->depth; ++k) d->iterations[k] = iterations[k];
    name_all(d);
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
