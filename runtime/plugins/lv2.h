/// The part of LV2's interface that plug-ins need, as http://lv2plug.in/ns/lv2core lays it down for ever: so none of its
/// headers are needed to build one. tests/plugins compares it with these. Private to the runtime.
#ifndef STRC_LV2_H
#define STRC_LV2_H

#include <stdint.h>

typedef struct strc_lv2_feature {
    const char *uri;
    void *data;
} strc_lv2_feature;

typedef struct strc_lv2_descriptor {
    const char *uri;
    void *(*instantiate)(const struct strc_lv2_descriptor *, double rate, const char *bundle_path,
                         const strc_lv2_feature *const *features);
    void (*connect_port)(void *, uint32_t port, void *data);
    void (*activate)(void *);
    void (*run)(void *, uint32_t frames);
    void (*deactivate)(void *);
    void (*cleanup)(void *);
    const void *(*extension_data)(const char *uri);
} strc_lv2_descriptor;

#endif
