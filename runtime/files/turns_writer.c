// Writes numbers to several files, each of which has its turn.
#include "strc/files/file_cycle.h"

enum { kParted = 1024 };  // items of a file that are parted from others at once

/// Numbers: each file is as if it were alone.
int strc_turns_begin(strc_file_cycle *cycle, strc_item item) {
    cycle->item = item;
    strc_item one = cycle->item;
    one.turns = NULL;
    one.file_count = 0;
    const strc_sink *sink = &strc_file_cycle_writer(cycle, 0)->sink;
    int status = 0;
    if (!strc_own((void **)&cycle->ends, cycle->count * sizeof *cycle->ends, sink->origin,
                  sink->name) ||
        !strc_own((void **)&cycle->parted, cycle->count * kParted * (size_t)one.type->size,
                  sink->origin, sink->name))
        return -1;
    for (uint32_t k = 0; k < cycle->count && status == 0; ++k)
        status =
            strc_writer_begin(strc_file_cycle_writer(cycle, k), item.formats[k], one, cycle->info);
    return status;
}

static strc_turns turns_of(const strc_file_cycle *cycle) {
    return (strc_turns){cycle->item.turns, cycle->count};
}

void strc_turns_hear(strc_file_cycle *cycle, const strc_heard *heard, strc_sound_use use) {
    for (uint32_t k = 0; k < cycle->count; ++k) {
        strc_writer *writer = strc_file_cycle_writer(cycle, k);
        const strc_sound_use own = {use.samples, strc_turns_share(turns_of(cycle), k, use.items),
                                    use.mixed};
        if (writer->format->has_sound_header)
            writer->info = strc_heard_complete(heard, writer->info, own);
    }
}

/// Parts up to so many items, and hands each file its own.
int strc_turns_write(strc_file_cycle *cycle, const void *items, uint64_t count) {
    const unsigned char *at = items;
    const size_t size = (size_t)cycle->item.type->size;
    int status = 0;
    while (count > 0 && status == 0) {
        for (uint32_t k = 0; k < cycle->count; ++k)
            cycle->ends[k] =
                (strc_open_end){.items = cycle->parted + k * kParted * size, .count = kParted};
        const size_t most = strc_ends_most(turns_of(cycle), cycle->ends, cycle->written);
        const size_t some = count < most ? (size_t)count : most;
        strc_ends_move(&(strc_move){.turns = turns_of(cycle),
                                    .ends = cycle->ends,
                                    .place = cycle->written,
                                    .tape = (void *)(uintptr_t)at,
                                    .items = some,
                                    .size = size,
                                    .gives = 1});
        strc_ends_conclude(turns_of(cycle), cycle->ends, cycle->written, some);
        for (uint32_t k = 0; k < cycle->count && status == 0; ++k) {
            strc_writer *writer = strc_file_cycle_writer(cycle, k);
            if (cycle->ends[k].done != 0)
                status = writer->format->write(writer, cycle->ends[k].items, cycle->ends[k].done);
        }
        cycle->written += some;
        at += some * size;
        count -= some;
    }
    return status;
}
