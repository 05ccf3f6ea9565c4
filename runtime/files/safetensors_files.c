// Streams of tensors in safetensors files.
#define _GNU_SOURCE  // mempcpy
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/paths.h"
#include "strc/files/tensors.h"
#include "strc/safetensors.h"
#include "strc/utf8.h"

static const char format_name[] = "safetensors";
enum {
    kMostListed = 8,  ///< names of tensors in a message
    kWhy = 2048,
};

// ---- reading

/// The header alone is read, from the beginning of the file; 0, or -1 after reporting.
static int read_index(strc_source *source, strc_safe_index *index) {
    if (source->size == STRC_UNKNOWN)
        return strc_source_malformed(source, format_name, "it is no regular file");
    if (strc_source_ask(source, STRC_SAFE_LENGTH) < 0) return -1;
    if (strc_source_buffered(source) >= STRC_SAFE_LENGTH) {
        const uint64_t length = strc_safe_header_size(strc_source_bytes(source));
        if (length <= STRC_SAFE_HEADER &&
            strc_source_ask(source, (size_t)length + STRC_SAFE_LENGTH) < 0)
            return -1;
    }
    char why[STRC_SAFE_WHY];
    if (strc_safe_read(strc_source_bytes(source), source->size, index, why) == 0) return 0;
    return strc_source_malformed(source, format_name, why);
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/// Digits of a number that does not begin with zeros.
static size_t digits_at(const char **at, const char *end) {
    while (*at + 1 < end && **at == '0' && is_digit((*at)[1])) ++*at;
    size_t count = 0;
    while (*at + count < end && is_digit((*at)[count])) ++count;
    return count;
}

/// "conv9" comes before "conv10".
static int by_number(const void *a, const void *b) {
    const strc_safe_tensor *one = a, *other = b;
    const size_t shared = one->name_size < other->name_size ? one->name_size : other->name_size;
    size_t same = 0;
    while (same < shared && one->name[same] == other->name[same]) ++same;
    size_t start = same;
    while (start > 0 && is_digit(one->name[start - 1])) --start;
    const char *left = one->name + start, *right = other->name + start;
    const size_t left_digits = digits_at(&left, one->name + one->name_size);
    const size_t right_digits = digits_at(&right, other->name + other->name_size);
    int order = 0;
    if (left_digits > 0 && right_digits > 0)
        order = left_digits != right_digits ? (left_digits > right_digits ? 1 : -1)
                                            : memcmp(left, right, left_digits);
    if (order == 0) order = memcmp(one->name, other->name, shared);
    return order ? order
                 : (one->name_size > other->name_size) - (one->name_size < other->name_size);
}

static int64_t count_tensors(strc_source *source, const char *name) {
    if (*strc_tensor_in(name)) return 1;
    strc_safe_index index;
    if (read_index(source, &index) != 0) return -1;
    const size_t count = index.count;
    strc_safe_free(&index);
    return count == 0 ? strc_source_empty(source) : (int64_t)count;
}

/// As many as there is room for, and no more than a reader looks through.
static void list_names(char *to, size_t capacity, const strc_safe_index *index) {
    static const char more[] = ", ...";
    size_t used = 0, k = 0;
    for (; k < index->count && k < kMostListed; ++k) {
        const strc_safe_tensor *each = &index->tensors[k];
        if (used + 2 + each->name_size + sizeof more > capacity) break;
        used += (size_t)snprintf(to + used, capacity - used, "%s%.*s", k ? ", " : "",
                                 (int)each->name_size, each->name);
    }
    if (k < index->count) snprintf(to + used, capacity - used, "%s", k ? more : more + 2);
}

static int missing(strc_source *source, strc_safe_index *index, const char *name) {
    char why[kWhy], names[kWhy / 2] = "";
    qsort(index->tensors, index->count, sizeof *index->tensors, by_number);
    list_names(names, sizeof names, index);
    snprintf(why, sizeof why, "it has no tensor '%.*s', but %s", kWhy / 3, name, names);
    return strc_source_malformed(source, format_name, why);
}

static int take(strc_source *source, const strc_safe_tensor *found, strc_tensor_header *to) {
    *to = (strc_tensor_header){.start = found->begin, .rank = (int64_t)found->rank, .count = 1};
    for (uint32_t k = 0; k < found->rank; ++k) {
        to->extents[k] = (int64_t)found->dims[k];
        to->count *= found->dims[k];
    }
    while (to->element < STRC_ELEMENTS && strc_elements[to->element].safe_type != found->type)
        ++to->element;
    if (to->element < STRC_ELEMENTS) return 0;
    char why[STRC_SAFE_WHY];
    snprintf(why, sizeof why, "the elements of '%.*s' are of type '%s', which no tensor has",
             found->name_size > 200 ? 200 : (int)found->name_size, found->name,
             strc_safe_name(found->type));
    return strc_source_malformed(source, format_name, why);
}

static int find_tensor(const strc_tensor_files *files, strc_source *source, const char *file,
                       uint64_t k, strc_tensor_header *to) {
    (void)files;
    const char *name = strc_tensor_in(file);
    strc_safe_index index;
    if (read_index(source, &index) != 0) return -1;
    if (!*name) qsort(index.tensors, index.count, sizeof *index.tensors, by_number);
    const strc_safe_tensor *found =
        *name ? strc_safe_find(&index, name, strlen(name)) : &index.tensors[k];
    int status = found ? take(source, found, to) : missing(source, &index, name);
    if (status == 0 && !strc_source_seek(source, to->start))
        status = strc_source_malformed(source, format_name, "it is no regular file");
    strc_safe_free(&index);
    return status;
}

static const strc_tensor_files safetensors_files = {format_name, count_tensors, find_tensor, NULL};

// ---- writing

typedef struct tensor {
    uint32_t file;  // the first tensor that goes to the same one, which has the sink
    char *name;
    const int64_t *shape;
    uint64_t count;
    unsigned char *bytes;
    size_t capacity, size;
} tensor;

typedef struct tensor_writer {
    uint32_t count;
    uint32_t capacity;  // of `tensors`, those behind the others have nothing yet
    uint32_t files;  // of `sinks`
    uint64_t written;
    const int64_t **shapes;
    tensor *tensors;
    strc_sink *sinks;  // of all files but the first
} tensor_writer;

static const char *file_of(const strc_writer *writer, uint32_t k) {
    const strc_item *item = &writer->item;
    return item->file_count > 1 ? item->files[k] : writer->sink.name;
}

static strc_sink *sink_of(strc_writer *writer, uint32_t file) {
    tensor_writer *own = writer->own;
    return file == 0 ? &writer->sink : &own->sinks[file];
}

/// The tensor that brings the file of tensor `k`, and how many others there are before this one.
static uint32_t first_in_file(const strc_writer *writer, uint32_t k, uint32_t *before) {
    char wanted[STRC_PATH], other[STRC_PATH];
    const char *path = strc_path_of(file_of(writer, k), wanted);
    uint32_t first = k;
    *before = 0;
    for (uint32_t j = k; j-- > 0;) {
        if (strcmp(strc_path_of(file_of(writer, j), other), path) != 0) continue;
        first = j;
        ++*before;
    }
    return first;
}

static int report_twice(const char *file, const char *name, strc_origin origin) {
    char path[STRC_PATH], why[kWhy];
    snprintf(why, sizeof why, "two tensors are called '%s'", name);
    return STRC_FAIL(origin, CannotWriteFile, strc_path_of(file, path), why);
}

static int name_tensor(strc_writer *writer, uint32_t k, const char *file, uint32_t before) {
    tensor_writer *own = writer->own;
    tensor *each = &own->tensors[k];
    const char *said = strc_tensor_in(file);
    const size_t capacity = strlen(said) + sizeof "output." + sizeof(strc_digits);
    if (!strc_own((void **)&each->name, capacity, writer->sink.origin, file)) return -1;
    if (*said || before == 0)
        strcpy(each->name, *said ? said : "output");
    else
        snprintf(each->name, capacity, "output.%u", (unsigned)before);
    for (uint32_t j = 0; j < k; ++j)
        if (own->tensors[j].file == each->file && strcmp(own->tensors[j].name, each->name) == 0)
            return report_twice(file, each->name, writer->sink.origin);
    return 0;
}

static int open_tensor(strc_writer *writer, uint32_t k) {
    tensor_writer *own = writer->own;
    tensor *each = &own->tensors[k];
    each->shape = strc_common_shape(own->shapes, writer->item.tensors, k, own->count);
    if (!each->shape)
        return STRC_FAIL(writer->sink.origin, FormatItemType, format_name, writer->item.name);
    uint32_t before = 0;
    each->file = first_in_file(writer, k, &before);
    if (each->file == k && k != 0 &&
        strc_sink_open(&own->sinks[k], file_of(writer, k), writer->sink.origin) != 0)
        return -1;
    return name_tensor(writer, k, file_of(writer, k), before);
}

/// One file gets items of several types as so many tensors.
static int open_writer(strc_writer *writer) {
    const strc_item *item = &writer->item;
    const strc_sink *sink = &writer->sink;
    const int is_one = strc_files_of(item) == 1 && !*strc_tensor_in(sink->name);
    const uint32_t count = is_one ? item->tensors : strc_files_of(item);
    tensor_writer *own = strc_own(&writer->own, sizeof *own, sink->origin, sink->name);
    if (!own ||
        !strc_own((void **)&own->tensors, count * sizeof *own->tensors, sink->origin, sink->name) ||
        !strc_own((void **)&own->sinks, count * sizeof *own->sinks, sink->origin, sink->name))
        return -1;
    own->capacity = own->files = count;
    own->shapes = strc_list_shapes(item, sink->origin, sink->name);
    if (!own->shapes) return -1;
    own->count = count;
    int status = 0;
    for (uint32_t k = 0; k < count && status == 0; ++k) status = open_tensor(writer, k);
    if (status != 0) own->count = 0;  // nothing is written
    return status;
}

static int add_tensor(strc_writer *writer, const char *name, const int64_t *shape) {
    tensor_writer *own = writer->own;
    const strc_sink *sink = &writer->sink;
    const uint32_t k = own->count;
    size_t capacity = k;
    if (strc_grow((void **)&own->tensors, &capacity, (size_t)k + 1, sizeof *own->tensors,
                  sink->origin, sink->name) != 0)
        return -1;
    own->tensors[k] = (tensor){.shape = shape};
    own->capacity = k + 1;
    if (name_tensor(writer, k, name, k) != 0) return -1;
    ++own->count;
    return 0;
}

static int keep(strc_writer *writer, tensor *each, const unsigned char *from) {
    const size_t bytes = strc_shape_bytes(each->shape);
    strc_sink *sink = sink_of(writer, each->file);
    if (strc_grow((void **)&each->bytes, &each->capacity, each->size + bytes, 1, sink->origin,
                  sink->name) != 0)
        return -1;
    memcpy(each->bytes + each->size, from, bytes);
    each->size += bytes;
    ++each->count;
    return 0;
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    tensor_writer *own = writer->own;
    const size_t size = (size_t)writer->item.type->size;
    for (uint64_t k = 0; k < count; ++k, ++own->written) {
        tensor *each = &own->tensors[own->written % own->count];
        const unsigned char *item = (const unsigned char *)from + k * size;
        if (keep(writer, each, item + strc_shape_offset(each->shape)) != 0) return -1;
    }
    return 0;
}

/// Everything is kept until the end.
static int flush(strc_writer *writer) {
    (void)writer;
    return 0;
}

/// In quotes, as JSON has it. A character takes six bytes at most.
static size_t put_name(char *to, const char *name) {
    char *at = to;
    *at++ = '"';
    while (*name) {
        const unsigned char *text = (const unsigned char *)name;
        const size_t length = strc_utf8_length(text);
        if (length == 0)
            at = stpcpy(at, STRC_UTF8_REPLACEMENT);
        else if (*text < 0x20 || *text == 0x7f)
            at += sprintf(at, "\\u%04x", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            at += sprintf(at, "\\%c", *text);
        else
            at = mempcpy(at, name, length);
        name += length ? length : 1;
    }
    *at++ = '"';
    return (size_t)(at - to);
}

static size_t put_tensor(char *to, const tensor *each, size_t begin) {
    char *at = to + put_name(to, each->name);
    at += sprintf(at, ":{\"dtype\":\"%s\",\"shape\":[",
                  strc_safe_name(strc_elements[each->shape[0]].safe_type));
    if (each->count != 1) at += sprintf(at, "%llu", (unsigned long long)each->count);
    for (int64_t k = 0; k < each->shape[1]; ++k)
        at += sprintf(at, "%s%lld", k == 0 && each->count == 1 ? "" : ",",
                      (long long)each->shape[2 + k]);
    at += sprintf(at, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin,
                  (unsigned long long)(begin + each->size));
    return (size_t)(at - to);
}

/// Blanks at its end let the values begin at a multiple of eight bytes.
static size_t make_header(const tensor_writer *own, uint32_t file, char *to) {
    char *at = to + STRC_SAFE_LENGTH;
    size_t begin = 0;
    for (uint32_t k = 0; k < own->count; ++k) {
        if (own->tensors[k].file != file) continue;
        *at++ = begin == 0 && k == file ? '{' : ',';
        at += put_tensor(at, &own->tensors[k], begin);
        begin += own->tensors[k].size;
    }
    *at++ = '}';
    while ((at - to) % STRC_SAFE_LENGTH != 0) *at++ = ' ';
    const uint64_t length = (uint64_t)(at - to) - STRC_SAFE_LENGTH;
    for (int k = 0; k < STRC_SAFE_LENGTH; ++k) to[k] = (char)(length >> (8 * k) & 0xff);
    return (size_t)(at - to);
}

static size_t header_capacity(const tensor_writer *own) {
    size_t capacity = 2 * STRC_SAFE_LENGTH + 2;
    for (uint32_t k = 0; k < own->count; ++k)
        capacity +=
            6 * strlen(own->tensors[k].name) + 120 + 22 * (size_t)(own->tensors[k].shape[1] + 1);
    return capacity;
}

static int finish_file(strc_writer *writer, uint32_t file) {
    const tensor_writer *own = writer->own;
    strc_sink *sink = sink_of(writer, file);
    char *header = NULL;
    if (!strc_own((void **)&header, header_capacity(own), sink->origin, sink->name)) return -1;
    int status = strc_sink_write(sink, header, make_header(own, file, header));
    free(header);
    for (uint32_t k = 0; k < own->count && status == 0; ++k)
        if (own->tensors[k].file == file)
            status = strc_sink_write(sink, own->tensors[k].bytes, own->tensors[k].size);
    if (status == 0) status = strc_sink_flush(sink);
    if (sink->failed) strc_sink_cut(sink, 0);
    if (file != 0) status |= strc_sink_close(sink);
    return status;
}

static int finish(strc_writer *writer) {
    tensor_writer *own = writer->own;
    if (!own) return 0;
    int status = 0;
    for (uint32_t k = 0; k < own->count; ++k)
        if (own->tensors[k].file == k) status |= finish_file(writer, k);
    return status;
}

static void close_writer(strc_writer *writer) {
    tensor_writer *own = writer->own;
    for (uint32_t k = 0; k < own->capacity; ++k) {
        free(own->tensors[k].bytes);
        free(own->tensors[k].name);
    }
    for (uint32_t k = 1; own->sinks && k < own->files; ++k) strc_sink_leave(&own->sinks[k]);
    free(own->tensors);
    free(own->sinks);
    free(own->shapes);
}

const strc_format strc_format_safetensors = {.name = "safetensors",
                                             .holds = strc_holds_tensors,
                                             .open_reader = strc_tensors_open,
                                             .read = strc_tensors_read,
                                             .next_tensor = strc_tensors_next,
                                             .rewind = strc_tensors_rewind,
                                             .total = strc_tensors_total,
                                             .open_writer = open_writer,
                                             .write = write_items,
                                             .flush = flush,
                                             .finish = finish,
                                             .close_writer = close_writer,
                                             .close_reader = strc_tensors_close,
                                             .add_tensor = add_tensor,
                                             .files = &safetensors_files};
