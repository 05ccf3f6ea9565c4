/// The command line of an executable.
#ifndef STRC_OPTIONS_H
#define STRC_OPTIONS_H

#include "strc/files/format.h"

#define STRC_MOST_RANKS 1024

typedef struct strc_file_options {
    const char *name;  ///< the last one
    const char **names;  ///< all
    uint32_t count;
    strc_format_id format;  ///< of all; STRC_FORMATS: as the names say
    const strc_format **formats;  ///< of each file, once they are known
    const char *given;  ///< the first option about it, or null
} strc_file_options;

typedef enum strc_tail {
    STRC_TAIL_DEFAULT,
    STRC_TAIL_DROP,
    STRC_TAIL_PAD,
    STRC_TAIL_DRAIN
} strc_tail;

typedef struct strc_options {
    uint64_t iterations;  ///< UINT64_MAX: no limit
    int64_t
        limit;  ///< items of an open output; else printed lines; else items written to files; -1: none
    double seconds;  ///< negative: no limit
    int32_t workers;  ///< threads; 0: one for each processor
    int no_tune;
    int32_t ranks;  ///< processes on this machine; 0: nobody has asked
    const char *checkpoint;  ///< a folder; null: none
    double every;  ///< seconds between two of them
    int resume;
    int profile;
    const char *profile_file;  ///< null: the table alone
    strc_tail tail;
    int loop_input, c_format, stats, time;
    strc_file_options in, out;
    strc_stream_info out_info;
    const char *weights;  ///< null: the file that the program was built with
    uint64_t defined;  ///< marks of parameters that are set (STRC_PARAMETER_MARK)
    unsigned char *parameters;  ///< their values (strc_env)
} strc_options;

typedef enum strc_parsed { STRC_PARSED_RUN, STRC_PARSED_DONE, STRC_PARSED_WRONG } strc_parsed;

/// The value of a parameter that is a text.
const char *strc_parameter_text(const strc_options *, uint32_t parameter);

/// Help is printed at once; what is wrong is reported.
strc_parsed strc_options_parse(strc_options *, int argc, char **argv, const strc_executable *);

#endif
