/// Bytes to files, pipes and terminals, written through a buffer. Into pipes and terminals they are handed
/// on after a moment, as long as more come. What a file held before is lost when the first bytes are handed on, or when
/// it is closed.
#ifndef STRC_SINK_H
#define STRC_SINK_H

#include <stddef.h>

#include "strc/files/faults.h"
#include "strc/files/sound_device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strc_sink {
    int descriptor;
    const char *name;
    strc_origin origin;
    int is_output;  ///< opened by strc_sink_open
    int is_new;  ///< it was not there before
    int begun;  ///< it has been emptied, if it is a file
    int seekable;  ///< a regular file, whose bytes can be overwritten
    int by_line;  ///< a person is looking: every line is handed on at once
    void (*before_lines)(void);  ///< called before these are
    int gone;  ///< nobody reads the pipe any more
    int failed;  ///< a write, which is reported unless it is gone: nothing is taken any more
    uint64_t written;
    uint64_t last_line;  ///< behind the last end of a line of it
    unsigned char *buffer;
    size_t used;
    int64_t handed_on;  ///< when
    strc_sound_device *device;  ///< to which bytes go instead; null: to the descriptor
} strc_sink;

/// "-" is standard output. Creates the file if need be. 0, or -1 after reporting.
int strc_sink_open(strc_sink *, const char *name, strc_origin);
/// The same of a sound device, which takes frames of so many floats; it begins with strc_sound_device_start.
int strc_sink_open_device(strc_sink *, const char *name, uint32_t channels, strc_origin);
/// From now on outputs that nothing has been handed on to are not written any more: what they held stays, and what was
/// created goes.
void strc_sinks_leave(void);
/// Standard output or error as the place of what a program prints; 0, or -1 after reporting.
int strc_sink_open_print(strc_sink *, int descriptor, strc_origin, void (*before_lines)(void));

/// Each gives 0; or -1 after reporting, unless the reader is gone.
int strc_sink_write(strc_sink *, const void *from, size_t count);
int strc_sink_overwrite(strc_sink *, uint64_t position, const void *from, size_t count);
int strc_sink_flush(strc_sink *);
/// Hands on what it can. What cannot be written stays in the buffer, and nothing is reported.
void strc_sink_offer(strc_sink *);
/// After a failed write, which may have come in the midst of an item: where a seekable file is to end.
void strc_sink_cut(strc_sink *, uint64_t end);
/// Behind which items that follow a header; how many these are. No size: there are none.
uint64_t strc_sink_cut_to_items(strc_sink *, uint64_t header, uint64_t size);
/// May bytes be taken back? Of a file that this has emptied, so that nothing of others is in it.
int strc_sink_can_go_back(const strc_sink *);
/// Takes back what lies behind a position where the sink was; 0, or -1 after reporting.
int strc_sink_go_back(strc_sink *, uint64_t position);
/// Flush at the end of a file of nothing but items, or lines: after a failure it ends behind a whole one.
int strc_sink_finish_items(strc_sink *, uint64_t size);
int strc_sink_finish_lines(strc_sink *);
/// Flushes and closes. A second time does nothing.
int strc_sink_close(strc_sink *);
/// Closes without handing on anything: what has been handed nothing before stays as it was, or goes if it was created.
void strc_sink_leave(strc_sink *);
/// Reports why the file does not take what comes; -1. What it has can be completed.
int strc_sink_fail(strc_sink *, const char *why);

static inline uint64_t strc_sink_position(const strc_sink *sink) {
    return sink->written + sink->used;
}

#ifdef __cplusplus
}
#endif
#endif
