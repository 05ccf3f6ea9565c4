#include "strc/files/supply.h"

#include <stdlib.h>
#include <string.h>

enum {
    kChunk = 4096,  ///< items
    kChunkBytes = 1 << 20,  ///< of items so large that fewer come at once
    kMostAtOnce = 1 << 20,  ///< items: a file may hold less than is wanted
    kLarge = 1 << 16,  ///< bytes of an item that is worth reading straight to where it goes
};

void strc_supply_begin(strc_supply *supply, int loop, int pad_tail, uint64_t flush,
                       uint64_t most_bytes) {
    supply->loop = loop;
    supply->pad_tail = pad_tail;
    supply->flush = flush;
    supply->most_bytes = most_bytes;
}

void strc_supply_close(strc_supply *supply) {
    strc_reader_close(&supply->reader);
    strc_supply_free(supply);
}

void strc_supply_free(strc_supply *supply) {
    free(supply->ahead);
    supply->ahead = NULL;
}

static uint64_t item_size(const strc_supply *supply) { return supply->reader.item.type->size; }

static uint64_t here(const strc_supply *supply) {
    return (supply->last - supply->first) / item_size(supply);
}

static void drop_taken(strc_supply *supply) {
    size_t used = supply->is_marked ? supply->marked_first : supply->first;
    if (used <= supply->last / 2) return;
    memmove(supply->ahead, supply->ahead + used, supply->last - used);
    supply->last -= used;
    supply->first -= used;
    supply->marked_first = 0;
}

/// Room for so many items behind those that are there; 0, or -1 after reporting.
static int make_capacity(strc_supply *supply, uint64_t items) {
    drop_taken(supply);
    const strc_source *source = &supply->reader.source;
    return strc_grow((void **)&supply->ahead, &supply->capacity,
                     supply->last + (size_t)(items * item_size(supply)), 1, source->origin,
                     source->name);
}

/// Up to `count` items, at the end from the beginning again if the call asks for that; -1 after reporting.
static int64_t receive(strc_supply *supply, void *to, uint64_t count) {
    strc_reader *reader = &supply->reader;
    const int64_t got = supply->failed ? -1 : reader->format->read(reader, to, count);
    supply->failed = got < 0;
    if (got > 0) supply->position += (uint64_t)got;
    if (got != 0) return got;
    if (supply->loop && supply->position != 0 && reader->format->rewind(reader))
        supply->position = 0;
    else
        supply->ended = 1;
    return 0;
}

/// A file is read in pieces; a pipe gives what it has at once, which may be more than is wanted now.
static int read_more(strc_supply *supply, uint64_t wanted) {
    uint64_t least = kChunkBytes / item_size(supply);
    least = least < 1 ? 1 : least > kChunk ? kChunk : least;
    uint64_t count = wanted < least ? least : wanted > kMostAtOnce ? kMostAtOnce : wanted;
    supply->failed = supply->failed || make_capacity(supply, count) != 0;
    const int64_t got = receive(supply, supply->ahead + supply->last, count);
    if (got < 0) return -1;
    supply->last += (size_t)((uint64_t)got * item_size(supply));
    return 0;
}

static int read_until(strc_supply *supply, uint64_t wanted) {
    while (here(supply) < wanted && !supply->ended)
        if (read_more(supply, wanted - here(supply)) != 0) return -1;
    return 0;
}

/// Large items of a file need not be read before they are taken, if it is known that they are there.
static int is_in_file(const strc_supply *supply, uint64_t wanted) {
    const uint64_t total = supply->reader.format->total(&supply->reader);
    if (supply->is_marked || supply->failed || item_size(supply) < kLarge ||
        total == STRC_UNKNOWN || supply->reader.is_piped)
        return 0;
    if (supply->loop) return total != 0;
    return total >= supply->position && here(supply) + (total - supply->position) >= wanted;
}

/// What is there of a steady state is filled up, and then come as many zeros as bring it out of the program.
static int pads(const strc_supply *supply) {
    if (!supply->pad_tail || (supply->taken == 0 && here(supply) == 0)) return 0;
    return here(supply) != 0 || supply->padded < supply->flush;
}

int strc_supply_has(strc_supply *supply, uint64_t wanted) {
    const strc_source *source = &supply->reader.source;
    strc_digits digits;
    if (wanted > supply->most_bytes / item_size(supply))
        return STRC_FAIL(source->origin, OutOfMemory, source->name,
                         strc_decimal_text(digits, (int64_t)(wanted * item_size(supply))));
    if (here(supply) >= wanted || is_in_file(supply, wanted)) return 1;
    if (read_until(supply, wanted) != 0) return -1;
    if (here(supply) >= wanted) return 1;
    if (!pads(supply)) return 0;
    uint64_t missing = wanted - here(supply);
    if (make_capacity(supply, missing) != 0) return -1;
    size_t bytes = (size_t)(missing * item_size(supply));
    memset(supply->ahead + supply->last, 0, bytes);
    supply->last += bytes;
    supply->padded += missing;
    return 1;
}

int64_t strc_supply_still(strc_supply *supply, int64_t most) {
    const uint64_t capacity = supply->most_bytes / item_size(supply);
    const uint64_t wanted = most <= 0 ? 0 : (uint64_t)most < capacity ? (uint64_t)most : capacity;
    if (read_until(supply, wanted) != 0) return -1;
    return (int64_t)(here(supply) < wanted ? here(supply) : wanted);
}

int strc_supply_has_at_once(strc_supply *supply, uint64_t wanted) {
    if (supply->reader.format->total(&supply->reader) != STRC_UNKNOWN)
        (void)read_until(supply, wanted);  // a fault ends the run when what is there is used
    return here(supply) >= wanted;
}

int strc_supply_take(strc_supply *supply, void *to, uint64_t items) {
    const uint64_t ready = items < here(supply) ? items : here(supply);
    const size_t bytes = (size_t)(ready * item_size(supply));
    if (bytes > 0) memcpy(to, supply->ahead + supply->first, bytes);
    supply->first += bytes;
    supply->taken += items;
    unsigned char *at = (unsigned char *)to + bytes;
    for (uint64_t left = items - ready; left > 0;) {
        const int64_t got = receive(supply, at, left);
        if (got < 0) return -1;
        const strc_source *source = &supply->reader.source;
        if (supply->ended && source->signalled) return -1;
        if (supply->ended)
            return strc_source_malformed(source, supply->reader.format->name,
                                         "it has become shorter");
        at += (uint64_t)got * item_size(supply);
        left -= (uint64_t)got;
    }
    return 0;
}

void strc_supply_mark(strc_supply *supply) {
    supply->is_marked = 1;
    supply->marked_first = supply->first;
    supply->marked_taken = supply->taken;
}

void strc_supply_give_back(strc_supply *supply) {
    supply->is_marked = 0;
    supply->first = supply->marked_first;
    supply->taken = supply->marked_taken;
}

void strc_supply_keep(strc_supply *supply) { supply->is_marked = 0; }

static uint64_t left_of_one(const strc_supply *supply) {
    if (supply->padded != 0) return 0;
    uint64_t all = supply->reader.format->total(&supply->reader);
    if (all == STRC_UNKNOWN || supply->loop) return here(supply);
    uint64_t behind = all > supply->taken ? all - supply->taken : 0;
    return behind > here(supply) ? behind : here(supply);
}

strc_part strc_supply_left(const strc_supply *supply, uint32_t k) {
    const strc_reader *reader = &supply->reader;
    if (!reader->part || supply->loop)
        return k == 0 ? (strc_part){reader->source.name, left_of_one(supply)}
                      : (strc_part){NULL, 0};
    uint32_t count = 0;
    while (reader->part(reader, count).file) ++count;
    strc_part left = reader->part(reader, k);
    if (!left.file) return left;
    const uint64_t used = (supply->taken + count - 1 - k) / count;
    left.items -= used < left.items ? used : left.items;
    return left;
}
