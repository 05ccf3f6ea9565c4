#include "strc/files/numbers.h"

#include <string.h>

static const strc_numbers no_numbers = {STRC_OTHER, 0, 0};

static strc_numbers numbers_of(const strc_item *item, const strc_type *type);

/// Fields that are numbers of one kind, one after the other.
static strc_numbers numbers_of_struct(const strc_item *item, const strc_type *type) {
    strc_numbers all = no_numbers;
    for (uint64_t k = 0; k < type->count; ++k) {
        const strc_field *field = &item->fields[type->first + k];
        const strc_numbers numbers = numbers_of(item, &item->types[field->type]);
        if (numbers.count == 0) return no_numbers;
        if (all.count == 0) all = (strc_numbers){numbers.kind, numbers.size, 0};
        if (all.kind != numbers.kind || field->offset != all.count * all.size) return no_numbers;
        all.count += numbers.count;
    }
    return type->size == all.count * all.size ? all : no_numbers;
}

static const strc_type *innermost(const strc_item *item, const strc_type *type) {
    while (type->kind == STRC_ARRAY) type = &item->types[type->first];
    return type;
}

static strc_numbers numbers_of(const strc_item *item, const strc_type *type) {
    const strc_type *one = innermost(item, type);
    const uint64_t elements = one->size == 0 ? 0 : type->size / one->size;
    strc_kind kind = (strc_kind)one->kind;
    if (kind == STRC_STRUCT) {
        strc_numbers numbers = numbers_of_struct(item, one);
        numbers.count *= elements;
        return numbers;
    }
    if (kind > STRC_FLOAT4) return no_numbers;
    if (kind < STRC_FLOAT2) return (strc_numbers){kind, (size_t)one->size, elements};
    uint64_t components = 2 + (uint64_t)(kind - STRC_FLOAT2);
    return (strc_numbers){STRC_FLOAT, sizeof(float), elements * components};
}

strc_numbers strc_numbers_of(const strc_item *item) { return numbers_of(item, item->type); }

int strc_holds_numbers(const strc_item *item) {
    return strc_numbers_of(item).count != 0 && innermost(item, item->type)->kind != STRC_STRUCT;
}

int strc_holds_samples(const strc_item *item) {
    strc_numbers numbers = strc_numbers_of(item);
    return numbers.count != 0 && numbers.kind >= STRC_INT && numbers.kind <= STRC_COMPLEX;
}

int strc_holds_pixels(const strc_item *item) {
    return strc_holds_samples(item) && strc_numbers_of(item).kind != STRC_COMPLEX;
}

// ---- one number

int32_t strc_int_of(double value) {
    if (value != value) return 0;
    if (value >= 2147483648.0) return INT32_MAX;
    return value <= -2147483648.0 ? INT32_MIN : (int32_t)value;
}

static int store_int(strc_number number, void *to) {
    if (number.exact && (number.integer < INT32_MIN || number.integer > UINT32_MAX)) return 0;
    int32_t value = number.exact ? (int32_t)(uint32_t)number.integer : strc_int_of(number.real);
    memcpy(to, &value, sizeof value);
    return 1;
}

int strc_number_store(strc_number number, strc_kind kind, void *to) {
    float parts[2] = {(float)number.real, (float)number.imag};
    switch (kind) {
        case STRC_BOOLEAN:
        case STRC_BIT:
            if (number.real != 0 && number.real != 1) return 0;
            *(unsigned char *)to = (unsigned char)number.real;
            return 1;
        case STRC_INT: return store_int(number, to);
        case STRC_DOUBLE: memcpy(to, &number.real, sizeof number.real); return 1;
        case STRC_COMPLEX: memcpy(to, parts, sizeof parts); return 1;
        default: memcpy(to, parts, sizeof *parts); return 1;
    }
}

strc_number strc_number_load(strc_kind kind, const void *from) {
    int32_t integer;
    double real;
    float parts[2];
    switch (kind) {
        case STRC_BOOLEAN:
        case STRC_BIT: return strc_integer(*(const unsigned char *)from);
        case STRC_INT: memcpy(&integer, from, sizeof integer); return strc_integer(integer);
        case STRC_DOUBLE: memcpy(&real, from, sizeof real); return strc_real(real);
        case STRC_COMPLEX:
            memcpy(parts, from, sizeof parts);
            return (strc_number){parts[0], parts[1], 0, 0};
        default: memcpy(parts, from, sizeof *parts); return strc_real(parts[0]);
    }
}

// ---- readers and writers

void *strc_number_reader_begin(strc_reader *reader, size_t size,
                               int64_t (*read)(strc_reader *, unsigned char *, uint64_t)) {
    strc_numbers item = strc_numbers_of(&reader->item);
    strc_number_reader *own = strc_own(&reader->own, size + item.size * (size_t)item.count,
                                       reader->source.origin, reader->source.name);
    if (!own) return NULL;
    own->item = item;
    own->part = (unsigned char *)own + size;
    own->read = read;
    return own;
}

int64_t strc_numbers_read(strc_reader *reader, void *to, uint64_t count) {
    strc_number_reader *own = reader->own;
    size_t item = own->item.size * (size_t)own->item.count;
    size_t have = own->part_size;  // bytes at `to`
    unsigned char *bytes = to;
    memcpy(bytes, own->part, have);
    own->part_size = 0;
    do {
        int64_t got = own->read(reader, bytes + have, (count * item - have) / own->item.size);
        if (got < 0) return got;
        if (got == 0) break;
        have += (size_t)got * own->item.size;
    } while (have < item);
    size_t whole = have / item;
    own->part_size = have - whole * item;
    memcpy(own->part, bytes + whole * item, own->part_size);
    if (whole == 0 && !reader->any) return strc_source_empty(&reader->source);
    reader->any = 1;
    return (int64_t)whole;
}

int strc_number_writer_open(strc_writer *writer) {
    strc_number_writer *own =
        strc_own(&writer->own, sizeof *own, writer->sink.origin, writer->sink.name);
    if (!own) return -1;
    own->item = strc_numbers_of(&writer->item);
    return 0;
}

int strc_numbers_flush(strc_writer *writer) { return strc_sink_flush(&writer->sink); }
