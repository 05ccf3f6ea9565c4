// What the program calls while it runs.
#include "host.h"

#include <string.h>

#include "printing.h"
#include "progress.h"
#include "signals.h"

void strc_host_end(strc_environment *all, strc_outcome why) {
    if (all->outcome == STRC_RUNNING) all->outcome = why;
}

static int is_ended(const strc_environment *all) { return all->outcome != STRC_RUNNING; }

/// As much of the text as the limit lets through.
static uint64_t within_limit(strc_environment *all, const char *text, uint64_t size) {
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

/// 0, or -1 after reporting.
static int keep(strc_kept *kept, const void *from, uint64_t size) {
    if (strc_grow(&kept->bytes, &kept->capacity, kept->size + size, 1,
                  (strc_origin)STRC_ORIGIN(0, 0), "what the program writes") != 0)
        return -1;
    if (size != 0) memcpy((char *)kept->bytes + kept->size, from, size);
    kept->size += size;
    return 0;
}

int strc_host_is_worthless(strc_environment *all) {
    const strc_weights_calls *weights = all->about->weights_calls;
    if (!weights || !weights->is_lost()) return 0;
    all->outcome = STRC_FAILED;
    strc_ended = 1;
    return 1;
}

static void print_out(strc_environment *all, const char *text, uint64_t size) {
    if (strc_host_is_worthless(all)) return;
    if (strc_printing_write(&all->print, text, size) != 0) strc_host_print_failed(all);
}

static int print(void *self, const char *text, uint64_t size) {
    strc_environment *all = self;
    size = within_limit(all, text, size);
    if (!all->in_transaction)
        print_out(all, text, size);
    else if (keep(&all->kept_text, text, size) != 0)
        strc_host_end(all, STRC_FAILED);
    if (all->lines_left == 0) strc_host_end(all, STRC_LIMIT);
    return is_ended(all);
}

static int supply(void *self, uint32_t input, uint64_t items, int must) {
    strc_environment *all = self;
    strc_supply *from = &all->inputs[input];
    if (is_ended(all)) return 1;  // why has been said
    if (input == 0) {
        uint64_t total = from->reader->format->total(from->reader);
        if (total != STRC_UNKNOWN && total > 0) strc_progress_update(from->taken, total);
    }
    int there = must ? strc_supply_has(from, items) : strc_supply_has_at_once(from, items);
    if (there < 0) strc_host_end(all, STRC_FAILED);
    return there < 0 ? -1 : there != 1;
}

static int64_t still(void *self, uint32_t input, int64_t most) {
    strc_environment *all = self;
    const int64_t there = strc_supply_still(&all->inputs[input], most);
    if (there < 0) strc_host_end(all, STRC_FAILED);
    return there;
}

/// Each mark becomes the name of what it stands for.
static int name_items(strc_environment *all, uint32_t input, int32_t *items, uint64_t count) {
    strc_reader *reader = &all->readers[input];
    int status = 0;
    for (uint64_t k = 0; k < count && status == 0; ++k) {
        const int64_t *shape;
        const void *elements;
        status = reader->format->next_tensor(reader, items[k] == 0, &shape, &elements);
        if (status == 0) status = all->filters.enter(all->filters.self, shape, elements, &items[k]);
    }
    return status;
}

static int take(void *self, uint32_t input, void *to, uint64_t items) {
    strc_environment *all = self;
    int status = strc_supply_take(&all->inputs[input], to, items);
    if (status != 0 && all->in_transaction) return -1;  // the same is done once more without one
    if (status == 0 && all->about->inputs[input].is_named)
        status = name_items(all, input, to, items);
    if (status == 0) return 0;
    strc_host_end(all, strc_interrupted() ? STRC_INTERRUPTED : STRC_FAILED);
    return -1;
}

/// Names of tensors.
static int write_named(strc_environment *all, const int32_t *names, uint64_t items) {
    int status = 0;
    for (uint64_t k = 0; k < items && status == 0; ++k) {
        const int64_t *shape = NULL;
        const void *elements = all->filters.tensor(all->filters.self, names[k], &shape);
        status = elements ? strc_file_cycle_write(&all->cycle, elements, shape) : -1;
    }
    return status;
}

static int write_items(strc_environment *all, uint32_t output, const void *from, uint64_t items) {
    const strc_port *port = &all->about->outputs[output];
    strc_writer *to = all->outputs[output];
    if (port->is_named) return write_named(all, from, items);
    if (strc_host_has_file_cycle(all, output))
        return strc_file_cycle_write_items(&all->cycle, from, items);
    return to->format->write(to, from, items);
}

/// What cannot be written counts for more than a limit that was reached.
static void write_out(strc_environment *all, uint32_t output, const void *from, uint64_t items) {
    if (strc_host_is_worthless(all)) return;
    all->items_written += items;
    if (write_items(all, output, from, items) == 0) return;
    if (strc_host_is_gone(all, output))
        strc_host_end(all, STRC_LIMIT);
    else
        all->outcome = STRC_FAILED;
}

static uint64_t item_size(const strc_environment *all, uint32_t output) {
    return all->about->types[all->about->outputs[output].type].size;
}

static int put(void *self, uint32_t output, const void *from, uint64_t items) {
    strc_environment *all = self;
    const int limited = all->items_left >= 0 &&
                        (all->about->limits_files || all->about->outputs[output].node == STRC_OPEN);
    if (limited && items > (uint64_t)all->items_left) items = (uint64_t)all->items_left;
    if (limited) all->items_left -= (int64_t)items;
    if (!all->in_transaction || all->kept_items[output].has_passed)
        write_out(all, output, from, items);
    else if (keep(&all->kept_items[output], from, items * item_size(all, output)) != 0)
        strc_host_end(all, STRC_FAILED);
    if (limited && all->items_left == 0) strc_host_end(all, STRC_LIMIT);
    return is_ended(all);
}

// ---- transactions

/// Items that the file can take back are not kept beside it. Several filters that write one file take turns there.
static void begin_output(const strc_environment *all, uint32_t output) {
    const int is_alone = all->writer_count == all->about->program->outputs;
    strc_kept *kept = &all->kept_items[output];
    kept->has_passed = 0;
    if (!is_alone || strc_host_has_file_cycle(all, output)) return;
    const strc_writer *to = all->outputs[output];
    kept->has_passed = strc_writer_takes_back(to);
    kept->position = strc_sink_position(&to->sink);
}

static void begin(void *self) {
    strc_environment *all = self;
    const strc_program *program = all->about->program;
    all->in_transaction = 1;
    all->lines_left_before = all->lines_left;
    all->items_left_before = all->items_left;
    all->items_written_before = all->items_written;
    for (uint32_t k = 0; k < program->inputs; ++k) strc_supply_mark(&all->inputs[k]);
    for (uint32_t k = 0; k < program->outputs; ++k) begin_output(all, k);
}

static int commit(void *self) {
    strc_environment *all = self;
    const strc_program *program = all->about->program;
    all->in_transaction = 0;
    for (uint32_t k = 0; k < program->inputs; ++k) strc_supply_keep(&all->inputs[k]);
    if (all->kept_text.size != 0) print_out(all, all->kept_text.bytes, all->kept_text.size);
    all->kept_text.size = 0;
    for (uint32_t k = 0; k < program->outputs; ++k) {
        strc_kept *kept = &all->kept_items[k];
        if (kept->size != 0 && !all->outputs[k]->sink.failed)
            write_out(all, k, kept->bytes, kept->size / item_size(all, k));
        kept->size = 0;
    }
    return is_ended(all);
}

static void rollback(void *self) {
    strc_environment *all = self;
    const strc_program *program = all->about->program;
    all->in_transaction = 0;
    if (all->outcome == STRC_LIMIT) all->outcome = STRC_RUNNING;
    all->lines_left = all->lines_left_before;
    all->items_left = all->items_left_before;
    all->kept_text.size = 0;
    all->items_written = all->items_written_before;
    for (uint32_t k = 0; k < program->outputs; ++k) {
        strc_kept *kept = &all->kept_items[k];
        kept->size = 0;
        if (kept->has_passed && strc_sink_go_back(&all->outputs[k]->sink, kept->position) != 0)
            all->outcome = STRC_FAILED;
    }
    for (uint32_t k = 0; k < program->inputs; ++k) strc_supply_give_back(&all->inputs[k]);
}

strc_host strc_host_of(strc_environment *all) {
    return (strc_host){.self = all,
                       .print = print,
                       .supply = supply,
                       .read = take,
                       .write = put,
                       .begin = begin,
                       .commit = commit,
                       .rollback = rollback,
                       .still = still};
}
