// Programs with several inputs or outputs: an array for each of them.
#include "handle.h"

/// The arrays of a call.
typedef struct strc_both {
    strc_turns in, out;
    strc_open_end *ins, *outs;
    uint64_t taken, given;  ///< in earlier calls
    size_t in_size, out_size;
} strc_both;

static void take(void *of, void *to, size_t first, size_t items) {
    const strc_both *all = of;
    strc_ends_move(&(strc_move){.turns = all->in,
                                .ends = all->ins,
                                .place = all->taken,
                                .tape = to,
                                .first = first,
                                .items = items,
                                .size = all->in_size});
}

static void give(void *of, const void *from, size_t first, size_t items) {
    const strc_both *all = of;
    strc_ends_move(&(strc_move){.turns = all->out,
                                .ends = all->outs,
                                .place = all->given,
                                .tape = (void *)(uintptr_t)from,
                                .first = first,
                                .items = items,
                                .size = all->out_size,
                                .gives = 1});
}

/// One input or output takes all turns.
static strc_turns turns_of(const strc_executable *about, const strc_port *port, uint32_t ports) {
    static const uint64_t all = 1;
    if (ports == 0) return (strc_turns){NULL, 0};
    if (port->turns == 0) return (strc_turns){&all, 1};
    return (strc_turns){about->turns + port->first_turn, port->turns};
}

static int has_arrays(strc_open_end *ends, strc_turns turns) {
    int all = ends || turns.count == 0;
    for (size_t k = 0; ends && k < turns.count; ++k) {
        ends[k].done = 0;
        all = all && (ends[k].items || ends[k].count == 0);
    }
    return all;
}

static strc_both both_of(const strc_library *self, strc_open_end *in, strc_open_end *out) {
    const strc_executable *about = self->about;
    const strc_program *program = about->program;
    return (strc_both){.in = turns_of(about, about->inputs, program->inputs),
                       .out = turns_of(about, about->outputs, program->outputs),
                       .ins = in,
                       .outs = out,
                       .taken = self->flow->all_taken,
                       .given = self->flow->all_given,
                       .in_size = self->facts.in_size,
                       .out_size = self->facts.out_size};
}

static int run(strc_library *self, strc_both *all, int takes,
               int (*what)(strc_flow *, const strc_flow_ends *)) {
    const strc_flow_ends ends = {
        .self = all,
        .in_count = takes && all->ins ? strc_ends_most(all->in, all->ins, all->taken) : 0,
        .out_count = all->outs ? strc_ends_most(all->out, all->outs, all->given) : 0,
        .take = take,
        .give = give};
    const int failed = what(self->flow, &ends);
    if (takes && all->ins) strc_ends_conclude(all->in, all->ins, all->taken, self->flow->taken);
    if (all->outs) strc_ends_conclude(all->out, all->outs, all->given, self->flow->given);
    return strc_handle_conclude(self, failed);
}

STRC_EXPORTED int strc_library_process_ends(strc_library *self, strc_open_end *in,
                                            strc_open_end *out) {
    if (!self) return STRC_LIBRARY_CALL;
    strc_both all = both_of(self, in, out);
    const int there = has_arrays(in, all.in) & has_arrays(out, all.out);
    if (!there) return strc_handle_refuse(self);
    const int status = strc_handle_begin(self, 1);
    return status != STRC_LIBRARY_OK ? status : run(self, &all, 1, strc_flow_process);
}

STRC_EXPORTED int strc_library_drain_ends(strc_library *self, strc_open_end *out) {
    if (!self) return STRC_LIBRARY_CALL;
    strc_both all = both_of(self, NULL, out);
    if (!has_arrays(out, all.out)) return strc_handle_refuse(self);
    const int status = strc_handle_begin(self, 0);
    return status != STRC_LIBRARY_OK ? status : run(self, &all, 0, strc_flow_drain);
}
