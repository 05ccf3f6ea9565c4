/// Bytes of files, pipes and terminals, read through a buffer.
#ifndef STRC_SOURCE_H
#define STRC_SOURCE_H

#include <stddef.h>

#include "strc/files/faults.h"
#include "strc/files/sound_device.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRC_UNKNOWN UINT64_MAX

/// Threads that may share the reading of many bytes of a file; set once, before anything is read.
extern uint32_t strc_reading_threads;

/// Called whenever a pipe or terminal has nothing to read yet: the moment to flush what others may be waiting for.
typedef struct strc_before_waiting {
    void (*call)(void *self);  ///< may be null
    void *self;
} strc_before_waiting;

typedef struct strc_source {
    int descriptor;
    const char *name;  ///< as messages call it
    strc_origin origin;  ///< of messages about it
    uint64_t size;  ///< of a regular file; else STRC_UNKNOWN
    uint64_t taken;  ///< bytes of what has been taken so far: the position in the file
    unsigned char *buffer;
    size_t capacity, first, last;  ///< what is read and not taken: from `first` to `last`
    int ended;
    int signalled;  ///< the end came because of a signal
    strc_before_waiting before_waiting;
    strc_sound_device *device;  ///< from which bytes come instead; null: from the descriptor
} strc_source;

/// "-" is standard input. 0, or -1 after reporting.
int strc_source_open(strc_source *, const char *name, strc_origin, strc_before_waiting);
/// The same of a sound device, which gives frames of so many floats.
int strc_source_open_device(strc_source *, const char *name, uint32_t channels, strc_origin,
                            strc_before_waiting);
void strc_source_close(strc_source *);

/// Reads until at least `count` bytes are buffered, fewer only at the end; how many there are, -1 after
/// reporting. They lie at strc_source_bytes.
int64_t strc_source_ask(strc_source *, size_t count);
static inline const unsigned char *strc_source_bytes(const strc_source *source) {
    return source->buffer + source->first;
}
static inline size_t strc_source_buffered(const strc_source *source) {
    return source->last - source->first;
}
/// Takes bytes that are buffered.
void strc_source_take(strc_source *, size_t count);
/// Takes at most `count` bytes to `to`: what is buffered, or what one read gives, of many bytes without a detour; 0 at
/// the end or when a signal came, -1 after reporting.
int64_t strc_source_move(strc_source *, unsigned char *to, size_t count);
/// The same of wholes of `size` bytes, which `to` has room for: at least one of them, fewer only at the end; how many, or
/// -1 after reporting.
int64_t strc_source_move_wholes(strc_source *, unsigned char *to, uint64_t count, size_t size);
/// Takes bytes, buffered or not; 1, 0 at the end of the file, -1 after reporting.
int strc_source_skip(strc_source *, uint64_t count);
/// Goes to a position of a regular file; 0: it is none.
int strc_source_seek(strc_source *, uint64_t position);

/// Reports that the file is not what its format wants: `why` and up to two numbers or words in it.
int strc_source_malformed(const strc_source *, const char *format, const char *why);
/// What reading no item at all means: a fault, unless a signal stopped it (0).
int strc_source_empty(const strc_source *);

#ifdef __cplusplus
}
#endif
#endif
