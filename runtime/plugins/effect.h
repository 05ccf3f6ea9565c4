/// A program between a host's buffers: frames in, as many frames out, controls on the way. What plug-ins of all kinds do.
/// Private to the runtime.
#ifndef STRC_EFFECT_H
#define STRC_EFFECT_H

#include "strc/executable.h"
#include "strc/library.h"
#include "strc/plugin.h"

typedef struct strc_effect strc_effect;

/// Channels of an end of the program: 0 if it has none.
uint32_t strc_effect_inputs(void);
uint32_t strc_effect_outputs(void);

/// For a host of so many frames a second. Null after a line on standard error: no memory, another processor, a rate
/// that the program does not take.
strc_effect *strc_effect_create(double rate);
void strc_effect_destroy(strc_effect *);

/// Forgets all sound, and takes the silence in that the latency is.
void strc_effect_start(strc_effect *);

/// Where a control is to be, from the next frame on; what lies outside of its range is moved to its end. Not a number: nothing.
void strc_effect_set(strc_effect *, uint32_t control, double value);

/// A buffer of `frames` floats for each channel; outputs may be the inputs. Real-time safe: nothing allocates, locks or waits.
/// After a fault of the program the rest is silence, and the next call starts it again. A value that the program
/// refuses is left out.
void strc_effect_process(strc_effect *, const float *const *in, float *const *out, uint32_t frames);

#endif
