// PortAudio, version 19.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device_ring.h"

enum { kFloats = 1, kAlsa = 8, kNoFlag = 0, kDefaultRate = 48000, kFrames = 256 };

typedef struct pa_parameters {
    int device, channels;
    unsigned long format;
    double latency;
    void *of_kind;
} pa_parameters;

typedef struct pa_device {
    int version;
    const char *name;
    int kind, inputs, outputs;
    double low_in, low_out, high_in, high_out, rate;
} pa_device;

typedef struct pa_kind {
    int version, type;
    const char *name;
    int devices, default_in, default_out;
} pa_kind;

typedef struct pa_info {
    int version;
    double in_latency, out_latency, rate;
} pa_info;

typedef int pa_callback(const void *in, void *out, unsigned long frames, const void *times,
                        unsigned long flags, void *of);

typedef struct pa_functions {
    int (*initialize)(void);
    int (*terminate)(void);
    int (*open)(void **stream, const pa_parameters *in, const pa_parameters *out, double rate,
                unsigned long frames, unsigned long flags, pa_callback *, void *of);
    int (*start)(void *);
    int (*stop)(void *);
    int (*close)(void *);
    int (*default_input)(void);
    int (*default_output)(void);
    int (*device_count)(void);
    const pa_device *(*device_info)(int);
    const pa_kind *(*kind_info)(int);
    const pa_info *(*stream_info)(void *);
    const char *(*error_text)(int);
    int (*on_finished)(void *, void (*)(void *));
} pa_functions;

static const char *const names[] = {"Pa_Initialize",
                                    "Pa_Terminate",
                                    "Pa_OpenStream",
                                    "Pa_StartStream",
                                    "Pa_StopStream",
                                    "Pa_CloseStream",
                                    "Pa_GetDefaultInputDevice",
                                    "Pa_GetDefaultOutputDevice",
                                    "Pa_GetDeviceCount",
                                    "Pa_GetDeviceInfo",
                                    "Pa_GetHostApiInfo",
                                    "Pa_GetStreamInfo",
                                    "Pa_GetErrorText",
                                    "Pa_SetStreamFinishedCallback"};

typedef struct portaudio {
    pa_functions call;
    int is_initialized;
    int device;
    void *stream;
} portaudio;

static int fail(const portaudio *own, int error, char *why) {
    snprintf(why, STRC_DEVICE_WHY, "%s", own->call.error_text(error));
    return -1;
}

static int process(const void *in, void *out, unsigned long frames, const void *times,
                   unsigned long flags, void *of) {
    (void)times, (void)flags;
    strc_sound_device *self = of;
    float *channels[STRC_MOST_DEVICE_CHANNELS];
    float *first = self->is_output ? out : (float *)in;
    for (uint32_t c = 0; first && c < self->channels; ++c) channels[c] = first + c;
    if (!first) return 0;
    if (self->is_output)
        strc_device_play(self, channels, self->channels, frames);
    else
        strc_device_capture(self, (const float *const *)channels, self->channels, frames);
    return 0;
}

static void say_nothing(const char *file, int line, const char *function, int error,
                        const char *text, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)text;
}

/// ALSA, which PortAudio brings along, prints a line for each device that a configuration names and that is not there.
static void quieten_alsa(void) {
    void (*set)(void (*)(const char *, int, const char *, int, const char *, ...)) = NULL;
    void *alsa = dlopen("libasound.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    void *found = alsa ? dlsym(alsa, "snd_lib_error_set_handler") : NULL;
    if (!found) return;
    memcpy(&set, &found, sizeof set);
    set(say_nothing);
}

/// The default device, or the first one whose name has `what` in it; -1: there is none.
static int find_device(const strc_sound_device *self, const char *what) {
    const portaudio *own = self->own;
    const int is_alsa = strncmp(self->name, "alsa:", 5) == 0;
    if (!*what && !is_alsa)
        return self->is_output ? own->call.default_output() : own->call.default_input();
    for (int k = 0; k < own->call.device_count(); ++k) {
        const pa_device *each = own->call.device_info(k);
        const pa_kind *kind = own->call.kind_info(each->kind);
        if ((self->is_output ? each->outputs : each->inputs) <= 0) continue;
        if (is_alsa && (!kind || kind->type != kAlsa)) continue;
        if (is_alsa && !*what) return self->is_output ? kind->default_out : kind->default_in;
        if (strstr(each->name, what)) return k;
    }
    return -1;
}

static int open_device(strc_sound_device *self, const char *what, char *why) {
    portaudio *own = strc_device_own(self, sizeof *own);
    if (!own) {
        snprintf(why, STRC_DEVICE_WHY, "there is no memory");
        return -1;
    }
    if (strc_device_load(self, "libportaudio.so.2", "libportaudio2", names,
                         sizeof names / sizeof *names, &own->call) != 0)
        return -1;
    quieten_alsa();
    const int error = own->call.initialize();
    if (error < 0) return fail(own, error, why);
    own->is_initialized = 1;
    own->device = find_device(self, what);
    if (own->device < 0) {
        snprintf(why, STRC_DEVICE_WHY, "there is no such sound device for %s",
                 self->is_output ? "output" : "input");
        return -1;
    }
    const double rate = own->call.device_info(own->device)->rate;
    self->block = kFrames;
    if (!self->is_output) self->rate = rate > 0 ? (int32_t)lrint(rate) : kDefaultRate;
    return 0;
}

/// The stream has stopped: it was asked to, or its device is gone, and nothing is called any more.
static void finished(void *of) { strc_device_vanish(of); }

static int start(strc_sound_device *self, char *why) {
    portaudio *own = self->own;
    const pa_device *about = own->call.device_info(own->device);
    if (self->rate == 0) self->rate = about->rate > 0 ? (int32_t)lrint(about->rate) : kDefaultRate;
    const pa_parameters wanted = {own->device, (int)self->channels, kFloats,
                                  self->is_output ? about->low_out : about->low_in, NULL};
    int error = own->call.open(&own->stream, self->is_output ? NULL : &wanted,
                               self->is_output ? &wanted : NULL, self->rate, kFrames, kNoFlag,
                               process, self);
    if (error == 0) {
        const pa_info *info = own->call.stream_info(own->stream);
        if (info) self->latency = self->is_output ? info->out_latency : info->in_latency;
        error = own->call.on_finished(own->stream, finished);
        if (error == 0) error = own->call.start(own->stream);
    }
    return error == 0 ? 0 : fail(own, error, why);
}

static void close_device(strc_sound_device *self) {
    const portaudio *own = self->own;
    if (own->stream && self->is_running) own->call.stop(own->stream);
    if (own->stream) own->call.close(own->stream);
    if (own->is_initialized) own->call.terminate();
}

const strc_device_driver strc_portaudio_driver = {open_device, start, close_device};
