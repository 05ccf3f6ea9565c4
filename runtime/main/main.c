// The main function of an executable: the same ends, limits, messages and exit statuses as `strc run`.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles.h"
#include "progress.h"
#include "ranks.h"
#include "signals.h"
#include "strc/device.h"
#include "strc/processor.h"
#include "symbolic.h"

static const strc_origin nowhere = STRC_ORIGIN(0, 0);
static const double shortest = 1e-9;  // seconds; 0 would be no limit
static const size_t stack_size = (size_t)1 << 30;  // taken only as far as used
static const size_t least_stack = (size_t)1 << 23;

typedef struct strc_run {
    const strc_executable *about;
    const strc_program *program;  ///< or its fallback
    strc_environment environment;
    strc_host host;
    strc_env env;
    void *state;
    uint64_t done;
    strc_end end;
    double seconds;
} strc_run;

static void out_of_memory(const char *part, uint64_t bytes) {
    strc_digits digits;
    STRC_FAIL(nowhere, OutOfMemory, part, strc_decimal_text(digits, (int64_t)bytes));
}

// ---- running

static void *execute(void *argument) {
    strc_run *run = argument;
    strc_environment *all = &run->environment;
    if (all->ranks)
        run->end =
            run->about->rank_services->run(all, run->program, &run->env, run->state, &run->done);
    else
        run->end =
            strc_execute(run->program, &run->env, run->state, all->options.iterations, &run->done);
    return NULL;
}

/// Bodies may have large arrays and deep calls.
static void execute_on_own_stack(strc_run *run) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    int runs = 0;
    // Where memory is short it is less: whoever asks for more of it is told, other than on a stack without a known end.
    for (size_t size = stack_size; !runs && size >= least_stack; size /= 2) {
        pthread_attr_setstacksize(&attributes, size);
        runs = pthread_create(&thread, &attributes, execute, run) == 0;
    }
    if (runs) {
        // A signal is for the thread that may be waiting for input.
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_join(thread, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    } else {
        execute(run);
    }
    pthread_attr_destroy(&attributes);
}

/// The filter, or the first of several, whose work it was.
static strc_origin at_work(const strc_run *run, const strc_device_error *error) {
    if (error->node == STRC_NOBODY) return nowhere;
    return (strc_origin)STRC_ORIGIN(run->about->places[error->node],
                                    run->about->paths[error->node]);
}

static void note_last(const strc_run *run, uint32_t last) {
    char text[512];
    snprintf(text, sizeof text, "all filters up to '%s' were at work at once",
             strc_text_at(run->about->paths[last]));
    strc_note(STRC_MESSAGE_Hint, text);
}

static void report_device(const strc_run *run) {
    const strc_device_error *error = &run->env.device_error;
    const strc_origin origin = at_work(run, error);
    strc_digits digits;
    char name[24], text[sizeof error->text + sizeof error->why + 16];
    snprintf(name, sizeof name, "cuda:%d", (int)error->ordinal);
    switch ((strc_device_failure)error->failure) {
        case STRC_DEVICE_FULL:
            snprintf(text, sizeof text, "%s on device %s", error->text, name);
            STRC_FAIL(origin, OutOfMemory, text, strc_decimal_text(digits, (int64_t)error->bytes));
            if (origin.place) strc_note(STRC_MESSAGE_Hint, "this filter needs most of it");
            break;
        case STRC_DEVICE_FAILED:
            snprintf(text, sizeof text, "%s, when it %s", error->why, error->text);
            STRC_FAIL(origin, CannotReadFile, name, text);
            if (origin.place && error->last != error->node) note_last(run, error->last);
            break;
        case STRC_KERNELS_FAILED:
            STRC_FAIL(nowhere, CannotOpenFile, error->text, error->why);
            break;
        case STRC_MESH_FAILED:
            if (error->bytes != 0)
                out_of_memory(error->text, error->bytes);
            else
                STRC_FAIL(nowhere, CannotReadFile, "the other ranks", error->why);
            break;
        default: STRC_FAIL(nowhere, CannotOpenFile, name, error->text);
    }
}

static void conclude(strc_run *run) {
    strc_environment *all = &run->environment;
    switch (run->end) {
        case STRC_END_ITERATIONS: strc_host_end(all, STRC_ALL_ITERATIONS); break;
        case STRC_END_INPUT:
            strc_host_end(all, strc_interrupted() ? STRC_INTERRUPTED : STRC_NO_INPUT);
            break;
        case STRC_END_STOPPED: strc_host_end(all, STRC_FAILED); break;
        case STRC_END_INTERRUPTED:
            strc_host_end(all, strc_interrupted() ? STRC_INTERRUPTED : STRC_TIME);
            break;
        case STRC_END_DEVICE:
            report_device(run);
            strc_host_end(all, STRC_FAILED);
            break;
        case STRC_END_FAULT:
            strc_report_fault(&run->env.fault);
            strc_host_end(all, STRC_FAILED);
            break;
    }
}

/// What flows through a program is wanted to the last item, and with dynamic rates there are no steady states; files of
/// others are read in whole ones.
static int drains(const strc_run *run) {
    const strc_program *program = run->program;
    const strc_tail tail = run->environment.options.tail;
    if (tail != STRC_TAIL_DEFAULT) return tail == STRC_TAIL_DRAIN;
    if (program->demand) return 1;
    return program->inputs != 0 && run->about->inputs[program->inputs - 1].node == STRC_OPEN;
}

static uint32_t threads_of(const strc_environment *all) {
    if (all->options.workers > 0) return (uint32_t)all->options.workers;
    return all->ranks ? all->ranks->threads : strc_processors();
}

static void run_program(strc_run *run) {
    strc_environment *all = &run->environment;
    const uint64_t state_size = (run->program->state_size + 63) / 64 * 64;
    const uint64_t size = state_size + run->program->work_size;
    run->state = aligned_alloc(64, size ? size : 64);
    if (!run->state) {
        out_of_memory("the program", size);
        strc_host_end(all, STRC_FAILED);
        return;
    }
    run->host = strc_host_of(all);
    run->env = (strc_env){.host = &run->host,
                          .interrupt = &strc_ended,
                          .random = run->about->random,
                          .parameters = all->options.parameters,
                          .work = (char *)run->state + state_size,
                          .symbolic = strc_filters_of(all),
                          .workers = threads_of(all),
                          .shares_always = (uint8_t)all->options.no_tune,
                          .tuning = run->about->tuning,
                          .c_format = (uint8_t)all->options.c_format,
                          .drains = (uint8_t)drains(run)};
    const uint32_t sharing = run->program->chunks ? run->env.workers : 1;
    if (all->options.profile) {
        run->env.profile = strc_begin_profile(run->about, &all->options, sharing);
        if (!run->env.profile) {
            strc_host_end(all, STRC_FAILED);
            free(run->state);
            return;
        }
    }
    double start = strc_clock();
    double seconds = all->options.seconds;
    if (seconds >= 0) run->env.seconds = seconds > shortest ? seconds : shortest;
    if (!all->options.loop_input) strc_progress_begin();
    execute_on_own_stack(run);
    run->seconds = strc_clock() - start;
    all->knows_waiting = run->env.knows_waiting;
    all->items_waiting = run->env.items_waiting;
    all->waiting_at = run->env.waiting_at;
    if (!strc_host_is_worthless(all))
        conclude(run);
    else
        run->about->weights_calls->report_lost(run->about);
    free(run->state);
}

// ---- what is told at the end

static void put_items(char **to, char *end, uint64_t count, const char *what, double seconds) {
    if (count == 0) return;
    *to += snprintf(*to, (size_t)(end - *to), "; %llu items %s", (unsigned long long)count, what);
    if (seconds <= 0) return;
    char rate[40];
    strc_rounded_count(rate, sizeof rate, (double)count / seconds);
    *to += snprintf(*to, (size_t)(end - *to), " (%s/s)", rate);
}

static void print_stats(const strc_run *run) {
    const strc_environment *all = &run->environment;
    unsigned long long done = run->done;
    unsigned long long firings = run->about->init_firings + run->about->steady_firings * run->done;
    firings = run->program->demand ? run->env.firings : firings + run->env.firings;
    char items[200] = "";
    char *to = items;
    put_items(&to, items + sizeof items, all->items_read, "read", run->seconds);
    put_items(&to, items + sizeof items, all->items_written, "written", run->seconds);
    fprintf(stderr, "%llu steady state%s, %llu firing%s, %.3f s%s\n", done, done == 1 ? "" : "s",
            firings, firings == 1 ? "" : "s", run->seconds, items);
}

static int finish(strc_run *run, int ran, int others) {
    const strc_environment *all = &run->environment;
    free(run->environment.options.parameters);
    strc_progress_erase();
    strc_messages_show();
    if (ran && all->options.stats) print_stats(run);
    if (ran && all->options.time) fprintf(stderr, "%.3f s\n", run->seconds);
    if (run->env.profile) {
        strc_show_profile(run->about, &all->options, run->env.profile);
        strc_messages_show();
    }
    int status = strc_messages_status();
    if (status == 0) status = others;
    if (status != 0) return status;
    return strc_interrupted() && !all->reader_gone ? 128 + strc_interrupted() : 0;
}

/// Before anything that the compiler made runs.
static int check_processor(const strc_executable *about) {
    const char *missing = strc_missing_feature(about->features);
    return missing ? STRC_FAIL(nowhere, ProcessorFeature, missing) : 0;
}

/// Those that the executable has not got in itself.
static int open_weights(const strc_environment *all) {
    const strc_executable *about = all->about;
    return about->weights_calls ? about->weights_calls->open(about, all->options.weights) : 0;
}

/// Without a device, what else there is.
static const strc_program *choose_program(const strc_program *program) {
    const strc_device_program *device = program->device;
    strc_device_error error = {0};
    if (!device || !program->fallback || device->calls->probe(device->ordinal, &error) == 0)
        return program;
    char text[sizeof STRC_NO_DEVICE + sizeof error.text];
    snprintf(text, sizeof text, STRC_NO_DEVICE "%s", error.text);
    strc_note(STRC_MESSAGE_Hint, text);
    return program->fallback;
}

int main(int argc, char **argv) {
    static strc_run run;
    strc_environment *all = &run.environment;
    run.about = all->about = &strc_executable_data;
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    strc_messages_begin(run.about, slash ? slash + 1 : argc > 0 ? argv[0] : "program");
    strc_signals_begin();
    int ran = 0, others = 0;
    strc_parsed parsed = strc_options_parse(&all->options, argc, argv, run.about);
    if (parsed == STRC_PARSED_DONE) return 0;
    const strc_rank_services *services = run.about->rank_services;
    const int is_fine = parsed == STRC_PARSED_RUN && check_processor(run.about) == 0 &&
                        (!services || services->begin(all) == 0);
    if (is_fine && open_weights(all) == 0 && strc_filters_open(all) == 0) {
        run.program = choose_program(run.about->program);
        strc_reading_threads = threads_of(all);
        if (strc_host_open(all) == 0) {
            run_program(&run);
            ran = 1;
        }
        strc_host_close(all);
        if (all->ranks) others = services->end(all, ran);
    }
    return finish(&run, ran, others);
}
