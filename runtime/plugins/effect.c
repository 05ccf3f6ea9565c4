#include "effect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    kPiece = 256,  ///< frames that the program gets at a time
    kStep = 32,  ///< frames between two values of a control that moves
};

typedef struct strc_moving {
    double now, target, step;  ///< step: for kStep frames
    int is_new;  ///< the program has another value
    int is_refused;  ///< by the program, because of what another control is
} strc_moving;

typedef struct strc_frames {
    const strc_type *type;  ///< of items; null: there is no such end
    uint32_t channels;
    int is_double;
    unsigned char *items;  ///< kPiece of them
} strc_frames;

struct strc_effect {
    strc_library *program;
    const strc_plugin *about;
    double rate;
    strc_frames in, out;
    int has_failed;
    uint32_t until_step;  ///< frames until controls move again; 0: none is on its way
    strc_moving controls[];
};

static strc_frames end_of(const strc_port *port, uint32_t count) {
    const strc_executable *all = &strc_executable_data;
    if (count == 0) return (strc_frames){0};
    strc_frames end = {.type = &all->types[port->type], .channels = 1};
    const strc_type *sample = end.type;
    if (sample->kind == STRC_ARRAY) {
        end.channels = (uint32_t)sample->count;
        sample = &all->types[sample->first];
    }
    end.is_double = sample->kind == STRC_DOUBLE;
    return end;
}

static strc_frames input_end(void) {
    return end_of(strc_executable_data.inputs, strc_executable_data.program->inputs);
}
static strc_frames output_end(void) {
    return end_of(strc_executable_data.outputs, strc_executable_data.program->outputs);
}

uint32_t strc_effect_inputs(void) { return input_end().channels; }
uint32_t strc_effect_outputs(void) { return output_end().channels; }

// ---- parameters

/// A parameter's new value as it lies in memory; the status of strc_library_set.
static int set_parameter(strc_library *program, uint32_t parameter, double value) {
    const int32_t whole = (int32_t)lrint(value);
    const float single = (float)value;
    const unsigned char truth = value >= 0.5;
    switch (strc_executable_data.parameters[parameter].kind) {
        case STRC_INT: return strc_library_set(program, (int)parameter, &whole, sizeof whole);
        case STRC_FLOAT: return strc_library_set(program, (int)parameter, &single, sizeof single);
        case STRC_DOUBLE: return strc_library_set(program, (int)parameter, &value, sizeof value);
        default: return strc_library_set(program, (int)parameter, &truth, sizeof truth);
    }
}

void strc_effect_set(strc_effect *self, uint32_t control, double value) {
    if (control >= self->about->control_count || isnan(value)) return;
    const strc_control *row = &self->about->controls[control];
    strc_moving *moving = &self->controls[control];
    if (value < row->low) value = row->low;
    if (value > row->high) value = row->high;
    if (row->is_stepped) value = rint(value);
    if (value == moving->target) return;
    moving->target = value;
    const double steps = row->smooth * self->rate / kStep;
    moving->step = steps > 1 ? (value - moving->now) / steps : 0;
    moving->is_new = 1;
    for (uint32_t k = 0; k < self->about->control_count; ++k)
        self->controls[k].is_new |= self->controls[k].is_refused;
}

/// One step of what moves, or with `only_jumps` the values alone that are there at once; nonzero: something is on its way still.
static int move_controls(strc_effect *self, int only_jumps) {
    int moves = 0, accepts = 0;
    for (uint32_t k = 0; k < self->about->control_count; ++k) {
        strc_moving *each = &self->controls[k];
        if (!each->is_new || (only_jumps && each->step != 0)) continue;
        const double left = each->target - each->now;
        const int arrives = each->step == 0 || fabs(left) <= fabs(each->step);
        each->now = arrives ? each->target : each->now + each->step;
        each->is_new = !arrives;
        moves |= !arrives;
        const uint32_t parameter = self->about->controls[k].parameter;
        each->is_refused = set_parameter(self->program, parameter, each->now) != STRC_LIBRARY_OK;
        accepts |= !each->is_refused;
    }
    // What has been refused may fit now.
    for (uint32_t k = 0; accepts && k < self->about->control_count; ++k) {
        self->controls[k].is_new |= self->controls[k].is_refused;
        moves |= self->controls[k].is_refused;
    }
    return moves;
}

static void jump_controls(strc_effect *self) {
    self->until_step = 0;
    for (uint32_t k = 0; k < self->about->control_count; ++k) self->controls[k].step = 0;
    (void)move_controls(self, 0);
}

// ---- items and channels

static void interleave(const strc_frames *end, const float *const *from, uint32_t first,
                       uint32_t frames) {
    float *singles = (float *)end->items;
    double *doubles = (double *)end->items;
    for (uint32_t c = 0; c < end->channels; ++c)
        for (uint32_t k = 0; k < frames; ++k) {
            const size_t at = (size_t)k * end->channels + c;
            if (end->is_double)
                doubles[at] = from[c][first + k];
            else
                singles[at] = from[c][first + k];
        }
}

static void separate(const strc_frames *end, float *const *to, uint32_t first, uint32_t frames) {
    const float *singles = (const float *)end->items;
    const double *doubles = (const double *)end->items;
    for (uint32_t c = 0; c < end->channels; ++c)
        for (uint32_t k = 0; k < frames; ++k) {
            const size_t at = (size_t)k * end->channels + c;
            to[c][first + k] = end->is_double ? (float)doubles[at] : singles[at];
        }
}

static void silence(const strc_effect *self, float *const *out, uint32_t first, uint32_t frames) {
    for (uint32_t c = 0; c < self->out.channels; ++c)
        memset(out[c] + first, 0, (frames - first) * sizeof **out);
}

// ---- the run

static void process_piece(strc_effect *self, const float *const *in, float *const *out,
                          uint32_t first, uint32_t frames) {
    size_t given = 0;
    interleave(&self->in, in, first, frames);
    const uint32_t room = self->out.type ? frames : 0;
    const int status =
        strc_library_process(self->program, self->in.items, self->in.type ? frames : 0,
                             self->out.items, room, NULL, &given);
    self->has_failed = status != STRC_LIBRARY_OK;
    if (given < room)
        memset(self->out.items + given * self->out.type->size, 0,
               (room - given) * self->out.type->size);
    separate(&self->out, out, first, frames);
}

void strc_effect_process(strc_effect *self, const float *const *in, float *const *out,
                         uint32_t frames) {
    if (self->has_failed) strc_effect_start(self);
    uint32_t first = 0;
    if (self->until_step != 0) (void)move_controls(self, 1);
    while (first < frames && !self->has_failed) {
        if (self->until_step == 0 && move_controls(self, 0)) self->until_step = kStep;
        const uint32_t most = self->until_step != 0 ? self->until_step : kPiece;
        const uint32_t piece = frames - first < most ? frames - first : most;
        process_piece(self, in, out, first, piece);
        first += piece;
        if (self->until_step != 0) self->until_step -= piece;
    }
    silence(self, out, first, frames);
}

void strc_effect_start(strc_effect *self) {
    strc_library_reset(self->program);
    jump_controls(self);
    self->has_failed = 0;
    if (!self->in.type) return;
    memset(self->in.items, 0, kPiece * self->in.type->size);
    for (uint64_t left = self->about->latency; left > 0 && !self->has_failed;) {
        const uint64_t piece = left < kPiece ? left : kPiece;
        self->has_failed = strc_library_process(self->program, self->in.items, piece, NULL, 0, NULL,
                                                NULL) != STRC_LIBRARY_OK;
        left -= piece;
    }
}

// ---- made and gone

static const char *title(void) {
    return strc_executable_data.texts + strc_executable_data.plugin->title;
}

/// The host's rate goes to the parameter that is it; nonzero after saying why the program does not take it.
static int take_rate(strc_effect *self) {
    const strc_plugin *about = self->about;
    if (about->fixed_rate != 0 && about->fixed_rate != self->rate) {
        fprintf(stderr,
                "%s: built for %g samples a second, but the host has %g: 'strc build -D rate=%g' "
                "makes one for that\n",
                title(), about->fixed_rate, self->rate, self->rate);
        return -1;
    }
    if (about->rate_parameter == STRC_NO_PARAMETER ||
        set_parameter(self->program, about->rate_parameter, self->rate) == STRC_LIBRARY_OK)
        return 0;
    fprintf(stderr, "%s: %g samples a second: %s\n", title(), self->rate,
            strc_library_message(self->program));
    return -1;
}

static int make_room(strc_frames *end) {
    if (!end->type) return 0;
    end->items = calloc(kPiece, end->type->size);
    return end->items ? 0 : -1;
}

static strc_effect *refuse(strc_effect *self, int status) {
    if (status == STRC_LIBRARY_PROCESSOR)
        fprintf(stderr,
                "%s: built for another processor: 'strc build --march=x86-64-v2' makes "
                "one for most\n",
                title());
    if (status == STRC_LIBRARY_MEMORY) fprintf(stderr, "%s: there is not enough memory\n", title());
    strc_effect_destroy(self);
    return NULL;
}

strc_effect *strc_effect_create(double rate) {
    const strc_plugin *about = strc_executable_data.plugin;
    strc_effect *self = calloc(1, sizeof *self + about->control_count * sizeof(strc_moving));
    if (!self) return refuse(self, STRC_LIBRARY_MEMORY);
    self->about = about;
    self->rate = rate;
    self->in = input_end();
    self->out = output_end();
    int status = STRC_LIBRARY_OK;
    self->program = strc_library_create(&status);
    if (!self->program) return refuse(self, status);
    if (make_room(&self->in) != 0 || make_room(&self->out) != 0)
        return refuse(self, STRC_LIBRARY_MEMORY);
    for (uint32_t k = 0; k < about->control_count; ++k)
        self->controls[k].now = self->controls[k].target = about->controls[k].initial;
    if (take_rate(self) != 0) return refuse(self, STRC_LIBRARY_OK);
    strc_effect_start(self);
    return self;
}

void strc_effect_destroy(strc_effect *self) {
    if (!self) return;
    strc_library_destroy(self->program);
    free(self->in.items);
    free(self->out.items);
    free(self);
}
