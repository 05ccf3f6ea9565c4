// JACK, by the library that its servers bring along. What is used of its interface has not changed since 2003.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_ring.h"

typedef struct _jack_client jack_client;
typedef struct _jack_port jack_port;
enum { kNoStartServer = 1, kIsInput = 1, kIsOutput = 2, kIsPhysical = 4 };
static const char audio[] = "32 bit float mono audio";

typedef struct jack_functions {
    jack_client *(*client_open)(const char *, int options, int *status, ...);
    int (*client_close)(jack_client *);
    jack_port *(*port_register)(jack_client *, const char *, const char *, unsigned long flags,
                                unsigned long size);
    void *(*port_get_buffer)(jack_port *, uint32_t frames);
    int (*set_process_callback)(jack_client *, int (*)(uint32_t, void *), void *);
    void (*on_shutdown)(jack_client *, void (*)(void *), void *);
    int (*activate)(jack_client *);
    int (*deactivate)(jack_client *);
    uint32_t (*get_sample_rate)(jack_client *);
    uint32_t (*get_buffer_size)(jack_client *);
    int (*connect)(jack_client *, const char *, const char *);
    const char **(*get_ports)(jack_client *, const char *, const char *, unsigned long flags);
    const char *(*port_name)(const jack_port *);
    void (*free)(void *);
    void (*set_error_function)(void (*)(const char *));
    void (*set_info_function)(void (*)(const char *));
} jack_functions;

static const char *const names[] = {"jack_client_open",
                                    "jack_client_close",
                                    "jack_port_register",
                                    "jack_port_get_buffer",
                                    "jack_set_process_callback",
                                    "jack_on_shutdown",
                                    "jack_activate",
                                    "jack_deactivate",
                                    "jack_get_sample_rate",
                                    "jack_get_buffer_size",
                                    "jack_connect",
                                    "jack_get_ports",
                                    "jack_port_name",
                                    "jack_free",
                                    "jack_set_error_function",
                                    "jack_set_info_function"};

typedef struct jack {
    jack_functions call;
    jack_client *client;
    jack_port *ports[STRC_MOST_DEVICE_CHANNELS];
    char others[256];  ///< which ports it is connected with; "": those of the sound card; "-": none
} jack;

static void say_nothing(const char *text) { (void)text; }

static int process(uint32_t frames, void *of) {
    strc_sound_device *self = of;
    const jack *own = self->own;
    float *channels[STRC_MOST_DEVICE_CHANNELS];
    for (uint32_t c = 0; c < self->channels; ++c)
        channels[c] = own->call.port_get_buffer(own->ports[c], frames);
    if (self->is_output)
        strc_device_play(self, channels, 1, frames);
    else
        strc_device_capture(self, (const float *const *)channels, 1, frames);
    return 0;
}

static void shut_down(void *of) { strc_device_vanish(of); }

static int add_ports(strc_sound_device *self, char *why) {
    jack *own = self->own;
    for (uint32_t c = 0; c < self->channels; ++c) {
        char name[32];
        snprintf(name, sizeof name, "%s_%u", self->is_output ? "out" : "in", c + 1);
        own->ports[c] = own->call.port_register(own->client, name, audio,
                                                self->is_output ? kIsOutput : kIsInput, 0);
        if (own->ports[c]) continue;
        snprintf(why, STRC_DEVICE_WHY, "JACK has no more ports");
        return -1;
    }
    return 0;
}

static int open_client(strc_sound_device *self, const char *what, char *why) {
    jack *own = strc_device_own(self, sizeof *own);
    int status = 0;
    if (!own || strlen(what) >= sizeof own->others) {
        snprintf(why, STRC_DEVICE_WHY, "%s", own ? "the name is too long" : "there is no memory");
        return -1;
    }
    strcpy(own->others, what);
    if (strc_device_load(self, "libjack.so.0", "libjack-jackd2-0", names,
                         sizeof names / sizeof *names, &own->call) != 0)
        return -1;
    own->call.set_error_function(say_nothing);
    own->call.set_info_function(say_nothing);
    own->client = own->call.client_open("strc", kNoStartServer, &status);
    if (!own->client) {
        snprintf(why, STRC_DEVICE_WHY, "no JACK server is running; 'jackd -d alsa' starts one");
        return -1;
    }
    self->rate = (int32_t)own->call.get_sample_rate(own->client);
    self->block = own->call.get_buffer_size(own->client);
    own->call.set_process_callback(own->client, process, self);
    own->call.on_shutdown(own->client, shut_down, self);
    return add_ports(self, why);
}

/// Channels in turn with the ports that are there. A single port of a card serves all channels: JACK adds up what is connected with one.
static int connect_ports(const strc_sound_device *self, char *why) {
    const jack *own = self->own;
    if (strcmp(own->others, "-") == 0) return 0;
    const unsigned long side = self->is_output ? kIsInput : kIsOutput;
    const int is_card = own->others[0] == '\0';
    const char **found = own->call.get_ports(own->client, is_card ? NULL : own->others, audio,
                                             is_card ? side | kIsPhysical : side);
    if (!found && !is_card) {
        snprintf(why, STRC_DEVICE_WHY, "JACK has no %s called so",
                 self->is_output ? "inputs" : "outputs");
        return -1;
    }
    const int is_single = is_card && found && found[0] && !found[1];
    for (uint32_t c = 0; found && c < self->channels && (is_single || found[c]); ++c) {
        const char *ours = own->call.port_name(own->ports[c]);
        const char *other = found[is_single ? 0 : c];
        (void)own->call.connect(own->client, self->is_output ? ours : other,
                                self->is_output ? other : ours);
    }
    if (found) own->call.free(found);
    return 0;
}

static int start(strc_sound_device *self, char *why) {
    const jack *own = self->own;
    if (own->call.activate(own->client) != 0) {
        snprintf(why, STRC_DEVICE_WHY, "JACK does not take it");
        return -1;
    }
    return connect_ports(self, why);
}

static void close_client(strc_sound_device *self) {
    const jack *own = self->own;
    if (own->client) own->call.client_close(own->client);
}

const strc_device_driver strc_jack_driver = {open_client, start, close_client};
