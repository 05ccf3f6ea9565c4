// An LV2 plug-in. Ports in this order: audio inputs, audio outputs, controls, latency; the Turtle beside it
// (src/plugins/turtle.cpp) says the same.
#include "lv2.h"

#include <stdlib.h>
#include <string.h>

#include "effect.h"

/// What a host has connected the ports to.
typedef struct strc_lv2 {
    strc_effect *effect;
    uint32_t inputs, outputs, controls;
    float *ports[];
} strc_lv2;

static void cleanup(void *handle) {
    strc_lv2 *self = handle;
    strc_effect_destroy(self->effect);
    free(self);
}

static void *instantiate(const strc_lv2_descriptor *descriptor, double rate,
                         const char *bundle_path, const strc_lv2_feature *const *features) {
    (void)descriptor, (void)bundle_path, (void)features;
    const uint32_t inputs = strc_effect_inputs(), outputs = strc_effect_outputs();
    const uint32_t controls = strc_executable_data.plugin->control_count;
    strc_lv2 *self = calloc(1, sizeof *self + (inputs + outputs + controls + 1) * sizeof(float *));
    if (!self) return NULL;
    self->inputs = inputs;
    self->outputs = outputs;
    self->controls = controls;
    self->effect = strc_effect_create(rate);
    if (self->effect) return self;
    cleanup(self);
    return NULL;
}

static void connect_port(void *handle, uint32_t port, void *data) {
    strc_lv2 *self = handle;
    if (port <= self->inputs + self->outputs + self->controls) self->ports[port] = data;
}

static void hear_controls(strc_lv2 *self) {
    const uint32_t first = self->inputs + self->outputs;
    for (uint32_t k = 0; k < self->controls; ++k)
        if (self->ports[first + k]) strc_effect_set(self->effect, k, *self->ports[first + k]);
    float *latency = self->ports[first + self->controls];
    if (latency) *latency = (float)strc_executable_data.plugin->latency;
}

static void activate(void *handle) {
    strc_lv2 *self = handle;
    hear_controls(self);
    strc_effect_start(self->effect);
}

static void run(void *handle, uint32_t frames) {
    strc_lv2 *self = handle;
    hear_controls(self);
    if (frames == 0) return;  // a host asks for the latency
    const float *const *in = (const float *const *)self->ports;
    strc_effect_process(self->effect, in, self->ports + self->inputs, frames);
}

static void deactivate(void *handle) { (void)handle; }

static const void *extension_data(const char *uri) {
    (void)uri;
    return NULL;
}

/// The one function that hosts look for; those of this process that ask again get the same.
__attribute__((visibility("default"))) const strc_lv2_descriptor *lv2_descriptor(uint32_t index) {
    static strc_lv2_descriptor descriptor = {NULL, instantiate, connect_port, activate,
                                             run,  deactivate,  cleanup,      extension_data};
    if (index > 0) return NULL;
    descriptor.uri = strc_executable_data.texts + strc_executable_data.plugin->uri;
    return &descriptor;
}
