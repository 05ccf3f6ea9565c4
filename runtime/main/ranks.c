// One of the ranks of an executable: how it finds the others, and what it does for them.
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const strc_origin nowhere = STRC_ORIGIN(0, 0);
enum { kFirstChunks = 4, kLayout = 1 };

static uint32_t rank_of(const strc_rank *rank) { return rank->link.transport.rank; }
static uint32_t size_of(const strc_rank *rank) { return rank->link.transport.size; }

static int fail_about(uint32_t which, const char *why) {
    char name[24];
    snprintf(name, sizeof name, "rank %u", (unsigned)which);
    return STRC_FAIL(nowhere, CannotReadFile, name, why);
}

void strc_rank_lost(strc_rank *rank) {
    const uint32_t which = rank->link.lost == UINT32_MAX ? 0 : rank->link.lost;
    fail_about(which, "its process has ended, and with it the run");
    strc_messages_show();
    rank->link.transport.abort(rank->link.transport.self, 1);
    _exit(1);
}

strc_message_in *strc_rank_wait(strc_rank *rank, uint32_t from, uint32_t wanted) {
    strc_message_in *found = strc_link_wait(&rank->link, from, wanted);
    if (!found) strc_rank_lost(rank);
    return found;
}

// ---- who has what

uint32_t strc_rank_of(const strc_rank *rank, uint32_t segment) {
    for (uint32_t k = 1; k < rank->parts; ++k)
        if (segment < rank->first[k]) return k - 1;
    return rank->parts - 1;
}

uint32_t strc_rank_of_input(const strc_rank *rank, uint32_t input) {
    return strc_rank_of(rank, rank->about->ranks->inputs[input]);
}

uint32_t strc_rank_of_output(const strc_rank *rank, uint32_t output) {
    return strc_rank_of(rank, rank->about->ranks->outputs[output]);
}

uint32_t strc_rank_that_prints(const strc_rank *rank) {
    const uint32_t segment = rank->about->ranks->prints;
    return segment == STRC_NO_SEGMENT ? 0 : strc_rank_of(rank, segment);
}

/// A limit of items counts those of all outputs that are limited, so one rank has to have them.
static int is_limited_apart(const strc_rank *rank) {
    const strc_executable *about = rank->about;
    const uint32_t outputs = about->program->outputs;
    uint32_t owner = UINT32_MAX;
    if (rank->all->options.limit < 0) return 0;
    for (uint32_t k = 0; k < outputs; ++k) {
        if (about->outputs[k].node != STRC_OPEN && !about->limits_files) continue;
        const uint32_t next = strc_rank_of_output(rank, k);
        if (owner != UINT32_MAX && owner != next) return 1;
        owner = next;
    }
    return 0;
}

/// Where ranks share products rank 0 has all files.
static int leave_files_to_first(strc_rank *rank) {
    const strc_program *program = rank->about->program;
    memset(rank->others_inputs, rank_of(rank) != 0, program->inputs);
    memset(rank->others_outputs, rank_of(rank) != 0, program->outputs);
    rank->all->others_inputs = rank->others_inputs;
    rank->all->others_outputs = rank->others_outputs;
    return 0;
}

static int cut(strc_rank *rank) {
    const strc_ranks *table = rank->about->ranks;
    const strc_program *program = rank->about->program;
    const size_t inputs = program->inputs, outputs = program->outputs;
    rank->first = calloc((size_t)size_of(rank) + 1, sizeof *rank->first);
    rank->others_inputs = calloc(inputs + 1, 1);
    rank->others_outputs = calloc(outputs + 1, 1);
    if (!rank->first || !rank->others_inputs || !rank->others_outputs) return -1;
    if (!table) return leave_files_to_first(rank);
    rank->parts = strc_cut(table, size_of(rank), rank->first);
    if (is_limited_apart(rank)) rank->parts = strc_cut(table, 1, rank->first);
    if (rank->parts == 0) return -1;
    for (uint32_t k = 0; k < inputs; ++k)
        rank->others_inputs[k] = strc_rank_of_input(rank, k) != rank_of(rank);
    for (uint32_t k = 0; k < outputs; ++k)
        rank->others_outputs[k] = strc_rank_of_output(rank, k) != rank_of(rank);
    if (rank_of(rank) + 1 < rank->parts)
        rank->window = strc_cut_window(strc_cut_bytes(table, rank->first[rank_of(rank) + 1]));
    rank->all->others_inputs = rank->others_inputs;
    rank->all->others_outputs = rank->others_outputs;
    return 0;
}

// ---- agreeing

/// What has to be the same everywhere.
typedef struct hello {
    uint64_t abi, layout, identity, settings, resumes;
} hello;

uint64_t strc_rank_settings(const strc_rank *rank) {
    const strc_executable *about = rank->about;
    const strc_options *options = &rank->all->options;
    uint64_t hash = (uint64_t)options->limit;
    for (uint32_t k = 0; k < about->parameter_count; ++k) {
        const unsigned char *value = options->parameters + k * STRC_PARAMETER_BYTES;
        const uint64_t each = about->parameters[k].kind == STRC_TEXT
                                  ? strc_safe_hash(strc_parameter_text(options, k),
                                                   strlen(strc_parameter_text(options, k)))
                                  : strc_safe_hash(value, STRC_PARAMETER_BYTES);
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + each;
    }
    return hash;
}

static hello hello_of(const strc_rank *rank) {
    const strc_options *options = &rank->all->options;
    return (hello){STRC_ABI_VERSION, kLayout, rank->about->identity, strc_rank_settings(rank),
                   (uint64_t)(options->checkpoint != NULL) * 2 + (uint64_t)options->resume};
}

static const char *difference(const hello *own, const hello *other) {
    if (other->abi != own->abi || other->layout != own->layout)
        return "it was built by another version of strc than rank 0";
    if (other->identity != own->identity)
        return "it runs another program than rank 0, or one with other weights or other passes";
    if (other->settings != own->settings)
        return "its parameters, or its --limit, have other values than those of rank 0";
    if (other->resumes != own->resumes)
        return "it has another --checkpoint or --resume than rank 0";
    return NULL;
}

/// Rank 0 compares; all hear of the first that is different.
static int agree(strc_rank *rank) {
    const hello own = hello_of(rank);
    if (rank_of(rank) != 0) {
        strc_link_send(&rank->link, 0, (strc_message_out){STRC_SAID_HELLO, 0, 0, &own, sizeof own});
        strc_message_in *answer = strc_rank_wait(rank, 0, STRC_SAYS(STRC_SAID_AGREED));
        const int status =
            answer->size == 0 ? 0 : fail_about((uint32_t)answer->a, (const char *)answer->bytes);
        strc_link_free(answer);
        return status;
    }
    uint32_t which = 0;
    const char *why = NULL;
    for (uint32_t k = 1; k < size_of(rank); ++k) {
        strc_message_in *message = strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_HELLO));
        hello other = {0};
        if (message->size == sizeof other) memcpy(&other, message->bytes, sizeof other);
        if (!why) {
            which = k;
            why = difference(&own, &other);
        }
        strc_link_free(message);
    }
    strc_link_send_all(&rank->link, (strc_message_out){STRC_SAID_AGREED, which, 0, why,
                                                       why ? strlen(why) + 1 : 0});
    return why ? fail_about(which, why) : 0;
}

// ---- the beginning

static uint32_t threads_beside(uint32_t ranks) {
    const uint32_t threads = strc_processors() / (ranks ? ranks : 1);
    return threads > 0 ? threads : 1;
}

/// Of ranks that an mpirun has started.
static int check_size(const strc_options *options, uint32_t size) {
    strc_digits digits;
    char why[80];
    if (options->ranks == 0 || (uint32_t)options->ranks == size) return 0;
    snprintf(why, sizeof why, "%u, the number that mpirun has started,", (unsigned)size);
    return STRC_FAIL(nowhere, BadOptionValue, strc_decimal_text(digits, options->ranks), "--ranks",
                     why);
}

static int find_others(strc_rank *rank) {
    char why[STRC_TRANSPORT_WHY] = "";
    const strc_options *options = &rank->all->options;
    strc_transport *transport = &rank->link.transport;
    if (strc_transport_has_mpi()) {
        if (strc_transport_mpi(transport, why) != 0)
            return STRC_FAIL(nowhere, CannotOpenFile, "MPI", why);
        return check_size(options, transport->size);
    }
    const uint32_t count = options->ranks > 0 ? (uint32_t)options->ranks : 1;
    if (strc_transport_fork(transport, count, why) == 0) return 0;
    return STRC_FAIL(nowhere, CannotOpenFile, "--ranks", why);
}

static int begin(strc_environment *all) {
    const strc_options *options = &all->options;
    if (!strc_transport_has_mpi() && options->ranks < 2 && !options->checkpoint) return 0;
    strc_rank *rank = calloc(1, sizeof *rank);
    if (!rank) return STRC_FAIL(nowhere, OutOfMemory, "the ranks", "0");
    rank->all = all;
    rank->about = all->about;
    rank->chunks = kFirstChunks;
    if (find_others(rank) != 0) return -1;
    if (strc_link_begin(&rank->link) != 0) return STRC_FAIL(nowhere, OutOfMemory, "the ranks", "0");
    rank->threads = threads_beside(rank->link.transport.beside);
    if (agree(rank) != 0) {
        strc_link_end(&rank->link);
        return -1;
    }
    if (cut(rank) != 0) return STRC_FAIL(nowhere, OutOfMemory, "the ranks", "0");
    // Rank 0 tells of the run, with the items of all.
    if (rank_of(rank) != 0) all->options.stats = all->options.time = 0;
    all->ranks = rank;
    return 0;
}

/// What the inputs tell.
typedef struct heard {
    strc_heard sounds;
    int32_t first_rate;
    uint32_t has_input;
    strc_stream_info input;  ///< the open one
} heard;

static uint32_t open_input(const strc_executable *about) {
    const uint32_t count = about->program->inputs;
    return count != 0 && about->inputs[count - 1].node == STRC_OPEN ? count - 1 : UINT32_MAX;
}

static heard heard_of(const strc_environment *all) {
    heard made = {.sounds = all->heard, .first_rate = all->first_rate};
    const uint32_t input = open_input(all->about);
    if (input == UINT32_MAX || all->others_inputs[input]) return made;
    made.has_input = 1;
    made.input = all->readers[input].info;
    return made;
}

static void merge(heard *all, const heard *other) {
    if (!all->sounds.any && other->sounds.any) {
        all->sounds = other->sounds;
        all->first_rate = other->first_rate;
    }
    if (!other->has_input) return;
    all->has_input = 1;
    all->input = other->input;
}

static void hear(strc_environment *all, const heard *what) {
    const uint32_t input = open_input(all->about);
    all->heard = what->sounds;
    all->first_rate = what->first_rate;
    if (input == UINT32_MAX || !all->others_inputs[input]) return;
    all->readers[input].info = what->input;
    strc_host_hear(all, &what->input);
}

/// The status of all, and what rank 0 has found out from all of them.
static int opened(strc_environment *all, int status) {
    strc_rank *rank = all->ranks;
    heard known = {0};
    if (all->readers) known = heard_of(all);
    if (rank_of(rank) != 0) {
        strc_link_send(&rank->link, 0,
                       (strc_message_out){STRC_SAID_OPENED, status != 0, 0, &known, sizeof known});
        strc_message_in *answer = strc_rank_wait(rank, 0, STRC_SAYS(STRC_SAID_AGREED));
        if (answer->a != 0) status = -1;
        if (answer->size == sizeof known) memcpy(&known, answer->bytes, sizeof known);
        strc_link_free(answer);
    } else {
        for (uint32_t k = 1; k < size_of(rank); ++k) {
            strc_message_in *message = strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_OPENED));
            heard other;
            if (message->a != 0) status = -1;
            if (message->a != 0) rank->has_failed = 1;
            memcpy(&other, message->bytes, sizeof other);
            merge(&known, &other);
            strc_link_free(message);
        }
        strc_link_send_all(&rank->link, (strc_message_out){STRC_SAID_AGREED, status != 0, 0, &known,
                                                           sizeof known});
    }
    if (status == 0) hear(all, &known);
    return status;
}

/// Is all well everywhere?
static int all_agree(strc_rank *rank, int status) {
    if (rank_of(rank) != 0) {
        strc_link_send(&rank->link, 0,
                       (strc_message_out){STRC_SAID_OPENED, status != 0, 0, NULL, 0});
        strc_message_in *answer = strc_rank_wait(rank, 0, STRC_SAYS(STRC_SAID_AGREED));
        if (answer->a != 0) status = -1;
        strc_link_free(answer);
        return status;
    }
    for (uint32_t k = 1; k < size_of(rank); ++k) {
        strc_message_in *message = strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_OPENED));
        if (message->a != 0) status = -1;
        if (message->a != 0) rank->has_failed = 1;
        strc_link_free(message);
    }
    strc_link_send_all(&rank->link, (strc_message_out){STRC_SAID_AGREED, status != 0, 0, NULL, 0});
    return status;
}

static int outputs_agree(strc_environment *all, int status) {
    return all_agree(all->ranks, status);
}

// ---- the run

static void take_state(const strc_program *program, strc_env *env, void *state,
                       const strc_message_in *message) {
    if (message->size == program->state_size) memcpy(state, message->bytes, message->size);
    env->random = message->a;
}

static void give_carried(strc_rank *rank, const strc_program *program, const strc_env *env,
                         const void *state) {
    const uint32_t own = rank_of(rank), first = rank->first[own], end = rank->first[own + 1];
    const uint64_t size = strc_rank_part_bytes(program, first, end);
    unsigned char *bytes = malloc(size + 1);
    if (!bytes) strc_rank_lost(rank);
    strc_rank_part_save(program, first, end, env, state, bytes);
    const strc_message_out carried = {STRC_SAID_CARRIED, 0, 0, bytes, size};
    if (strc_link_send(&rank->link, 0, carried) != 0) strc_rank_lost(rank);
    free(bytes);
}

/// Rank 0 tells of what stays inside; here only files are told of.
static void conclude(strc_rank *rank, strc_env *env, strc_outcome outcome) {
    rank->all->outcome = outcome;
    env->knows_waiting = 1;
    env->items_waiting = 0;
}

/// Does what rank 0 says, until it says that the run is over.
static strc_end serve(strc_rank *rank, const strc_program *program, strc_env *env, void *state) {
    const uint32_t all = STRC_SAYS(STRC_SAID_STATE) | STRC_SAYS(STRC_SAID_CARRIED) |
                         STRC_SAYS(STRC_SAID_GO) | STRC_SAYS(STRC_SAID_SETTLE) |
                         STRC_SAYS(STRC_SAID_CALL) | STRC_SAYS(STRC_SAID_SAVE) |
                         STRC_SAYS(STRC_SAID_KEEP) | STRC_SAYS(STRC_SAID_END);
    const uint32_t own = rank_of(rank);
    for (;;) {
        strc_message_in *message = strc_rank_wait(rank, 0, all);
        switch (message->what) {
            case STRC_SAID_STATE: take_state(program, env, state, message); break;
            case STRC_SAID_CARRIED:
                strc_rank_part_restore(program, rank->first[own], rank->first[own + 1], env, state,
                                       message->bytes);
                break;
            case STRC_SAID_GO: strc_rank_serve_go(rank, program, env, state, message); break;
            case STRC_SAID_SETTLE: give_carried(rank, program, env, state); break;
            case STRC_SAID_CALL: strc_rank_serve_call(rank, message); break;
            case STRC_SAID_SAVE: {
                rank->is_apart = (int)message->b;
                const int status = strc_checkpoint_write(rank, env, state, message->a);
                strc_link_send(&rank->link, 0,
                               (strc_message_out){STRC_SAID_REPLY, status != 0, 0, NULL, 0});
                break;
            }
            case STRC_SAID_KEEP: strc_checkpoint_clean(rank, message->a); break;
            default:
                conclude(rank, env, (strc_outcome)message->a);
                strc_link_free(message);
                return STRC_END_STOPPED;
        }
        strc_link_free(message);
    }
}

/// The checkpoint that all have: rank 0 has found out which that is.
static int go_on(strc_rank *rank, strc_env *env, void *state) {
    int status = all_agree(rank, strc_checkpoint_check(rank));
    if (status != 0) return status;
    if (rank_of(rank) == 0 && rank->all->options.resume)
        status = strc_checkpoint_find(rank, &rank->epoch) < 0 ? -1 : 0;
    else if (rank_of(rank) == 0)
        status = strc_checkpoint_forget(rank);
    status = all_agree(rank, status);
    if (status != 0 || !rank->all->options.resume) return status;
    if (rank_of(rank) == 0) {
        strc_link_send_all(&rank->link,
                           (strc_message_out){STRC_SAID_SAVE, rank->epoch, 0, NULL, 0});
    } else {
        strc_message_in *which = strc_rank_wait(rank, 0, STRC_SAYS(STRC_SAID_SAVE));
        rank->epoch = which->a;
        strc_link_free(which);
    }
    if (rank->epoch == 0) return 0;
    return all_agree(rank, strc_checkpoint_read(rank, env, state, rank->epoch));
}

static strc_end run_first(strc_rank *rank, const strc_program *program, strc_env *env, void *state,
                          uint64_t *done) {
    rank->host = strc_rank_host(rank);
    env->host = &rank->host;
    return strc_execute(program, env, state, rank->all->options.iterations, done);
}

static strc_end run(strc_environment *all, const strc_program *program, strc_env *env, void *state,
                    uint64_t *done) {
    strc_rank *rank = all->ranks;
    if (!rank->about->ranks) return strc_rank_run_mesh(rank, program, env, state, done);
    rank->own = *env->host;
    rank->calls = strc_rank_calls_of(rank);
    env->ranks = &rank->calls;
    strc_rank_part_prepare(program, env, state);
    strc_end end = STRC_END_STOPPED;
    if (all->options.checkpoint && go_on(rank, env, state) != 0) {
        strc_host_end(all, STRC_FAILED);
        rank->has_failed = 1;
        if (rank_of(rank) != 0) end = serve(rank, program, env, state);
    } else if (rank_of(rank) == 0) {
        end = run_first(rank, program, env, state, done);
    } else {
        end = serve(rank, program, env, state);
    }
    strc_rank_part_free(rank->part);
    rank->part = NULL;
    return end;
}

// ---- the end

/// The others have files to complete, too, which they do when they hear how the run has ended: before main closes those of rank 0.
typedef struct closed {
    uint64_t status, read, written;
} closed;

static int end(strc_environment *all, int ran) {
    strc_rank *rank = all->ranks;
    int status = 0;
    if (rank_of(rank) != 0) {
        const closed own = {(uint64_t)strc_messages_status(), all->items_read, all->items_written};
        if (ran)
            strc_link_send(&rank->link, 0,
                           (strc_message_out){STRC_SAID_CLOSED, 0, 0, &own, sizeof own});
    } else if (ran) {
        strc_link_send_all(&rank->link,
                           (strc_message_out){STRC_SAID_END, (uint64_t)all->outcome, 0, NULL, 0});
        for (uint32_t k = 1; k < size_of(rank); ++k) {
            strc_message_in *message = strc_rank_wait(rank, k, STRC_SAYS(STRC_SAID_CLOSED));
            closed other;
            memcpy(&other, message->bytes, sizeof other);
            strc_link_free(message);
            if ((int)other.status > status) status = (int)other.status;
            all->items_read += other.read;
            all->items_written += other.written;
        }
    }
    strc_link_end(&rank->link);
    const int joined = strc_transport_join(&rank->link.transport);
    if (rank->has_failed && status == 0) status = 1;
    free(rank->first);
    free(rank->others_inputs);
    free(rank->others_outputs);
    free(rank);
    all->ranks = NULL;
    return status > joined ? status : joined;
}

const strc_rank_services strc_ranks_of_executables = {
    .begin = begin, .opened = opened, .agree = outputs_agree, .run = run, .end = end};
