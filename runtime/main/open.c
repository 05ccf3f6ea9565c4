// The files of the world: opened before the run.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "printing.h"
#include "progress.h"
#include "ranks.h"
#include "signals.h"
#include "strc/files/paths.h"
#include "strc/files/sounds.h"

static const strc_origin nowhere = STRC_ORIGIN(0, 0);

static int is_of_others(const unsigned char *others, ptrdiff_t port) {
    return others && others[port];
}

static strc_item item_of(const strc_executable *about, const strc_port *port) {
    return (strc_item){.type = &about->types[port->type],
                       .types = about->types,
                       .fields = about->fields,
                       .name = strc_text_at(port->type_name),
                       .owner = port->node == STRC_OPEN ? "the main stream"
                                                        : strc_text_at(about->paths[port->node]),
                       .tensors = port->tensors,
                       .holds_raw = (int)port->holds_raw,
                       .holds_numbers = (int)port->holds_numbers,
                       .shapes = about->shapes + port->first_shape};
}

/// The file of a filter.
static const char *file_of(const strc_environment *all, const strc_port *port) {
    return port->file_parameter ? strc_parameter_text(&all->options, port->file_parameter - 1)
                                : strc_text_at(port->file);
}

static strc_origin origin_of(const strc_executable *about, const strc_port *port) {
    return (strc_origin)STRC_ORIGIN(port->place, about->paths[port->node]);
}

// ---- sounds

/// 0, or -1 after reporting that the sound is not what is asked for.
static int check_sound(const strc_reader *reader, const strc_stream_info *asked) {
    char why[STRC_SOUND_WHY];
    if (!strc_sound_differs(asked, &reader->info, why)) return 0;
    return STRC_FAIL(reader->source.origin, CannotReadFile, reader->source.name, why);
}

static strc_sound_use use_of(const strc_port *port, const strc_item *item) {
    return (strc_sound_use){strc_samples_of(strc_numbers_of(item)), port->steady, port->mixed};
}

/// A file that is read.
typedef struct heard_file {
    const char *name;
    strc_origin origin;
    strc_stream_info info;
    strc_sound_use use;
} heard_file;

/// The k-th file of an input; without a name there are no more.
static heard_file file_at(const strc_port *port, const strc_reader *reader, uint32_t k) {
    heard_file file = {.name = k == 0 ? reader->source.name : NULL,
                       .origin = reader->source.origin,
                       .info = reader->info,
                       .use = use_of(port, &reader->item)};
    if (!reader->part) return file;
    const strc_part part = reader->part(reader, k);
    file.name = part.file;
    file.info = part.info;
    if (part.file) file.use.items = reader->share(reader, k, port->steady);
    return file;
}

static void warn_sound(const heard_file *file, uint32_t severity, strc_message_id id,
                       int32_t number, const char *why) {
    strc_digits digits;
    strc_report((strc_severity)severity, file->origin, id,
                (const char *const[]){file->name, strc_decimal_text(digits, number), why, 0});
}

static void hear_sound(strc_environment *all, const strc_port *port, const heard_file *file) {
    const strc_executable *about = all->about;
    strc_sound_program sounds = about->sounds;
    sounds.paces = about->paces;
    const strc_stream_info *info = &file->info;
    if (info->rate == 0) return;
    if (!all->heard.any) all->first_rate = info->rate;
    char why[STRC_SOUND_WHY];
    if (strc_sound_is_unlike(&port->info, info, file->use, &sounds, why))
        warn_sound(file, about->sound_channels, STRC_MESSAGE_SoundChannels, info->channels, why);
    if (strc_sound_is_off(&port->info, info, file->use, &sounds, why))
        warn_sound(file, about->sound_rate, STRC_MESSAGE_SoundRate, info->rate, why);
    if (strc_heard_add(&all->heard, info, file->use) && port->info.rate == 0) {
        snprintf(why, sizeof why, "another sound is read with %" PRId32, all->first_rate);
        warn_sound(file, about->sound_rate, STRC_MESSAGE_SoundRate, info->rate, why);
    }
}

/// Sums up the sounds that are read, and warns of those that are unlike what the program takes.
static void hear_sounds(strc_environment *all) {
    const strc_executable *about = all->about;
    for (uint32_t k = 0; k < about->program->inputs; ++k) {
        const strc_port *port = &about->inputs[k];
        if (is_of_others(all->others_inputs, k)) continue;
        heard_file file = file_at(port, &all->readers[k], 0);
        for (uint32_t j = 1; file.name; ++j) {
            hear_sound(all, port, &file);
            file = file_at(port, &all->readers[k], j);
        }
    }
}

/// Completes `said` by the sounds that are read.
static strc_stream_info sound_info(const strc_environment *all, const strc_port *port,
                                   const strc_item *item, strc_stream_info said) {
    return strc_heard_complete(&all->heard, said, use_of(port, item));
}

// ---- others may be waiting for what we have

void strc_host_print_failed(strc_environment *all) {
    all->reader_gone |= all->print.gone;
    strc_host_end(all, all->print.gone ? STRC_LIMIT : STRC_FAILED);
    strc_ended = 1;
}

int strc_host_has_file_cycle(const strc_environment *all, uint32_t output) {
    return all->cycle.count != 0 && all->about->outputs[output].node == STRC_OPEN;
}

int strc_host_is_gone(strc_environment *all, uint32_t output) {
    if (strc_host_has_file_cycle(all, output)) return strc_file_cycle_gone(&all->cycle);
    return all->outputs[output]->sink.gone;
}

static int flush_output(strc_environment *all, uint32_t output) {
    if (strc_host_has_file_cycle(all, output)) return strc_file_cycle_flush(&all->cycle);
    return strc_writer_flush(all->outputs[output]);
}

static void flush_outputs(void *self) {
    strc_environment *all = self;
    if (strc_printing_flush(&all->print) != 0) strc_host_print_failed(all);
    const strc_executable *about = all->about;
    for (uint32_t k = 0; k < about->program->outputs; ++k) {
        if (about->outputs[k].node != STRC_OPEN || !all->outputs[k]) continue;  // not yet, perhaps
        if (flush_output(all, k) == 0 || !strc_host_is_gone(all, k)) continue;
        strc_host_end(all, STRC_LIMIT);
        strc_ended = 1;
    }
}

// ---- the open ends

static const strc_port *open_port(const strc_port *ports, uint32_t count) {
    return count != 0 && ports[count - 1].node == STRC_OPEN ? &ports[count - 1] : NULL;
}

static int check_side(const strc_executable *about, const strc_file_options *file,
                      const strc_port *port, const char *side) {
    if (port || !file->given) return 0;
    return STRC_FAIL(nowhere, MainStreamSide, file->given, strc_text_at(about->main_stream), side);
}

static int is_same_file(const char *one, const char *other) {
    struct stat first, second;
    char one_path[STRC_PATH], other_path[STRC_PATH];
    if (stat(strc_path_of(one, one_path), &first) != 0) return 0;
    if (stat(strc_path_of(other, other_path), &second) != 0) return 0;
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static int overwrites_input(const strc_options *options) {
    const strc_file_options *in = &options->in, *out = &options->out;
    for (uint32_t k = 0; k < in->count; ++k)
        for (uint32_t j = 0; j < out->count; ++j)
            if (is_same_file(in->names[k], out->names[j])) return 1;
    return 0;
}

static int overwrites_weights(const strc_executable *about, const strc_file_options *out) {
    for (uint32_t k = 0; about->weights_calls && k < out->count; ++k)
        if (is_same_file(about->weights_calls->name(), out->names[k])) return 1;
    return 0;
}

/// Streams of tensors write to all files in turn; a device may be one of them more than once.
static int writes_twice(const strc_file_options *out) {
    for (uint32_t k = 0; k < out->count; ++k)
        for (uint32_t j = 0; j < k; ++j) {
            struct stat found;
            if (strcmp(out->names[k], out->names[j]) != 0) continue;
            if (stat(out->names[k], &found) != 0 || S_ISREG(found.st_mode)) return 1;
        }
    return 0;
}

/// Of an open end, whose files may be several.
static strc_item open_item(const strc_executable *about, const strc_port *port,
                           const strc_file_options *file) {
    strc_item item = item_of(about, port);
    const int has_several = file->count > 1;
    item.files = has_several ? file->names : &file->name;
    item.file_count = has_several ? file->count : 1;
    if (has_several && !port->tensors) item.turns = about->turns + port->first_turn;
    return item;
}

/// Several files are one for each of the inputs or outputs; 0, or -1 after reporting.
static int check_count(const strc_executable *about, const strc_file_options *file,
                       const strc_port *port, const char *option, const char *side) {
    const uint32_t ends = port->turns != 0 ? port->turns : 1;
    strc_digits given;
    char has[24];
    if (port->tensors || file->count <= 1 || file->count == ends) return 0;
    snprintf(has, sizeof has, "%" PRIu32 " %s%s", ends, side, ends == 1 ? "" : "s");
    STRC_FAIL(nowhere, NumberOfFiles, option, strc_decimal_text(given, file->count),
              strc_text_at(about->main_stream), has);
    strc_note(STRC_MESSAGE_Hint, STRC_ENDS_HINT);
    return -1;
}

/// Standard input is read once.
static int reads_twice(const strc_file_options *in) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < in->count; ++k) count += strcmp(in->names[k], "-") == 0;
    return count > 1;
}

/// Tensors have formats of their own, and are shown on standard output unless another format is asked for.
static strc_format_id id_of(const strc_port *port, const strc_file_options *file, const char *name,
                            int is_output) {
    const strc_format_id id = file->format == STRC_FORMATS ? strc_format_of(name) : file->format;
    const int is_shown = is_output && file->format == STRC_FORMATS && strcmp(name, "-") == 0;
    if (!port->tensors) return id;
    return is_shown ? STRC_tensor_text : strc_format_of_tensors(id, is_output);
}

/// Null after reporting.
static const strc_format *format_of(const strc_executable *about, strc_format_id id,
                                    const char *name, int is_output) {
    if (id != STRC_FORMATS && about->formats[id]) return about->formats[id];
    if (id != STRC_FORMATS) {
        STRC_FAIL(nowhere, FormatLeftOut, name, strc_format_name(id));
        return NULL;
    }
    STRC_FAIL(nowhere, UnknownFormat, name);
    strc_note(STRC_MESSAGE_Hint,
              is_output ? "'--out-format' says what it is" : "'--in-format' says what it is");
    return NULL;
}

/// Finds the format of each file of the item; 0, or -1 after reporting.
static int find_formats(const strc_executable *about, const strc_port *port,
                        strc_file_options *file, strc_item *item, int is_output) {
    if (!strc_own((void **)&file->formats, item->file_count * sizeof *file->formats, nowhere,
                  item->files[0]))
        return -1;
    item->formats = file->formats;
    int status = 0;
    for (uint32_t k = 0; k < item->file_count; ++k) {
        const char *name = item->files[k];
        file->formats[k] = format_of(about, id_of(port, file, name, is_output), name, is_output);
        if (!file->formats[k]) status = -1;
    }
    return status;
}

void strc_host_hear(strc_environment *all, const strc_stream_info *info) {
    strc_options *options = &all->options;
    if (info->rate == 0) return;
    for (uint32_t k = 0; k < all->about->parameter_count; ++k) {
        const strc_parameter *each = &all->about->parameters[k];
        if (each->sound == 0 || options->defined & STRC_PARAMETER_MARK(k)) continue;
        strc_number_store(strc_integer(each->sound == 1 ? info->rate : info->channels),
                          (strc_kind)each->kind, options->parameters + k * STRC_PARAMETER_BYTES);
    }
}

static int open_input(strc_environment *all, const strc_port *port, strc_reader *reader) {
    strc_file_options *file = &all->options.in;
    strc_item item = open_item(all->about, port, file);
    item.is_open = (int)port->is_named;
    if (find_formats(all->about, port, file, &item, 0) != 0) return -1;
    if (strc_reader_open(reader, item.formats[0], item, item.files[0], nowhere,
                         (strc_before_waiting){flush_outputs, all}) != 0)
        return -1;
    strc_host_hear(all, &reader->info);
    return 0;
}

/// What was not asked for is as the input has it.
static strc_stream_info out_info(const strc_environment *all, const strc_port *input) {
    strc_stream_info info = all->options.out_info;
    if (!input) return info;
    strc_stream_info from = all->readers[input - all->about->inputs].info;
    if (info.bits == 0) {
        info.bits = from.bits;
        info.floating = from.floating;
    }
    if (info.channels == 0) info.channels = from.channels;
    if (info.width == 0) info.width = from.width;
    return info;
}

static int are_equal(const strc_item *item) {
    int equal = !item->turns;
    for (uint32_t k = 1; k < item->file_count; ++k) equal &= item->formats[k] == item->formats[0];
    return equal;
}

/// A writer for each file.
static int open_file_cycle(strc_environment *all, const strc_port *port, strc_item item,
                           strc_stream_info info) {
    if (!port->is_named && strc_check_formats(&item, nowhere) != 0) return -1;
    const int status =
        strc_file_cycle_open(&all->cycle, item.formats, item.files, item.file_count, nowhere, info);
    if (all->cycle.files)
        all->outputs[port - all->about->outputs] = strc_file_cycle_writer(&all->cycle, 0);
    if (status != 0 || port->is_named) return status;
    if (strc_file_cycle_begin(&all->cycle, item) != 0) return -1;
    strc_file_cycle_hear(&all->cycle, &all->heard, use_of(port, &item));
    return 0;
}

static int open_output(strc_environment *all, const strc_port *port, const strc_port *input) {
    strc_file_options *file = &all->options.out;
    strc_item item = open_item(all->about, port, file);
    if (find_formats(all->about, port, file, &item, 1) != 0) return -1;
    const int is_sound = item.formats[0]->has_sound_header;
    const strc_stream_info info = item.turns ? all->options.out_info
                                  : is_sound ? sound_info(all, port, &item, all->options.out_info)
                                             : out_info(all, input);
    if (port->is_named || !are_equal(&item)) return open_file_cycle(all, port, item, info);
    strc_writer *writer = &all->writers[all->writer_count++];
    all->outputs[port - all->about->outputs] = writer;
    return strc_writer_open(writer, item.formats[0], item, item.files[0], nowhere, info);
}

/// Checks both open ends, and opens the input.
static int open_ends(strc_environment *all) {
    const strc_executable *about = all->about;
    const strc_options *options = &all->options;
    const strc_port *input = open_port(about->inputs, about->program->inputs);
    const strc_port *output = open_port(about->outputs, about->program->outputs);
    int status = check_side(about, &options->in, input, "input");
    status |= check_side(about, &options->out, output, "output");
    if (input && output && overwrites_input(options))
        status = STRC_FAIL(nowhere, ConflictingOptions, "--in", "--out with the same file");
    if (output && overwrites_weights(about, &options->out))
        status = STRC_FAIL(nowhere, ConflictingOptions, "the file with the weights",
                           "--out with the same file");
    if (input) status |= check_count(about, &options->in, input, "'--in'", "input");
    if (output) status |= check_count(about, &options->out, output, "'--out'", "output");
    if (reads_twice(&options->in))
        status = STRC_FAIL(nowhere, ConflictingOptions, "'--in -'", "another '--in -'");
    if (output && options->out.count > 1 && writes_twice(&options->out))
        status =
            STRC_FAIL(nowhere, ConflictingOptions, "--out", "another --out with the same file");
    if (status == 0 && input && !is_of_others(all->others_inputs, input - about->inputs))
        status = open_input(all, input, &all->readers[input - about->inputs]);
    return status;
}

// ---- the files of filters

static int open_reader(strc_environment *all, const strc_port *port, strc_supply *input) {
    const strc_executable *about = all->about;
    strc_origin origin = origin_of(about, port);
    strc_reader *reader = input->reader;
    if (strc_reader_open(reader, about->formats[port->format], item_of(about, port),
                         file_of(all, port), origin,
                         (strc_before_waiting){flush_outputs, all}) != 0 ||
        check_sound(reader, &port->info) != 0)
        return -1;
    int any = strc_supply_has(input, 1);
    if (any == 0) any = STRC_FAIL(origin, EmptyInput, file_of(all, port));
    return any < 0 ? -1 : 0;
}

static int open_writer(strc_environment *all, const strc_port *port, strc_writer **output) {
    const strc_executable *about = all->about;
    const char *name = file_of(all, port);
    for (const strc_port *other = about->outputs; other != port; ++other) {
        if (other->node == STRC_OPEN || strcmp(file_of(all, other), name) != 0) continue;
        *output = all->outputs[other - about->outputs];
        return 0;
    }
    strc_writer *writer = &all->writers[all->writer_count++];
    *output = writer;
    strc_origin origin = origin_of(about, port);
    const strc_item item = item_of(about, port);
    const strc_format *format = about->formats[port->format];
    const strc_stream_info info =
        format->has_sound_header ? sound_info(all, port, &item, port->info) : port->info;
    return strc_writer_open(writer, format, item, name, origin, info);
}

// ---- files that are read and written

/// Those of a port; their number.
static uint32_t files_of(const strc_environment *all, const strc_port *port,
                         const strc_file_options *open, const char **one,
                         const char *const **names) {
    *one = port->node == STRC_OPEN ? open->name : file_of(all, port);
    const int several = port->node == STRC_OPEN && open->count != 0;
    *names = several ? open->names : one;
    return several ? open->count : 1;
}

/// -1 after reporting: what is read would be destroyed.
static int check_pair(const strc_environment *all, const strc_port *read,
                      const strc_port *written) {
    const strc_executable *about = all->about;
    const char *in, *out;
    const char *const *ins, *const *outs;
    const uint32_t in_count = files_of(all, read, &all->options.in, &in, &ins);
    const uint32_t out_count = files_of(all, written, &all->options.out, &out, &outs);
    const int reads = read->node != STRC_OPEN, writes = written->node != STRC_OPEN;
    if (!reads && !writes) return 0;  // has been checked
    for (uint32_t k = 0; k < in_count; ++k)
        for (uint32_t j = 0; j < out_count; ++j)
            if (is_same_file(ins[k], outs[j]))
                return STRC_FAIL(writes ? origin_of(about, written) : nowhere, FileReadAndWritten,
                                 outs[j], reads ? strc_text_at(about->paths[read->node]) : "--in");
    return 0;
}

static int check_files(const strc_environment *all) {
    const strc_executable *about = all->about;
    int status = 0;
    for (uint32_t k = 0; k < about->program->outputs; ++k)
        for (uint32_t j = 0; j < about->program->inputs; ++j)
            status |= check_pair(all, &about->inputs[j], &about->outputs[k]);
    return status;
}

static int open_inputs(strc_environment *all) {
    const strc_executable *about = all->about;
    const strc_options *options = &all->options;
    for (uint32_t k = 0; k < about->program->inputs; ++k) {
        strc_supply *input = &all->inputs[k];
        const strc_port *port = &about->inputs[k];
        strc_supply_begin(input, &all->readers[k], options->loop_input,
                          options->tail == STRC_TAIL_PAD, port->flush, about->most_bytes);
        if (port->node != STRC_OPEN && !is_of_others(all->others_inputs, k) &&
            open_reader(all, port, input) != 0)
            return -1;
    }
    hear_sounds(all);
    return 0;
}

/// The inputs are open.
static int open_outputs(strc_environment *all) {
    const strc_executable *about = all->about;
    const strc_port *input = open_port(about->inputs, about->program->inputs);
    int status = 0;
    for (uint32_t k = 0; k < about->program->outputs; ++k) {
        const strc_port *port = &about->outputs[k];
        if (is_of_others(all->others_outputs, k)) continue;
        if (port->node == STRC_OPEN && open_output(all, port, input) != 0) return -1;
    }
    for (uint32_t k = 0; k < about->program->outputs; ++k) {
        const strc_port *port = &about->outputs[k];
        if (port->node != STRC_OPEN && !is_of_others(all->others_outputs, k))
            status |= open_writer(all, port, &all->outputs[k]);
    }
    return status;
}

// ---- all of it

static int make_capacity(strc_environment *all) {
    const strc_program *program = all->about->program;
    size_t inputs = program->inputs, outputs = program->outputs;
    all->readers = calloc(inputs + 1, sizeof *all->readers);
    all->inputs = calloc(inputs + 1, sizeof *all->inputs);
    all->writers = calloc(outputs + 1, sizeof *all->writers);
    all->outputs = calloc(outputs + 1, sizeof *all->outputs);
    all->kept_items = calloc(outputs + 1, sizeof *all->kept_items);
    if (all->readers && all->inputs && all->writers && all->outputs && all->kept_items) return 0;
    strc_digits digits;
    size_t size =
        inputs * (sizeof *all->readers + sizeof *all->inputs) + outputs * sizeof *all->writers;
    return STRC_FAIL(nowhere, OutOfMemory, "the files", strc_decimal_text(digits, (int64_t)size));
}

int strc_host_open(strc_environment *all) {
    const strc_executable *about = all->about;
    if (make_capacity(all) != 0) return -1;
    int has_output = open_port(about->outputs, about->program->outputs) != NULL;
    const int counts_items = has_output || about->limits_files;
    all->lines_left = counts_items ? -1 : all->options.limit;
    all->items_left = counts_items ? all->options.limit : -1;
    if (all->options.limit >= 0 && about->limits_nothing)
        return STRC_FAIL(nowhere, MainStreamSide, "'--limit'", strc_text_at(about->main_stream),
                         "printed lines and no output");
    all->prints_aside = has_output && strcmp(all->options.out.name, "-") == 0;
    int status =
        strc_sink_open_print(&all->print, all->prints_aside ? STDERR_FILENO : STDOUT_FILENO,
                             nowhere, strc_progress_erase);
    if (status == 0) strc_printing_begin(&all->print);
    if (status == 0 && about->printed_size != 0 &&
        strc_printing_write(&all->print, about->printed, about->printed_size) != 0)
        strc_host_print_failed(all);
    if (status == 0) status = check_files(all);
    if (status == 0) status = open_ends(all);
    if (status == 0) status = open_inputs(all);
    if (all->ranks) status = about->rank_services->opened(all, status);
    if (status != 0) return status;
    status = open_outputs(all);
    return all->ranks ? about->rank_services->agree(all, status) : status;
}
