#include "strc/files/supply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    kChunk = 4096,  ///< items
    kChunkBytes = 1 << 20,  ///< of items so large that fewer come at once
    kMostAtOnce = 1 << 20,  ///< items: a file may hold less than is wanted
    kLarge = 1 << 16,  ///< bytes of an item that is worth reading straight to where it goes
};

void strc_supply_begin(strc_supply *supply, strc_reader *reader, int loop, int pad_tail,
                       uint64_t flush, uint64_t most_bytes) {
    *supply = (strc_supply){.reader = reader};
    supply->loop = loop;
    supply->pad_tail = pad_tail;
    supply->flush = flush;
    supply->most_bytes = most_bytes;
}

void strc_supply_free(strc_supply *supply) {
    free(supply->ahead);
    supply->ahead = NULL;
}

static uint64_t item_size(const strc_supply *supply) { return supply->reader->item.type->size; }

static uint64_t here(const strc_supply *supply) {
    return (supply->last - supply->first) / item_size(supply);
}

static void drop_taken(strc_supply *supply) {
    size_t used = supply->is_marked ? supply->marked.first : supply->first;
    if (used <= supply->last / 2) return;
    memmove(supply->ahead, supply->ahead + used, supply->last - used);
    supply->last -= used;
    supply->first -= used;
    supply->marked.first = 0;
    supply->marked.last -= used;
}

/// Room for so many items behind those that are there; 0, or -1 after reporting.
static int make_capacity(strc_supply *supply, uint64_t items) {
    drop_taken(supply);
    const strc_source *source = &supply->reader->source;
    return strc_grow((void **)&supply->ahead, &supply->capacity,
                     supply->last + (size_t)(items * item_size(supply)), 1, source->origin,
                     source->name);
}

/// Up to `count` items, at the end from the beginning again if the call asks for that; -1 after reporting.
static int64_t receive(strc_supply *supply, void *to, uint64_t count) {
    strc_reader *reader = supply->reader;
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

/// Items of a file need not be read before they are taken, if it is known that they are there: where the file can go back
/// to them, and large ones, of which a copy costs more than to do without transactions.
static int is_in_file(const strc_supply *supply, uint64_t wanted) {
    const strc_format *format = supply->reader->format;
    const uint64_t total = format->total(supply->reader);
    const int is_large = item_size(supply) >= kLarge && !supply->is_marked;
    if (supply->failed || !(format->go_to || is_large) || total == STRC_UNKNOWN ||
        supply->reader->is_piped)
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
    const strc_source *source = &supply->reader->source;
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
    if (here(supply) >= wanted || is_in_file(supply, wanted)) return 1;
    if (supply->reader->format->total(supply->reader) != STRC_UNKNOWN)
        (void)read_until(supply, wanted);  // a fault ends the run when what is there is used
    return here(supply) >= wanted;
}

/// Takes items that have not been read ahead; 0, or -1 after reporting.
static int take_from_file(strc_supply *supply, unsigned char *to, uint64_t items) {
    const strc_source *source = &supply->reader->source;
    while (items > 0) {
        const int64_t got = receive(supply, to, items);
        if (got < 0) return -1;
        if (supply->ended && source->signalled) return -1;
        if (supply->ended)
            return strc_source_malformed(source, supply->reader->format->name,
                                         "it has become shorter");
        to += (uint64_t)got * item_size(supply);
        items -= (uint64_t)got;
    }
    return 0;
}

static int say_nothing(const strc_reporter *self, strc_text place, strc_text instance,
                       strc_message_id id, const char *const *arguments) {
    (void)self, (void)place, (void)instance, (void)id, (void)arguments;
    return -1;
}

static void hint_nothing(const strc_reporter *self, const char *text) { (void)self, (void)text; }

/// What has been marked is taken once more after a fault, and only then it is one.
static int take_marked(strc_supply *supply, unsigned char *to, uint64_t items) {
    static const strc_reporter quiet = {say_nothing, hint_nothing};
    strc_source *source = &supply->reader->source;
    const strc_reporter *reporter = source->origin.reporter;
    supply->has_passed = 1;
    source->origin.reporter = &quiet;
    const int status = take_from_file(supply, to, items);
    source->origin.reporter = reporter;
    supply->failed = 0;
    return status;
}

int strc_supply_take(strc_supply *supply, void *to, uint64_t items) {
    const uint64_t ready = items < here(supply) ? items : here(supply);
    const size_t bytes = (size_t)(ready * item_size(supply));
    if (bytes > 0) memcpy(to, supply->ahead + supply->first, bytes);
    supply->first += bytes;
    supply->taken += items;
    if (items == ready) return 0;
    unsigned char *rest = (unsigned char *)to + bytes;
    return supply->is_marked ? take_marked(supply, rest, items - ready)
                             : take_from_file(supply, rest, items - ready);
}

void strc_supply_mark(strc_supply *supply) {
    supply->is_marked = 1;
    supply->has_passed = 0;
    supply->marked = (strc_supply_place){supply->first,  supply->last,     supply->taken,
                                         supply->padded, supply->position, supply->ended};
}

/// What has gone by `ahead` is read from the file again, and so is what was read ahead behind it.
static void go_back(strc_supply *supply, const strc_supply_place *to) {
    strc_reader *reader = supply->reader;
    supply->last = to->last;
    supply->padded = to->padded;
    supply->position = to->position;
    supply->ended = to->ended;
    if (!reader->format->go_to(reader, to->position) && !supply->failed)
        supply->failed = STRC_FAIL(reader->source.origin, CannotReadFile, reader->source.name,
                                   strerror(errno)) != 0;
}

void strc_supply_give_back(strc_supply *supply) {
    supply->is_marked = 0;
    supply->first = supply->marked.first;
    supply->taken = supply->marked.taken;
    if (supply->has_passed) go_back(supply, &supply->marked);
}

void strc_supply_keep(strc_supply *supply) { supply->is_marked = 0; }

static uint64_t left_of_one(const strc_supply *supply) {
    if (supply->padded != 0) return 0;
    uint64_t all = supply->reader->format->total(supply->reader);
    if (all == STRC_UNKNOWN || supply->loop) return here(supply);
    uint64_t behind = all > supply->taken ? all - supply->taken : 0;
    return behind > here(supply) ? behind : here(supply);
}

strc_part strc_supply_left(const strc_supply *supply, uint32_t k) {
    const strc_reader *reader = supply->reader;
    if (!reader->part || supply->loop)
        return k == 0 ? (strc_part){.file = reader->source.name, .items = left_of_one(supply)}
                      : (strc_part){.file = NULL};
    strc_part left = reader->part(reader, k);
    if (!left.file) return left;
    const uint64_t used = reader->share(reader, k, supply->taken);
    left.items -= used < left.items ? used : left.items;
    return left;
}
