/// Sound that comes and goes by the clock of a device: "jack:" and "jack:PORTS" (JACK), "portaudio:" and "portaudio:NAME" (PortAudio),
/// "alsa:" and "alsa:NAME" (those of PortAudio that are ALSA's). The libraries are loaded when they are asked for. Between the
/// device's thread and the program lies a ring of frames of floats.
#ifndef STRC_SOUND_DEVICE_H
#define STRC_SOUND_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "strc/files/faults.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strc_sound_device strc_sound_device;

int strc_is_sound_device(const char *name);

/// Finds the device; it does not run yet. Null after reporting.
strc_sound_device *strc_sound_device_open(const char *name, int is_output, uint32_t channels,
                                          strc_origin);
/// From here on sound flows; says on standard error how late it is. `rate`: samples a second of an output; 0: whatever
/// the device has. 0, or -1 after reporting.
int strc_sound_device_start(strc_sound_device *, int32_t rate);
/// Samples a second; of an output, behind the start.
int32_t strc_sound_device_rate(const strc_sound_device *);
/// A descriptor that can be read when something has come, or has gone.
int strc_sound_device_descriptor(const strc_sound_device *);

/// Takes up to so many bytes of whole frames, at least one frame, for which it waits; 0: the device is gone; -1: errno says why.
int64_t strc_sound_device_read(strc_sound_device *, unsigned char *to, size_t bytes);
/// Gives up to so many bytes, waiting for room; -1: errno says why.
int64_t strc_sound_device_write(strc_sound_device *, const unsigned char *from, size_t bytes);

/// Frames that were lost, or were silence because nothing had come.
uint64_t strc_sound_device_dropouts(const strc_sound_device *);
/// Waits until what was given has been heard, if `drains`, and ends.
void strc_sound_device_close(strc_sound_device *, int drains);

#ifdef __cplusplus
}
#endif
#endif
