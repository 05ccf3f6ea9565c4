/// The world of an executable: its files, its standard streams, and what it has done so far.
#ifndef STRC_HOST_H
#define STRC_HOST_H

#include "messages.h"
#include "options.h"
#include "strc/files/file_cycle.h"
#include "strc/files/supply.h"

typedef enum strc_outcome {
    STRC_RUNNING,
    STRC_ALL_ITERATIONS,
    STRC_LIMIT,  ///< or nobody takes the output any more
    STRC_TIME,
    STRC_NO_INPUT,
    STRC_INTERRUPTED,
    STRC_FAILED,
} strc_outcome;

/// Bytes that a transaction keeps.
typedef struct strc_kept {
    void *bytes;
    size_t size, capacity;
    int has_passed;  ///< there are none: they go to the file, which takes them back
    uint64_t position;  ///< of the file, to go back to
} strc_kept;

typedef struct strc_environment {
    const strc_executable *about;
    strc_options options;
    strc_outcome outcome;
    strc_reader *readers;  ///< by input of the program
    strc_supply *inputs;  ///< of these
    strc_heard heard;  ///< what the sounds among them agree on
    int32_t first_rate;  ///< of the first of these
    strc_writer *writers;  ///< by file: several filters may write one
    uint32_t writer_count;
    strc_writer **outputs;  ///< by output of the program
    strc_sink print;
    int prints_aside;  ///< on standard error, since items go to standard output
    int reader_gone;  ///< of what the program prints
    int64_t lines_left;  ///< that may be printed; negative: no limit
    int64_t items_left;  ///< that may go to the open output, or to files; negative: no limit
    int knows_waiting;  ///< what stays, by node of the program before passes
    int64_t items_waiting;
    uint32_t waiting_at;
    uint64_t items_read, items_written;
    int in_transaction;  ///< what is printed and written is kept
    strc_kept kept_text;
    strc_kept *kept_items;  ///< by output of the program
    int64_t lines_left_before, items_left_before;
    uint64_t items_written_before;
    strc_symbolic filters;  ///< whose shapes only the run knows; of the library
    strc_symbolic filter_calls;  ///< the same for the program
    struct strc_rank *ranks;  ///< null: it is one process
    const unsigned char
        *others_inputs;  ///< by input: nonzero: another rank reads it; null: no rank does
    const unsigned char *others_outputs;  ///< likewise
    strc_file_cycle
        cycle;  ///< the open output, if it gets what they give or has files of several formats
} strc_environment;

/// The options are parsed. Opens what the program prints to, then all files; 0, or -1 after reporting.
int strc_host_open(strc_environment *);
/// Sets the parameters that are the rate or the channels of the input, unless -D has set them.
void strc_host_hear(strc_environment *, const strc_stream_info *);
/// Completes and closes everything, and tells what is left over of the inputs.
void strc_host_close(strc_environment *);

/// The callbacks for strc_execute; `self` is the environment.
strc_host strc_host_of(strc_environment *);

/// Does the output write to files in turn, with a writer for each?
int strc_host_has_file_cycle(const strc_environment *, uint32_t output);
/// Does nobody read any more what it writes?
int strc_host_is_gone(strc_environment *, uint32_t output);

/// What the program prints cannot be written.
void strc_host_print_failed(strc_environment *);

/// The program's weights are lost: nothing goes out any more, and the run ends.
int strc_host_is_worthless(strc_environment *);

/// The first reason to end is the one that counts.
void strc_host_end(strc_environment *, strc_outcome);

#endif
