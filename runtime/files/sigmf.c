// SigMF: samples without a header, and beside them a description.
#include "sigmf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/sounds.h"

enum { kMostMeta = 1 << 24 };

static const char is_description[] =
    "this is the description of a recording, whose samples lie in a file with the ending "
    "'.sigmf-data'";

// ---- readers

/// The text of the description, to be freed; null after reporting.
static char *read_description(const strc_reader *reader) {
    const strc_source *data = &reader->source;
    char path[STRC_SIGMF_PATH];
    if (strc_sigmf_is_meta(data->name)) {
        (void)strc_source_malformed(data, "SigMF", is_description);
        return NULL;
    }
    if (strc_sigmf_path(data->name, path) != 0) {
        STRC_FAIL(data->origin, CannotOpenFile, data->name, strerror(ENAMETOOLONG));
        return NULL;
    }
    FILE *file = fopen(path, "rbe");
    char *text = malloc(kMostMeta);
    const size_t size = file && text ? fread(text, 1, kMostMeta, file) : 0;
    const int error = !file || !text || ferror(file) ? errno : size == kMostMeta ? EFBIG : 0;
    if (file) fclose(file);
    if (error == 0) {
        text[size] = '\0';
        return text;
    }
    free(text);
    STRC_FAIL(data->origin, CannotOpenFile, path, strerror(error));
    return NULL;
}

static int open_reader(strc_reader *reader) {
    char *text = read_description(reader);
    if (!text) return -1;
    strc_sigmf about;
    char why[STRC_SIGMF_WHY];
    const int failed = strc_sigmf_read(text, &about, why);
    free(text);
    if (failed) return strc_source_malformed(&reader->source, "SigMF", why);
    strc_sound_reader *own = strc_sound_reader_begin(reader);
    if (!own) return -1;
    const uint64_t size = reader->source.size;
    own->sample = about.sample;
    own->samples = size == STRC_UNKNOWN ? STRC_UNKNOWN : size / own->sample.size;
    own->left = own->samples;
    reader->item_bytes = strc_samples_of(own->numbers.item) * own->sample.size;
    reader->info.rate = about.rate <= INT32_MAX ? (int32_t)(about.rate + 0.5) : 0;
    reader->info.channels = about.is_complex ? 2 : 1;
    return 0;
}

// ---- writers

static const strc_sample floats = {STRC_SAMPLE_FLOATING, sizeof(float)};

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    const strc_number_writer *own = writer->own;
    return strc_sound_write(writer, own->item, floats, from, count);
}

static int describe(strc_writer *writer) {
    const strc_number_writer *own = writer->own;
    char path[STRC_SIGMF_PATH];
    if (strc_sigmf_is_meta(writer->sink.name)) return strc_sink_fail(&writer->sink, is_description);
    if (strc_sigmf_path(writer->sink.name, path) != 0)
        return strc_sink_fail(&writer->sink, strerror(ENAMETOOLONG));
    const int is_pair = own->item.kind == STRC_COMPLEX;
    char rate[64] = "";
    if (writer->info.rate != 0)
        snprintf(rate, sizeof rate, ",\n    \"core:sample_rate\": %d", (int)writer->info.rate);
    FILE *file = fopen(path, "wbe");
    if (!file) return strc_sink_fail(&writer->sink, strerror(errno));
    fprintf(
        file,
        "{\n  \"global\": {\n    \"core:version\": \"1.0.0\",\n    \"core:datatype\": "
        "\"%s\"%s\n  },\n  \"captures\": [{\"core:sample_start\": 0}],\n  \"annotations\": []\n}\n",
        is_pair ? "cf32_le" : "rf32_le", rate);
    const int is_bad = ferror(file);
    return fclose(file) != 0 || is_bad ? strc_sink_fail(&writer->sink, strerror(errno)) : 0;
}

static int finish(strc_writer *writer) {
    const strc_number_writer *own = writer->own;
    if (!own) return 0;
    const uint64_t size = strc_samples_of(own->item) * floats.size;
    const int status = strc_sink_finish_items(&writer->sink, size);
    return status != 0 || strc_sink_position(&writer->sink) == 0 ? status : describe(writer);
}

const strc_format strc_format_sigmf = {.name = "SigMF",
                                       .holds = strc_holds_samples,
                                       .open_reader = open_reader,
                                       .read = strc_numbers_read,
                                       .rewind = strc_sound_rewind,
                                       .go_to = strc_sound_go_to,
                                       .total = strc_sound_total,
                                       .open_writer = strc_number_writer_open,
                                       .write = write_items,
                                       .flush = strc_numbers_flush,
                                       .finish = finish,
                                       .has_sound_header = 1};
