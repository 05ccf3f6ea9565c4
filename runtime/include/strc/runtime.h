/// The runtime of compiled programs: what generated code calls and what runs it. Plain C on libc; the
/// same objects serve the JIT and executables. A compiled program is a `strc_program`: constants and
/// functions without mutable data. One run of it is a state (memory that the program lays out) and an
/// environment (strc_env); any number of runs may go on at the same time.
#ifndef STRC_RUNTIME_H
#define STRC_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRC_ABI_VERSION 6u
/// At most so many bytes of strings at a time; what would be more is null.
#define STRC_STRING_BYTES (UINT64_C(1) << 30)
/// A value of a parameter, as it lies in memory, has so much room.
#define STRC_PARAMETER_BYTES 16

/// The bit of parameter k in a set; those behind the last share one.
#define STRC_PARAMETER_MARK(k) (UINT64_C(1) << ((k) < 62u ? (k) : 62u))

typedef struct strc_env strc_env;

/// A String value; lives until strc_strings_release or the end of its phase, or for ever (literals).
typedef struct strc_string {
    uint64_t size;
    const char *text;
} strc_string;

/// What a run reaches outside. print, read, write and commit return 0 to go on, anything else to end the
/// run at once (strc_execute then returns STRC_END_STOPPED): what it was is the host's own knowledge.
/// From begin on the host only keeps what is printed and written; commit lets it out, rollback forgets
/// it, and what was read since begin is there to be read again. There is one such transaction at a time.
/// Within it print and write say when a limit is reached as they do outside; a commit follows.
typedef struct strc_host {
    void *self;
    int (*print)(void *self, const char *text, uint64_t size);
    /// Are `items` items of the input there, read ahead? Nonzero: no. `must`: the run ends without them,
    /// so wait for them, and fill up an end that is too short if that was asked for (the answer no then
    /// means that there never will be enough, or *env->interrupt). Else say what is there at once. A
    /// question only: nothing is taken. Negative: the input cannot be read.
    int (*supply)(void *self, uint32_t input, uint64_t items, int must);
    /// The next `items` items, which supply has promised, to `to`.
    int (*read)(void *self, uint32_t input, void *to, uint64_t items);
    int (*write)(void *self, uint32_t output, const void *from, uint64_t items);
    void (*begin)(void *self);
    int (*commit)(void *self);
    void (*rollback)(void *self);
    /// Items of the input behind those that were read, as far as `most` matters; negative: it cannot be read.
    int64_t (*still)(void *self, uint32_t input, int64_t most);
} strc_host;

/// Why a check failed: an index into the program's table of sites (kept by whoever compiled it), the
/// node it happened in, and up to two numbers whose meaning the site knows.
typedef struct strc_fault {
    uint32_t site;
    uint32_t node;
    int64_t numbers[2];
} strc_fault;

/// One phase: needs `reads[k]` items of input k before it begins; does `iterations` steady states.
typedef struct strc_phase {
    void (*run)(strc_env *, void *state);
    const uint64_t *reads;
    uint64_t iterations;
} strc_phase;

/// When messages of one filter to another are due (language.md 14.4): SDEP between them.
typedef struct strc_route {
    const int64_t
        *firings;  ///< of the upstream end for m firings of the other, m < transient + period_down
    int64_t transient;  ///< from here on it repeats
    int64_t period_up, period_down;
    int64_t is_downstream;  ///< the receiver is
} strc_route;

/// Somebody who gets the messages of a send when `sender` does it.
typedef struct strc_recipient {
    uint32_t sender, receiver;  ///< nodes
    uint32_t sender_box, receiver_box;  ///< their mailboxes
    uint32_t missed;  ///< the site of a deadline that is over
    uint32_t crowded;  ///< the site of too many messages, in a program with a bound
    const strc_route *route;  ///< null: nothing is known but who it is
    void (*handle)(strc_env *, void *state, const void *arguments);
} strc_recipient;

/// A statement that sends. What it sends are `bytes` bytes.
typedef struct strc_dispatch {
    const strc_recipient *recipients;  ///< by sender, in ascending order
    uint32_t recipient_count;
    uint32_t bytes;
    uint32_t full;  ///< the site of messages that have no room
    uint32_t best_effort;
} strc_dispatch;

/// The mailbox of a filter that sends or receives. Generated code counts firings in it and compares them with `due`.
typedef struct strc_mailbox {
    int64_t fired;  ///< completed firings
    int64_t
        due;  ///< after so many of them the next message has to be delivered; INT64_MAX: there is none
    // ---- private to the runtime
    struct strc_pending **messages;  ///< by due, in order of sending
    struct strc_pending *open;  ///< whose handler runs
    struct strc_pending *spare;  ///< a list of those that nobody has, if their number is bounded
    uint32_t first, end, capacity;
    uint32_t is_firing;
} strc_mailbox;

/// Why a device, or a library of operators, does not do what it should.
typedef enum strc_device_failure {
    STRC_DEVICE_FINE,
    STRC_DEVICE_MISSING,  ///< text: no driver, no device, none of that number, ...
    STRC_DEVICE_FULL,  ///< text: for what; bytes: how many
    STRC_DEVICE_FAILED,  ///< text: in the middle of what; why: the driver's words
    STRC_KERNELS_FAILED,  ///< text: the library of operators; why: a word about it
    STRC_MESH_FAILED,  ///< text: in the middle of what; why: a word about it
} strc_device_failure;

/// Bytes of a state.
typedef struct strc_piece {
    uint64_t at, size;
    const void *bytes;
} strc_piece;

/// Bytes of a state that one phase leaves to the next, once init is done.
typedef struct strc_kept_part {
    uint64_t at, size;
} strc_kept_part;

/// In the place of a node.
#define STRC_NOBODY UINT32_MAX

typedef struct strc_device_error {
    uint32_t failure;  ///< strc_device_failure
    int32_t ordinal;  ///< of the device
    uint32_t node, last;  ///< who was at work, or the first and the last of several; STRC_NOBODY
    uint64_t bytes;
    char text[240];
    char why[240];
} strc_device_error;

/// Filters whose shapes only the run knows (elab/detail/compiled_form.h), for generated code. Items of theirs are names of tensors, in 4
/// bytes each. Nonzero: the run ends at once (STRC_END_STOPPED), and why is their own knowledge.
typedef struct strc_symbolic {
    void *self;
    /// One firing. `parts`: memory of the items that it takes, then of those that it gives; if it gives as many as it likes, `left`
    /// is how many that are, and `next` gives them.
    int (*fire)(void *self, strc_env *env, uint32_t node, void *const *parts, int32_t *left);
    int (*next)(void *self, uint32_t node, void *to);
    /// Between two phases or iterations, when all names that are still wanted lie in the memory of channels.
    void (*settle)(void *self, const void *state);
    /// The elements of the tensor of that name, which stay valid until the next firing, and its shape as strc_text_of_tensor wants
    /// it. Only executables call it.
    const void *(*tensor)(void *self, int32_t name, const int64_t **shape);
    /// Gives a tensor that comes from outside a name, which counts until nothing fires any more (settle). `shape`: as in strc/values.h.
    int (*enter)(void *self, const int64_t *shape, const void *elements, int32_t *name);
} strc_symbolic;

typedef struct strc_program {
    uint32_t abi_version;
    uint32_t inputs;  ///< files read and the open input
    uint32_t outputs;
    uint32_t node_count;
    uint32_t mailbox_count;
    uint32_t
        flushes_subnormals;  ///< nonzero: floats and doubles too small to be normal count as zeros
    uint64_t mailboxes_at;  ///< offset into the state
    uint64_t most_bytes;  ///< of what grows while the program runs
    uint64_t state_size;  ///< bytes, aligned to 64
    uint64_t work_size;  ///< bytes of strc_env.work, aligned to 64
    uint64_t piece_count;
    const strc_piece *pieces;  ///< of the state before the run, in order; all else is zeros
    /// How it runs if its rates are dynamic (strc/demand.h): after init by demand, without other phases. Else null.
    const struct strc_demand *demand;
    strc_phase init;  ///< iterations = 0
    strc_phase steady;  ///< iterations = 1
    strc_phase scaled;  ///< several at once; iterations = 0: there is none
    /// The part of the program that runs on a device (strc/device.h), which its phases call; null: there is none.
    const struct strc_device_program *device;
    /// Which operators a library does (strc/kernels.h); null: none.
    const struct strc_kernel_program *kernels;
    /// The same without a device, for machines that have none; null: then it cannot run.
    const struct strc_program *fallback;
    /// Between two phases, once init is done: computes again what setup and init of filters have made of the open parameters in
    /// `changed`, a set of STRC_PARAMETER_MARK. Null: nothing.
    void (*update)(strc_env *, void *state, uint64_t changed);
    /// By mailbox: bytes of the longest message that it may get; -1: it gets none.
    const int64_t *message_bytes;
    /// What can still fire when the input ends (strc/ending.h). Null: nothing.
    const struct strc_ending *ending;
    /// The phase `scaled` in a form that several threads can do (strc/chunks.h). Null: there is none.
    const struct strc_chunks *chunks;
    /// A phase that threads share within one call of a library (strc/partitions.h). Null: there is none.
    const struct strc_partitioning *partitioning;
    /// All that phases leave to each other but mailboxes and queues, in order.
    uint64_t kept_count;
    const strc_kept_part *kept;
    /// Whoever handles messages, so that one on its way can be written down as the number of a row (strc/saved.h).
    uint64_t handler_count;
    void (*const *handlers)(strc_env *, void *state, const void *arguments);
    /// The same program for several instances at once (strc/lanes.h). Null: there is none.
    const struct strc_lanes *lanes;
} strc_program;

typedef enum strc_end {
    STRC_END_ITERATIONS,  ///< as many steady states as asked for
    STRC_END_INPUT,  ///< an input had not enough for the next phase
    STRC_END_STOPPED,  ///< a callback of the host ended the run
    STRC_END_INTERRUPTED,  ///< *env->interrupt, or env->seconds have passed
    STRC_END_FAULT,  ///< env->fault
    STRC_END_DEVICE,  ///< env->device_error
} strc_end;

struct strc_env {
    const strc_host *host;
    const volatile unsigned char
        *interrupt;  ///< nonzero: somebody wants the run to end; never null
    double seconds;  ///< so long may the run take; 0: as long as it likes
    uint64_t random;  ///< state of the generator (language.md 16.3)
    const void *parameters;  ///< of the main stream, left open: STRC_PARAMETER_BYTES each
    /// work_size bytes aligned to 64, where firings keep large arrays; nothing stays there from one firing to the next.
    void *work;
    uint8_t c_format;  ///< print like C (language.md 18)
    uint8_t drains;  ///< when the input ends, what has its items still fires
    const strc_symbolic *symbolic;  ///< null: there are none
    uint32_t
        workers;  ///< threads that may run the program (strc/chunks.h), or share what is large in it; 0, 1: the one that runs
    uint8_t shares_always;  ///< they do wherever they can, not only where it was seen to pay
    struct strc_profile *profile;  ///< measures the run (strc/profile.h); null: nothing does
    /// What trials have found about this program on this processor is kept under that number (strc/tuning.h); 0: it is not kept.
    uint64_t tuning;
    const struct strc_rank_calls
        *ranks;  ///< other processes that do chunks (strc/ranks.h); null: there are none
    strc_fault fault;
    strc_device_error device_error;
    uint64_t firings;  ///< of a run by demand, or of those that drained it
    int knows_waiting;  ///< the input has ended, and this is what stays:
    int64_t items_waiting;  ///< on all tapes
    uint32_t waiting_at;  ///< by node of the program before passes: before which most of them lie
    uint32_t depth;  ///< of calls of recursive functions, by generated code
    volatile unsigned char poll;  ///< of the runtime, for generated code: nonzero: call strc_stop
    strc_mailbox *mailboxes;  ///< in the state; of the runtime, for generated code
    int64_t *
        left;  ///< of the runtime, for phases that drain: firings and items that each place has left
    /// Of the runtime, for generated code: where strc_lap adds up what steps take; null: the present phase is not timed.
    struct strc_profile_thread *timing;
    // ---- private to the runtime
    const struct strc_message_memory *message_memory;  ///< where messages have their memory
    struct strc_mail_arena *mail_arena;  ///< likewise, of who runs chunks
    uint32_t most_messages;  ///< that may wait for one filter
    uint64_t bytes_left;  ///< that messages may still take
    struct strc_puller *puller;  ///< of a run by demand
    uint64_t strings_kept;  ///< mark: what is older belongs to firings that wait for their input
    void *escape;  ///< jmp_buf
    int end;
    const char *stack_end;  ///< of the thread that runs
    struct strc_chunk *strings;  ///< memory of the present firing's strings
    struct strc_device *device;  ///< of a program that has a part on one
    struct strc_kernels *kernels;  ///< of a program with operators of a library
    uint32_t flushes_subnormals;  ///< strc_program::flushes_subnormals
    // ---- of the caller again
    const struct strc_mesh
        *mesh;  ///< processes that share parts of products (strc/mesh.h); null: there is one
};

/// Runs init and then steady states until an end. The phase `scaled`, in which filters run ahead of others,
/// is done as a transaction of the host: after a fault in it, or if it takes long, the state from before
/// comes back and the steady states are done one by one, so that all that comes before a fault is let
/// out, and soon. A second thread looks at the clock meanwhile. `state`: state_size bytes aligned to 64, contents
/// do not matter; `iterations`: UINT64_MAX for no limit. `done`, if not null, gets the number of
/// completed steady states. The caller has set the public fields of `env` and zeroed the rest.
strc_end strc_execute(const strc_program *, strc_env *, void *state, uint64_t iterations,
                      uint64_t *done);

/// Processors that this process may use; at least 1.
uint32_t strc_processors(void);

// ---- what generated code calls: rows (result, name, parameters); see runtime_functions.def
#define STRC_RUNTIME_FUNCTION(result, name, parameters) result name parameters;
#include "strc/runtime_functions.def"
#undef STRC_RUNTIME_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
