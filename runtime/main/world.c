// What the program calls while it runs.
#include "world.h"

#include <string.h>

#include "progress.h"

void strc_world_end(strc_surroundings *all, strc_outcome why) {
    if (all->outcome == STRC_RUNNING) all->outcome = why;
}

static int is_ended(const strc_surroundings *all) { return all->outcome != STRC_RUNNING; }

/// As much of the text as the limit lets through.
static uint64_t within_limit(strc_surroundings *all, const char *text, uint64_t size) {
    if (all->lines_left < 0) return size;
    uint64_t end = 0;
    while (all->lines_left > 0) {
        const char *newline = memchr(text + end, '\n', size - end);
        if (!newline) return size;
        end = (uint64_t)(newline - text) + 1;
        --all->lines_left;
    }
    return end;
}

static int print(void *self, const char *text, uint64_t size) {
    strc_surroundings *all = self;
    if (strc_sink_write(&all->print, text, within_limit(all, text, size)) != 0)
        strc_world_print_failed(all);
    if (all->lines_left == 0) strc_world_end(all, STRC_LIMIT);
    return is_ended(all);
}

static int supply(void *self, uint32_t input, uint64_t items, int must) {
    strc_surroundings *all = self;
    strc_supply *from = &all->inputs[input];
    if (input == 0) {
        uint64_t total = from->reader.format->total(&from->reader);
        if (total != STRC_UNKNOWN && total > 0) strc_progress_update(from->taken, total);
    }
    int there = must ? strc_supply_has(from, items) : strc_supply_has_at_once(from, items);
    if (there < 0) strc_world_end(all, STRC_FAILED);
    return there != 1;
}

static int take(void *self, uint32_t input, void *to, uint64_t items) {
    strc_surroundings *all = self;
    strc_supply_take(&all->inputs[input], to, items);
    return 0;
}

static int put(void *self, uint32_t output, const void *from, uint64_t items) {
    strc_surroundings *all = self;
    int is_open = all->about->outputs[output].node == STRC_OPEN;
    int limited = is_open && all->items_left >= 0;
    if (limited && items > (uint64_t)all->items_left) items = (uint64_t)all->items_left;
    strc_writer *to = all->outputs[output];
    int failed = to->format->write(to, from, items) != 0;
    all->items_written += items;
    if (limited) all->items_left -= (int64_t)items;
    if (failed) strc_world_end(all, to->sink.gone ? STRC_LIMIT : STRC_FAILED);
    if (limited && all->items_left == 0) strc_world_end(all, STRC_LIMIT);
    return is_ended(all);
}

strc_world strc_world_of(strc_surroundings *all) {
    return (strc_world){.self = all, .print = print, .supply = supply, .read = take, .write = put};
}
