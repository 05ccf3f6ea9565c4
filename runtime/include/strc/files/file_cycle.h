/// Files that take turns, each of a format of its own: of tensors, of which each file gets one after the other, or of numbers
/// (strc_item::turns). What a file of tensors has is what its first tensor is, which only the run may know; texts take all.
#ifndef STRC_FILE_CYCLE_H
#define STRC_FILE_CYCLE_H

#include "strc/files/format.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strc_cycle_file strc_cycle_file;

typedef struct strc_file_cycle {
    strc_cycle_file *files;
    uint32_t count;
    strc_stream_info info;
    uint64_t written;  ///< items
    strc_open_end *ends;  ///< of numbers: arrays of the files,
    unsigned char *parted;  ///< and their memory
    strc_item item;  ///< if it is known what comes
    const int64_t **shapes;  ///< of its tensors
} strc_file_cycle;

/// Opens the files, of which nothing is said yet; 0, or -1 after reporting.
int strc_file_cycle_open(strc_file_cycle *, const strc_format *const *formats,
                         const char *const *names, uint32_t count, strc_origin, strc_stream_info);
/// Begins the files, since the item tells what will come; 0, or -1 after reporting.
int strc_file_cycle_begin(strc_file_cycle *, strc_item);
/// Before anything is written: completes what is said of sounds by those that are read (strc_heard_complete), if numbers take turns.
void strc_file_cycle_hear(strc_file_cycle *, const strc_heard *, strc_sound_use);
/// The writer of a file.
strc_writer *strc_file_cycle_writer(strc_file_cycle *, uint32_t file);
/// The next tensor, which lies in memory where its shape says; 0, or -1 after reporting.
int strc_file_cycle_write(strc_file_cycle *, const void *memory, const int64_t *shape);
/// The next items of files that have been begun; 0, or -1 after reporting.
int strc_file_cycle_write_items(strc_file_cycle *, const void *items, uint64_t count);
/// Those three of numbers in turns.
int strc_turns_begin(strc_file_cycle *, strc_item);
void strc_turns_hear(strc_file_cycle *, const strc_heard *, strc_sound_use);
int strc_turns_write(strc_file_cycle *, const void *items, uint64_t count);
/// strc_writer_flush of all files.
int strc_file_cycle_flush(strc_file_cycle *);
/// Is there a file that nobody reads any more?
int strc_file_cycle_gone(strc_file_cycle *);
/// Gives back the memory; the writers are closed.
void strc_file_cycle_free(strc_file_cycle *);

#ifdef __cplusplus
}
#endif

#endif
