/// A program that goes on as items come: phases run as soon as their input is there, between the two ends of a call
/// and what has to wait for the next one. If its rates are dynamic, it is a run by demand that stops where an item is
/// missing, or room for one, and goes on there in a later call. Libraries (strc/library.h) are made of it, and streams in the compiler's
/// own process. All memory comes from whoever makes one; nothing here allocates, locks or enters the system.
#ifndef STRC_FLOW_H
#define STRC_FLOW_H

#include <stddef.h>

#include "strc/ending.h"
#include "strc/rest.h"
#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Constants of a program.
typedef struct strc_flow_facts {
    const strc_program *program;  ///< without files and strings
    uint64_t identity;  ///< of the program, as saved states know it (strc/saved.h)
    uint64_t in_size, out_size;  ///< bytes of an item
    uint64_t init_writes, steady_writes;  ///< items for the open output, by phase
    uint64_t random;
    uint64_t stack_bytes;  ///< of the caller's stack, that a call may take
    uint64_t
        bound;  ///< items that a queue holds, and messages that wait for a filter; 0: there are neither
    uint64_t firing_bytes;  ///< of a stack of its own, that a run by demand takes
    uint64_t parameter_bytes;
    const void *parameters;  ///< with what values they begin
    uint32_t can_fail;  ///< there are checks
    uint32_t can_scale;  ///< what it does can be undone
} strc_flow_facts;

/// In the set of strc_program.update, which never has the parameter: do what sets them again, for its checks alone; change nothing.
#define STRC_FLOW_CHECK (UINT64_C(1) << 63)

/// The two ends of a call: items by their number in it.
typedef struct strc_flow_ends {
    void *self;
    size_t in_count, out_count;
    void (*take)(void *self, void *to, size_t first, size_t items);
    void (*give)(void *self, const void *from, size_t first, size_t items);
    void (*print)(void *self, const char *text, uint64_t size);  ///< null: it prints nothing
} strc_flow_ends;

/// Items that wait: those of the input for a phase, those of the output for room.
typedef struct strc_flow_queue {
    unsigned char *items;
    size_t first, count;  ///< items
    size_t size;  ///< of an item
} strc_flow_queue;

/// Several steady states that are done wholly or not at all (undo.h does that for runs with a clock).
typedef struct strc_flow_before {
    unsigned char *kept;  ///< what phases leave to each other (strc_program.kept)
    unsigned char *messages;  ///< as strc_messages_save has them; null: there are none
    uint64_t random, done;
    size_t taken, given;
    strc_flow_queue waiting;
    int is_valid;
} strc_flow_before;

struct strc_pulled;
struct strc_helpers;

typedef struct strc_flow {
    const strc_flow_facts *facts;
    strc_env env;
    strc_host host;
    unsigned char *state, *work;
    unsigned char *parameters;  ///< as they were set
    unsigned char *message_memory;  ///< memory of messages
    unsigned char
        *lanes_memory;  ///< of the state of all lanes (strc/lanes.h); null: it has had none to keep
    struct strc_pulled *pulled;  ///< of a run by demand; null: it has phases
    strc_flow_queue waiting, pending;
    const strc_flow_ends *ends;  ///< of the call under way
    size_t taken, given;  ///< in it
    uint64_t all_taken, all_given;  ///< in all calls since it began
    strc_flow_before before;
    uint64_t done;  ///< steady states
    int64_t *numbers;  ///< for `draining`
    strc_draining draining;
    int is_draining;  ///< the input is over
    uint64_t changed;  ///< parameters that have been set since the program looked at them
    int has_begun;  ///< the phase `init` is done
    /// Threads that share the program's partitions, and what does so (strc/helpers.h); null: one thread does all.
    struct strc_helpers *helpers;
    int (*run_shared)(struct strc_helpers *, strc_env *, void *state);
    int scales, shares;  ///< in the call under way
    strc_rest
        rest;  ///< of calls, after one whose messages had no room in a phase of many steady states
    /// Of a run by demand: between two iterations, when nothing is under way, calls come to an end, as often as they are made.
    int stops_between;
    int is_between;  ///< the last call came to such an end
    int has_failed;  ///< env.fault says why
} strc_flow;

/// Bytes of the memory that one takes, a multiple of its alignment.
enum { STRC_FLOW_ALIGNMENT = 64 };
size_t strc_flow_bytes(const strc_flow_facts *);
/// Makes one in a block of so many bytes, aligned so; `facts` outlive it.
strc_flow *strc_flow_make(const strc_flow_facts *facts, void *block);
/// As it was when it was made, but for the parameters.
void strc_flow_reset(strc_flow *);
/// Sets parameter `k`: `size` bytes as they lie in memory. What filters have computed of it is computed again before the
/// next firing, in the next call. -1 if a check failed when that was tried: the old value stays, and env.fault says why.
int strc_flow_set(strc_flow *, uint32_t k, const void *value, size_t size);
/// All items are taken if there is room for what comes of them: `taken` and `given` of the flow say how many there were. 0, or
/// -1 after a fault; then it has failed, until it is reset.
int strc_flow_process(strc_flow *, const strc_flow_ends *);
/// The input is over: what has its items still is done as far as there is room for what comes of it, to go on in the next
/// call; all of it if less is given than there is room for. 0, or -1 after a fault. Only a reset makes it take items again.
int strc_flow_drain(strc_flow *, const strc_flow_ends *);

#ifdef __cplusplus
}
#endif
#endif
