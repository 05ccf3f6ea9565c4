#include "strc/files/compressed.h"

#include "strc/files/numbers.h"

#define STRC_COMPRESSED(id, words)                                                      \
    const strc_format strc_format_##id = {.name = words,                                \
                                          .holds = strc_holds_samples,                  \
                                          .has_sound_header = 1,                        \
                                          .open_reader = strc_compressed_open_reader,   \
                                          .read = strc_numbers_read,                    \
                                          .rewind = strc_compressed_rewind,             \
                                          .total = strc_compressed_total,               \
                                          .close_reader = strc_compressed_close_reader, \
                                          .open_writer = strc_compressed_open_writer,   \
                                          .write = strc_compressed_write,               \
                                          .flush = strc_compressed_flush,               \
                                          .finish = strc_compressed_finish,             \
                                          .close_writer = strc_compressed_close_writer}
STRC_COMPRESSED(flac, "FLAC");
STRC_COMPRESSED(ogg, "Ogg");
STRC_COMPRESSED(opus, "Opus");
