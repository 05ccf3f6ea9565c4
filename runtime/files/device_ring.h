/// What drivers of sound devices share. Private to runtime/files.
#ifndef STRC_DEVICE_RING_H
#define STRC_DEVICE_RING_H

#include "strc/files/sound_device.h"

enum { STRC_DEVICE_WHY = 240, STRC_MOST_DEVICE_CHANNELS = 64 };

/// One kind of devices. Functions that fail give -1 with half a sentence in `why`.
typedef struct strc_device_driver {
    int (*open)(strc_sound_device *, const char *what, char *why);
    int (*start)(strc_sound_device *, char *why);
    void (*close)(strc_sound_device *);
} strc_device_driver;
extern const strc_device_driver strc_jack_driver, strc_portaudio_driver;

struct strc_sound_device {
    const strc_device_driver *driver;
    void *own;  ///< the driver's
    const char *name;
    strc_origin origin;
    int is_output, is_running;
    uint32_t channels;
    int32_t rate;  ///< 0: not known yet
    uint32_t block;  ///< frames that the device takes at a time
    double latency;  ///< seconds, that the device adds to its blocks
    int wake;  ///< an eventfd
    float *frames;  ///< the ring
    uint64_t capacity;  ///< frames, a power of two
    uint64_t head, tail;  ///< atomic: frames put, and frames taken
    uint64_t dropouts;  ///< atomic
    unsigned char
        part[STRC_MOST_DEVICE_CHANNELS * sizeof(float)];  ///< of a frame that is given in pieces
    size_t part_size;
    int has_overflowed;  ///< atomic: the device has found no room since the last look
    int has_begun;  ///< an output plays from when some blocks are there
    int is_gone;  ///< atomic: the device
    int drains;  ///< atomic: nothing more comes, so silence is right
};

/// Memory for `own`; null: there is none.
void *strc_device_own(strc_sound_device *, size_t);
/// Loads a library's functions; 0, or -1 after reporting.
int strc_device_load(const strc_sound_device *, const char *library, const char *package,
                     const char *const *names, size_t count, void *to);

// ---- for the device's thread: channels[c][k * stride] is sample k of channel c
void strc_device_capture(strc_sound_device *, const float *const *channels, size_t stride,
                         uint64_t frames);
void strc_device_play(strc_sound_device *, float *const *channels, size_t stride, uint64_t frames);
void strc_device_vanish(strc_sound_device *);

#endif
