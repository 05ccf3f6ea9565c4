// Streams of tensors in NumPy arrays, and as texts: what src/io/tensors.cpp does.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "strc/values.h"

// ---- types

/// Elements with fewer bytes in the file than in memory are converted.
typedef struct element_row {
    const char *name, *descr;  // no descr: not in files
    size_t size, file_size;
} element_row;

static const element_row elements[] = {
    [STRC_ELEMENT_BOOLEAN] = {"boolean", "|b1", 1, 1},
    [STRC_ELEMENT_INT8] = {"int8", "|i1", 4, 1},
    [STRC_ELEMENT_INT] = {"int", "<i4", 4, 4},
    [STRC_ELEMENT_LONG] = {"long", "<i8", 8, 8},
    [STRC_ELEMENT_HALF] = {"half", "<f2", 4, 2},
    [STRC_ELEMENT_BFLOAT16] = {"bfloat16", "", 4, 4},
    [STRC_ELEMENT_FLOAT] = {"float", "<f4", 4, 4},
    [STRC_ELEMENT_DOUBLE] = {"double", "<f8", 8, 8},
};
enum { kElements = sizeof elements / sizeof *elements };

static const int64_t *next_shape(const int64_t *shape) { return shape + 3 + shape[1]; }

/// In the item.
static size_t offset_of(const int64_t *shape) { return (size_t)shape[2 + shape[1]]; }

static size_t count_of(const int64_t *shape) {
    size_t count = 1;
    for (int64_t k = 0; k < shape[1]; ++k) count *= (size_t)shape[2 + k];
    return count;
}

static size_t file_bytes(const int64_t *shape) {
    return count_of(shape) * elements[shape[0]].file_size;
}

// ---- elements with fewer bytes in the file

static float of_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return (float)(bits & 0x8000 ? -size : size);
}

/// Of one of the values that it has.
static uint16_t to_half(float value) {
    const unsigned sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs((double)value);
    if (isnan(value)) return (uint16_t)(sign | 0x7e00);
    if (isinf(value)) return (uint16_t)(sign | 0x7c00);
    if (size < 0x1p-14) return (uint16_t)(sign | (unsigned)ldexp(size, 24));
    int exponent;
    const double first = frexp(size, &exponent);
    return (uint16_t)(sign | (unsigned)((exponent + 14) << 10) |
                      ((unsigned)ldexp(first, 11) - 1024));
}

/// The file's bytes stand at the end of the memory.
static void widen(int64_t element, unsigned char *to, const unsigned char *from, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        if (element == STRC_ELEMENT_INT8) {
            const int32_t value = (int8_t)from[k];
            memcpy(to + 4 * k, &value, sizeof value);
        } else {
            uint16_t bits;
            memcpy(&bits, from + 2 * k, sizeof bits);
            const float value = of_half(bits);
            memcpy(to + 4 * k, &value, sizeof value);
        }
    }
}

static void narrow(int64_t element, unsigned char *to, const unsigned char *from, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        if (element == STRC_ELEMENT_INT8) {
            to[k] = from[4 * k];
        } else {
            float value;
            memcpy(&value, from + 4 * k, sizeof value);
            const uint16_t bits = to_half(value);
            memcpy(to + 2 * k, &bits, sizeof bits);
        }
    }
}

static int is_converted(int64_t element) {
    return elements[element].size != elements[element].file_size;
}

static int is_same(const int64_t *one, const int64_t *other) {
    return one[1] == other[1] && memcmp(one, other, sizeof *one * (size_t)(2 + one[1])) == 0;
}

/// Puts as much as there is room for.
static void put_type(char *to, size_t room, int64_t element, int64_t rank, const int64_t *extents) {
    size_t used = (size_t)snprintf(to, room, "tensor<%s>[", elements[element].name);
    for (int64_t k = 0; k < rank && used < room; ++k)
        used += (size_t)snprintf(to + used, room - used, "%s%lld", k == 0 ? "" : ", ",
                                 (long long)extents[k]);
    if (used < room) snprintf(to + used, room - used, "]");
}

static void put_types(char *to, size_t room, const int64_t *const *shapes, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        const size_t used = k == 0 ? 0 : strlen(to);
        if (used + 3 > room) return;
        if (k != 0) strcat(to, ", ");
        const size_t at = strlen(to);
        put_type(to + at, room - at, shapes[k][0], shapes[k][1], shapes[k] + 2);
    }
}

/// By their number; null after reporting.
static const int64_t **list_shapes(const strc_item *item, strc_origin origin, const char *name) {
    const int64_t **list = NULL;
    if (!strc_own((void **)&list, item->tensors * sizeof *list, origin, name)) return NULL;
    const int64_t *shape = item->shapes;
    for (uint32_t k = 0; k < item->tensors; ++k, shape = next_shape(shape)) list[k] = shape;
    return list;
}

/// Of the items at `place`, `place + step`, ...: the type of all, or null if they differ.
static const int64_t *common_shape(const int64_t *const *shapes, uint32_t count, uint32_t place,
                                   uint32_t step) {
    const int64_t *first = shapes[place % count];
    for (uint64_t k = place + (uint64_t)step; k % count != place % count; k += step)
        if (!is_same(shapes[k % count], first)) return NULL;
    return first;
}

static const char *file_at(const strc_item *item, uint32_t k, const char *first) {
    return k == 0 ? first : item->files[k];
}

static uint32_t files_of(const strc_item *item) {
    return item->file_count > 1 ? item->file_count : 1;
}

// ---- reading

typedef struct part {
    strc_source *source;
    strc_source own;
    strc_npy_header header;
    const int64_t *shape;
    uint64_t count, left;  // tensors
} part;

typedef struct tensor_reader {
    uint32_t count, next;
    part parts[];
} tensor_reader;

static int wrong(const strc_source *source, const char *why) {
    return strc_source_malformed(source, "npy", why);
}

/// kElements: tensors have no such elements.
static int64_t element_of(const strc_npy_header *header) {
    char code[8];
    snprintf(code, sizeof code, "%c%u", header->kind, (unsigned)header->size);
    int64_t k = 0;
    while (k < kElements && (!*elements[k].descr || strcmp(elements[k].descr + 1, code) != 0)) ++k;
    return k;
}

/// Is the file one such tensor (0), or several of them (1)? -1: neither.
static int stacks(const strc_npy_header *header, const int64_t *shape) {
    const int64_t rank = shape[1];
    const int64_t extra = (int64_t)header->rank - rank;
    if ((extra != 0 && extra != 1) || element_of(header) != shape[0]) return -1;
    const size_t bytes = sizeof *shape * (size_t)rank;
    return memcmp(header->extents + extra, shape + 2, bytes) == 0 ? (int)extra : -1;
}

static int refuse(const part *each, const strc_item *item, const int64_t *const *shapes) {
    char have[400], want[400] = "";
    put_type(have, sizeof have, element_of(&each->header), each->header.rank, each->header.extents);
    if (each->shape)
        put_types(want, sizeof want, &each->shape, 1);
    else
        put_types(want, sizeof want, shapes, item->tensors);
    const strc_text instance = each->source->origin.instance;
    return STRC_FAIL(each->source->origin, ItemShape, each->source->name, have,
                     instance ? strc_text_at(instance) : "the main stream", want);
}

static int read_header(part *each) {
    strc_source *source = each->source;
    strc_npy_header *header = &each->header;
    if (source->size == 0) return strc_source_empty(source);
    if (strc_npy_read_header(source, header) != 0) return -1;
    char why[STRC_NPY_WHY];
    snprintf(why, sizeof why, "its elements are of type '%c%u', which no tensor has", header->kind,
             (unsigned)header->size);
    if (element_of(header) == kElements) return wrong(source, why);
    if (source->size != STRC_UNKNOWN &&
        header->count > (source->size - header->start) / header->size)
        return wrong(source, "it is shorter than its header says");
    return 0;
}

static int open_part(strc_reader *reader, tensor_reader *own, uint32_t k,
                     const int64_t *const *shapes) {
    const strc_item *item = &reader->item;
    part *each = &own->parts[k];
    each->source = k == 0 ? &reader->source : &each->own;
    const strc_source *first = &reader->source;
    if (k != 0 &&
        strc_source_open(&each->own, item->files[k], first->origin, first->before_waiting) != 0)
        return -1;
    if (read_header(each) != 0) return -1;
    each->shape = common_shape(shapes, item->tensors, k, own->count);
    const int extra = each->shape ? stacks(&each->header, each->shape) : -1;
    if (extra < 0) return refuse(each, item, shapes);
    each->count = each->left = extra ? (uint64_t)each->header.extents[0] : 1;
    return each->count == 0 ? strc_source_empty(each->source) : 0;
}

static int open_reader(strc_reader *reader) {
    const uint32_t count = files_of(&reader->item);
    const strc_source *source = &reader->source;
    tensor_reader *own = strc_own(&reader->own, sizeof *own + count * sizeof *own->parts,
                                  source->origin, source->name);
    if (!own) return -1;
    for (uint32_t k = 0; k < count; ++k) own->parts[k].own.descriptor = -1;
    own->count = count;
    const int64_t **shapes = list_shapes(&reader->item, source->origin, source->name);
    int status = shapes ? 0 : -1;
    for (uint32_t k = 0; k < count && status == 0; ++k) status = open_part(reader, own, k, shapes);
    free(shapes);
    return status;
}

static void close_reader(strc_reader *reader) {
    tensor_reader *own = reader->own;
    for (uint32_t k = 1; k < own->count; ++k) strc_source_close(&own->parts[k].own);
}

static void swap_bytes(unsigned char *at, size_t size) {
    for (size_t k = 0; k < size / 2; ++k) {
        const unsigned char kept = at[k];
        at[k] = at[size - 1 - k];
        at[size - 1 - k] = kept;
    }
}

/// 1, 0 after a signal, -1 after reporting.
static int read_tensor(part *each, unsigned char *to) {
    const size_t bytes = file_bytes(each->shape);
    const size_t size = each->header.size;
    const size_t count = count_of(each->shape);
    unsigned char *memory = to;
    if (is_converted(each->shape[0])) to += count * elements[each->shape[0]].size - bytes;
    for (size_t have = 0; have < bytes;) {
        const int64_t there = strc_source_ask(each->source, 1);
        if (there < 0) return -1;
        if (there == 0 && each->source->signalled) return 0;
        if (there == 0) {
            char why[STRC_NPY_WHY];
            const size_t left = (size_t)each->left * bytes - have;
            snprintf(why, sizeof why, "it ends %llu elements too early",
                     (unsigned long long)((left + size - 1) / size));
            return wrong(each->source, why);
        }
        const size_t some = (size_t)there < bytes - have ? (size_t)there : bytes - have;
        memcpy(to + have, strc_source_bytes(each->source), some);
        strc_source_take(each->source, some);
        have += some;
    }
    if (each->header.big_endian)
        for (size_t at = 0; at < bytes; at += size) swap_bytes(to + at, size);
    if (memory != to) widen(each->shape[0], memory, to, count);
    --each->left;
    return 1;
}

static int64_t read_items(strc_reader *reader, void *to, uint64_t count) {
    tensor_reader *own = reader->own;
    const size_t size = (size_t)reader->item.type->size;
    uint64_t done = 0;
    for (; done < count; ++done) {
        part *each = &own->parts[own->next];
        const strc_source *source = each->source;
        const int would_wait = strc_source_buffered(source) == 0 && source->size == STRC_UNKNOWN;
        if (each->left == 0 || (done > 0 && would_wait)) break;
        unsigned char *item = (unsigned char *)to + done * size;
        memset(item, 0, size);
        const int status = read_tensor(each, item + offset_of(each->shape));
        if (status < 0) return -1;
        if (status == 0) break;
        own->next = (own->next + 1) % own->count;
    }
    return (int64_t)done;
}

static int go_back(strc_reader *reader) {
    tensor_reader *own = reader->own;
    for (uint32_t k = 0; k < own->count; ++k) {
        part *each = &own->parts[k];
        if (!strc_source_seek(each->source, each->header.start)) return 0;
        each->left = each->count;
    }
    own->next = 0;
    return 1;
}

static uint64_t total(const strc_reader *reader) {
    const tensor_reader *own = reader->own;
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < own->count; ++k) {
        const uint64_t most = own->parts[k].count * own->count + k;
        if (most < least) least = most;
    }
    return least;
}

// ---- writing

typedef struct output {
    strc_sink *sink;
    strc_sink own;
    const int64_t *shape;
    uint64_t count;
    char *header, *shape_text;
    unsigned char *narrow;  // a tensor as the file has it
    unsigned char *kept;
    size_t room, size;
} output;

typedef struct tensor_writer {
    uint32_t count;
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
    return strc_npy_put_header(each->header, elements[each->shape[0]].descr, each->shape_text,
                               (size_t)longest);
}

static int begin_header(output *each) {
    const size_t room = ((size_t)each->shape[1] + 2) * (STRC_NPY_DIGITS + 3);
    if (!strc_own((void **)&each->header, 2 * room + 256, each->sink->origin, each->sink->name))
        return -1;
    each->shape_text = each->header + room + 256;
    if (is_converted(each->shape[0]) &&
        !strc_own((void **)&each->narrow, file_bytes(each->shape) + 1, each->sink->origin,
                  each->sink->name))
        return -1;
    return each->sink->seekable ? strc_sink_write(each->sink, each->header, make_header(each)) : 0;
}

static int open_output(strc_writer *writer, tensor_writer *own, uint32_t k) {
    output *each = &own->outputs[k];
    each->sink = k == 0 ? &writer->sink : &each->own;
    if (k != 0 &&
        strc_sink_open(&each->own, file_at(&writer->item, k, NULL), writer->sink.origin) != 0)
        return -1;
    if (own->is_text) return 0;
    each->shape = common_shape(own->shapes, writer->item.tensors, k, own->count);
    if (each->shape && *elements[each->shape[0]].descr) return begin_header(each);
    return STRC_FAIL(writer->sink.origin, FormatItemType, "npy", writer->item.name);
}

static int open_writer(strc_writer *writer, int is_text) {
    const uint32_t count = files_of(&writer->item);
    const strc_sink *sink = &writer->sink;
    tensor_writer *own = strc_own(&writer->own, sizeof *own + count * sizeof *own->outputs,
                                  sink->origin, sink->name);
    if (!own) return -1;
    own->is_text = is_text;
    own->shapes = list_shapes(&writer->item, sink->origin, sink->name);
    int status = own->shapes ? 0 : -1;
    for (; own->count < count && status == 0; ++own->count) {
        const uint32_t k = own->count;
        own->count = count;  // whose turn it is depends on all
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
    ++each->count;
    if (own->is_text) {
        strc_text_of_tensor(shape, from, put_text, each);
        return each->sink->failed ? -1 : strc_sink_write(each->sink, "\n", 1);
    }
    const size_t bytes = file_bytes(shape);
    if (is_converted(shape[0])) {
        narrow(shape[0], each->narrow, from, count_of(shape));
        from = each->narrow;
    }
    if (each->sink->seekable) return strc_sink_write(each->sink, from, bytes);
    if (strc_grow((void **)&each->kept, &each->room, each->size + bytes, 1, each->sink->origin,
                  each->sink->name) != 0)
        return -1;
    memcpy(each->kept + each->size, from, bytes);
    each->size += bytes;
    return 0;
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    tensor_writer *own = writer->own;
    const size_t size = (size_t)writer->item.type->size;
    for (uint64_t k = 0; k < count; ++k, ++own->written) {
        const int64_t *shape = own->shapes[own->written % writer->item.tensors];
        output *each = &own->outputs[own->written % own->count];
        const unsigned char *item = (const unsigned char *)from + k * size;
        if (write_tensor(own, each, shape, item + offset_of(shape)) != 0) return -1;
    }
    return 0;
}

static int flush_output(const tensor_writer *own, output *each) {
    if (own->is_text) return strc_sink_flush(each->sink);
    if (!each->sink->seekable) return 0;
    if (strc_sink_flush(each->sink) != 0) return -1;
    return strc_sink_overwrite(each->sink, 0, each->header, make_header(each));
}

static int flush(strc_writer *writer) {
    tensor_writer *own = writer->own;
    int status = 0;
    for (uint32_t k = 0; k < own->count; ++k) status |= flush_output(own, &own->outputs[k]);
    return status;
}

static int finish_output(const tensor_writer *own, output *each) {
    if (own->is_text || each->sink->seekable) return flush_output(own, each);
    if (!each->header) return 0;
    int status = strc_sink_write(each->sink, each->header, make_header(each));
    return status == 0 ? strc_sink_write(each->sink, each->kept, each->size) : status;
}

static int finish(strc_writer *writer) {
    tensor_writer *own = writer->own;
    if (!own) return 0;
    int status = 0;
    for (uint32_t k = 0; k < own->count; ++k) {
        output *each = &own->outputs[k];
        if (!each->sink->failed) status |= finish_output(own, each);
        if (k != 0) status |= strc_sink_close(each->sink);
        free(each->kept);
        free(each->narrow);
        free(each->header);
    }
    free(own->shapes);
    return status;
}

const strc_format strc_format_tensors = {.name = "npy",
                                         .holds = strc_holds_tensors,
                                         .open_reader = open_reader,
                                         .read = read_items,
                                         .rewind = go_back,
                                         .total = total,
                                         .open_writer = open_npy_writer,
                                         .write = write_items,
                                         .flush = flush,
                                         .finish = finish,
                                         .close_reader = close_reader};

const strc_format strc_format_tensor_text = {.name = "text",
                                             .holds = strc_holds_tensors,
                                             .open_writer = open_text_writer,
                                             .write = write_items,
                                             .flush = flush,
                                             .finish = finish};
