/// Streams of items in files. A format is a row of functions; those of formats that no file of the program
/// can have are not linked.
#ifndef STRC_FORMAT_H
#define STRC_FORMAT_H

#include "strc/files/sink.h"
#include "strc/files/source.h"
#include "strc/sounds.h"
#include "strc/turns.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The type of the items of a file, in the tables of the executable.
typedef struct strc_item {
    const strc_type *type;
    const strc_type *types;
    const strc_field *fields;
    const char *name;
    const char *owner;  ///< of tensors: what messages call who reads them
    uint32_t tensors;  ///< strc_port
    const int64_t *shapes;  ///< of the first of them
    int holds_raw, holds_numbers;  ///< strc_port
    /// Of readers: extents of the shapes may be STRC_OPEN_EXTENT, and each tensor in the files says what they are for it. The
    /// items are marks then, 1 for each tensor (strc_format::next_tensor).
    int is_open;
    const char *const *files;  ///< several that take turns, the first of which is open; null: one
    const struct strc_format *const *formats;  ///< of each of them; null: as the first
    uint32_t file_count;
    const uint64_t *
        turns;  ///< items of each file that follow each other, if they are no tensors; null: there is one file
} strc_item;

/// One of the files that take turns.
typedef struct strc_part {
    const char *file;
    uint64_t items;  ///< in all, or if nobody knows, so far
    uint64_t turn;  ///< items that follow each other
    strc_stream_info info;
} strc_part;

typedef struct strc_reader {
    strc_source source;
    strc_item item;
    strc_stream_info info;  ///< what the file tells
    const struct strc_format *format;
    void *own;  ///< of the format; freed when closed
    int any;  ///< items have been read
    /// The k-th of the files that take turns; without a name there are no more. Null: there is one file.
    strc_part (*part)(const struct strc_reader *, uint32_t k);
    /// How many of the first `items` of all are of that file.
    uint64_t (*share)(const struct strc_reader *, uint32_t k, uint64_t items);
    int is_piped;  ///< tensors: not all comes from regular files, so that it may end sooner than it said
    uint64_t item_bytes;  ///< in the file, without a header; 0: other formats
    uint64_t missing;  ///< bytes that the file told of and has not, as far as its end is known
} strc_reader;

typedef struct strc_writer {
    strc_sink sink;
    strc_item item;
    strc_stream_info
        info;  ///< what is asked for; of a WAV file it may change until items are written
    uint64_t clipped;  ///< samples beyond the greatest that the file has
    const struct strc_format *format;
    void *own;
} strc_writer;

/// All functions that can fail give -1 after reporting.
typedef struct strc_format {
    const char *name;
    /// Can files of that format hold such items?
    int (*holds)(const strc_item *);

    /// The source is open, and not an empty file.
    int (*open_reader)(strc_reader *);
    /// Up to `count` items; how many there were, 0: end of input. Waits until there is one item and gives
    /// what is there then. A signal that interrupts the waiting counts as the end of input.
    int64_t (*read)(strc_reader *, void *to, uint64_t count);
    /// Starts again at the first item; 0: it cannot.
    int (*rewind)(strc_reader *);
    /// Goes to an item of a regular file; 0: it cannot. Null: items have to be read one after the other.
    int (*go_to)(strc_reader *, uint64_t item);
    /// Items in all, or STRC_UNKNOWN.
    uint64_t (*total)(const strc_reader *);

    /// The sink is open.
    int (*open_writer)(strc_writer *);
    int (*write)(strc_writer *, const void *from, uint64_t count);
    /// Is all that the format knows of what has been written where the sink is, so that strc_sink_go_back takes items back?
    /// Null: no.
    int (*takes_back)(const strc_writer *);
    /// Hands on what is buffered, as far as the format allows before its end.
    int (*flush)(strc_writer *);
    /// Completes headers and writes what is left, but does not close the sink.
    int (*finish)(strc_writer *);
    /// Gives back what `own` holds besides its memory; may be null.
    void (*close_reader)(strc_reader *);
    void (*close_writer)(strc_writer *);
    /// Reports items that can be read, but not written; 0 or -1. The file is not open yet. May be null.
    int (*check_writer)(const strc_writer *, strc_origin);
    /// Another tensor in the file, by the name after `--out`: its turn is behind those of the others. Null: a file has one.
    int (*add_tensor)(strc_writer *, const char *name, const int64_t *shape);
    const struct strc_tensor_files *files;  ///< how those with tensors begin; null: others
    /// What the next mark that was read stands for, if items are open: the tensor behind the one before, or if `is_padding` one of
    /// zeros like that. It lies there until the next call. Not 0: after reporting, or after a signal.
    int (*next_tensor)(strc_reader *, int is_padding, const int64_t **shape, const void **elements);
    strc_sample sample;  ///< of sounds without a header
    int has_sound_header;  ///< its files say the rate and the channels of a sound
} strc_format;

extern const strc_format strc_format_raw, strc_format_wav, strc_format_npy, strc_format_text,
    strc_format_png, strc_format_pgm, strc_format_pcm, strc_format_jpeg, strc_format_tensors,
    strc_format_tensor_text, strc_format_safetensors, strc_format_tensor_png,
    strc_format_tensor_pgm, strc_format_tensor_jpeg, strc_format_u8, strc_format_s8,
    strc_format_cu8, strc_format_cs8, strc_format_cs16, strc_format_cf32, strc_format_sigmf,
    strc_format_flac, strc_format_ogg, strc_format_opus, strc_format_device;
/// Of open ends whose items are in no picture.
extern const strc_format strc_format_no_png, strc_format_no_jpeg;

/// `holds` of the formats that know tensors.
int strc_holds_tensors(const strc_item *);

/// Can each of the item's files have such items? 0, or -1 after reporting.
int strc_check_formats(const strc_item *, strc_origin);

/// Opens a file; 0, or -1 after reporting: also that the format does not hold such items, and that there
/// are none.
int strc_reader_open(strc_reader *, const strc_format *, strc_item, const char *name, strc_origin,
                     strc_before_waiting);
/// The same of several files that take turns (strc_item::turns); what one lacks ends all of them.
int strc_turns_open(strc_reader *, strc_item, strc_origin, strc_before_waiting);
void strc_reader_close(strc_reader *);
/// Bytes at the end that are too few for an item, as far as the end is known.
uint64_t strc_reader_rest(const strc_reader *);
int strc_writer_open(strc_writer *, const strc_format *, strc_item, const char *name, strc_origin,
                     strc_stream_info);
/// The same of a writer whose sink is open already.
int strc_writer_begin(strc_writer *, const strc_format *, strc_item, strc_stream_info);
int strc_writer_flush(strc_writer *);
/// Do items that are written from now on go to where the sink is, so that strc_sink_go_back takes them back?
int strc_writer_takes_back(const strc_writer *);
int strc_writer_close(strc_writer *);
/// Closes what is not to be completed: strc_sink_leave.
void strc_writer_leave(strc_writer *);

/// By the end of a file's name: raw if it has none; STRC_FORMATS if it is not known.
strc_format_id strc_format_of(const char *file);
/// By a word after --in-format; STRC_FORMATS if there is none of that name.
strc_format_id strc_format_named(const char *word);
const char *strc_format_name(strc_format_id);
/// Of the files of that format that tensors have; the same if these know nothing of tensors.
strc_format_id strc_format_of_tensors(strc_format_id, int is_output);

/// Memory for the format's own data, zeroed; null after reporting.
void *strc_own(void **own, size_t size, strc_origin, const char *name);
/// Makes room for `need` elements in an array that grows; 0, or -1 after reporting.
int strc_grow(void **array, size_t *capacity, size_t need, size_t element, strc_origin,
              const char *name);

#ifdef __cplusplus
}
#endif
#endif
