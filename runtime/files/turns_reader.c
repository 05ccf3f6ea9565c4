// Reads numbers from several files, each of which has its turn.
#include <stdlib.h>
#include <string.h>

#include "strc/files/format.h"

enum { kAhead = 1024 };  // items of a file that are read at once

typedef struct part {
    strc_reader reader;
    unsigned char *ahead;
    uint64_t first, last;  // items of it that are still to be given
    uint64_t seen;  // items that have been read
    int failed;
} part;

typedef struct turns_reader {
    uint32_t count;  // parts that have been opened
    uint64_t given;  // items of all
    strc_open_end *ends;  // what is ahead, for a move
    part parts[];
} turns_reader;

static const strc_format format_turns;

static strc_turns turns_of(const strc_reader *reader) {
    return (strc_turns){reader->item.turns, reader->item.file_count};
}

static uint64_t total_of(const part *each) { return each->reader.format->total(&each->reader); }

static strc_part part_of(const strc_reader *reader, uint32_t k) {
    const turns_reader *own = reader->own;
    if (k >= own->count) return (strc_part){.file = NULL};
    const part *each = &own->parts[k];
    const uint64_t total = total_of(each);
    return (strc_part){.file = each->reader.source.name,
                       .items = total == STRC_UNKNOWN ? each->seen : total,
                       .turn = reader->item.turns[k],
                       .info = each->reader.info};
}

static uint64_t share_of(const strc_reader *reader, uint32_t k, uint64_t items) {
    return strc_turns_share(turns_of(reader), k, items);
}

static int open_part(strc_reader *reader, uint32_t k, strc_before_waiting waiting) {
    turns_reader *own = reader->own;
    part *each = &own->parts[own->count++];
    strc_item one = reader->item;
    one.turns = NULL;
    one.file_count = 0;
    const strc_source *all = &reader->source;
    if (strc_reader_open(&each->reader, one.formats[k], one, one.files[k], all->origin, waiting) !=
        0)
        return -1;
    if (each->reader.source.size == STRC_UNKNOWN) reader->is_piped = 1;
    return strc_own((void **)&each->ahead, kAhead * (size_t)one.type->size, all->origin,
                    one.files[k])
               ? 0
               : -1;
}

int strc_turns_open(strc_reader *reader, strc_item item, strc_origin origin,
                    strc_before_waiting waiting) {
    *reader = (strc_reader){
        .item = item,
        .format = &format_turns,
        .part = part_of,
        .share = share_of,
        .source = {
            .descriptor = -1, .name = item.files[0], .origin = origin, .size = STRC_UNKNOWN}};
    const size_t size = sizeof(turns_reader) + item.file_count * sizeof(part);
    if (strc_check_formats(&item, origin) != 0 ||
        !strc_own(&reader->own, size, origin, item.files[0]) ||
        !strc_own((void **)&((turns_reader *)reader->own)->ends,
                  item.file_count * sizeof(strc_open_end), origin, item.files[0]))
        return -1;
    for (uint32_t k = 0; k < item.file_count; ++k)
        if (open_part(reader, k, waiting) != 0) return -1;
    reader->info = ((turns_reader *)reader->own)->parts[0].reader.info;
    return 0;
}

static void close_reader(strc_reader *reader) {
    turns_reader *own = reader->own;
    for (uint32_t k = 0; k < own->count; ++k) {
        strc_reader_close(&own->parts[k].reader);
        free(own->parts[k].ahead);
    }
    free(own->ends);
}

// ---- reading

/// Is there nothing yet, where more may come?
static int would_wait(const part *each) {
    const strc_source *source = &each->reader.source;
    return each->first == each->last && source->size == STRC_UNKNOWN &&
           strc_source_buffered(source) == 0;
}

/// Items of a part that are there; 0 at its end, -1 after reporting.
static int64_t look(strc_reader *reader, part *each) {
    if (each->first != each->last) return (int64_t)(each->last - each->first);
    if (each->failed) return -1;
    const int64_t got = each->reader.format->read(&each->reader, each->ahead, kAhead);
    each->failed = got < 0;
    if (got < 0) return -1;
    reader->source.signalled |= each->reader.source.signalled;
    each->first = 0;
    each->last = (uint64_t)got;
    each->seen += (uint64_t)got;
    return got;
}

/// The part whose turn it is.
static part *next_part(strc_reader *reader) {
    turns_reader *own = reader->own;
    uint32_t k = 0;
    while (strc_turns_until(turns_of(reader), k,
                            strc_turns_share(turns_of(reader), k, own->given)) != own->given)
        ++k;
    return &own->parts[k];
}

/// Moves what is ahead in order, up to `count` items; how many.
static uint64_t move(strc_reader *reader, unsigned char *to, uint64_t count) {
    turns_reader *own = reader->own;
    const size_t size = (size_t)reader->item.type->size;
    for (uint32_t k = 0; k < own->count; ++k) {
        part *each = &own->parts[k];
        if (!would_wait(each)) (void)look(reader, each);
        own->ends[k] = (strc_open_end){.items = each->ahead + each->first * size,
                                       .count = (size_t)(each->last - each->first)};
    }
    const size_t most = strc_ends_most(turns_of(reader), own->ends, own->given);
    const size_t items = count < most ? (size_t)count : most;
    strc_ends_move(&(strc_move){.turns = turns_of(reader),
                                .ends = own->ends,
                                .place = own->given,
                                .tape = to,
                                .items = items,
                                .size = size});
    strc_ends_conclude(turns_of(reader), own->ends, own->given, items);
    for (uint32_t k = 0; k < own->count; ++k) own->parts[k].first += own->ends[k].done;
    own->given += items;
    return items;
}

/// What is whole before a fault comes first.
static int64_t read_items(strc_reader *reader, void *to, uint64_t count) {
    const size_t size = (size_t)reader->item.type->size;
    uint64_t done = 0;
    while (done < count) {
        part *each = next_part(reader);
        if (done > 0 && would_wait(each)) break;
        const int64_t there = look(reader, each);
        if (there < 0 && done == 0) return -1;
        if (there <= 0) break;
        done += move(reader, (unsigned char *)to + (size_t)done * size, count - done);
    }
    return (int64_t)done;
}

static int go_back(strc_reader *reader) {
    turns_reader *own = reader->own;
    for (uint32_t k = 0; k < own->count; ++k) {
        part *each = &own->parts[k];
        if (!each->reader.format->rewind(&each->reader)) return 0;
        each->first = each->last = 0;
    }
    own->given = 0;
    return 1;
}

/// The part that ends first ends all.
static uint64_t total(const strc_reader *reader) {
    const turns_reader *own = reader->own;
    uint64_t least = STRC_UNKNOWN;
    for (uint32_t k = 0; k < own->count; ++k) {
        const uint64_t items = total_of(&own->parts[k]);
        if (items == STRC_UNKNOWN) return STRC_UNKNOWN;
        const uint64_t most = strc_turns_until(turns_of(reader), k, items);
        if (most < least) least = most;
    }
    return least;
}

static const strc_format format_turns = {.name = "several files",
                                         .read = read_items,
                                         .rewind = go_back,
                                         .total = total,
                                         .close_reader = close_reader};
