// One run: phases until an end.
#include <stdlib.h>
#include <string.h>

#include "batches.h"
#include "chunks.h"
#include "messages.h"
#include "run.h"
#include "sharing.h"
#include "strc/device.h"
#include "strc/ending.h"
#include "strc/kernels.h"
#include "strc/mesh.h"
#include "strc/ranks.h"
#include "thread.h"
#include "timing.h"
#include "undo.h"

typedef struct run {
    const strc_program *program;
    strc_env *env;
    void *state;
    uint64_t iterations;  ///< to do in all
    uint64_t done;
    strc_watch watch;
    strc_undo undo;
    strc_puller puller;
    strc_batches batches;
    int has_begun;  ///< the phase `init` is done
    strc_draining draining;
    int scales;  ///< the phase `scaled` may be used
    int shares;  ///< threads may do chunks
    strc_team *team;  ///< once threads have been at work
    strc_sharing sharing;
    int64_t begun;  ///< ns: the transaction
    uint64_t done_at_begin;  ///< of the transaction
    uint64_t alone_until;  ///< before that, steady states are done one by one
    uint64_t
        sound_until;  ///< before that they are not: they went well in a transaction that was given up
    uint64_t patience;  ///< how many more at a time, after what was given up
} run;

/// Is there what phases that read so much need, `times` times?
static int has_items(const run *r, const uint64_t *reads, uint64_t times, int must) {
    const strc_host *host = r->env->host;
    for (uint32_t input = 0; input < r->program->inputs; ++input) {
        const uint64_t items = reads[input] * times;
        if (items != 0 && host->supply(host->self, input, items, must) != 0) return 0;
    }
    return 1;
}

static int supplied(const run *r, const strc_phase *phase, int must) {
    return has_items(r, phase->reads, 1, must);
}

static void run_phase(run *r, const strc_phase *phase, strc_profile_phase kind) {
    strc_profile *profile = r->env->profile;
    r->env->timing = profile ? strc_timing_begin(&profile->threads[0], kind) : NULL;
    phase->run(r->env, r->state);
    if (r->env->timing) strc_timing_end(r->env->timing, kind);
    r->env->timing = NULL;
    strc_settle(r->env, r->state);
    strc_strings_release(r->env);
    r->done += phase->iterations;
}

/// The end of a run whose input has no more items: interrupted, if that is why it stopped waiting.
static strc_end starved(run *r) {
    return strc_watch_interrupted(&r->watch) ? STRC_END_INTERRUPTED : STRC_END_INPUT;
}

/// Is this transaction, or a new one, open?
static int has_begun(run *r) {
    if (r->undo.is_open) return 1;
    r->done_at_begin = r->done;
    r->begun = r->shares ? strc_nanoseconds() : 0;
    r->scales = strc_undo_begin(&r->undo) == 0;
    const strc_device_program *device = r->program->device;
    if (r->scales && device && device->calls->save(r->env->device) != 0)
        strc_leave(r->env, STRC_END_DEVICE);
    return r->scales;
}

// ---- other ranks

/// What they have of the state comes back, for what is done here alone.
static void bring_home(run *r) {
    const strc_rank_calls *ranks = r->env->ranks;
    if (ranks && ranks->settle(ranks->self, r->env, r->state) != 0)
        strc_leave(r->env, STRC_END_STOPPED);
}

/// Chunks that all ranks do next; 0: this one goes on alone.
static uint64_t chunks_for_ranks(run *r, strc_division *division) {
    const strc_chunks *chunks = r->program->chunks;
    const strc_rank_calls *ranks = r->env->ranks;
    if (!chunks || !r->scales || r->done < r->alone_until) return 0;
    *division = (strc_division){.threads = 1, .slices = chunks->usual};
    uint64_t count = ranks->wanted(ranks->self);
    const uint64_t left = (r->iterations - r->done) / (chunks->iterations * chunks->usual);
    if (count > left) count = left;
    while (count != 0 && !has_items(r, chunks->reads, count * chunks->usual, 0)) count /= 2;
    return count;
}

/// Lets out what a transaction has given, and keeps what has come of it, if that is due. Nonzero: the run ends.
static int commit(run *r) {
    const strc_rank_calls *ranks = r->env->ranks;
    if (strc_undo_commit(&r->undo) != 0) return -1;
    return ranks ? ranks->committed(ranks->self, r->env, r->state, r->done) : 0;
}

static int can_scale(run *r) {
    const strc_phase *scaled = &r->program->scaled;
    const int is_sound =
        r->done >= r->alone_until || r->done + scaled->iterations <= r->sound_until;
    if (!r->scales || !is_sound || r->iterations - r->done < scaled->iterations ||
        !supplied(r, scaled, 0))
        return 0;
    bring_home(r);
    return has_begun(r);
}

// ---- threads

/// Makes the team when it is first needed.
static int has_team(run *r) {
    if (r->team) return 1;
    r->team = strc_team_new(r->program, r->program->chunks, r->env, r->state);
    strc_watch_team(&r->watch, r->team);
    r->shares = r->team != NULL;
    return r->shares;
}

/// How many chunks threads may do next; 0: they had better not. `division`: how.
static uint64_t chunks_to_share(run *r, strc_division *division) {
    const strc_chunks *chunks = r->program->chunks;
    if (r->env->ranks) return chunks_for_ranks(r, division);
    if (!r->shares || !r->scales || r->done < r->alone_until) return 0;
    *division = strc_sharing_wanted(&r->sharing);
    if (division->threads <= 1) return 0;
    uint64_t count = strc_sharing_chunks(&r->sharing, *division);
    const uint64_t left = (r->iterations - r->done) / (chunks->iterations * division->slices);
    if (count > left) count = left;
    while (count >= 2 && !has_items(r, chunks->reads, count * division->slices, 0)) count /= 2;
    if (count < 2) strc_sharing_lacks(&r->sharing, *division);
    return count >= 2 && has_team(r) ? count : 0;
}

/// The same, but with other ranks.
static void share_with_ranks(run *r, uint64_t count, strc_division division) {
    const strc_rank_calls *ranks = r->env->ranks;
    r->done_at_begin = r->done;
    strc_undo_begin_team(&r->undo);
    strc_end why = STRC_END_INTERRUPTED;
    if (ranks->run(ranks->self, r->env, r->state, count, &why) < count) strc_leave(r->env, why);
    r->done += count * r->program->chunks->iterations * division.slices;
}

/// A transaction of its own.
static void share(run *r, uint64_t count, strc_division division) {
    const uint64_t states = r->program->chunks->iterations * division.slices;
    r->done_at_begin = r->done;
    strc_sharing_run measured = {.begin = strc_nanoseconds(),
                                 .states = count * states,
                                 .chunks = count,
                                 .division = division};
    strc_undo_begin_team(&r->undo);
    strc_end why = STRC_END_INTERRUPTED;
    const uint64_t done = strc_team_run(r->team, r->env, r->state, count, division, &why);
    r->done += done * states;
    if (done < count) {
        if (why == STRC_END_INTERRUPTED) strc_sharing_failed(&r->sharing);
        strc_leave(r->env, why);
    }
    measured.end = strc_nanoseconds();
    strc_sharing_measured(&r->sharing, measured);
}

/// Of a transaction that one thread has done.
static void measure_alone(run *r) {
    if (!r->shares || !r->undo.is_open) return;
    strc_sharing_measured(&r->sharing, (strc_sharing_run){.begin = r->begun,
                                                          .end = strc_nanoseconds(),
                                                          .states = r->done - r->done_at_begin});
}

/// env->poll alone may speak of the transaction. Processes that share products end in front of the same steady state.
static int is_interrupted(run *r) {
    const strc_mesh *mesh = r->env->mesh;
    if (mesh && mesh->is_over && mesh->is_over(mesh->self)) return 1;
    return strc_is_set(r->env->interrupt) ||
           (strc_is_set(&r->env->poll) && strc_watch_interrupted(&r->watch));
}

static strc_end run_phases(void *self) {
    run *r = self;
    const strc_program *program = r->program;
    while (r->done < r->iterations) {
        if (is_interrupted(r))
            return strc_undo_commit(&r->undo) != 0 ? STRC_END_STOPPED : STRC_END_INTERRUPTED;
        strc_division division;
        const uint64_t shared = r->undo.is_open ? 0 : chunks_to_share(r, &division);
        if (shared != 0) {
            if (r->env->ranks)
                share_with_ranks(r, shared, division);
            else
                share(r, shared, division);
            if (commit(r) != 0) return STRC_END_STOPPED;
            continue;
        }
        if (can_scale(r)) {
            run_phase(r, &program->scaled, STRC_PROFILE_SCALED);
            if (!strc_undo_is_due(&r->undo)) continue;
            measure_alone(r);
            if (commit(r) != 0) return STRC_END_STOPPED;
            continue;
        }
        if (commit(r) != 0) return STRC_END_STOPPED;
        if (!supplied(r, &program->steady, 1)) return starved(r);
        bring_home(r);
        run_phase(r, &program->steady, STRC_PROFILE_STEADY);
    }
    return STRC_END_ITERATIONS;
}

static strc_end run_init(void *self) {
    run *r = self;
    if (strc_is_set(r->env->interrupt)) return STRC_END_INTERRUPTED;
    if (!supplied(r, &r->program->init, 1)) return starved(r);
    run_phase(r, &r->program->init, STRC_PROFILE_INIT);
    r->has_begun = 1;
    return STRC_END_ITERATIONS;
}

// ---- the end of the input

static int64_t still(void *self, uint32_t input, int64_t most) {
    const strc_host *host = self;
    return host->still(host->self, input, most);
}

/// Tensors whose shape only the run knows stay: tapes may have names of some that have gone before.
static strc_end run_draining(void *self) {
    run *r = self;
    r->env->timing = NULL;  // phases that drain have no laps
    for (void (*phase)(strc_env *, void *); (phase = strc_draining_next(&r->draining)) != NULL;) {
        if (is_interrupted(r)) return STRC_END_INTERRUPTED;
        phase(r->env, r->state);
        strc_strings_release(r->env);
    }
    return STRC_END_INPUT;
}

static void conclude_ending(run *r, strc_waiting waiting) {
    r->env->knows_waiting = 1;
    r->env->items_waiting = waiting.items;
    r->env->waiting_at = waiting.most;
}

static void conclude_draining(run *r) {
    const strc_draining *draining = &r->draining;
    conclude_ending(r, strc_ending_waiting(draining->ending, draining->wanted));
    const strc_ending_node *nodes = draining->ending->nodes;
    for (uint32_t k = 0; k < draining->ending->node_count; ++k)
        if (nodes[k].is_node)
            r->env->firings += (uint64_t)(draining->wanted[k] - draining->fired[k]);
}

/// What has its items when those of an input do not suffice for a phase.
static strc_end drain(run *r) {
    const strc_rank_calls *ranks = r->env->ranks;
    if (ranks && ranks->settle(ranks->self, r->env, r->state) != 0) return STRC_END_STOPPED;
    const strc_draining_facts facts = {.ending = r->program->ending,
                                       .places = strc_draining_places(r->program),
                                       .states = r->has_begun ? (int64_t)r->done : -1,
                                       .still = still,
                                       .self = (void *)r->env->host};
    int64_t *numbers = malloc(strc_draining_numbers(facts.ending, facts.places) * sizeof *numbers);
    if (!numbers) return STRC_END_INPUT;  // as if it had not been asked for
    strc_end end = STRC_END_STOPPED;
    if (strc_draining_begin(&r->draining, &facts, numbers) == 0) {
        r->env->left = r->draining.left;
        end = strc_attempt(r->env, run_draining, r);
        if (end == STRC_END_INPUT) conclude_draining(r);
    }
    free(numbers);
    return end;
}

/// A transaction that failed, took too long or had no room for its output is done again: the phases that
/// went well as they were, since they do the same from the same state, and from there on one steady state
/// at a time, so that a run ends in the steady state that ends it. Each time this happens more steady
/// states are done alone, so that little is done twice.
static int is_done_again(run *r, strc_end *why) {
    const strc_device_program *device = r->program->device;
    const strc_end end = *why;
    if (!r->undo.is_open || end == STRC_END_ITERATIONS) return 0;
    uint64_t reached = r->done;
    strc_undo_rollback(&r->undo);
    r->done = r->done_at_begin;
    if (end == STRC_END_DEVICE) return 0;
    if (device && device->calls->restore(r->env->device) != 0) {
        *why = STRC_END_DEVICE;
        return 0;
    }
    if (end == STRC_END_INTERRUPTED && strc_watch_interrupted(&r->watch)) return 0;
    r->patience = 2 * r->patience + r->program->scaled.iterations;
    r->alone_until = reached + r->patience;
    r->sound_until = reached;
    return 1;
}

static strc_end run_pulled(void *self) {
    run *r = self;
    return strc_batches_run(&r->batches, r->iterations);
}

/// Output of completed firings is written, however the run ends.
static strc_end run_by_demand(run *r) {
    strc_puller_begin(&r->puller, &strc_growing_queues, r->program, r->env, r->state);
    strc_batches_begin(&r->batches, &r->puller, &r->undo);
    strc_end end;
    do {
        end = strc_attempt(r->env, run_pulled, r);
    } while (strc_batches_undo(&r->batches, end));
    if (end == STRC_END_INPUT) end = starved(r);
    if (end == STRC_END_INPUT && r->env->drains) end = strc_puller_drain(&r->puller);
    if (end == STRC_END_INPUT) conclude_ending(r, strc_puller_waiting(&r->puller));
    int stopped = strc_puller_conclude(&r->puller);
    r->done = r->puller.done;
    strc_batches_free(&r->batches);
    strc_puller_free(&r->puller);
    return stopped && end != STRC_END_FAULT ? STRC_END_STOPPED : end;
}

static strc_end run_whole(run *r) {
    const strc_rank_calls *ranks = r->env->ranks;
    strc_end end = STRC_END_ITERATIONS;
    if (ranks && ranks->resume(ranks->self, r->env, r->state, &r->done))
        r->has_begun = 1;
    else
        end = strc_attempt(r->env, run_init, r);
    if (end != STRC_END_ITERATIONS) return end;
    if (r->program->demand) return run_by_demand(r);
    do {
        end = strc_attempt(r->env, run_phases, r);
    } while (is_done_again(r, &end));
    return strc_undo_commit(&r->undo) != 0 ? STRC_END_STOPPED : end;
}

static strc_end run_all(run *r) {
    const strc_end end = run_whole(r);
    const int drains = end == STRC_END_INPUT && r->env->drains && r->program->ending;
    return drains ? drain(r) : end;
}

/// A profile compares chunks with each other, so these have one length.
static void begin_sharing(run *r) {
    strc_tuning known;
    strc_sharing_limits limits =
        strc_sharing_limits_of(r->program->chunks, r->shares ? r->env->workers : 1);
    limits.is_fixed = r->env->profile != NULL;
    strc_sharing_begin(&r->sharing, limits, r->env->shares_always);
    if (r->shares && strc_tuning_load(r->env->tuning, r->env->workers, &known))
        strc_sharing_remember(&r->sharing, &known);
}

static void remember_sharing(const run *r) {
    strc_tuning known;
    if (r->team && strc_sharing_known(&r->sharing, &known))
        strc_tuning_store(r->env->tuning, r->env->workers, &known);
}

strc_end strc_execute(const strc_program *program, strc_env *env, void *state, uint64_t iterations,
                      uint64_t *done) {
    if (!env->ranks) strc_state_begin(program, state);  // ranks may go on from a checkpoint
    run r = {.program = program, .env = env, .state = state, .iterations = iterations};
    env->poll = 0;
    env->flushes_subnormals = program->flushes_subnormals;
    env->stack_end = strc_end_of_stack();
    strc_mail_begin(env, program, state);
    int is_watched = strc_watch_start(&r.watch, env) == 0;
    r.scales = is_watched && program->scaled.iterations != 0;
    r.shares = program->chunks != NULL && env->workers > 1 && !env->ranks;
    begin_sharing(&r);
    strc_undo_init(&r.undo, env, &r.watch, program, state);
    strc_end end = STRC_END_DEVICE;
    const strc_device_program *device = program->device;
    const strc_kernel_program *kernels = program->kernels;
    if (device) env->device = device->calls->open(program, env, state);
    if (kernels) env->kernels = kernels->calls->open(program, env);
    if (env->profile) strc_profile_start(env->profile);
    if ((!device || env->device) && (!kernels || env->kernels)) end = run_all(&r);
    if (env->profile) {
        strc_profile_stop(env->profile, r.done);
        env->profile->drained = program->demand ? 0 : env->firings;
    }
    remember_sharing(&r);
    if (kernels) kernels->calls->close(env->kernels);
    if (device) device->calls->close(env->device);
    strc_undo_free(&r.undo);
    strc_watch_end(&r.watch);
    strc_team_free(r.team);
    env->escape = NULL;
    strc_strings_free(env);
    strc_mail_end(env, program);
    if (done) *done = r.done;
    return end;
}
