// NumPy arrays: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "strc/files/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/numbers.h"

// ---- reading

typedef struct npy_reader {
    strc_number_reader numbers;
    strc_npy_header header;
    uint64_t left;
    int plain;  ///< the elements lie in the file as in memory
} npy_reader;

static int wrong(const strc_reader *reader, const char *why) {
    return strc_source_malformed(&reader->source, "npy", why);
}

static double half_to_double(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    int fraction = bits & 1023;
    double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static double real_of(const unsigned char *from, size_t size) {
    if (size == 8) return strc_number_load(STRC_DOUBLE, from).real;
    if (size == 4) return strc_number_load(STRC_FLOAT, from).real;
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return half_to_double(half);
}

static strc_number element_of(const strc_npy_header *header, const unsigned char *from) {
    unsigned char bytes[16] = {0};
    size_t size = header->size;
    size_t part = header->kind == 'c' ? size / 2 : size;
    for (size_t k = 0; k < size; ++k) {
        size_t at = header->big_endian ? k / part * part + part - 1 - k % part : k;
        bytes[k] = from[at];
    }
    if (header->kind == 'f') return strc_real(real_of(bytes, size));
    if (header->kind == 'c')
        return (strc_number){real_of(bytes, part), real_of(bytes + part, part), 0, 0};
    uint64_t integer = 0;
    memcpy(&integer, bytes, size);
    if (header->kind == 'b') return strc_integer(integer != 0);
    int unused = (int)(64 - 8 * size);
    if (header->kind == 'i') return strc_integer((int64_t)(integer << unused) >> unused);
    return (strc_number){(double)integer, 0, integer > INT64_MAX ? INT64_MAX : (int64_t)integer, 1};
}

static int64_t read_numbers(strc_reader *reader, unsigned char *to, uint64_t count) {
    npy_reader *own = reader->own;
    const strc_npy_header *header = &own->header;
    if (own->left == 0) return 0;
    size_t size = header->size;
    int64_t there = strc_source_ask(&reader->source, size);
    if (there < 0) return -1;
    uint64_t numbers = (uint64_t)there / size;
    if (numbers > count) numbers = count;
    if (numbers > own->left) numbers = own->left;
    char why[STRC_NPY_WHY];
    if (numbers == 0 && reader->source.signalled) return 0;
    if (numbers == 0) {
        snprintf(why, sizeof why, "it ends %llu elements too early", (unsigned long long)own->left);
        return wrong(reader, why);
    }
    const unsigned char *from = strc_source_bytes(&reader->source);
    size_t step = own->numbers.item.size;
    if (own->plain) memcpy(to, from, (size_t)numbers * size);
    for (uint64_t k = 0; !own->plain && k < numbers; ++k) {
        strc_number element = element_of(header, from + k * size);
        if (strc_number_store(element, own->numbers.item.kind, to + k * step)) continue;
        if (k > 0) {  // those before it come first
            numbers = k;
            break;
        }
        snprintf(why, sizeof why, "element %llu does not fit the type of the items",
                 (unsigned long long)(header->count - own->left + k));
        return wrong(reader, why);
    }
    strc_source_take(&reader->source, (size_t)numbers * size);
    own->left -= numbers;
    return (int64_t)numbers;
}

static int is_plain(const strc_npy_header *header, strc_numbers item) {
    strc_kind same = header->kind == 'i'   ? STRC_INT
                     : header->kind == 'c' ? STRC_COMPLEX
                     : header->kind != 'f' ? STRC_OTHER
                     : header->size == 8   ? STRC_DOUBLE
                                           : STRC_FLOAT;
    return !header->big_endian && same == item.kind && header->size == item.size;
}

static int open_reader(strc_reader *reader) {
    strc_npy_header header;
    if (strc_npy_read_header(&reader->source, &header) != 0) return -1;
    uint64_t size = reader->source.size;
    uint64_t present = size == STRC_UNKNOWN ? UINT64_MAX : size - header.start;
    if (header.count > present / header.size)
        return wrong(reader, "it is shorter than its header says");
    if (header.kind == 'c' && strc_numbers_of(&reader->item).kind != STRC_COMPLEX)
        return wrong(reader, "its elements are complex numbers, the items are not");
    npy_reader *own = strc_number_reader_begin(reader, sizeof *own, read_numbers);
    if (!own) return -1;
    own->header = header;
    own->left = header.count;
    own->plain = is_plain(&header, own->numbers.item);
    return 0;
}

static int go_back(strc_reader *reader) {
    npy_reader *own = reader->own;
    if (!strc_source_seek(&reader->source, own->header.start)) return 0;
    own->left = own->header.count;
    own->numbers.part_size = 0;
    return 1;
}

static uint64_t total(const strc_reader *reader) {
    const npy_reader *own = reader->own;
    return own->header.count / own->numbers.item.count;
}

// ---- writing: the array's first extent is the number of items, which is known at the end. Into a file
// the header is written again, for a pipe everything is kept until then.

typedef struct npy_writer {
    strc_numbers item;
    uint64_t items;
    unsigned char *kept;
    size_t capacity, size;
    char *header;
    size_t inner_capacity;
    char inner[];  ///< ", 3, 4" of items that are arrays; behind it room for the shape
} npy_writer;

static const char *descr_of(strc_kind kind) {
    switch (kind) {
        case STRC_BOOLEAN: return "|b1";
        case STRC_BIT: return "|u1";
        case STRC_INT: return "<i4";
        case STRC_DOUBLE: return "<f8";
        case STRC_COMPLEX: return "<c8";
        default: return "<f4";
    }
}

/// Of the same length whatever the number of items; how long it is.
static size_t make_header(npy_writer *own) {
    char *shape = own->inner + own->inner_capacity;
    int size =
        sprintf(shape, "(%llu%s)", (unsigned long long)own->items, *own->inner ? own->inner : ",");
    int digits = snprintf(NULL, 0, "%llu", (unsigned long long)own->items);
    return strc_npy_put_header(own->header, descr_of(own->item.kind), shape,
                               (size_t)(size + STRC_NPY_DIGITS - digits));
}

/// Extents of the arrays in an item, each after a comma; counts without a place to write to.
static size_t put_inner(const strc_item *item, char *to) {
    size_t size = 0;
    const strc_type *type = item->type;
    for (; type->kind == STRC_ARRAY; type = &item->types[type->first])
        size += (size_t)snprintf(to ? to + size : NULL, to ? STRC_NPY_DIGITS + 3 : 0, ", %llu",
                                 (unsigned long long)type->count);
    if (type->kind >= STRC_FLOAT2 && type->kind <= STRC_FLOAT4)
        size += (size_t)snprintf(to ? to + size : NULL, to ? STRC_NPY_DIGITS + 3 : 0, ", %u",
                                 2 + type->kind - STRC_FLOAT2);
    return size;
}

static int open_writer(strc_writer *writer) {
    size_t inner = put_inner(&writer->item, NULL) + STRC_NPY_DIGITS + 4;
    size_t header = 192 + inner;
    npy_writer *own = strc_own(&writer->own, sizeof *own + 2 * inner + header, writer->sink.origin,
                               writer->sink.name);
    if (!own) return -1;
    own->item = strc_numbers_of(&writer->item);
    own->inner_capacity = inner;
    own->header = own->inner + 2 * inner;
    put_inner(&writer->item, own->inner);
    if (!writer->sink.seekable) return 0;
    size_t size = make_header(own);
    return strc_sink_write(&writer->sink, own->header, size);
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    npy_writer *own = writer->own;
    size_t bytes = (size_t)(count * own->item.size * own->item.count);
    if (writer->sink.seekable) {
        own->items += count;
        return strc_sink_write(&writer->sink, from, bytes);
    }
    if (strc_grow((void **)&own->kept, &own->capacity, own->size + bytes, 1, writer->sink.origin,
                  writer->sink.name) != 0)
        return -1;
    memcpy(own->kept + own->size, from, bytes);
    own->size += bytes;
    own->items += count;
    return 0;
}

static int overwrite_header(strc_writer *writer) {
    npy_writer *own = writer->own;
    size_t size = make_header(own);
    return strc_sink_overwrite(&writer->sink, 0, own->header, size);
}

static int flush(strc_writer *writer) {
    if (!writer->sink.seekable) return 0;
    return strc_sink_flush(&writer->sink) == 0 ? overwrite_header(writer) : -1;
}

static int finish(strc_writer *writer) {
    npy_writer *own = writer->own;
    if (!own) return 0;
    strc_sink *sink = &writer->sink;
    if (sink->seekable && strc_sink_flush(sink) != 0)
        own->items =
            strc_sink_cut_to_items(sink, make_header(own), own->item.size * own->item.count);
    if (sink->seekable) return overwrite_header(writer);
    size_t size = make_header(own);
    int status = strc_sink_write(sink, own->header, size);
    return status == 0 ? strc_sink_write(sink, own->kept, own->size) : status;
}

static void close_writer(strc_writer *writer) { free(((npy_writer *)writer->own)->kept); }

const strc_format strc_format_npy = {.name = "npy",
                                     .holds = strc_holds_numbers,
                                     .open_reader = open_reader,
                                     .read = strc_numbers_read,
                                     .rewind = go_back,
                                     .total = total,
                                     .open_writer = open_writer,
                                     .write = write_items,
                                     .flush = flush,
                                     .finish = finish,
                                     .close_writer = close_writer};
