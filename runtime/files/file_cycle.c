#include "strc/files/file_cycle.h"

#include <stdlib.h>
#include <string.h>

#include "strc/files/paths.h"
#include "strc/files/tensors.h"

enum { kWords = 3 + STRC_NPY_DIMENSIONS, kTypeText = 512 };

// Linked if something else refers to them: programs without several outputs have no use of them.
#pragma weak strc_turns_begin
#pragma weak strc_turns_hear
#pragma weak strc_turns_write

struct strc_cycle_file {
    strc_writer writer;
    const strc_format *format;
    const char *name;
    uint32_t home;  ///< the first file with the same path, whose writer this one shares
    int64_t shape[kWords];  ///< of the first tensor; texts: of the present one
    strc_type types[2];  ///< of its memory, of an element
    char type_name[kTypeText];
    int is_begun;
};

// ---- before the first tensor

static int flush_nothing(strc_writer *writer) { return strc_sink_flush(&writer->sink); }
static int finish_nothing(strc_writer *writer) {
    (void)writer;
    return 0;
}
static const strc_format nothing = {
    .name = "nothing", .flush = flush_nothing, .finish = finish_nothing};

/// Several tensors may go to one file.
static uint32_t home_of(const strc_file_cycle *cycle, uint32_t k) {
    char path[STRC_PATH], other[STRC_PATH];
    const strc_cycle_file *file = &cycle->files[k];
    for (uint32_t j = 0; file->format->add_tensor && j < k; ++j)
        if (cycle->files[j].format == file->format &&
            strcmp(strc_path_of(cycle->files[j].name, other), strc_path_of(file->name, path)) == 0)
            return j;
    return k;
}

int strc_file_cycle_open(strc_file_cycle *cycle, const strc_format *const *formats,
                         const char *const *names, uint32_t count, strc_origin origin,
                         strc_stream_info info) {
    *cycle = (strc_file_cycle){.info = info};
    if (!strc_own((void **)&cycle->files, count * sizeof *cycle->files, origin, names[0]))
        return -1;
    for (; cycle->count < count; ++cycle->count) {
        const uint32_t k = cycle->count;
        strc_cycle_file *file = &cycle->files[k];
        *file =
            (strc_cycle_file){.format = formats[k], .name = names[k], .writer.format = &nothing};
        file->home = home_of(cycle, k);
        if (file->home == k && strc_sink_open(&file->writer.sink, names[k], origin) != 0) return -1;
    }
    return 0;
}

strc_writer *strc_file_cycle_writer(strc_file_cycle *cycle, uint32_t file) {
    return &cycle->files[file].writer;
}

// ---- tensors

static size_t words_of(const int64_t *shape) { return (size_t)(3 + shape[1]); }

static strc_kind kind_of(int64_t element) {
    switch (element) {
        case STRC_ELEMENT_BOOLEAN: return STRC_BOOLEAN;
        case STRC_ELEMENT_INT: return STRC_INT;
        case STRC_ELEMENT_FLOAT: return STRC_FLOAT;
        case STRC_ELEMENT_DOUBLE: return STRC_DOUBLE;
        default: return STRC_OTHER;
    }
}

/// What lies in memory, for formats that know nothing of tensors. A long is two ints, as far as raw files care.
static strc_item item_of(strc_cycle_file *file) {
    const int64_t element = file->shape[0];
    const int is_long = element == STRC_ELEMENT_LONG;
    const strc_kind kind = is_long ? STRC_INT : kind_of(element);
    const size_t count = strc_shape_count(file->shape);
    const size_t size = kind == STRC_BOOLEAN ? 1 : element == STRC_ELEMENT_DOUBLE ? 8 : 4;
    const size_t all = is_long ? 2 * count : count;
    file->types[0] = (strc_type){.kind = STRC_ARRAY, .first = 1, .count = all, .size = all * size};
    file->types[1] = (strc_type){.kind = kind, .size = size};
    strc_put_type(file->type_name, sizeof file->type_name, element, file->shape[1],
                  file->shape + 2);
    return (strc_item){.type = file->types,
                       .types = file->types,
                       .name = file->type_name,
                       .tensors = 1,
                       .shapes = file->shape,
                       .holds_raw = kind != STRC_OTHER,
                       .holds_numbers = kind != STRC_OTHER && !is_long};
}

/// Formats know so many dimensions.
static int check_rank(const strc_cycle_file *file, const int64_t *shape) {
    if (shape[1] <= STRC_NPY_DIMENSIONS) return 0;
    return STRC_FAIL(file->writer.sink.origin, FormatItemType, file->format->name,
                     "tensors of so many dimensions");
}

static int differs(const strc_cycle_file *file, const int64_t *shape) {
    char next[kTypeText];
    if (memcmp(file->shape, shape, words_of(shape) * sizeof *shape) == 0) return 0;
    strc_put_type(next, sizeof next, shape[0], shape[1], shape + 2);
    return STRC_FAIL(file->writer.sink.origin, ItemDiffers, file->name, file->type_name, next);
}

static int begin(strc_file_cycle *cycle, strc_cycle_file *file) {
    strc_writer *writer = strc_file_cycle_writer(cycle, file->home);
    const strc_item item = item_of(file);
    file->is_begun = 1;
    if (writer != &file->writer) return file->format->add_tensor(writer, file->name, file->shape);
    return strc_writer_begin(writer, file->format, item, cycle->info);
}

static int is_text(const strc_cycle_file *file) { return file->format == &strc_format_tensor_text; }

/// The first shape of file `k`.
static int expect(strc_file_cycle *cycle, uint32_t k) {
    strc_cycle_file *file = &cycle->files[k];
    const strc_item *item = &cycle->item;
    const int64_t *shape = strc_common_shape(cycle->shapes, item->tensors, k, cycle->count);
    if (!shape && is_text(file)) shape = cycle->shapes[k % item->tensors];
    if (!shape) return strc_fail_shapes(file->format, item, file->writer.sink.origin);
    if (check_rank(file, shape) != 0) return -1;
    memcpy(file->shape, shape, words_of(shape) * sizeof *shape);
    return begin(cycle, file);
}

void strc_file_cycle_hear(strc_file_cycle *cycle, const strc_heard *heard, strc_sound_use use) {
    if (cycle->item.turns && strc_turns_hear) strc_turns_hear(cycle, heard, use);
}

int strc_file_cycle_begin(strc_file_cycle *cycle, strc_item item) {
    if (item.turns && strc_turns_begin) return strc_turns_begin(cycle, item);
    const strc_sink *sink = &cycle->files[0].writer.sink;
    cycle->item = item;
    cycle->shapes = strc_list_shapes(&item, sink->origin, sink->name);
    int status = cycle->shapes ? 0 : -1;
    for (uint32_t k = 0; k < cycle->count && status == 0; ++k) status = expect(cycle, k);
    return status;
}

int strc_file_cycle_write(strc_file_cycle *cycle, const void *memory, const int64_t *shape) {
    strc_cycle_file *file = &cycle->files[cycle->written++ % cycle->count];
    if (check_rank(file, shape) != 0) return -1;
    if (file->is_begun && !is_text(file) && differs(file, shape) != 0) return -1;
    memcpy(file->shape, shape, words_of(shape) * sizeof *shape);
    if (!file->is_begun && begin(cycle, file) != 0) return -1;
    return file->format->write(strc_file_cycle_writer(cycle, file->home), memory, 1);
}

int strc_file_cycle_write_items(strc_file_cycle *cycle, const void *items, uint64_t count) {
    if (cycle->item.turns && strc_turns_write) return strc_turns_write(cycle, items, count);
    const size_t size = (size_t)cycle->item.type->size;
    int status = 0;
    for (uint64_t k = 0; k < count && status == 0; ++k)
        status = strc_file_cycle_write(cycle, (const unsigned char *)items + k * size,
                                       cycle->shapes[cycle->written % cycle->item.tensors]);
    return status;
}

// ---- all files

int strc_file_cycle_flush(strc_file_cycle *cycle) {
    int status = 0;
    for (uint32_t k = 0; k < cycle->count; ++k)
        if (cycle->files[k].home == k)
            status |= strc_writer_flush(strc_file_cycle_writer(cycle, k));
    return status;
}

int strc_file_cycle_gone(strc_file_cycle *cycle) {
    int gone = 0;
    for (uint32_t k = 0; k < cycle->count; ++k) gone |= strc_file_cycle_writer(cycle, k)->sink.gone;
    return gone;
}

void strc_file_cycle_free(strc_file_cycle *cycle) {
    free(cycle->shapes);
    free(cycle->files);
    free(cycle->ends);
    free(cycle->parted);
}
