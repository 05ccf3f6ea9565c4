#include "symbolic.h"

#include "signals.h"

static void print(void *self, const char *text, uint64_t size) {
    strc_environment *all = self;
    const strc_host world = strc_host_of(all);
    if (all->outcome == STRC_RUNNING) world.print(all, text, size);
}

static void report(void *self, const strc_symbolic_fault *fault) {
    strc_report_symbolic(fault);
    strc_host_end(self, STRC_FAILED);
}

static void interrupted(void *self) {
    strc_host_end(self, strc_interrupted() ? STRC_INTERRUPTED : STRC_TIME);
}

/// What is printed may reach a limit.
static int fire(void *self, strc_env *env, uint32_t node, void *const *parts, int32_t *left) {
    strc_environment *all = self;
    const int is_over = all->filters.fire(all->filters.self, env, node, parts, left);
    return is_over || all->outcome != STRC_RUNNING;
}

static int next(void *self, uint32_t node, void *to) {
    strc_environment *all = self;
    return all->filters.next(all->filters.self, node, to);
}

static void settle(void *self, const void *state) {
    strc_environment *all = self;
    all->filters.settle(all->filters.self, state);
}

static const void *tensor(void *self, int32_t name, const int64_t **shape) {
    strc_environment *all = self;
    return all->filters.tensor(all->filters.self, name, shape);
}

int strc_filters_open(strc_environment *all) {
    static strc_symbolic_start start;
    const strc_symbolic_table *table = all->about->symbolic;
    if (!table) return 0;
    start =
        (strc_symbolic_start){.abi_version = STRC_ABI_VERSION,
                              .c_format = (uint32_t)all->options.c_format,
                              .packed = table->packed,
                              .size = table->size,
                              .most_bytes = all->about->most_bytes,
                              .names = table->names,
                              .name_count = table->name_count,
                              .interrupt = &strc_ended,
                              .seconds = all->options.seconds == 0 ? 1e-9 : all->options.seconds,
                              .callbacks = all,
                              .print = print,
                              .report = report,
                              .interrupted = interrupted};
    const char *library = strc_text_at(table->library);
    const char *why = table->load(&library, &start, &all->filters);
    all->filter_calls = (strc_symbolic){all, fire, next, settle, tensor, NULL};
    return why ? STRC_FAIL(((strc_origin)STRC_ORIGIN(0, 0)), CannotOpenFile, library, why) : 0;
}

const strc_symbolic *strc_filters_of(strc_environment *all) {
    return all->about->symbolic ? &all->filter_calls : NULL;
}
