// A program behind a handle: a flow between a caller's two arrays, with what an executable knows.
#include "strc/library.h"

#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "strc/lanes.h"
#include "strc/processor.h"
#include "strc/saved.h"

/// The arrays of a call.
typedef struct strc_arrays {
    const unsigned char *in;
    unsigned char *out;
    size_t in_size, out_size;  ///< of an item
} strc_arrays;

static void take(void *of, void *to, size_t first, size_t items) {
    const strc_arrays *arrays = of;
    memcpy(to, arrays->in + first * arrays->in_size, items * arrays->in_size);
}

static void give(void *of, const void *from, size_t first, size_t items) {
    const strc_arrays *arrays = of;
    memcpy(arrays->out + first * arrays->out_size, from, items * arrays->out_size);
}

static uint64_t item_size(const strc_executable *about, const strc_port *port, uint32_t ports) {
    return ports != 0 ? about->types[port->type].size : 0;
}

static strc_flow_facts facts_of(const strc_executable *about) {
    const strc_program *program = about->program;
    return (strc_flow_facts){
        .program = program,
        .identity = about->identity,
        .in_size = item_size(about, about->inputs, program->inputs),
        .out_size = item_size(about, about->outputs, program->outputs),
        .init_writes = about->init_writes,
        .steady_writes = about->steady_writes,
        .random = about->random,
        .stack_bytes = about->stack_bytes,
        .bound = about->bound,
        .firing_bytes = about->firing_bytes,
        .parameter_bytes = (uint64_t)about->parameter_count * STRC_PARAMETER_BYTES,
        .parameters = about->parameter_values,
        .can_fail = about->can_fail,
        .can_scale = 1};
}

static strc_library *fail(int *status, strc_library_status why) {
    if (status) *status = (int)why;
    return NULL;
}

/// One block has the handle and behind it the flow.
STRC_EXPORTED strc_library *strc_library_create(int *status) {
    const strc_executable *about = &strc_executable_data;
    if (strc_missing_feature(about->features)) return fail(status, STRC_LIBRARY_PROCESSOR);
    strc_flow_facts facts = facts_of(about);
    size_t own = (sizeof(strc_library) + STRC_FLOW_ALIGNMENT - 1) / STRC_FLOW_ALIGNMENT *
                 STRC_FLOW_ALIGNMENT;
    unsigned char *block = aligned_alloc(STRC_FLOW_ALIGNMENT, own + strc_flow_bytes(&facts));
    if (!block) return fail(status, STRC_LIBRARY_MEMORY);
    strc_library *self = (strc_library *)block;
    *self = (strc_library){.about = about, .facts = facts};
    self->flow = strc_flow_make(&self->facts, block + own);
    if (about->threads_calls && about->threads_calls->begin(self) != 0) {
        free(block);
        return fail(status, STRC_LIBRARY_MEMORY);
    }
    if (status) *status = STRC_LIBRARY_OK;
    return self;
}

STRC_EXPORTED void strc_library_destroy(strc_library *self) {
    if (!self) return;
    if (self->about->threads_calls) self->about->threads_calls->end(self);
    strc_lanes_free(self->flow);
    free(self);
}

STRC_EXPORTED void strc_library_reset(strc_library *self) {
    if (!self) return;
    strc_flow_reset(self->flow);
    self->message[0] = '\0';
}

static strc_flow_ends ends_of(const strc_library *self, strc_arrays *arrays, size_t in_count,
                              size_t out_count) {
    const strc_program *program = self->facts.program;
    return (strc_flow_ends){.self = arrays,
                            .in_count = program->inputs != 0 ? in_count : 0,
                            .out_count = program->outputs != 0 ? out_count : 0,
                            .take = take,
                            .give = give};
}

static int told(strc_library *self, const strc_fault *fault) {
    strc_fault_message(self->message, self->about, fault);
    return STRC_LIBRARY_FAULT;
}

static int refused(strc_library *self, const char *why) {
    if (self) memcpy(self->message, why, strlen(why) + 1);
    return STRC_LIBRARY_CALL;
}

static const char *const no_array = "an array of items is NULL";

int strc_handle_begin(strc_library *self, int takes) {
    if (self->flow->has_failed) return told(self, &self->end);
    if (takes && self->flow->is_draining) return refused(self, "the input is over until a reset");
    self->message[0] = '\0';
    return STRC_LIBRARY_OK;
}

int strc_handle_refuse(strc_library *self) { return refused(self, no_array); }

int strc_handle_conclude(strc_library *self, int failed) {
    if (!failed) return STRC_LIBRARY_OK;
    self->end = self->flow->env.fault;
    return told(self, &self->end);
}

STRC_EXPORTED int strc_library_process(strc_library *self, const void *in, size_t in_count,
                                       void *out, size_t out_capacity, size_t *consumed,
                                       size_t *produced) {
    if (consumed) *consumed = 0;
    if (produced) *produced = 0;
    if (!self || (!in && in_count != 0) || (!out && out_capacity != 0))
        return refused(self, no_array);
    const int status = strc_handle_begin(self, 1);
    if (status != STRC_LIBRARY_OK) return status;
    strc_arrays arrays = {in, out, self->facts.in_size, self->facts.out_size};
    const strc_flow_ends ends = ends_of(self, &arrays, in_count, out_capacity);
    const int failed = strc_flow_process(self->flow, &ends);
    if (consumed) *consumed = self->flow->taken;
    if (produced) *produced = self->flow->given;
    return strc_handle_conclude(self, failed);
}

STRC_EXPORTED int strc_library_drain(strc_library *self, void *out, size_t out_capacity,
                                     size_t *produced) {
    if (produced) *produced = 0;
    if (!self || (!out && out_capacity != 0)) return refused(self, no_array);
    const int status = strc_handle_begin(self, 0);
    if (status != STRC_LIBRARY_OK) return status;
    strc_arrays arrays = {NULL, out, self->facts.in_size, self->facts.out_size};
    const strc_flow_ends ends = ends_of(self, &arrays, 0, out_capacity);
    const int failed = strc_flow_drain(self->flow, &ends);
    if (produced) *produced = self->flow->given;
    return strc_handle_conclude(self, failed);
}

// ---- states

STRC_EXPORTED size_t strc_library_state_size(const strc_library *self) {
    return self ? strc_saved_most(&self->facts) : 0;
}

/// STRC_LIBRARY_OK: it has a state that can be saved.
static int may_save(strc_library *self) {
    if (!self) return STRC_LIBRARY_CALL;
    if (self->flow->has_failed) return told(self, &self->end);
    const char *why = strc_saved_why_not(self->flow);
    if (why) return refused(self, why);
    self->message[0] = '\0';
    return STRC_LIBRARY_OK;
}

STRC_EXPORTED int strc_library_save(strc_library *self, void *to, size_t room, size_t *size) {
    if (size) *size = 0;
    const int status = may_save(self);
    if (status != STRC_LIBRARY_OK) return status;
    if (!to || !size || room < strc_saved_most(&self->facts))
        return refused(self, "there is too little room for a state");
    *size = strc_saved_write(self->flow, to);
    return STRC_LIBRARY_OK;
}

STRC_EXPORTED int strc_library_restore(strc_library *self, const void *from, size_t size) {
    static const int statuses[] = {[STRC_SAVED_FINE] = STRC_LIBRARY_OK,
                                   [STRC_SAVED_TRUNCATED] = STRC_LIBRARY_TRUNCATED,
                                   [STRC_SAVED_DAMAGED] = STRC_LIBRARY_DAMAGED,
                                   [STRC_SAVED_OTHER_PROGRAM] = STRC_LIBRARY_OTHER_PROGRAM,
                                   [STRC_SAVED_NEWER] = STRC_LIBRARY_NEWER};
    if (!self || (!from && size != 0)) return refused(self, "the state is NULL");
    const strc_saved_status status = strc_saved_read(self->flow, from, size);
    const char *text = strc_saved_text(status);
    memcpy(self->message, text, strlen(text) + 1);
    return statuses[status];
}

STRC_EXPORTED strc_library *strc_library_clone(strc_library *self, int *status) {
    const int why = may_save(self);
    if (why != STRC_LIBRARY_OK) return fail(status, (strc_library_status)why);
    strc_library *made = strc_library_create(status);
    void *state = made ? malloc(strc_saved_most(&self->facts)) : NULL;
    if (!state) {
        strc_library_destroy(made);
        return fail(status, STRC_LIBRARY_MEMORY);  // the processor has not changed
    }
    (void)strc_saved_read(made->flow, state, strc_saved_write(self->flow, state));
    free(state);
    return made;
}

STRC_EXPORTED int strc_library_set(strc_library *self, int parameter, const void *value,
                                   size_t size) {
    if (!self || !value) return refused(self, "the value is NULL");
    if (parameter < 0 || (uint32_t)parameter >= self->about->parameter_count)
        return refused(self, "there is no such parameter");
    static const unsigned char sizes[] = {
        [STRC_BOOLEAN] = 1, [STRC_BIT] = 1,    [STRC_INT] = 4,
        [STRC_FLOAT] = 4,   [STRC_DOUBLE] = 8, [STRC_COMPLEX] = 8};
    uint32_t kind = self->about->parameters[parameter].kind;
    if (kind > STRC_COMPLEX || size != sizes[kind])
        return refused(self, "the value is not as large as the parameter");
    self->message[0] = '\0';
    const unsigned char truth = *(const unsigned char *)value != 0;
    const int is_truth = kind == STRC_BOOLEAN || kind == STRC_BIT;
    if (strc_flow_set(self->flow, (uint32_t)parameter, is_truth ? &truth : value, size) == 0)
        return STRC_LIBRARY_OK;
    return told(self, &self->flow->env.fault);
}

STRC_EXPORTED const char *strc_library_message(const strc_library *self) {
    return self ? self->message : "";
}
