/// libstrc: the compiler as a library. A `strc_compiler` takes the texts of a program through the stages,
/// tells what it found, shows what came of it, builds it, and runs it in this process. The command line is made
/// of these functions.
///
/// There is no state but that of compilers: any number of them may live in one process, each used by one
/// thread at a time. Nothing here ends the process, writes to its standard streams, or throws. Texts that are
/// handed out end in NUL and live until the compiler is changed, run or freed.
#ifndef STRC_STRC_H
#define STRC_STRC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define STRC_API __attribute__((visibility("default")))
#else
#define STRC_API
#endif

typedef struct strc_compiler strc_compiler;

/// "0.1.0"
STRC_API const char* strc_version(void);

/// Null: there is no memory.
STRC_API strc_compiler* strc_compiler_new(void);
STRC_API void strc_compiler_free(strc_compiler*);

typedef enum strc_status {
    STRC_OK = 0,
    STRC_FAILED = 1,  ///< what is wrong stands in the diagnostics
    STRC_WRONG_CALL = 2,  ///< an argument is wrong, or it is too early or too late for that
    STRC_NO_MEMORY = 3,
    // Of strc_stream_restore:
    STRC_STATE_TRUNCATED = 4,  ///< the end of the saved state is missing
    STRC_STATE_DAMAGED = 5,  ///< this is no saved state, or it has changed
    STRC_STATE_OTHER_PROGRAM = 6,  ///< it is the state of another program
    STRC_STATE_NEWER = 7,  ///< it was saved by a newer version of strc
} strc_status;

// ---------------------------------------------------------------- what is compiled

/// A source text; messages call it `name`. The text is copied.
STRC_API strc_status strc_compiler_add_source(strc_compiler*, const char* name, const char* text,
                                              size_t size);

/// A source file, which is read now. STRC_FAILED: it cannot be.
STRC_API strc_status strc_compiler_add_file(strc_compiler*, const char* path);

/// The next bytes of a text, up to `room`, and how many; 0: it is over.
typedef size_t strc_read_text(void* user, char* to, size_t room);
/// A source text that comes piece by piece. STRC_FAILED: it does not come to an end that is worth waiting for.
STRC_API strc_status strc_compiler_add_stream(strc_compiler*, const char* name, strc_read_text*,
                                              void* user);

/// Options as the command line has them, without dashes (docs/command-line.md). With a value: "top", "D" ("name=value"),
/// "keep-param", "W", "O", "check", "kernels", "tapes", "schedule", "stdlib", "weights", "native", "step-limit", "disable-pass", "profile-use",
/// "emit-after", "opt-bisect-limit", "pass", "input" ("1x3x224x224:half"; once for each tensor that arrives), "input-file", "input-sound" (a file of sound that will be the input), and for what is built "march", "target", "linker", "header", "bundle". Without one, `value`
/// is null: "w", "lenient", "interpret", "no-interpret", "g", "fast-math", "time-passes", "static", "shared",
/// "external-weights", "no-torch", "no-fold", "partitions", "profile". Not on the command line: "color": texts of diagnostics have the colours of terminals;
/// "seed": what `random()` begins with; "replaceable": the stream of it may go on with another program, or take the place of one; "at-once": the most items of an open end that are done together, for
/// streams (below): more are faster, fewer take less memory. "bound", for libraries and streams: the most items that wait in
/// a queue of a program with dynamic rates, and messages that wait for a filter.
STRC_API strc_status strc_compiler_set(strc_compiler*, const char* option, const char* value);

/// A tensor, row by row. The elements are "float", "double", "half", "bfloat16" (2 bytes both), "int8" (1), "int", "long"
/// (8) or "boolean" (1: 0 or 1).
typedef struct strc_tensor {
    const char* element;
    size_t rank;
    const int64_t* dims;
    size_t size;  ///< bytes of its elements
} strc_tensor;

/// Learned values in the place of a file with weights: what `stored(...)` of that name is. They are not copied if
/// they are aligned as such elements are: they have to stay, unchanged, as long as the compiler.
STRC_API strc_status strc_compiler_add_weights(strc_compiler*, const char* name, const strc_tensor*,
                                               const void* values);

typedef enum strc_stage {
    STRC_STAGE_NOTHING,
    STRC_STAGE_PARSED,
    STRC_STAGE_CHECKED,
    STRC_STAGE_LOWERED,
    STRC_STAGE_ELABORATED,  ///< the graph is built
    STRC_STAGE_BALANCED,  ///< it can run
    STRC_STAGE_SCHEDULED,
    STRC_STAGE_PLANNED,  ///< memory is laid out, if the program can be compiled
} strc_stage;

/// What the program prints.
typedef void strc_print(void* user, const char* text, size_t size);

/// Where the lines of "opt-bisect-limit" go.
STRC_API strc_status strc_compiler_set_log(strc_compiler*, strc_print* log, void* user);

/// Whoever wants what is under way to end, soon, sets the flag; it may be null, and has to live as long as the
/// compiler.
STRC_API strc_status strc_compiler_set_interrupt(strc_compiler*, const volatile unsigned char*);

/// Once for a compiler: goes on until `last` is done or something is wrong. STRC_OK: no errors.
/// What composites and `init` print goes to `print` (which may be null). A program that cannot be compiled is
/// interpreted: it is STRC_STAGE_PLANNED without a plan, unless "no-interpret" makes that an error. Whoever goes no
/// further than STRC_STAGE_SCHEDULED is told why there is no schedule.
STRC_API strc_status strc_compiler_compile(strc_compiler*, strc_stage last, strc_print* print,
                                           void* user);
/// What has been done without errors.
STRC_API strc_stage strc_compiler_stage(const strc_compiler*);

/// With "time-passes": a table of what stages and passes took since the last call; else "".
STRC_API const char* strc_compiler_times(strc_compiler*);

// ---------------------------------------------------------------- diagnostics

typedef enum strc_diagnostic_severity {
    STRC_SEVERITY_NOTE,
    STRC_SEVERITY_WARNING,
    STRC_SEVERITY_ERROR,
} strc_diagnostic_severity;

typedef struct strc_place {
    uint32_t line, column;  ///< from 1, columns in bytes; 0: there is no place
    uint64_t offset;  ///< bytes from the begin of the text
} strc_place;

typedef struct strc_diagnostic {
    strc_diagnostic_severity severity;
    const char* code;  ///< "unknown-stream": its name for ever, as `strc explain` knows it
    const char* message;
    const char* file;  ///< null: it has no place
    strc_place begin, end;  ///< the end is exclusive
    const char* instance;  ///< path of the stream instance, or ""
    uint32_t instances;  ///< in how many instances the same was found
    const char* text;  ///< as the command line prints it, with source line and notes
    const char* json;  ///< one object, as `--diagnostics=json` prints it
} strc_diagnostic;

/// Of everything so far, in order.
STRC_API size_t strc_compiler_diagnostic_count(const strc_compiler*);
STRC_API size_t strc_compiler_error_count(const strc_compiler*);
STRC_API strc_status strc_compiler_diagnostic(strc_compiler*, size_t index, strc_diagnostic* to);

/// Writes the page that `strc explain` prints about that code to `to`, up to `room` bytes with NUL, as snprintf does;
/// how many bytes it has without. 0: no diagnostic is called so. `code` null: the list of all.
STRC_API size_t strc_explain(const char* code, char* to, size_t room);

// ---------------------------------------------------------------- what came of it

typedef enum strc_product {
    STRC_AST,  ///< from STRC_STAGE_PARSED on
    STRC_IR,  ///< LOWERED
    STRC_GRAPH,  ///< BALANCED
    STRC_GRAPH_JSON,  ///< SCHEDULED; docs/graph-json.md
    STRC_GRAPH_DOT,  ///< SCHEDULED
    STRC_SCHEDULE,  ///< SCHEDULED
    STRC_PLAN,  ///< PLANNED
    STRC_LLVM,  ///< PLANNED
    STRC_ASSEMBLY,  ///< PLANNED
    STRC_OBJECT,  ///< PLANNED; bytes: what strc_compiler_build links
    STRC_GRAPH_SVG,  ///< SCHEDULED; Graphviz' `dot` is started to draw
    STRC_AFTER_PASS,  ///< what the stage or pass of "emit-after" has made
    STRC_MEMORY,  ///< PLANNED; what lies where, and in use from when to when
    STRC_MEMORY_JSON,  ///< PLANNED; docs/graph-json.md
    STRC_C_SOURCE,  ///< PLANNED; docs/c-source.md; with the option "c-source"
    STRC_C_HEADER,  ///< PLANNED; that of the same
    STRC_PROGRAM,  ///< SCHEDULED; kernels, states, graph and quota, as `strc opt` reads them
} strc_product;

/// Null if it is too early; with a diagnostic if the program cannot be compiled, or a tool is missing; if it was
/// interrupted. `*size` (which may be null): without NUL.
STRC_API const char* strc_compiler_text(strc_compiler*, strc_product, size_t* size);
/// How far the command line compiles before it prints that.
STRC_API strc_stage strc_compiler_stage_for(const strc_compiler*, strc_product);

/// In the place of strc_compiler_compile, for a compiler with one source: its text as `strc fmt` writes it. Null: it is
/// not the language. `*changes` (which may be null): it is another text.
STRC_API const char* strc_compiler_format(strc_compiler*, size_t* size, int* changes);

/// In the place of strc_compiler_compile, for a compiler with one source, the text form of the compiler's IR: the same after the
/// passes of the option "pass" (once for each, in order), as `strc opt` prints it. Null: the text is not well formed.
STRC_API const char* strc_compiler_optimise(strc_compiler*, size_t* size);

/// The items of an end of the main stream.
typedef struct strc_items {
    const char* type;  ///< as the language writes it; null: there is no such end
    /// Bytes of one in memory: int, float 4, double 8, boolean, bit 1, arrays and structs packed as in C; 0: only the run
    /// knows, and functions cannot take them.
    size_t size;
} strc_items;

/// Whether the main stream has an output: known as soon as the program prints, to the function that gets it.
STRC_API int strc_compiler_has_output(const strc_compiler*);

/// From STRC_STAGE_ELABORATED on.
STRC_API strc_status strc_compiler_input(strc_compiler*, strc_items* to);
STRC_API strc_status strc_compiler_output(strc_compiler*, strc_items* to);

/// How an item lies in memory, as JSON; null: there is no such end. "int", "float", "double", "boolean", "bit", "complex" are
/// scalars, {"of": LAYOUT, "shape": [3, 4]} is an array, {"struct": [{"name": "x", "offset": 0, "type": LAYOUT}, ...],
/// "size": 8} a struct.
STRC_API const char* strc_compiler_input_layout(strc_compiler*);
STRC_API const char* strc_compiler_output_layout(strc_compiler*);

/// The tensors of an end, which take turns: the first, the second ... STRC_WRONG_CALL: there are no more of them, or the
/// items are no tensors.
STRC_API strc_status strc_compiler_input_tensor(const strc_compiler*, size_t index,
                                                strc_tensor* to);
STRC_API strc_status strc_compiler_output_tensor(const strc_compiler*, size_t index,
                                                 strc_tensor* to);

/// Of programs with several inputs (a main stream that begins with a round-robin splitter) or several outputs (one that ends in a
/// round-robin joiner): how many items of the first, the second, ... follow each other where they share an end. STRC_WRONG_CALL:
/// there are no more of them, or no several.
STRC_API strc_status strc_compiler_input_turn(const strc_compiler*, size_t index, size_t* items);
STRC_API strc_status strc_compiler_output_turn(const strc_compiler*, size_t index, size_t* items);

// ---------------------------------------------------------------- building

/// After STRC_STAGE_PLANNED: makes an executable, or with "shared" a library and its C header (docs/embedding.md), as
/// `strc build -o output` does. What was printed while the graph was built is printed when the executable
/// starts. A C compiler is started to link; what it says is part of the diagnostic. The file appears when it is
/// complete, and not at all after a failure.
STRC_API strc_status strc_compiler_build(strc_compiler*, const char* output);

// ---------------------------------------------------------------- running

/// 0: no file has items of that format, by the names that --in-format has.
STRC_API int strc_is_format(const char* name);

/// What of the options counts though it is 0.
typedef enum strc_even_zero {
    STRC_ZERO_ITERATIONS = 1,
    STRC_ZERO_LIMIT = 2,
    STRC_ZERO_SECONDS = 4,
} strc_even_zero;

/// Begin with `strc_run_options options = {.size = sizeof options}`: what is 0 is not asked for.
typedef struct strc_run_options {
    size_t size;  ///< of this struct
    uint64_t iterations;  ///< steady states
    uint64_t limit;  ///< items of the output; else printed lines; else items written to files
    double seconds;  ///< from the call on
    int c_format;  ///< print numbers like C
    int pad_tail;  ///< zeros behind the input, until all that came before them is out
    void* user;  ///< for the functions
    strc_print* print;
    /// Up to `count` items to `to`; how many there were, 0: the input is over.
    size_t (*read)(void* user, void* to, size_t count);
    /// Nonzero: that was enough.
    int (*write)(void* user, const void* from, size_t count);

    unsigned even_zero;  ///< of strc_even_zero
    int loop_input;  ///< input files start again at their end
    /// Files in the place of `read` and `write`, as --in and --out have them; "-" is standard input, standard output.
    const char *in, *in_format, *out, *out_format;  ///< format null: by the name
    const char* out_sample;  ///< "8", "16", "24", "32", "float", "double"
    int out_rate, out_channels, out_width, out_height;
    void (*begin)(void* user);  ///< all is compiled, the program starts
    void (*waiting)(void* user);  ///< an input has nothing to give yet
    /// Now and then, if the first input is finite: items read, and items in all.
    void (*progress)(void* user, uint64_t done, uint64_t total);
    /// In the place of `in` and `out`: one for each of several inputs and outputs, or of streams of tensors, which take turns.
    const char *const *in_files, *const *out_files;
    size_t in_count, out_count;
    unsigned
        workers;  ///< threads that run the program, or share large loops of it; 0: one for each processor
    int drain_tail;  ///< at the end of the input filters that have their items still fire: what an open input does anyway
    int drop_tail;  ///< they do not: the run ends before the first steady state that lacks items
    int no_tune;  ///< threads run the program wherever they can, whether it pays or not
    int profile;  ///< measure the run (strc_compiler_profile); compiled with the option "profile", step by step
} strc_run_options;

typedef enum strc_run_end {
    STRC_RUN_ITERATIONS,
    STRC_RUN_LIMIT,  ///< or somebody has enough
    STRC_RUN_SECONDS,
    STRC_RUN_INPUT,  ///< is over
    STRC_RUN_NO_PROGRESS,
    STRC_RUN_INTERRUPTED,
    STRC_RUN_FAILED,
} strc_run_end;

typedef struct strc_run_result {
    strc_run_end end;
    int compiled;  ///< 0: it was interpreted
    uint64_t iterations, firings;
    uint64_t items_read, items_written, items_left;
} strc_run_result;

/// After STRC_STAGE_PLANNED (with "interpret": BALANCED): runs the program from its start to an end; as often as you
/// like. Faults are diagnostics.
/// The functions of the options are called on a thread that has more stack, while this one waits. `to` may be
/// null.
STRC_API strc_status strc_compiler_run(strc_compiler*, const strc_run_options*,
                                       strc_run_result* to);

typedef enum strc_profile_form {
    STRC_PROFILE_TABLE,  ///< for people
    STRC_PROFILE_JSON,  ///< for Perfetto, chrome://tracing and the option "profile-use"
} strc_profile_form;

/// What the last run with strc_run_options.profile has measured; empty if there was none. Valid until the next call of this.
STRC_API const char* strc_compiler_profile(strc_compiler*, strc_profile_form);

/// The same with arrays: runs until `in` is used up or `out` is full; `*produced` says how many items came.
STRC_API strc_status strc_compiler_run_items(strc_compiler*, const void* in, size_t in_count,
                                             void* out, size_t out_capacity, size_t* produced);

// ---------------------------------------------------------------- streams

/// A program that goes on as items come: what `strc build --shared` makes, in this process (docs/embedding.md). It has
/// a state of its own; several may be made of a compiler. They belong to it: one thread at a time, and they are freed before.
typedef struct strc_stream strc_stream;

/// After STRC_STAGE_PLANNED, with the option "at-once". STRC_FAILED: the program does what cannot be done between two
/// calls (open files, make strings; without the option "bound" send messages and have dynamic rates), or has no machine code.
STRC_API strc_status strc_stream_new(strc_compiler*, strc_stream** to);
STRC_API void strc_stream_free(strc_stream*);

/// Begin with `strc_stream_about about = {.size = sizeof about}`. If rates are dynamic all of it is 0.
typedef struct strc_stream_about {
    size_t size;  ///< of this struct
    uint64_t block_in, block_out;  ///< items of a steady state
    uint64_t first_in, first_out;  ///< and before the first one
    uint64_t
        latency;  ///< in input items: so much more is given before block_out items come for block_in, always
    int keeps_nothing;  ///< between steady states: a reset changes nothing
    uint64_t
        identity;  ///< of the program with its weights: programs that have the same one do the same
} strc_stream_about;
STRC_API strc_status strc_stream_tell(const strc_stream*, strc_stream_about* to);

/// Processes that share the parts of large products (the options "split" and "mesh", which is this one's rank, a slash and how many there are): all
/// have the same program and are given the same input. They reach each other by two collectives, which all of them call in the same order; these
/// return 0, or nonzero, after which the call fails.
typedef struct strc_collectives {
    size_t size;  ///< of this struct
    void* user;
    /// `bytes` bytes of each, by rank, to `all`.
    int (*gather)(void* user, const void* own, uint64_t bytes, void* all);
    /// Block k of `bytes` bytes of `out` goes to rank k; what comes is by rank in `in`.
    int (*exchange)(void* user, const void* out, uint64_t bytes, void* in);
} strc_collectives;
/// Before the first call. The functions are called by the thread that calls the stream. STRC_WRONG_CALL: the option "mesh" is missing.
STRC_API strc_status strc_stream_mesh(strc_stream*, const strc_collectives*);

/// Takes up to `in_count` items and gives up to `out_capacity`. The result is the same however the input is cut into
/// pieces. All of it is taken if there is room for what comes of it; what is too little for a steady state, and
/// what finds no room, waits inside; a program with dynamic rates takes nothing more while something finds no room.
/// `*consumed` and `*produced` (which may be null) say how many there were.
/// STRC_FAILED: a check failed, which the compiler's diagnostics tell; then all calls fail until
/// strc_stream_reset.
STRC_API strc_status strc_stream_process(strc_stream*, const void* in, size_t in_count, void* out,
                                         size_t out_capacity, size_t* consumed, size_t* produced);
/// One of several inputs or outputs: an array of `count` items, or with room for them; `done` says how many were taken or given.
typedef struct strc_stream_end {
    void* items;
    size_t count, done;
} strc_stream_end;
/// strc_stream_process with an array for each input and each output (strc_compiler_input_turn). A side that the program has not, is null
/// and 0. STRC_WRONG_CALL: not as many as the program has, or tensors.
STRC_API strc_status strc_stream_process_ends(strc_stream*, strc_stream_end* in, size_t inputs,
                                              strc_stream_end* out, size_t outputs);
/// strc_stream_drain in the same way.
STRC_API strc_status strc_stream_drain_ends(strc_stream*, strc_stream_end* out, size_t outputs);
/// The same with each item where it is: arrays of pointers, to the elements of tensors, to others as they lie in memory.
STRC_API strc_status strc_stream_process_items(strc_stream*, const void* const* in, size_t in_count,
                                               void* const* out, size_t out_capacity,
                                               size_t* consumed, size_t* produced);
/// strc_stream_process for `count` streams of one compiler, all different: stream k takes up to `in_count` items of in[k], and gives up to
/// `out_capacity` to out[k]; consumed[k] and produced[k] (either array may be null) say how many. The results are those of one call after the
/// other, to the bit; with the option "lanes" those that stand at the same place are done together in vectors. Not for tensors. The value is that of the
/// first stream that fails; the others go on.
STRC_API strc_status strc_stream_process_many(strc_stream* const* streams, size_t count,
                                              const void* const* in, size_t in_count,
                                              void* const* out, size_t out_capacity,
                                              size_t* consumed, size_t* produced);
/// The input is over, and all of it has been taken: gives what can still be computed of the items inside, up to
/// `out_capacity`; the rest comes in further calls, until `*produced` is less. What is too little for anything
/// stays. From then on strc_stream_process is STRC_WRONG_CALL until strc_stream_reset.
STRC_API strc_status strc_stream_drain(strc_stream*, void* out, size_t out_capacity,
                                       size_t* produced);
/// The same with each item where it is, as strc_stream_process_items has them.
STRC_API strc_status strc_stream_drain_items(strc_stream*, void* const* out, size_t out_capacity,
                                             size_t* produced);
/// As it was when it was made, but for the parameters.
STRC_API void strc_stream_reset(strc_stream*);
/// Items taken and given since it began.
STRC_API strc_status strc_stream_position(const strc_stream*, uint64_t* taken, uint64_t* given);

/// Bytes that a saved state takes at most: a constant of the program.
STRC_API size_t strc_stream_state_size(const strc_stream*);
/// Writes the state between two calls, parameters and waiting items included, to `to`, which has room for
/// strc_stream_state_size bytes; `*size` says how many it took (docs/state.md). STRC_FAILED: a check has failed before.
/// STRC_WRONG_CALL: there is too little room, or no state that could be saved.
STRC_API strc_status strc_stream_save(strc_stream*, void* to, size_t room, size_t* size);
/// Goes on from a state of the same program, in whatever process it was saved. Unless it is STRC_OK nothing has changed.
STRC_API strc_status strc_stream_restore(strc_stream*, const void* from, size_t size);
/// Another stream of the same compiler with the same state; it prints to the same function. As strc_stream_new, and as strc_stream_save.
STRC_API strc_status strc_stream_clone(strc_stream*, strc_stream** to);

/// A parameter that "keep-param" left open: the value as it lies in memory. Firings from now on see it; what `init` makes of it
/// is computed again, and state is kept. STRC_FAILED: the program refuses the value, as the compiler's diagnostics tell; the old one stays.
STRC_API strc_status strc_stream_set(strc_stream*, const char* parameter, const void* value,
                                     size_t size);
/// How the threads of a stream work; begin with `strc_threading how = {.size = sizeof how}`. Zeros are the defaults.
typedef struct strc_threading {
    size_t size;  ///< of this struct
    uint32_t
        threads;  ///< that take part, that of the caller included; 0: as many as the option "threads" says
    int32_t priority;  ///< of helpers, by SCHED_FIFO: 1 to 99; 0: like other threads
    uint32_t spin;  ///< µs for which a helper looks for the next block before it sleeps; 0: 50
    const int32_t* processors;  ///< of each helper; -1: any; null: any for all
} strc_threading;
/// A stream that was made with the option "threads" (before compiling) above 1 has helpers from the start, which share its calls; the
/// results are those of one thread, to the bit. Here it gets others, between two calls; `how` null: as at the start. What the
/// system refuses is no fault: `*refused` (which may be null) is a sentence about it, or null.
STRC_API strc_status strc_stream_threads(strc_stream*, const strc_threading* how,
                                         const char** refused);

/// What a thread has done since the stream has its threads; begin with `.size = sizeof`.
typedef struct strc_thread_about {
    size_t size;  ///< of this struct
    uint64_t blocks;  ///< that were shared
    uint64_t joined;  ///< of these it did something in so many
    uint64_t late;  ///< so many ended later since it had been held up
    uint64_t worst;  ///< ns that the caller once waited for it
    const char*
        filter;  ///< that it was at then, as long as the stream lives; "" if the caller never waited for it
} strc_thread_about;
/// Between two calls; thread 0 is that of the caller. STRC_WRONG_CALL: there is no such thread.
STRC_API strc_status strc_stream_tell_thread(strc_stream*, uint32_t thread, strc_thread_about* to);

/// What filters print goes there.
STRC_API strc_status strc_stream_set_print(strc_stream*, strc_print*, void* user);

// ---------------------------------------------------------------- replacing the program of a stream

/// How far the program is that has been asked to take the place of a stream's.
typedef enum strc_replacing {
    STRC_REPLACING_NOTHING,  ///< none has been asked
    STRC_REPLACING_COMPILING,  ///< on a thread of the library
    STRC_REPLACING_READY,  ///< the next strc_stream_process begins with it; with dynamic rates, one in which an iteration ends goes on with it
    STRC_REPLACING_FADING,  ///< both programs run
    STRC_REPLACING_DONE,
    STRC_REPLACING_REFUSED,  ///< the stream goes on as it was; the diagnostics of the new compiler say why
} strc_replacing;

/// Begin with `strc_replacement about = {.size = sizeof about}`.
typedef struct strc_replacement {
    size_t size;  ///< of this struct
    strc_replacing state;
    /// A line for each filter with state and each channel: whether it was kept; once the new program runs also for messages on their way and items
    /// of queues. It lives until the next call about the replacement.
    const char* told;
} strc_replacement;

/// Asks for the program of another compiler in the place of the stream's (docs/live.md): a thread of the library compiles it, unless that
/// is done, and makes its code; the first strc_stream_process afterwards changes over before it does anything else (if rates are dynamic, when the iteration under way is over). No item is lost or given twice. Filters and
/// channels that are in both programs go on with their state. Of the first `fade` output items the new program's are mixed with
/// the old one's, if items are floats. It may be called, and asked about, by another thread than the one that processes.
///
/// Both compilers have the options "replaceable" and "at-once". Until strc_stream_replacement says DONE or REFUSED the new compiler belongs to
/// the library. Then the stream belongs to the new one, or as before to the old one; the other one may be freed.
/// STRC_WRONG_CALL: such an option is missing, or another program is on its way.
STRC_API strc_status strc_stream_replace(strc_stream*, strc_compiler* program, uint64_t fade);

/// Tells how far that is; with `waits` once the new program is READY or REFUSED. STRC_WRONG_CALL: the stream is not "replaceable".
STRC_API strc_status strc_stream_replacement(strc_stream*, int waits, strc_replacement* to);

/// The compiler that the stream belongs to: another one since the call of strc_stream_process in which another program took over. For the thread
/// that processes, which need not wait for whoever asks about the replacement.
STRC_API strc_compiler* strc_stream_compiler(const strc_stream*);

/// The same as strc_stream_set with the value as a text, as -D has it; an int takes the nearest one of a real. STRC_FAILED: there is no such open parameter, or the text is no value of its
/// type, or the program refuses it, as the diagnostics of the stream's compiler say. With the option "open-ranges" parameters of which the program
/// says `@range` (docs/plug-ins.md) are open, too, and while strc_stream_run runs one with `@smooth` gets there in that time.
STRC_API strc_status strc_stream_set_text(strc_stream*, const char* parameter, const char* value);

/// Called between two calls of a run of a stream: nonzero ends it. `failed`: a check of the program has failed, which the diagnostics of the
/// stream's compiler tell; the run goes on once another program has taken its place.
typedef int strc_between(void* user, int failed);

/// Runs a stream from where it is between the files, or functions, of the options, as strc_compiler_run runs a program: until the input
/// is over and drained, an output item is the last of `limit`, `seconds` have passed, or it is interrupted. Other bounds, threads and `progress` are for
/// programs. `between` (which may be null) gets the `user` of the options; there parameters can be set, and another program can be asked
/// for. The compiler of the stream has to live until it returns, also if another program takes over.
STRC_API strc_status strc_stream_run(strc_stream*, const strc_run_options*, strc_between* between,
                                     strc_run_result* to);

#ifdef __cplusplus
}
#endif
#endif
