#define _GNU_SOURCE
#include "strc/files/sound_device.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "device_ring.h"
#include "strc/files/loading.h"

enum {
    kFewestFrames = 1 << 13,
    kBlocks = 8,  ///< that the ring has room for
    kAhead = 2,  ///< blocks that an output has before it is heard
};

static const struct {
    const char *prefix;
    const strc_device_driver *driver;
} kinds[] = {{"jack:", &strc_jack_driver},
             {"portaudio:", &strc_portaudio_driver},
             {"alsa:", &strc_portaudio_driver}};

static const strc_device_driver *driver_of(const char *name) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        if (strncmp(name, kinds[k].prefix, strlen(kinds[k].prefix)) == 0) return kinds[k].driver;
    return NULL;
}

int strc_is_sound_device(const char *name) { return driver_of(name) != NULL; }

void *strc_device_own(strc_sound_device *self, size_t size) { return self->own = calloc(1, size); }

int strc_device_load(const strc_sound_device *self, const char *library, const char *package,
                     const char *const *names, size_t count, void *to) {
    const char *missing = strc_load_functions(library, names, count, to);
    return missing ? STRC_FAIL(self->origin, MissingLibrary, self->name, package, missing) : 0;
}

// ---- the ring

static uint64_t filled(const strc_sound_device *self) {
    return __atomic_load_n(&self->head, __ATOMIC_ACQUIRE) -
           __atomic_load_n(&self->tail, __ATOMIC_ACQUIRE);
}

static float *frame_at(const strc_sound_device *self, uint64_t frame) {
    return self->frames + (frame & (self->capacity - 1)) * self->channels;
}

static void wake(const strc_sound_device *self) {
    const uint64_t one = 1;
    (void)!write(self->wake, &one, sizeof one);  // it is full of wakes: that is one
}

void strc_device_capture(strc_sound_device *self, const float *const *channels, size_t stride,
                         uint64_t frames) {
    const uint64_t room = self->capacity - filled(self);
    const uint64_t taken = frames < room ? frames : room;
    const uint64_t head = self->head;
    for (uint64_t k = 0; k < taken; ++k)
        for (uint32_t c = 0; c < self->channels; ++c)
            frame_at(self, head + k)[c] = channels[c][k * stride];
    __atomic_fetch_add(&self->dropouts, frames - taken, __ATOMIC_RELAXED);
    __atomic_store_n(&self->head, head + taken, __ATOMIC_RELEASE);
    if (taken < frames) __atomic_store_n(&self->has_overflowed, 1, __ATOMIC_RELEASE);
    wake(self);
}

void strc_device_play(strc_sound_device *self, float *const *channels, size_t stride,
                      uint64_t frames) {
    const uint64_t there = filled(self), tail = self->tail;
    const int drains = __atomic_load_n(&self->drains, __ATOMIC_RELAXED);
    self->has_begun |= drains || there >= (uint64_t)kAhead * self->block;
    uint64_t given = frames < there ? frames : there;
    if (!self->has_begun) given = 0;
    for (uint64_t k = 0; k < given; ++k)
        for (uint32_t c = 0; c < self->channels; ++c)
            channels[c][k * stride] = frame_at(self, tail + k)[c];
    for (uint64_t k = given; k < frames; ++k)
        for (uint32_t c = 0; c < self->channels; ++c) channels[c][k * stride] = 0;
    if (self->has_begun && !drains)
        __atomic_fetch_add(&self->dropouts, frames - given, __ATOMIC_RELAXED);
    __atomic_store_n(&self->tail, tail + given, __ATOMIC_RELEASE);
    wake(self);
}

void strc_device_vanish(strc_sound_device *self) {
    __atomic_store_n(&self->is_gone, 1, __ATOMIC_RELAXED);
    wake(self);
}

static int is_gone(const strc_sound_device *self) {
    return __atomic_load_n(&self->is_gone, __ATOMIC_RELAXED);
}

/// Until the device has done something; -1: errno says why.
static int wait_for_device(const strc_sound_device *self) {
    struct pollfd waiting = {self->wake, POLLIN, 0};
    if (poll(&waiting, 1, -1) < 0) return -1;
    uint64_t count;
    return read(self->wake, &count, sizeof count) < 0 && errno != EAGAIN ? -1 : 0;
}

/// A ring that has been full would stay so, and all that follows would be late by its length: behind an overflow what is old is lost, too, but
/// for as much as an output plays from.
static void skip_old(strc_sound_device *self) {
    if (!__atomic_exchange_n(&self->has_overflowed, 0, __ATOMIC_ACQUIRE)) return;
    const uint64_t there = filled(self), kept = (uint64_t)kAhead * self->block;
    if (there <= kept) return;
    __atomic_fetch_add(&self->dropouts, there - kept, __ATOMIC_RELAXED);
    __atomic_store_n(&self->tail, self->tail + (there - kept), __ATOMIC_RELEASE);
}

int64_t strc_sound_device_read(strc_sound_device *self, unsigned char *to, size_t bytes) {
    const size_t size = self->channels * sizeof(float);
    uint64_t there;
    skip_old(self);
    while ((there = filled(self)) == 0) {
        if (is_gone(self)) return 0;
        if (wait_for_device(self) != 0) return -1;
    }
    const uint64_t wanted = bytes / size, taken = wanted < there ? wanted : there;
    for (uint64_t k = 0; k < taken; ++k)
        memcpy(to + k * size, frame_at(self, self->tail + k), size);
    __atomic_store_n(&self->tail, self->tail + taken, __ATOMIC_RELEASE);
    return (int64_t)(taken * size);
}

/// Whole frames, for at least one of which there will be room.
static int64_t write_frames(strc_sound_device *self, const unsigned char *from, uint64_t frames) {
    const size_t size = self->channels * sizeof(float);
    uint64_t room;
    while ((room = self->capacity - filled(self)) == 0) {
        if (is_gone(self)) return errno = ENODEV, -1;
        if (wait_for_device(self) != 0) return -1;
    }
    const uint64_t given = frames < room ? frames : room;
    for (uint64_t k = 0; k < given; ++k)
        memcpy(frame_at(self, self->head + k), from + k * size, size);
    __atomic_store_n(&self->head, self->head + given, __ATOMIC_RELEASE);
    return (int64_t)(given * size);
}

int64_t strc_sound_device_write(strc_sound_device *self, const unsigned char *from, size_t bytes) {
    const size_t size = self->channels * sizeof(float);
    if (self->part_size == 0 && bytes >= size) return write_frames(self, from, bytes / size);
    const size_t left = size - self->part_size, taken = bytes < left ? bytes : left;
    memcpy(self->part + self->part_size, from, taken);
    if (taken == left && write_frames(self, self->part, 1) < 0) return -1;
    self->part_size = taken == left ? 0 : self->part_size + taken;
    return (int64_t)taken;
}

// ---- made and gone

static strc_sound_device *refuse(strc_sound_device *self, const char *why) {
    (void)STRC_FAIL(self->origin, CannotOpenFile, self->name, why);
    strc_sound_device_close(self, 0);
    return NULL;
}

strc_sound_device *strc_sound_device_open(const char *name, int is_output, uint32_t channels,
                                          strc_origin origin) {
    strc_sound_device *self = calloc(1, sizeof *self);
    strc_digits digits;
    if (!self) {
        (void)STRC_FAIL(origin, OutOfMemory, name, strc_decimal_text(digits, sizeof *self));
        return NULL;
    }
    *self = (strc_sound_device){.driver = driver_of(name),
                                .name = name,
                                .origin = origin,
                                .is_output = is_output,
                                .channels = channels,
                                .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    char why[STRC_DEVICE_WHY] = "";
    if (self->wake < 0) return refuse(self, strerror(errno));
    if (channels == 0 || channels > STRC_MOST_DEVICE_CHANNELS)
        return refuse(self, "a device has 1 to 64 channels, and items one sample for each");
    if (self->driver->open(self, strchr(name, ':') + 1, why) == 0) return self;
    if (why[0]) return refuse(self, why);
    strc_sound_device_close(self, 0);  // it has been reported
    return NULL;
}

/// Where the ring is as large as it has to be.
static int make_ring(strc_sound_device *self) {
    self->capacity = kFewestFrames;
    while (self->capacity < (uint64_t)kBlocks * self->block) self->capacity *= 2;
    self->frames = calloc(self->capacity * self->channels, sizeof *self->frames);
    return self->frames ? 0 : -1;
}

static void tell(const strc_sound_device *self) {
    const double blocks = self->is_output ? kAhead + 1 : 1;
    fprintf(stderr, "%s %s: %d samples a second, %u channel%s, blocks of %u; latency %.1f ms\n",
            self->name, self->is_output ? "out" : "in", (int)self->rate, self->channels,
            self->channels == 1 ? "" : "s", self->block,
            1000 * (blocks * self->block / self->rate + self->latency));
}

int strc_sound_device_start(strc_sound_device *self, int32_t rate) {
    char why[STRC_DEVICE_WHY] = "";
    if (self->is_running) return 0;
    if (self->rate != 0 && rate != 0 && rate != self->rate) {
        snprintf(why, sizeof why,
                 "it has %d samples a second, but the sound has %d; '--out-rate %d' plays it as "
                 "if it had these",
                 (int)self->rate, (int)rate, (int)self->rate);
        return STRC_FAIL(self->origin, CannotWriteFile, self->name, why);
    }
    if (self->rate == 0) self->rate = rate;
    if (make_ring(self) != 0 || self->driver->start(self, why) != 0)
        return STRC_FAIL(self->origin, CannotOpenFile, self->name, why[0] ? why : strerror(ENOMEM));
    self->is_running = 1;
    tell(self);
    return 0;
}

int32_t strc_sound_device_rate(const strc_sound_device *self) { return self->rate; }

int strc_sound_device_descriptor(const strc_sound_device *self) { return self->wake; }

uint64_t strc_sound_device_dropouts(const strc_sound_device *self) {
    return __atomic_load_n(&self->dropouts, __ATOMIC_RELAXED);
}

/// Until the last block is out, as long as the device goes on.
static void drain(strc_sound_device *self) {
    __atomic_store_n(&self->drains, 1, __ATOMIC_RELAXED);
    while (filled(self) > 0 && !is_gone(self))
        if (wait_for_device(self) != 0) return;
    const double left = 2.0 * self->block / self->rate;
    const struct timespec rest = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    (void)nanosleep(&rest, NULL);
}

void strc_sound_device_close(strc_sound_device *self, int drains) {
    if (!self) return;
    if (self->is_running && self->is_output && drains) drain(self);
    if (self->own) self->driver->close(self);
    if (self->wake >= 0) close(self->wake);
    free(self->own);
    free(self->frames);
    free(self);
}
