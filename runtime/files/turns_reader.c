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
} part;

typedef struct turns_reader {
    uint32_t count;  // parts that have been opened
    uint32_t next;  // whose turn it is
    uint64_t place;  // in its turn
    int failed;
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
                       .turns = turns_of(reader),
                       .info = each->reader.info};
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
        .source = {
            .descriptor = -1, .name = item.files[0], .origin = origin, .size = STRC_UNKNOWN}};
    const size_t size = sizeof(turns_reader) + item.file_count * sizeof(part);
    if (strc_check_formats(&item, origin) != 0 ||
        !strc_own(&reader->own, size, origin, item.files[0]))
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
    if (each->first == each->last) {
        const int64_t got = each->reader.format->read(&each->reader, each->ahead, kAhead);
        if (got < 0) return -1;
        reader->source.signalled |= each->reader.source.signalled;
        each->first = 0;
        each->last = (uint64_t)got;
        each->seen += (uint64_t)got;
    }
    return (int64_t)(each->last - each->first);
}

/// Up to `count` items of the part whose turn it is; how many, 0 at its end, -1 after reporting.
static int64_t give(strc_reader *reader, unsigned char *to, uint64_t count) {
    turns_reader *own = reader->own;
    part *each = &own->parts[own->next];
    const size_t size = (size_t)reader->item.type->size;
    const uint64_t left = reader->item.turns[own->next] - own->place;
    const int64_t there = look(reader, each);
    if (there <= 0) return there;
    uint64_t some = count < left ? count : left;
    if (some > (uint64_t)there) some = (uint64_t)there;
    memcpy(to, each->ahead + each->first * size, (size_t)some * size);
    each->first += some;
    own->place += some;
    if (some == left) {
        own->next = (own->next + 1) % own->count;
        own->place = 0;
    }
    return (int64_t)some;
}

/// What is whole before a fault comes first.
static int64_t read_items(strc_reader *reader, void *to, uint64_t count) {
    turns_reader *own = reader->own;
    const size_t size = (size_t)reader->item.type->size;
    uint64_t done = 0;
    while (done < count && !own->failed) {
        if (done > 0 && would_wait(&own->parts[own->next])) break;
        const int64_t some = give(reader, (unsigned char *)to + (size_t)done * size, count - done);
        if (some == 0) break;
        if (some < 0)
            own->failed = 1;
        else
            done += (uint64_t)some;
    }
    return done == 0 && own->failed ? -1 : (int64_t)done;
}

static int go_back(strc_reader *reader) {
    turns_reader *own = reader->own;
    for (uint32_t k = 0; k < own->count; ++k) {
        part *each = &own->parts[k];
        if (!each->reader.format->rewind(&each->reader)) return 0;
        each->first = each->last = 0;
    }
    own->next = 0;
    own->place = 0;
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
