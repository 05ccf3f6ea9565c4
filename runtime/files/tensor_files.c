// Streams of tensors in NumPy arrays, and as texts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/tensors.h"

// ---- reading

int64_t strc_one_tensor(strc_source *source, const char *name) {
    (void)source, (void)name;
    return 1;
}

/// STRC_ELEMENTS: tensors have no such elements.
static int64_t element_of(const strc_npy_header *header) {
    char code[8];
    snprintf(code, sizeof code, "%c%u", header->kind, (unsigned)header->size);
    int64_t k = 0;
    while (k < STRC_ELEMENTS &&
           (!*strc_elements[k].descr || strcmp(strc_elements[k].descr + 1, code) != 0))
        ++k;
    return k;
}

static int find_tensor(const strc_tensor_files *files, strc_source *source, const char *name,
                       uint64_t k, strc_tensor_header *to) {
    (void)files, (void)name, (void)k;
    strc_npy_header header;
    if (strc_npy_read_header(source, &header) != 0) return -1;
    *to = (strc_tensor_header){.element = element_of(&header),
                               .big_endian = header.big_endian,
                               .count = header.count,
                               .start = header.start,
                               .rank = (int64_t)header.rank};
    memcpy(to->extents, header.extents, sizeof *to->extents * header.rank);
    char why[STRC_NPY_WHY];
    snprintf(why, sizeof why, "its elements are of type '%c%u', which no tensor has", header.kind,
             (unsigned)header.size);
    if (to->element == STRC_ELEMENTS) return strc_source_malformed(source, "npy", why);
    if (source->size != STRC_UNKNOWN && header.count > (source->size - header.start) / header.size)
        return strc_source_malformed(source, "npy", "it is shorter than its header says");
    return 0;
}

static const strc_tensor_files npy_files = {"npy", strc_one_tensor, find_tensor, NULL};

// ---- writing

typedef struct output {
    strc_sink *sink;
    strc_sink own;
    const int64_t *shape;
    uint64_t count;
    char *header, *shape_text;
    unsigned char *kept;
    size_t capacity, size;
} output;

typedef struct tensor_writer {
    uint32_t count;
    uint32_t opened;  // outputs, or begun to be
    int is_text;
    uint64_t written;
    const int64_t **shapes;
    output outputs[];
} tensor_writer;

/// Of the same length for any number of tensors.
static size_t make_header(output *each) {
    const int64_t rank = each->shape[1];
    char *to = each->shape_text;
    *to++ = '(';
    int longest = STRC_NPY_DIGITS + 3;
    if (each->count != 1) to += sprintf(to, "%llu", (unsigned long long)each->count);
    for (int64_t k = 0; k < rank; ++k) {
        const char *between = k == 0 && each->count == 1 ? "" : ", ";
        const int size = sprintf(to, "%s%lld", between, (long long)each->shape[2 + k]);
        longest += size + 2 - (int)strlen(between);
        to += size;
    }
    if (rank == (each->count == 1)) *to++ = ',';
    *to++ = ')';
    *to = '\0';
    return strc_npy_put_header(each->header, strc_elements[each->shape[0]].descr, each->shape_text,
                               (size_t)longest);
}

static int begin_header(output *each) {
    const size_t capacity = ((size_t)each->shape[1] + 2) * (STRC_NPY_DIGITS + 3);
    if (!strc_own((void **)&each->header, 2 * capacity + 256, each->sink->origin, each->sink->name))
        return -1;
    each->shape_text = each->header + capacity + 256;
    return each->sink->seekable ? strc_sink_write(each->sink, each->header, make_header(each)) : 0;
}

static int open_output(strc_writer *writer, tensor_writer *own, uint32_t k) {
    output *each = &own->outputs[k];
    each->sink = k == 0 ? &writer->sink : &each->own;
    if (k != 0 && strc_sink_open(&each->own, writer->item.files[k], writer->sink.origin) != 0)
        return -1;
    if (own->is_text) return 0;
    each->shape = strc_common_shape(own->shapes, writer->item.tensors, k, own->count);
    return begin_header(each);
}

static int fits_npy(const int64_t *shape) { return *strc_elements[shape[0]].descr != 0; }
static int check_npy_writer(const strc_writer *writer, strc_origin origin) {
    return strc_check_shapes(writer, origin, fits_npy);
}

static int open_writer(strc_writer *writer, int is_text) {
    const uint32_t count = strc_files_of(&writer->item);
    const strc_sink *sink = &writer->sink;
    tensor_writer *own = strc_own(&writer->own, sizeof *own + count * sizeof *own->outputs,
                                  sink->origin, sink->name);
    if (!own) return -1;
    own->is_text = is_text;
    own->shapes = strc_list_shapes(&writer->item, sink->origin, sink->name);
    int status = own->shapes ? 0 : -1;
    for (; own->count < count && status == 0; ++own->count) {
        const uint32_t k = own->count;
        own->count = count;  // whose turn it is depends on all
        ++own->opened;
        status = open_output(writer, own, k);
        own->count = k;
    }
    return status;
}

static int open_npy_writer(strc_writer *writer) { return open_writer(writer, 0); }
static int open_text_writer(strc_writer *writer) { return open_writer(writer, 1); }

static void put_text(void *self, const char *text, uint64_t size) {
    output *each = self;
    strc_sink_write(each->sink, text, (size_t)size);
}

static int write_tensor(const tensor_writer *own, output *each, const int64_t *shape,
                        const void *from) {
    if (own->is_text) {
        strc_text_of_tensor(shape, from, put_text, each);
        return each->sink->failed ? -1 : strc_sink_write(each->sink, "\n", 1);
    }
    const size_t bytes = strc_shape_bytes(shape);
    if (each->sink->seekable) {
        ++each->count;
        return strc_sink_write(each->sink, from, bytes);
    }
    if (strc_grow((void **)&each->kept, &each->capacity, each->size + bytes, 1, each->sink->origin,
                  each->sink->name) != 0)
        return -1;
    memcpy(each->kept + each->size, from, bytes);
    each->size += bytes;
    ++each->count;
    return 0;
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    tensor_writer *own = writer->own;
    const size_t size = (size_t)writer->item.type->size;
    for (uint64_t k = 0; k < count; ++k, ++own->written) {
        const int64_t *shape = own->shapes[own->written % writer->item.tensors];
        output *each = &own->outputs[own->written % own->count];
        const unsigned char *item = (const unsigned char *)from + k * size;
        if (write_tensor(own, each, shape, item + strc_shape_offset(shape)) != 0) return -1;
    }
    return 0;
}

static int overwrite_header(output *each) {
    return strc_sink_overwrite(each->sink, 0, each->header, make_header(each));
}

/// Without a header the file could not be opened for what it was to take.
static int flush_output(const tensor_writer *own, output *each) {
    if (own->is_text) return strc_sink_flush(each->sink);
    if (!each->header || !each->sink->seekable) return 0;
    return strc_sink_flush(each->sink) == 0 ? overwrite_header(each) : -1;
}

static int flush(strc_writer *writer) {
    tensor_writer *own = writer->own;
    int status = 0;
    for (uint32_t k = 0; k < own->count; ++k) status |= flush_output(own, &own->outputs[k]);
    return status;
}

static int finish_output(const tensor_writer *own, output *each) {
    if (own->is_text) return strc_sink_finish_lines(each->sink);
    if (!each->header) return 0;  // it has not been opened
    if (each->sink->seekable && strc_sink_flush(each->sink) != 0)
        each->count =
            strc_sink_cut_to_items(each->sink, make_header(each), strc_shape_bytes(each->shape));
    if (each->sink->seekable) return overwrite_header(each);
    int status = strc_sink_write(each->sink, each->header, make_header(each));
    return status == 0 ? strc_sink_write(each->sink, each->kept, each->size) : status;
}

static int finish(strc_writer *writer) {
    tensor_writer *own = writer->own;
    if (!own) return 0;
    int status = 0;
    for (uint32_t k = 0; k < own->count; ++k) {
        output *each = &own->outputs[k];
        status |= finish_output(own, each);
        if (k != 0) status |= strc_sink_close(each->sink);
    }
    return status;
}

static void close_writer(strc_writer *writer) {
    tensor_writer *own = writer->own;
    for (uint32_t k = 0; k < own->opened; ++k) {
        output *each = &own->outputs[k];
        strc_sink_leave(&each->own);
        free(each->kept);
        free(each->header);
    }
    free(own->shapes);
}

const strc_format strc_format_tensors = {.name = "npy",
                                         .holds = strc_holds_tensors,
                                         .open_reader = strc_tensors_open,
                                         .read = strc_tensors_read,
                                         .next_tensor = strc_tensors_next,
                                         .rewind = strc_tensors_rewind,
                                         .total = strc_tensors_total,
                                         .open_writer = open_npy_writer,
                                         .write = write_items,
                                         .flush = flush,
                                         .finish = finish,
                                         .close_writer = close_writer,
                                         .close_reader = strc_tensors_close,
                                         .check_writer = check_npy_writer,
                                         .files = &npy_files};

const strc_format strc_format_tensor_text = {.name = "text",
                                             .holds = strc_holds_tensors,
                                             .open_writer = open_text_writer,
                                             .write = write_items,
                                             .flush = flush,
                                             .finish = finish,
                                             .close_writer = close_writer};
