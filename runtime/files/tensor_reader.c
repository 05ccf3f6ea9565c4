// Reads tensors from files that take turns.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/tensors.h"

typedef struct part {
    strc_source own, *source;
    const strc_tensor_files *files;
    strc_tensor_header header;
    const int64_t *shape;
    int64_t *own_shape;  // of items that are open
    uint64_t count, left;  // tensors
    uint64_t lacks;  // elements: the file ends before the next tensor does
} part;

typedef struct tensor_reader {
    uint32_t count, next;
    part *parts;
    uint64_t taken;  // tensors that marks stood for
    const int64_t *last;  // the shape of the last of them
    unsigned char *memory;  // of the last of them
    size_t capacity;
} tensor_reader;

/// Is the file one such tensor, perhaps without a dimension of one in front, or several of them?
static int fits(const strc_tensor_header *header, const int64_t *shape) {
    const int64_t extra = header->rank - shape[1];
    const int64_t *inner = extra > 0 ? header->extents + 1 : header->extents;
    const int64_t *wanted = extra < 0 ? shape + 3 : shape + 2;
    if (extra < -1 || extra > 1 || header->element != shape[0]) return 0;
    if (extra < 0 && shape[2] != 1 && shape[2] != STRC_OPEN_EXTENT) return 0;
    const int64_t rank = extra < 0 ? header->rank : shape[1];
    for (int64_t k = 0; k < rank; ++k)
        if (wanted[k] != inner[k] && wanted[k] != STRC_OPEN_EXTENT) return 0;
    return 1;
}

/// The shape of a file's items, of which `open` leaves extents open; 0, or -1 after reporting.
static int close_shape(part *each, const int64_t *open) {
    const int64_t rank = open[1], extra = each->header.rank - rank;
    const strc_source *source = each->source;
    size_t capacity = 0;
    if (strc_grow((void **)&each->own_shape, &capacity, (size_t)rank + 3, sizeof *open,
                  source->origin, source->name) != 0)
        return -1;
    int64_t *shape = each->own_shape;
    shape[0] = open[0];
    shape[1] = rank;
    for (int64_t k = 0; k < rank; ++k)
        shape[2 + k] = k + extra < 0 ? 1 : each->header.extents[k + extra];
    shape[2 + rank] = 0;
    each->shape = shape;
    return 0;
}

static int refuse(const part *each, const strc_item *item, const int64_t *const *shapes) {
    char have[400], want[400] = "";
    strc_put_type(have, sizeof have, each->header.element, each->header.rank, each->header.extents);
    if (each->shape)
        strc_put_types(want, sizeof want, &each->shape, 1);
    else
        strc_put_types(want, sizeof want, shapes, item->tensors);
    return STRC_FAIL(each->source->origin, ItemShape, each->source->name, have, item->owner, want);
}

static const char *name_of(const strc_reader *reader, uint32_t k) {
    return reader->item.files ? reader->item.files[k] : reader->source.name;
}

static const strc_tensor_files *files_of(const strc_reader *reader, uint32_t k) {
    return reader->item.formats ? reader->item.formats[k]->files : reader->format->files;
}

/// Opens the source of part `k`; the first is open already.
static int open_source(strc_reader *reader, part *each, uint32_t k, const char *name) {
    each->source = k == 0 ? &reader->source : &each->own;
    if (k == 0) return 0;
    const strc_source *first = &reader->source;
    return strc_source_open(&each->own, name, first->origin, first->before_waiting);
}

static int grow(strc_reader *reader, tensor_reader *own, size_t *capacity) {
    const strc_source *source = &reader->source;
    part *old = own->parts;
    if (strc_grow((void **)&own->parts, capacity, (size_t)own->count + 1, sizeof *own->parts,
                  source->origin, source->name) != 0)
        return -1;
    for (uint32_t k = 1; old != own->parts && k < own->count; ++k)
        own->parts[k].source = &own->parts[k].own;
    own->parts[own->count] = (part){.own = {.descriptor = -1}};
    return 0;
}

/// All tensors of file `number`, for which there is one wanted shape if they are one.
static int open_file(strc_reader *reader, tensor_reader *own, size_t *capacity, uint32_t number,
                     const int64_t *shape) {
    const char *name = name_of(reader, number);
    int64_t tensors = 1;
    for (int64_t k = 0; k < tensors; ++k) {
        if (grow(reader, own, capacity) != 0) return -1;
        part *each = &own->parts[own->count];
        each->files = files_of(reader, number);
        if (open_source(reader, each, own->count++, name) != 0) return -1;
        if (each->source->size == 0) return strc_source_empty(each->source);
        if (k == 0) tensors = each->files->count(each->source, name);
        if (tensors < 0) return -1;
        each->header.element = shape ? shape[0] : STRC_ELEMENT_FLOAT;
        if (each->files->find(each->files, each->source, name, (uint64_t)k, &each->header) != 0)
            return -1;
    }
    return 0;
}

static int check_part(strc_reader *reader, tensor_reader *own, uint32_t k,
                      const int64_t *const *shapes) {
    part *each = &own->parts[k];
    each->shape = strc_common_shape(shapes, reader->item.tensors, k, own->count);
    if (!each->shape || !fits(&each->header, each->shape))
        return refuse(each, &reader->item, shapes);
    if (reader->item.is_open && close_shape(each, each->shape) != 0) return -1;
    if (each->header.count == 0) return strc_source_empty(each->source);
    each->count = each->left = each->header.count / strc_shape_count(each->shape);
    return each->count == 0 ? strc_source_empty(each->source) : 0;
}

static strc_part part_of(const strc_reader *reader, uint32_t k) {
    const tensor_reader *own = reader->own;
    if (k >= own->count) return (strc_part){.file = NULL};
    return (strc_part){.file = own->parts[k].source->name, .items = own->parts[k].count, .turn = 1};
}

static uint64_t share_of(const strc_reader *reader, uint32_t k, uint64_t items) {
    const uint32_t count = ((const tensor_reader *)reader->own)->count;
    return (items + count - 1 - k) / count;
}

int strc_tensors_open(strc_reader *reader) {
    const strc_source *source = &reader->source;
    tensor_reader *own = strc_own(&reader->own, sizeof *own, source->origin, source->name);
    if (!own) return -1;
    reader->part = part_of;
    reader->share = share_of;
    const int64_t **shapes = strc_list_shapes(&reader->item, source->origin, source->name);
    if (!shapes) return -1;
    const uint32_t count = strc_files_of(&reader->item);
    size_t capacity = 0;
    int status = 0;
    for (uint32_t k = 0; k < count && status == 0; ++k)
        status = open_file(reader, own, &capacity, k,
                           strc_common_shape(shapes, reader->item.tensors, k, count));
    for (uint32_t k = 0; k < own->count && status == 0; ++k)
        status = check_part(reader, own, k, shapes);
    for (uint32_t k = 0; k < own->count; ++k)
        reader->is_piped |= own->parts[k].source->size == STRC_UNKNOWN;
    free(shapes);
    return status;
}

void strc_tensors_close(strc_reader *reader) {
    tensor_reader *own = reader->own;
    for (uint32_t k = 1; k < own->count; ++k) strc_source_close(&own->parts[k].own);
    for (uint32_t k = 0; k < own->count; ++k) {
        free(own->parts[k].header.decoded);
        free(own->parts[k].own_shape);
    }
    free(own->parts);
    free(own->memory);
}

static void swap_bytes(unsigned char *at, size_t size) {
    for (size_t k = 0; k < size / 2; ++k) {
        const unsigned char kept = at[k];
        at[k] = at[size - 1 - k];
        at[size - 1 - k] = kept;
    }
}

/// Number `k` of the file, before which it stands. 1; 0 after a signal or at an end that comes too early; -1 after reporting.
static int read_tensor(part *each, uint64_t k, unsigned char *to) {
    const size_t bytes = strc_shape_bytes(each->shape);
    const size_t size = strc_elements[each->shape[0]].size;
    const size_t count = strc_shape_count(each->shape);
    if (each->header.decoded) {
        memcpy(to, each->header.decoded + (size_t)k * bytes, bytes);
        return 1;
    }
    for (size_t have = 0; have < bytes;) {
        const int64_t some = strc_source_move(each->source, to + have, bytes - have);
        if (some < 0) return -1;
        if (some == 0 && each->source->signalled) return 0;
        if (some == 0) {
            each->lacks = ((each->count - k) * bytes - have + size - 1) / size;
            return 0;
        }
        have += (size_t)some;
    }
    if (each->header.big_endian)
        for (size_t at = 0; at < bytes; at += size) swap_bytes(to + at, size);
    for (size_t at = 0; each->shape[0] == STRC_ELEMENT_BOOLEAN && at < count; ++at)
        to[at] = to[at] != 0;
    return 1;
}

static int report_short(const part *each) {
    char why[STRC_NPY_WHY];
    snprintf(why, sizeof why, "it ends %llu elements too early", (unsigned long long)each->lacks);
    return strc_source_malformed(each->source, each->files->format, why);
}

// ---- open items

static int64_t read_marks(tensor_reader *own, int32_t *to, uint64_t count) {
    uint64_t done = 0;
    for (; done < count && own->parts[own->next].left != 0; ++done) {
        to[done] = 1;
        --own->parts[own->next].left;
        own->next = (own->next + 1) % own->count;
    }
    return (int64_t)done;
}

/// Marks may run ahead to the beginning of the file again: where tensor `k` stands depends on nothing before.
static int read_open(part *each, uint64_t k, unsigned char *to) {
    const uint64_t place = each->header.start + k * strc_shape_bytes(each->shape);
    if (!each->header.decoded && each->source->taken != place)
        (void)strc_source_seek(each->source, place);
    const int status = read_tensor(each, k, to);
    if (status == 0 && each->lacks) return report_short(each);
    return status > 0 ? 0 : -1;
}

static int make_capacity(strc_reader *reader, size_t bytes) {
    tensor_reader *own = reader->own;
    return strc_grow((void **)&own->memory, &own->capacity, bytes, 1, reader->source.origin,
                     reader->source.name);
}

int strc_tensors_next(strc_reader *reader, int is_padding, const int64_t **shape,
                      const void **elements) {
    tensor_reader *own = reader->own;
    part *each = &own->parts[own->taken % own->count];
    *shape = is_padding && own->last ? own->last : each->shape;
    const size_t bytes = strc_shape_bytes(*shape);
    if (make_capacity(reader, bytes) != 0) return -1;
    *elements = own->memory;
    if (is_padding) {
        memset(own->memory, 0, bytes);
        return 0;
    }
    own->last = *shape;
    return read_open(each, own->taken++ / own->count % each->count, own->memory);
}

// ----

/// What is whole before a fault comes first.
int64_t strc_tensors_read(strc_reader *reader, void *to, uint64_t count) {
    tensor_reader *own = reader->own;
    if (reader->item.is_open) return read_marks(own, to, count);
    const size_t size = (size_t)reader->item.type->size;
    uint64_t done = 0;
    for (; done < count; ++done) {
        part *each = &own->parts[own->next];
        const strc_source *source = each->source;
        const int would_wait = !each->header.decoded && strc_source_buffered(source) == 0 &&
                               source->size == STRC_UNKNOWN;
        if (each->left == 0 || (done > 0 && would_wait)) break;
        unsigned char *item = (unsigned char *)to + done * size;
        if (strc_shape_bytes(each->shape) < size) memset(item, 0, size);
        const int status = each->lacks ? 0
                                       : read_tensor(each, each->count - each->left,
                                                     item + strc_shape_offset(each->shape));
        if (status < 0) return -1;
        if (status == 0) break;
        --each->left;
        own->next = (own->next + 1) % own->count;
    }
    const part *next = &own->parts[own->next];
    if (done == 0 && next->lacks) return report_short(next);
    return (int64_t)done;
}

int strc_tensors_rewind(strc_reader *reader) {
    tensor_reader *own = reader->own;
    for (uint32_t k = 0; k < own->count; ++k) {
        part *each = &own->parts[k];
        if (!each->header.decoded && !strc_source_seek(each->source, each->header.start)) return 0;
        each->left = each->count;
    }
    own->next = 0;
    return 1;
}

uint64_t strc_tensors_total(const strc_reader *reader) {
    const tensor_reader *own = reader->own;
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < own->count; ++k) {
        const uint64_t most = own->parts[k].count * own->count + k;
        if (most < least) least = most;
    }
    return least;
}
