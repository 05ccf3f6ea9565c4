/// Files of tensors that take turns, each of a format of its own. What a file has is what its first tensor is, which only
/// the run may know; texts take all.
#ifndef STRC_TURNS_H
#define STRC_TURNS_H

#include "format.h"

typedef struct strc_turn strc_turn;

typedef struct strc_turns {
    strc_turn *files;
    uint32_t count;
    strc_stream_info info;
    uint64_t written;
    strc_item item;  ///< if it is known what comes
    const int64_t **shapes;  ///< of its tensors
} strc_turns;

/// Opens the files, of which nothing is said yet; 0, or -1 after reporting.
int strc_turns_open(strc_turns *, const strc_format *const *formats, const char *const *names,
                    uint32_t count, strc_stream_info);
/// Begins the files, since the item tells what will come; 0, or -1 after reporting.
int strc_turns_begin(strc_turns *, strc_item);
/// The writer of a file.
strc_writer *strc_turns_writer(strc_turns *, uint32_t file);
/// The next tensor, which lies in memory where its shape says; 0, or -1 after reporting.
int strc_turns_write(strc_turns *, const void *memory, const int64_t *shape);
/// The next tensors of files that have been begun; 0, or -1 after reporting.
int strc_turns_write_items(strc_turns *, const void *items, uint64_t count);
/// strc_writer_flush of all files.
int strc_turns_flush(strc_turns *);
/// Is there a file that nobody reads any more?
int strc_turns_gone(strc_turns *);
/// Gives back the memory; the writers are closed.
void strc_turns_free(strc_turns *);

#endif
