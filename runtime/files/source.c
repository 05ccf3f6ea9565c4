#include "strc/files/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strc/files/endpoints.h"
#include "strc/files/paths.h"
#include "strc/workers.h"

enum {
    kBuffer = 1 << 16,
    kPart = 1 << 17,  ///< bytes that a thread reads at a time: some 20 µs
};

uint32_t strc_reading_threads = 1;

int strc_source_open(strc_source *source, const char *name, strc_origin origin,
                     strc_before_waiting before_waiting) {
    int standard = strcmp(name, "-") == 0;
    char path[STRC_PATH], why[STRC_ENDPOINT_WHY];
    const int is_endpoint = strc_is_endpoint(name);
    int descriptor = standard      ? STDIN_FILENO
                     : is_endpoint ? strc_endpoint_open(name, why)
                                   : open(strc_path_of(name, path), O_RDONLY | O_CLOEXEC);
    *source = (strc_source){.descriptor = descriptor,
                            .name = standard ? "standard input" : name,
                            .origin = origin,
                            .size = STRC_UNKNOWN,
                            .before_waiting = before_waiting};
    if (is_endpoint && descriptor < 0) return STRC_FAIL(origin, CannotOpenFile, name, why);
    struct stat status;
    int error = descriptor < 0 || fstat(descriptor, &status) != 0 ? errno : 0;
    if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
    if (error != 0) {
        strc_source_close(source);
        return STRC_FAIL(origin, CannotOpenFile, source->name, strerror(error));
    }
    // Standard input may stand in the middle of a file: what lies before is not ours.
    if (S_ISREG(status.st_mode) && lseek(descriptor, 0, SEEK_CUR) == 0)
        source->size = (uint64_t)status.st_size;
    return 0;
}

int strc_source_open_device(strc_source *source, const char *name, uint32_t channels,
                            strc_origin origin, strc_before_waiting before_waiting) {
    *source = (strc_source){.descriptor = -1,
                            .name = name,
                            .origin = origin,
                            .size = STRC_UNKNOWN,
                            .before_waiting = before_waiting,
                            .device = strc_sound_device_open(name, 0, channels, origin)};
    if (!source->device) return -1;
    source->descriptor = strc_sound_device_descriptor(source->device);
    return strc_sound_device_start(source->device, 0);
}

void strc_source_close(strc_source *source) {
    if (source->device) {
        strc_sound_device_close(source->device, 0);
        source->descriptor = -1;
    }
    source->device = NULL;
    if (source->descriptor > STDIN_FILENO) close(source->descriptor);
    source->descriptor = -1;
    free(source->buffer);
    source->buffer = NULL;
}

/// Room for more behind what is buffered; 0, or -1 after reporting.
static int make_capacity(strc_source *source) {
    size_t left = strc_source_buffered(source);
    if (source->first > 0) memmove(source->buffer, strc_source_bytes(source), left);
    source->first = 0;
    source->last = left;
    if (source->capacity - left >= kBuffer / 2) return 0;
    size_t capacity = source->capacity ? 2 * source->capacity : kBuffer;
    unsigned char *larger = realloc(source->buffer, capacity);
    strc_digits digits;
    if (!larger)
        return STRC_FAIL(source->origin, OutOfMemory, source->name,
                         strc_decimal_text(digits, (int64_t)capacity));
    source->buffer = larger;
    source->capacity = capacity;
    return 0;
}

// ---- many bytes of a file, which threads read side by side

typedef struct reading {
    int descriptor;
    unsigned char *to;
    size_t count;
    off_t from;
    int failed;  ///< atomic
} reading;

static void read_parts(void *self, int64_t first, int64_t end) {
    reading *all = self;
    size_t at = (size_t)first * kPart;
    const size_t last = (size_t)end * kPart < all->count ? (size_t)end * kPart : all->count;
    while (at < last) {
        const ssize_t got = pread(all->descriptor, all->to + at, last - at, all->from + (off_t)at);
        if (got <= 0) {
            __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
            return;
        }
        at += (size_t)got;
    }
}

/// Nonzero: all is there. Otherwise nothing counts as read, and one read tells what is wrong.
static int receive_at_once(strc_source *source, unsigned char *to, size_t count) {
    static const volatile unsigned char never = 0;
    if (source->size == STRC_UNKNOWN || strc_reading_threads < 2 || count < 2 * kPart) return 0;
    const off_t from = lseek(source->descriptor, 0, SEEK_CUR);
    reading all = {source->descriptor, to, count, from, from < 0};
    if (all.failed) return 0;
    const int64_t parts = (int64_t)((count + kPart - 1) / kPart);
    strc_workers_share(strc_reading_threads, read_parts, &all, parts, &never);
    return !all.failed && lseek(source->descriptor, from + (off_t)count, SEEK_SET) >= 0;
}

// ---- one read after the other

/// What one read gives; 0 at the end or when a signal came.
static int64_t receive(strc_source *source, unsigned char *to, size_t capacity) {
    if (source->ended) return 0;
    if (source->size == STRC_UNKNOWN && source->before_waiting.call) {
        struct pollfd waiting = {source->descriptor, POLLIN, 0};
        if (poll(&waiting, 1, 0) == 0) source->before_waiting.call(source->before_waiting.self);
    }
    if (receive_at_once(source, to, capacity)) return (int64_t)capacity;
    const ssize_t got = source->device ? strc_sound_device_read(source->device, to, capacity)
                                       : read(source->descriptor, to, capacity);
    if (got < 0 && errno != EINTR)
        return STRC_FAIL(source->origin, CannotReadFile, source->name, strerror(errno));
    if (got <= 0) {
        source->ended = 1;
        source->signalled = got < 0;
        return 0;
    }
    return got;
}

/// The same, behind what is buffered.
static int64_t fill(strc_source *source) {
    if (source->ended) return 0;
    if (make_capacity(source) != 0) return -1;
    const int64_t got =
        receive(source, source->buffer + source->last, source->capacity - source->last);
    if (got > 0) source->last += (size_t)got;
    return got;
}

int64_t strc_source_ask(strc_source *source, size_t count) {
    while (strc_source_buffered(source) < count) {
        int64_t got = fill(source);
        if (got < 0) return got;
        if (got == 0) break;
    }
    return (int64_t)strc_source_buffered(source);
}

void strc_source_take(strc_source *source, size_t count) {
    source->first += count;
    source->taken += count;
}

int64_t strc_source_move(strc_source *source, unsigned char *to, size_t count) {
    if (strc_source_buffered(source) == 0 && count >= kBuffer) {
        const int64_t got = receive(source, to, count);
        if (got > 0) source->taken += (uint64_t)got;
        return got;
    }
    const int64_t there = strc_source_ask(source, 1);
    if (there <= 0) return there;
    const size_t some = (size_t)there < count ? (size_t)there : count;
    memcpy(to, strc_source_bytes(source), some);
    strc_source_take(source, some);
    return (int64_t)some;
}

/// Without a detour: what is behind the last whole goes to the buffer, which is empty.
static int64_t receive_wholes(strc_source *source, unsigned char *to, uint64_t count, size_t size) {
    if (make_capacity(source) != 0) return -1;
    const int64_t got = receive(source, to, (size_t)count * size);
    if (got <= 0) return got;
    const size_t whole = (size_t)got / size * size;
    source->last = (size_t)got - whole;
    memcpy(source->buffer, to + whole, source->last);
    source->taken += whole;
    return (int64_t)(whole / size);
}

int64_t strc_source_move_wholes(strc_source *source, unsigned char *to, uint64_t count,
                                size_t size) {
    if (strc_source_buffered(source) == 0 && size < kBuffer / 2 && count >= kBuffer / size) {
        const int64_t got = receive_wholes(source, to, count, size);
        if (got != 0 || source->ended) return got;
    }
    const int64_t bytes = strc_source_ask(source, size);
    if (bytes < 0) return bytes;
    const uint64_t there = (uint64_t)bytes / size;
    const uint64_t wholes = count < there ? count : there;
    memcpy(to, strc_source_bytes(source), (size_t)wholes * size);
    strc_source_take(source, (size_t)wholes * size);
    return (int64_t)wholes;
}

int strc_source_skip(strc_source *source, uint64_t count) {
    if (count > strc_source_buffered(source) && source->size != STRC_UNKNOWN) {
        if (count > source->size || source->taken > source->size - count) return 0;
        return strc_source_seek(source, source->taken + count);
    }
    while (count > strc_source_buffered(source)) {
        count -= strc_source_buffered(source);
        strc_source_take(source, strc_source_buffered(source));
        int64_t got = fill(source);
        if (got <= 0) return (int)got;
    }
    strc_source_take(source, (size_t)count);
    return 1;
}

int strc_source_seek(strc_source *source, uint64_t position) {
    if (source->size == STRC_UNKNOWN) return 0;
    if (lseek(source->descriptor, (off_t)position, SEEK_SET) < 0) return 0;
    source->first = source->last = 0;
    source->taken = position;
    source->ended = 0;
    return 1;
}

int strc_source_malformed(const strc_source *source, const char *format, const char *why) {
    return STRC_FAIL(source->origin, MalformedInput, source->name, format, why);
}

int strc_source_empty(const strc_source *source) {
    if (source->signalled) return 0;
    return STRC_FAIL(source->origin, EmptyInput, source->name);
}
