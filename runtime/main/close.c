// The files of the world after the run: what is left over of them is told, and all are completed and closed.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "printing.h"

static const strc_origin nowhere = STRC_ORIGIN(0, 0);

static void report_items_left(const strc_executable *about, const strc_supply *input) {
    strc_digits digits;
    strc_part left = strc_supply_left(input, 0);
    for (uint32_t k = 1; left.file; ++k) {
        strc_part next = strc_supply_left(input, k);
        // The tensors of one file follow each other.
        if (next.file && strcmp(next.file, left.file) == 0)
            next.items += left.items;
        else if (left.items != 0)
            strc_report((strc_severity)about->left_over, nowhere, STRC_MESSAGE_InputLeftOver,
                        (const char *const[]){strc_decimal_text(digits, (int64_t)left.items),
                                              left.file, 0});
        left = next;
    }
}

static void tell_waiting(const strc_executable *about, int64_t items, strc_text at,
                         strc_text place) {
    strc_digits digits;
    if (items == 0) return;
    strc_report((strc_severity)about->tells_waiting, (strc_origin)STRC_ORIGIN(place, 0),
                STRC_MESSAGE_ItemsWaiting,
                (const char *const[]){strc_decimal_text(digits, items), strc_text_at(at), 0});
}

/// Before the first steady state nothing has fired, and zeros have taken their place.
static void report_waiting(const strc_environment *all) {
    const strc_executable *about = all->about;
    const strc_phase *init = &about->program->init;
    const uint32_t at = all->waiting_at;
    if (all->knows_waiting && all->items_waiting != 0)
        tell_waiting(about, all->items_waiting, about->waiting_paths[at],
                     about->waiting_places[at]);
    if (all->knows_waiting) return;
    for (uint32_t k = 0; k < about->program->inputs; ++k)
        if (all->inputs[k].padded != 0 || all->inputs[k].taken < init->reads[k]) return;
    tell_waiting(about, (int64_t)about->items_waiting, about->waiting_at, about->waiting_place);
}

static void report_bytes_left(const strc_executable *about, const strc_reader *reader,
                              int is_assumed) {
    uint64_t left = strc_reader_rest(reader);
    strc_severity severity = (strc_severity)about->bytes_left_over;
    strc_digits bytes, size;
    if (left == 0 || severity == STRC_SILENT) return;
    strc_report(severity, nowhere, STRC_MESSAGE_BytesLeftOver,
                (const char *const[]){strc_decimal_text(bytes, (int64_t)left), reader->source.name,
                                      strc_decimal_text(size, (int64_t)reader->item_bytes), 0});
    if (is_assumed && reader->format == &strc_format_raw)
        strc_note(STRC_MESSAGE_Hint, "'--in-format' says what else it holds than raw items");
}

static void report_short(const strc_executable *about, const strc_reader *reader) {
    strc_digits digits;
    char bytes[sizeof digits + sizeof " bytes"];
    if (reader->missing == 0) return;
    strcpy(bytes, strc_decimal_text(digits, (int64_t)reader->missing));
    strcat(bytes, reader->missing == 1 ? " byte" : " bytes");
    strc_report((strc_severity)about->short_file, nowhere, STRC_MESSAGE_ShortFile,
                (const char *const[]){reader->source.name, bytes, 0});
}

static void report_clipped(const strc_executable *about, const strc_writer *writer) {
    strc_digits digits;
    if (writer->clipped == 0) return;
    strc_report((strc_severity)about->clipped_samples, nowhere, STRC_MESSAGE_ClippedSamples,
                (const char *const[]){strc_decimal_text(digits, (int64_t)writer->clipped),
                                      writer->sink.name, 0});
}

/// What the clock of a device has not waited for.
static void report_dropouts(const strc_executable *about, const strc_sound_device *device,
                            const char *name, const char *what) {
    strc_digits digits;
    const uint64_t frames = device ? strc_sound_device_dropouts(device) : 0;
    if (frames == 0) return;
    strc_report((strc_severity)about->dropouts, nowhere, STRC_MESSAGE_Dropouts,
                (const char *const[]){strc_decimal_text(digits, (int64_t)frames), name, what, 0});
}

static void report_left_overs(const strc_environment *all) {
    const strc_executable *about = all->about;
    int ended = all->outcome == STRC_NO_INPUT;
    if (ended) report_waiting(all);
    for (uint32_t k = 0; all->inputs && k < about->program->inputs; ++k) {
        const strc_supply *input = &all->inputs[k];
        const strc_reader *reader = &all->readers[k];
        if (!reader->format) continue;
        int is_assumed =
            about->inputs[k].node == STRC_OPEN && all->options.in.format == STRC_FORMATS;
        if (ended) report_items_left(about, input);
        if (ended || (all->outcome == STRC_FAILED && !reader->any)) {
            report_short(about, reader);
            report_bytes_left(about, reader, is_assumed);
        }
    }
}

/// Of a run that ends before it has begun, or by a fault.
static int has_written_nothing(const strc_environment *all) {
    return (all->outcome == STRC_RUNNING || all->outcome == STRC_FAILED) && all->items_written == 0;
}

static void close_writer(const strc_environment *all, strc_writer *writer) {
    if (!writer->sink.buffer) return;
    report_dropouts(all->about, writer->sink.device, writer->sink.name, "silence");
    strc_writer_close(writer);
    report_clipped(all->about, writer);
}

void strc_host_close(strc_environment *all) {
    if (has_written_nothing(all)) strc_sinks_leave();
    for (uint32_t k = 0; k < all->writer_count; ++k) close_writer(all, &all->writers[k]);
    for (uint32_t k = 0; k < all->cycle.count; ++k)
        close_writer(all, strc_file_cycle_writer(&all->cycle, k));
    report_left_overs(all);
    for (uint32_t k = 0; all->inputs && k < all->about->program->inputs; ++k) {
        if (!all->readers[k].format) continue;
        all->items_read += all->inputs[k].taken;
        const strc_source *source = &all->readers[k].source;
        report_dropouts(all->about, source->device, source->name, "lost");
        strc_supply_free(&all->inputs[k]);
        strc_reader_close(&all->readers[k]);
    }
    if (strc_printing_close(&all->print) != 0) all->reader_gone |= all->print.gone;
    free(all->kept_text.bytes);
    for (uint32_t k = 0; all->kept_items && k < all->about->program->outputs; ++k)
        free(all->kept_items[k].bytes);
    free(all->kept_items);
    strc_file_cycle_free(&all->cycle);
    free(all->inputs);
    free(all->readers);
    free(all->writers);
    free(all->outputs);
}
