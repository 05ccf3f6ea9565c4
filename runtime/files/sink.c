#define _GNU_SOURCE  // memrchr
#include "strc/files/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "strc/files/endpoints.h"
#include "strc/files/paths.h"

enum { kBuffer = 1 << 16 };
static const int64_t moment = 100000000;  // nanoseconds
static int leaves;  // outputs that nothing was handed on to

static int64_t now(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int strc_sink_fail(strc_sink *sink, const char *why) {
    return STRC_FAIL(sink->origin, CannotWriteFile, sink->name, why);
}

static int fail(strc_sink *sink) {
    const int is_told = sink->failed;
    sink->failed = 1;
    return is_told ? -1 : strc_sink_fail(sink, strerror(errno));
}

static int begin(strc_sink *sink, int descriptor, const char *name, strc_origin origin) {
    *sink = (strc_sink){.descriptor = descriptor, .name = name, .origin = origin};
    if (descriptor < 0) return fail(sink);
    sink->buffer = malloc(kBuffer);
    strc_digits digits;
    if (!sink->buffer)
        return STRC_FAIL(origin, OutOfMemory, name, strc_decimal_text(digits, kBuffer));
    return 0;
}

/// What is written goes out at once, as to a pipe.
static int open_endpoint(strc_sink *sink, const char *name, strc_origin origin) {
    char why[STRC_ENDPOINT_WHY];
    const int descriptor = strc_endpoint_open(name, why);
    *sink = (strc_sink){.descriptor = -1, .name = name, .origin = origin};
    if (descriptor < 0) return STRC_FAIL(origin, CannotOpenFile, name, why);
    if (begin(sink, descriptor, name, origin) != 0) return -1;
    sink->is_output = 1;
    return 0;
}

int strc_sink_open_device(strc_sink *sink, const char *name, uint32_t channels,
                          strc_origin origin) {
    *sink = (strc_sink){.descriptor = -1, .name = name, .origin = origin};
    strc_sound_device *device = strc_sound_device_open(name, 1, channels, origin);
    if (!device) return -1;
    const int status = begin(sink, strc_sound_device_descriptor(device), name, origin);
    sink->is_output = 1;
    sink->device = device;
    return status;
}

int strc_sink_open(strc_sink *sink, const char *name, strc_origin origin) {
    if (strc_is_endpoint(name)) return open_endpoint(sink, name, origin);
    const int standard = strcmp(name, "-") == 0;
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
    char capacity[STRC_PATH];
    const char *path = strc_path_of(name, capacity);
    int descriptor = standard ? STDOUT_FILENO : open(path, flags | O_EXCL, 0666);
    const int is_new = !standard && descriptor >= 0;
    if (descriptor < 0) descriptor = open(path, flags, 0666);
    if (begin(sink, descriptor, standard ? "standard output" : name, origin) != 0) return -1;
    sink->is_output = 1;
    sink->is_new = is_new;
    struct stat status;
    sink->seekable = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    // A file opened for appending, or not from its start (`>>`), cannot be corrected later.
    if (sink->seekable && standard)
        sink->seekable =
            (fcntl(descriptor, F_GETFL) & O_APPEND) == 0 && lseek(descriptor, 0, SEEK_CUR) == 0;
    return 0;
}

int strc_sink_open_print(strc_sink *sink, int descriptor, strc_origin origin,
                         void (*before_lines)(void)) {
    int standard = descriptor == STDOUT_FILENO;
    const char *name = standard ? "standard output" : "standard error";
    if (begin(sink, descriptor, name, origin) != 0) return -1;
    sink->by_line = !standard || isatty(descriptor);
    sink->before_lines = before_lines;
    return 0;
}

void strc_sinks_leave(void) { leaves = 1; }

static int is_left(const strc_sink *sink) { return leaves && sink->is_output && !sink->begun; }

/// A file that is there for our sake alone goes, if it has its name still.
static void leave(const strc_sink *sink) {
    struct stat ours, named;
    char capacity[STRC_PATH];
    const char *path = strc_path_of(sink->name, capacity);
    if (sink->is_new && fstat(sink->descriptor, &ours) == 0 && stat(path, &named) == 0 &&
        ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
        unlink(path);
}

/// Empties the file, once.
static int empty(strc_sink *sink) {
    if (sink->begun) return 0;
    sink->begun = 1;
    if (!sink->seekable || sink->descriptor == STDOUT_FILENO) return 0;
    return ftruncate(sink->descriptor, 0) == 0 ? 0 : fail(sink);
}

static void note_lines(strc_sink *sink, const unsigned char *from, size_t count) {
    const unsigned char *last = memrchr(from, '\n', count);
    if (last) sink->last_line = sink->written + (uint64_t)(last - from) + 1;
}

static ssize_t put(const strc_sink *sink, const unsigned char *from, size_t count) {
    return sink->device ? (ssize_t)strc_sound_device_write(sink->device, from, count)
                        : write(sink->descriptor, from, count);
}

static int give(strc_sink *sink, const unsigned char *from, size_t count) {
    if (sink->failed) return -1;
    if (count == 0 || is_left(sink)) return 0;
    if (empty(sink) != 0) return -1;
    while (count > 0) {
        const ssize_t done = put(sink, from, count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0 && errno == EPIPE) {
            sink->gone = sink->failed = 1;
            return -1;
        }
        if (done < 0) return fail(sink);
        note_lines(sink, from, (size_t)done);
        from += done;
        count -= (size_t)done;
        sink->written += (uint64_t)done;
    }
    return 0;
}

int strc_sink_flush(strc_sink *sink) {
    size_t count = sink->used;
    sink->used = 0;
    if (!sink->seekable) sink->handed_on = now();
    if (sink->by_line && count > 0) sink->before_lines();
    return give(sink, sink->buffer, count);
}

void strc_sink_offer(strc_sink *sink) {
    if (sink->failed || sink->used == 0 || sink->device) return;
    const ssize_t done = write(sink->descriptor, sink->buffer, sink->used);
    if (done <= 0) return;
    sink->begun = 1;
    note_lines(sink, sink->buffer, (size_t)done);
    sink->written += (uint64_t)done;
    sink->used -= (size_t)done;
    memmove(sink->buffer, sink->buffer + done, sink->used);
    if (!sink->seekable) sink->handed_on = now();
}

int strc_sink_write(strc_sink *sink, const void *from, size_t count) {
    if (sink->failed) return -1;
    if (count == 0) return 0;
    if (count >= kBuffer || count > kBuffer - sink->used) {
        if (strc_sink_flush(sink) != 0) return -1;
        if (count >= kBuffer) return give(sink, from, count);
    }
    memcpy(sink->buffer + sink->used, from, count);
    sink->used += count;
    int due = sink->by_line ? memchr(from, '\n', count) != NULL
                            : !sink->seekable && now() - sink->handed_on > moment;
    return due ? strc_sink_flush(sink) : 0;
}

int strc_sink_overwrite(strc_sink *sink, uint64_t position, const void *from, size_t count) {
    const unsigned char *bytes = from;
    if (is_left(sink)) return 0;
    while (count > 0) {
        ssize_t done = pwrite(sink->descriptor, bytes, count, (off_t)position);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail(sink);
        bytes += done;
        position += (uint64_t)done;
        count -= (size_t)done;
    }
    return 0;
}

void strc_sink_cut(strc_sink *sink, uint64_t end) {
    if (sink->seekable) (void)!ftruncate(sink->descriptor, (off_t)end);  // or it stays as it is
}

int strc_sink_can_go_back(const strc_sink *sink) {
    return sink->seekable && sink->begun && !sink->failed && sink->descriptor != STDOUT_FILENO;
}

int strc_sink_go_back(strc_sink *sink, uint64_t position) {
    if (sink->failed) return -1;
    if (position >= sink->written) {
        sink->used = (size_t)(position - sink->written);
        return 0;
    }
    sink->used = 0;
    sink->written = position;
    const int is_back = lseek(sink->descriptor, (off_t)position, SEEK_SET) >= 0 &&
                        ftruncate(sink->descriptor, (off_t)position) == 0;
    return is_back ? 0 : fail(sink);
}

uint64_t strc_sink_cut_to_items(strc_sink *sink, uint64_t header, uint64_t size) {
    const int any = size != 0 && sink->written >= header;
    const uint64_t items = any ? (sink->written - header) / size : 0;
    strc_sink_cut(sink, any ? header + items * size : 0);
    return items;
}

int strc_sink_finish_items(strc_sink *sink, uint64_t size) {
    const int status = strc_sink_flush(sink);
    if (status != 0) strc_sink_cut_to_items(sink, 0, size);
    return status;
}

int strc_sink_finish_lines(strc_sink *sink) {
    const int status = strc_sink_flush(sink);
    if (status != 0) strc_sink_cut(sink, sink->last_line);
    return status;
}

/// Gives back what is open; 0, or what errno says.
static int release(strc_sink *sink) {
    free(sink->buffer);
    sink->buffer = NULL;
    if (sink->device) {
        strc_sound_device_close(sink->device, !sink->failed);
        sink->device = NULL;
        return 0;
    }
    if (sink->descriptor <= STDERR_FILENO) return 0;
    return close(sink->descriptor) == 0 || errno == EINTR ? 0 : errno;
}

void strc_sink_leave(strc_sink *sink) {
    if (!sink->buffer) return;
    if (!sink->begun) leave(sink);
    (void)release(sink);
}

int strc_sink_close(strc_sink *sink) {
    if (!sink->buffer) return 0;
    int status = strc_sink_flush(sink);
    if (is_left(sink))
        leave(sink);
    else if (status == 0)
        status = empty(sink);
    const int closed = release(sink);
    return status == 0 && closed != 0 ? fail(sink) : status;
}
