#include "strc/files/format.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "strc/files/endpoints.h"
#include "strc/files/paths.h"
#include "strc/files/sounds.h"

// Linked if something else refers to it: programs without several inputs have no use of it.
#pragma weak strc_turns_open

void *strc_own(void **own, size_t size, strc_origin origin, const char *name) {
    *own = calloc(1, size);
    strc_digits digits;
    if (!*own) STRC_FAIL(origin, OutOfMemory, name, strc_decimal_text(digits, (int64_t)size));
    return *own;
}

int strc_grow(void **array, size_t *capacity, size_t need, size_t element, strc_origin origin,
              const char *name) {
    if (need <= *capacity) return 0;
    size_t wanted = need > 2 * *capacity ? need : 2 * *capacity;
    size_t bytes;
    void *larger = __builtin_mul_overflow(wanted, element, &bytes) ? NULL : realloc(*array, bytes);
    strc_digits digits;
    if (!larger)
        return STRC_FAIL(origin, OutOfMemory, name,
                         strc_decimal_text(digits, (int64_t)(need * element)));
    *array = larger;
    *capacity = wanted;
    return 0;
}

int strc_holds_tensors(const strc_item *item) { return item->tensors != 0; }

/// What knows nothing of tensors takes the numbers of one file.
static int holds(const strc_format *format, const strc_item *item) {
    if (!item->tensors || format->holds == strc_holds_tensors) return format->holds(item);
    if (item->file_count > 1) return 0;
    return format == &strc_format_raw ? item->holds_raw
                                      : item->holds_numbers && format->holds(item);
}

static int check(const strc_format *format, const strc_item *item, strc_origin origin) {
    if (holds(format, item)) return 0;
    return STRC_FAIL(origin, FormatItemType, format->name, item->name);
}

int strc_check_formats(const strc_item *item, strc_origin origin) {
    for (uint32_t k = 0; item->formats && k < item->file_count; ++k)
        if (check(item->formats[k], item, origin) != 0) return -1;
    return 0;
}

/// A device has a channel for each sample of an item.
static uint32_t channels_of(const strc_item *item) {
    return (uint32_t)strc_samples_of(strc_numbers_of(item));
}

int strc_reader_open(strc_reader *reader, const strc_format *format, strc_item item,
                     const char *name, strc_origin origin, strc_before_waiting before_waiting) {
    if (item.turns && strc_turns_open) return strc_turns_open(reader, item, origin, before_waiting);
    *reader = (strc_reader){.item = item, .format = format, .source = {.descriptor = -1}};
    if (check(format, &item, origin) != 0 || strc_check_formats(&item, origin) != 0) return -1;
    strc_source *source = &reader->source;
    const int opened =
        strc_is_sound_device(name)
            ? strc_source_open_device(source, name, channels_of(&item), origin, before_waiting)
            : strc_source_open(source, name, origin, before_waiting);
    if (opened != 0) return -1;
    if (source->size == 0) return strc_source_empty(source);
    if (format->open_reader(reader) != 0) return -1;
    if (format->total(reader) == 0 && strc_reader_rest(reader) == 0)
        return strc_source_empty(source);
    return 0;
}

uint64_t strc_reader_rest(const strc_reader *reader) {
    const strc_source *source = &reader->source;
    if (reader->item_bytes == 0) return 0;
    if (source->size != STRC_UNKNOWN) return source->size % reader->item_bytes;
    return source->ended ? (source->taken + strc_source_buffered(source)) % reader->item_bytes : 0;
}

void strc_reader_close(strc_reader *reader) {
    if (reader->own && reader->format->close_reader) reader->format->close_reader(reader);
    strc_source_close(&reader->source);
    free(reader->own);
    reader->own = NULL;
}

int strc_writer_open(strc_writer *writer, const strc_format *format, strc_item item,
                     const char *name, strc_origin origin, strc_stream_info info) {
    *writer = (strc_writer){.item = item, .format = format, .info = info};
    if (check(format, &item, origin) != 0) return -1;
    if (format->check_writer && format->check_writer(writer, origin) != 0) return -1;
    const int opened = strc_is_sound_device(name)
                           ? strc_sink_open_device(&writer->sink, name, channels_of(&item), origin)
                           : strc_sink_open(&writer->sink, name, origin);
    return opened == 0 ? format->open_writer(writer) : -1;
}

int strc_writer_begin(strc_writer *writer, const strc_format *format, strc_item item,
                      strc_stream_info info) {
    const strc_origin origin = writer->sink.origin;
    const strc_writer wanted = {.item = item, .format = format, .info = info};
    if (check(format, &item, origin) != 0) return -1;
    if (format->check_writer && format->check_writer(&wanted, origin) != 0) return -1;
    writer->item = item;
    writer->format = format;
    writer->info = info;
    return format->open_writer(writer);
}

int strc_writer_takes_back(const strc_writer *writer) {
    const strc_format *format = writer->format;
    return format->takes_back && format->takes_back(writer) && strc_sink_can_go_back(&writer->sink);
}

int strc_writer_flush(strc_writer *writer) {
    return writer->sink.failed ? -1 : writer->format->flush(writer);
}

static void free_own(strc_writer *writer) {
    if (writer->own && writer->format->close_writer) writer->format->close_writer(writer);
    free(writer->own);
    writer->own = NULL;
}

int strc_writer_close(strc_writer *writer) {
    int finished = writer->format->finish(writer);
    int closed = strc_sink_close(&writer->sink);
    free_own(writer);
    return finished != 0 ? finished : closed;
}

void strc_writer_leave(strc_writer *writer) {
    strc_sink_leave(&writer->sink);
    free_own(writer);
}

// ---- names

static const char *const names[] = {
#define STRC_FORMAT(Id, name) name,
#include "strc/formats.def"
#undef STRC_FORMAT
};

const char *strc_format_name(strc_format_id format) { return names[format]; }

strc_format_id strc_format_of_tensors(strc_format_id format, int is_output) {
    switch (format) {
        case STRC_npy: return STRC_tensors;
        case STRC_text: return is_output ? STRC_tensor_text : STRC_text;
        case STRC_png: return STRC_tensor_png;
        case STRC_pgm: return STRC_tensor_pgm;
        case STRC_jpeg: return STRC_tensor_jpeg;
        default: return format;
    }
}

strc_format_id strc_format_named(const char *word) {
    static const struct {
        const char *word;
        strc_format_id format;
    } words[] = {
        {"raw", STRC_raw},
        {"bin", STRC_raw},
        {"dat", STRC_raw},
        {"data", STRC_raw},
        {"out", STRC_raw},
        {"pcm", STRC_pcm},
        {"wav", STRC_wav},
        {"wave", STRC_wav},
        {"npy", STRC_npy},
        {"csv", STRC_text},
        {"text", STRC_text},
        {"txt", STRC_text},
        {"tsv", STRC_text},
        {"png", STRC_png},
        {"pgm", STRC_pgm},
        {"ppm", STRC_pgm},
        {"pnm", STRC_pgm},
        {"jpg", STRC_jpeg},
        {"jpeg", STRC_jpeg},
        {"safetensors", STRC_safetensors},
        {"u8", STRC_u8},
        {"s8", STRC_s8},
        {"cu8", STRC_cu8},
        {"cs8", STRC_cs8},
        {"cs16", STRC_cs16},
        {"cf32", STRC_cf32},
        {"flac", STRC_flac},
        {"ogg", STRC_ogg},
        {"oga", STRC_ogg},
        {"opus", STRC_opus},
        {"sigmf", STRC_sigmf},
        {"sigmf-data", STRC_sigmf},
        {"sigmf-meta", STRC_sigmf},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        if (strcasecmp(word, words[k].word) == 0) return words[k].format;
    return STRC_FORMATS;
}

strc_format_id strc_format_of(const char *file) {
    char path[STRC_PATH];
    if (strc_is_sound_device(file)) return STRC_device;
    if (strc_is_endpoint(file)) return strncmp(file, "rtl_tcp:", 8) == 0 ? STRC_cu8 : STRC_raw;
    file = strc_path_of(file, path);
    const char *slash = strrchr(file, '/');
    const char *last = slash ? slash + 1 : file;
    const char *dot = strrchr(last, '.');
    return dot && dot != last ? strc_format_named(dot + 1) : STRC_raw;
}
