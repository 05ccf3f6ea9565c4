// Raw words without a header: language.md 17.2.
#include <string.h>

#include "strc/files/format.h"

enum { kBitWord = 4 };  // bytes of a bit inside of an item

/// Bytes in the file; 0: there is no such item in files.
static uint64_t file_size(const strc_item *item, const strc_type *type) {
    switch (type->kind) {
        case STRC_OTHER: return 0;
        case STRC_BIT: return kBitWord;
        case STRC_ARRAY: return type->count * file_size(item, &item->types[type->first]);
        case STRC_STRUCT: {
            uint64_t sum = 0;
            for (uint64_t k = 0; k < type->count; ++k) {
                uint64_t size = file_size(item, &item->types[item->fields[type->first + k].type]);
                if (size == 0) return 0;
                sum += size;
            }
            return sum;
        }
        default: return type->size;
    }
}

/// Do the bytes lie in the file as in memory, whatever they are?
static int is_plain(const strc_item *item, const strc_type *type) {
    switch (type->kind) {
        case STRC_BIT:
        case STRC_BOOLEAN: return 0;
        case STRC_ARRAY: return is_plain(item, &item->types[type->first]);
        case STRC_STRUCT:
            for (uint64_t k = 0; k < type->count; ++k)
                if (!is_plain(item, &item->types[item->fields[type->first + k].type])) return 0;
            return file_size(item, type) == type->size;
        default: return 1;
    }
}

static void decode(const strc_item *item, const strc_type *type, const unsigned char **from,
                   unsigned char *to) {
    uint64_t size = file_size(item, type);
    if (is_plain(item, type)) {
        memcpy(to, *from, size);
        *from += size;
    } else if (type->kind == STRC_ARRAY) {
        const strc_type *element = &item->types[type->first];
        for (uint64_t k = 0; k < type->count; ++k)
            decode(item, element, from, to + k * element->size);
    } else if (type->kind == STRC_STRUCT) {
        memset(to, 0, type->size);
        for (uint64_t k = 0; k < type->count; ++k) {
            const strc_field *field = &item->fields[type->first + k];
            decode(item, &item->types[field->type], from, to + field->offset);
        }
    } else {
        *to = 0;
        for (uint64_t k = 0; k < size; ++k) *to |= (*from)[k] != 0;
        *from += size;
    }
}

static void encode(const strc_item *item, const strc_type *type, const unsigned char *from,
                   unsigned char **to) {
    uint64_t size = file_size(item, type);
    if (is_plain(item, type)) {
        memcpy(*to, from, size);
        *to += size;
    } else if (type->kind == STRC_ARRAY) {
        const strc_type *element = &item->types[type->first];
        for (uint64_t k = 0; k < type->count; ++k)
            encode(item, element, from + k * element->size, to);
    } else if (type->kind == STRC_STRUCT) {
        for (uint64_t k = 0; k < type->count; ++k) {
            const strc_field *field = &item->fields[type->first + k];
            encode(item, &item->types[field->type], from + field->offset, to);
        }
    } else {
        memset(*to, 0, size);
        **to = *from;
        *to += size;
    }
}

/// Of a bit alone: eight a byte, the most significant first.
static int is_bits(const strc_item *item) { return item->type->kind == STRC_BIT; }

static int holds(const strc_item *item) { return file_size(item, item->type) > 0; }

// ---- readers

typedef struct raw_reader {
    int plain;
    size_t offset;  ///< bits taken of the first byte buffered
} raw_reader;

static int open_reader(strc_reader *reader) {
    raw_reader *own = strc_own(&reader->own, sizeof *own, reader->source.origin, "a file");
    if (!own) return -1;
    reader->item_bytes = is_bits(&reader->item) ? 1 : file_size(&reader->item, reader->item.type);
    own->plain = is_plain(&reader->item, reader->item.type);
    return 0;
}

static int64_t read_bits(strc_reader *reader, unsigned char *to, uint64_t count) {
    raw_reader *own = reader->own;
    int64_t bytes = strc_source_ask(&reader->source, 1);
    if (bytes < 0) return bytes;
    uint64_t bits = (uint64_t)bytes * 8 - own->offset;
    size_t items = (size_t)(count < bits ? count : bits);
    size_t first = own->offset;
    const unsigned char *from = strc_source_bytes(&reader->source);
    for (size_t i = 0; i < items; ++i) {
        size_t at = first + i;
        to[i] = from[at / 8] >> (7 - at % 8) & 1;
    }
    own->offset = (first + items) % 8;
    strc_source_take(&reader->source, (first + items) / 8);
    return (int64_t)items;
}

static int64_t read_whole(strc_reader *reader, unsigned char *to, uint64_t count) {
    const raw_reader *own = reader->own;
    if (own->plain)
        return strc_source_move_wholes(&reader->source, to, count, (size_t)reader->item_bytes);
    int64_t bytes = strc_source_ask(&reader->source, (size_t)reader->item_bytes);
    if (bytes < 0) return bytes;
    uint64_t there = (uint64_t)bytes / reader->item_bytes;
    uint64_t items = count < there ? count : there;
    const unsigned char *from = strc_source_bytes(&reader->source);
    const strc_type *type = reader->item.type;
    for (uint64_t i = 0; i < items; ++i) decode(&reader->item, type, &from, to + i * type->size);
    strc_source_take(&reader->source, (size_t)(items * reader->item_bytes));
    return (int64_t)items;
}

static int64_t read_items(strc_reader *reader, void *to, uint64_t count) {
    int64_t items =
        is_bits(&reader->item) ? read_bits(reader, to, count) : read_whole(reader, to, count);
    if (items == 0 && count > 0 && !reader->any) return strc_source_empty(&reader->source);
    reader->any = 1;
    return items;
}

static int go_to(strc_reader *reader, uint64_t item) {
    const int bits = is_bits(&reader->item);
    ((raw_reader *)reader->own)->offset = bits ? item % 8 : 0;
    return strc_source_seek(&reader->source, bits ? item / 8 : item * reader->item_bytes);
}

static int go_back(strc_reader *reader) { return go_to(reader, 0); }

static uint64_t total(const strc_reader *reader) {
    if (reader->source.size == STRC_UNKNOWN) return STRC_UNKNOWN;
    return is_bits(&reader->item) ? reader->source.size * 8
                                  : reader->source.size / reader->item_bytes;
}

// ---- writers

typedef struct raw_writer {
    uint64_t size;
    int plain;
    unsigned byte, used;  ///< bits that do not make a byte yet
    unsigned char item[];  ///< as it lies in the file
} raw_writer;

static int open_writer(strc_writer *writer) {
    uint64_t size = file_size(&writer->item, writer->item.type);
    raw_writer *own =
        strc_own(&writer->own, sizeof *own + (size_t)size, writer->sink.origin, "a file");
    if (!own) return -1;
    own->size = size;
    own->plain = is_plain(&writer->item, writer->item.type);
    return 0;
}

static int write_bits(strc_writer *writer, const unsigned char *from, uint64_t count) {
    raw_writer *own = writer->own;
    for (uint64_t i = 0; i < count; ++i) {
        own->byte = (own->byte << 1 | from[i]) & 0xff;
        if (++own->used < 8) continue;
        unsigned char byte = (unsigned char)own->byte;
        if (strc_sink_write(&writer->sink, &byte, 1) != 0) return -1;
        own->used = 0;
    }
    return 0;
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    raw_writer *own = writer->own;
    if (is_bits(&writer->item)) return write_bits(writer, from, count);
    if (own->plain) return strc_sink_write(&writer->sink, from, (size_t)(count * own->size));
    const strc_type *type = writer->item.type;
    for (uint64_t i = 0; i < count; ++i) {
        unsigned char *to = own->item;
        encode(&writer->item, type, (const unsigned char *)from + i * type->size, &to);
        if (strc_sink_write(&writer->sink, own->item, (size_t)own->size) != 0) return -1;
    }
    return 0;
}

static int takes_back(const strc_writer *writer) { return !is_bits(&writer->item); }

static int flush(strc_writer *writer) { return strc_sink_flush(&writer->sink); }

static int finish(strc_writer *writer) {
    const raw_writer *own = writer->own;
    if (!own) return 0;
    unsigned char byte = (unsigned char)(own->byte << (8 - own->used));
    if (own->used != 0) strc_sink_write(&writer->sink, &byte, 1);
    return strc_sink_finish_items(&writer->sink, is_bits(&writer->item) ? 1 : own->size);
}

const strc_format strc_format_raw = {.name = "raw",
                                     .holds = holds,
                                     .open_reader = open_reader,
                                     .read = read_items,
                                     .rewind = go_back,
                                     .go_to = go_to,
                                     .total = total,
                                     .open_writer = open_writer,
                                     .write = write_items,
                                     .takes_back = takes_back,
                                     .flush = flush,
                                     .finish = finish};
