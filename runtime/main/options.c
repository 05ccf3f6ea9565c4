#include "options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "strc/files/parse_value.h"

typedef enum option_id {
    kHelp,
    kIterations,
    kLimit,
    kSeconds,
    kStats,
    kTime,
    kLoopInput,
    kTail,
    kPrintFormat,
    kWorkers,
    kNoTune,
    kProfile,
    kRanks,
    kCheckpoint,
    kEvery,
    kResume,
    kDefine,
    kWeights,
    kIn,
    kOut,
    kInFormat,
    kOutFormat,
    kOutRate,
    kOutChannels,
    kOutSample,
    kOutWidth,
    kOutHeight,
} option_id;

typedef struct option {
    option_id id;
    char letter;
    const char *word;
    const char *value;  ///< what the help calls it; null: none
    const char *help;
} option;

static const option table[] = {
    {kHelp, 'h', "--help", NULL, "print this help"},
    {kIterations, 'i', "--iterations", "N", "stop after N steady states"},
    {kLimit, 0, "--limit", "N",
     "stop after N items of the output, N printed lines or N items in files"},
    {kSeconds, 0, "--seconds", "S", "stop after S seconds"},
    {kStats, 0, "--stats", NULL, "print firings, items and time on standard error"},
    {kTime, 't', "--time", NULL, "print the time on standard error"},
    {kLoopInput, 0, "--loop-input", NULL, "start input files again at their end"},
    {kTail, 0, "--tail", "WORD",
     "the end of the input: drain what has its items (default of an open input), "
     "drop what fills no steady state (default of files), or pad with zeros until all is out"},
    {kPrintFormat, 0, "--print-format", "WORD",
     "floats as shortest digits (java, default) or %f (c)"},
    {kWorkers, 'j', "--workers", "N",
     "threads that run the program, or share large loops of it; default: one for each processor"},
    {kNoTune, 0, "--no-tune", NULL,
     "share the program among threads wherever that can be, not only where trials while it runs "
     "have shown that it pays"},
    {kProfile, 0, "--profile", NULL,
     "measure the run, and print on standard error what filters, threads and tapes took; "
     "--profile=FILE also writes it to a file for Perfetto, chrome://tracing or --profile-use"},
    {kRanks, 0, "--ranks", "N",
     "share the program among N processes of this machine; those that mpirun starts do so anyway"},
    {kCheckpoint, 0, "--checkpoint", "DIR",
     "write down in this folder from time to time what a run needs to go on from there"},
    {kEvery, 0, "--every", "S", "seconds between two of these; default: 60"},
    {kResume, 0, "--resume", NULL,
     "go on from what --checkpoint has written, if there is anything"},
    {kDefine, 'D', "--define", "NAME=VALUE", "value of a parameter that was left open"},
    {kWeights, 0, "--weights", "FILE", "the safetensors file with the learned values"},
    {kIn, 0, "--in", "FILE",
     "input file; default: standard input, raw; one for each of several inputs"},
    {kInFormat, 0, "--in-format", "F",
     "raw, wav, flac, ogg, opus, npy, text, pcm, u8, s8, cu8, cs8, cs16, cf32, sigmf, png, jpeg, "
     "pgm or "
     "safetensors; "
     "default: by the name"},
    {kOut, 0, "--out", "FILE",
     "output file; default: standard output, raw (tensors: as text); one for each of several "
     "outputs"},
    {kOutFormat, 0, "--out-format", "F",
     "raw, wav, flac, ogg, opus, npy, text, pcm, u8, s8, cu8, cs8, cs16, cf32, sigmf, png, jpeg, "
     "pgm or "
     "safetensors; "
     "default: by the name"},
    {kOutRate, 0, "--out-rate", "N", "WAV: samples a second; default: as the input, or 44100"},
    {kOutChannels, 0, "--out-channels", "N",
     "WAV, images: channels; default: as the input or the items"},
    {kOutWidth, 0, "--out-width", "N", "images: pixels in a row; default: as the input"},
    {kOutHeight, 0, "--out-height", "N", "images: rows; default: as many as come"},
    {kOutSample, 0, "--out-sample", "S", "WAV: 8, 16, 24, 32, float or double; images: 8 or 16"},
};
enum { kOptions = sizeof table / sizeof *table };

static const strc_origin nowhere = STRC_ORIGIN(0, 0);

// ---- values

static int wrong_value(const char *text, const char *option, const char *needed) {
    return STRC_FAIL(nowhere, BadOptionValue, text, option, needed);
}

/// A number up to `most` that is not negative; -1 if it is none.
static int64_t integer(const char *text, int64_t most) {
    int64_t number = 0;
    if (!*text) return -1;
    for (; *text; ++text) {
        if (!isdigit((unsigned char)*text) || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *text - '0', &number) || number > most)
            return -1;
    }
    return number;
}

static int take_count(const char *text, const char *option, int64_t *to) {
    *to = integer(text, INT64_MAX);
    if (*to >= 0) return 0;
    return wrong_value(text, option, "a number from 0 to 9223372036854775807");
}

static int take_size(const char *text, const char *option, int32_t *to) {
    int64_t number = integer(text, INT32_MAX);
    if (number < 1) return wrong_value(text, option, "a number from 1 to 2147483647");
    *to = (int32_t)number;
    return 0;
}

static int take_ranks(const char *text, const char *option, int32_t *to) {
    const int64_t number = integer(text, STRC_MOST_RANKS);
    if (number < 1) return wrong_value(text, option, "a number from 1 to 1024");
    *to = (int32_t)number;
    return 0;
}

static int take_seconds(const char *text, const char *option, double *to) {
    char *end;
    int starts = isdigit((unsigned char)*text) || *text == '.';
    *to = strtod(text, &end);
    if (starts && *end == '\0' && *to >= 0) return 0;
    return wrong_value(text, option, "a number of seconds");
}

/// Is it the second word, not the first?
static int take_word(const char *text, const char *option, const char *first, const char *second,
                     const char *needed, int *to) {
    *to = strcmp(text, second) == 0;
    if (*to || strcmp(text, first) == 0) return 0;
    return wrong_value(text, option, needed);
}

static int take_tail(const char *text, const char *option, const strc_executable *about,
                     strc_tail *to) {
    static const char *const words[] = {
        [STRC_TAIL_DROP] = "drop", [STRC_TAIL_PAD] = "pad", [STRC_TAIL_DRAIN] = "drain"};
    for (int k = STRC_TAIL_DROP; k <= STRC_TAIL_DRAIN; ++k)
        if (strcmp(text, words[k]) == 0) *to = (strc_tail)k;
    if (*to == STRC_TAIL_DEFAULT || strcmp(text, words[*to]) != 0)
        return wrong_value(text, option, "drop, pad or drain");
    if (*to == STRC_TAIL_PAD && about->program->demand)
        return STRC_FAIL(nowhere, MainStreamSide, "'--tail=pad'", strc_text_at(about->main_stream),
                         "steady state that zeros could fill");
    if (*to != STRC_TAIL_DRAIN || !about->program->device) return 0;
    return STRC_FAIL(nowhere, ConflictingOptions, option, "a program that runs on a device");
}

static int take_format(const char *text, const char *option, strc_file_options *to) {
    to->format = strc_format_named(text);
    if (to->format != STRC_FORMATS) return 0;
    return wrong_value(text, option,
                       "raw, wav, flac, ogg, opus, npy, text, pcm, u8, s8, cu8, cs8, cs16, cf32, "
                       "sigmf, png, jpeg, pgm or safetensors");
}

static int take_sample(const char *text, const char *option, strc_stream_info *to) {
    static const struct {
        const char *word;
        int bits, floating;
    } samples[] = {{"8", 8, 0},   {"16", 16, 0},    {"24", 24, 0},
                   {"32", 32, 0}, {"float", 32, 1}, {"double", 64, 1}};
    for (size_t k = 0; k < sizeof samples / sizeof *samples; ++k) {
        if (strcmp(text, samples[k].word) != 0) continue;
        to->bits = samples[k].bits;
        to->floating = samples[k].floating;
        return 0;
    }
    return wrong_value(text, option, "8, 16, 24, 32, float or double");
}

// ---- parameters

/// Behind the parameters there is a string for each.
static void set_text(strc_options *options, const strc_executable *about, uint32_t parameter,
                     const char *text) {
    strc_string *strings =
        (strc_string *)(options->parameters + about->parameter_count * STRC_PARAMETER_BYTES);
    const strc_string *string = &strings[parameter];
    strings[parameter] = (strc_string){strlen(text), text};
    memcpy(options->parameters + parameter * STRC_PARAMETER_BYTES, &string, sizeof string);
}

/// 0, or -1 after reporting.
static int begin_parameters(strc_options *options, const strc_executable *about) {
    size_t bytes = (size_t)about->parameter_count * STRC_PARAMETER_BYTES;
    size_t texts = (size_t)about->parameter_count * sizeof(strc_string);
    if (bytes == 0) return 0;
    if (!strc_own((void **)&options->parameters, bytes + texts, nowhere, "the parameters"))
        return -1;
    memcpy(options->parameters, about->parameter_values, bytes);
    for (uint32_t k = 0; k < about->parameter_count; ++k) {
        if (about->parameters[k].kind != STRC_TEXT) continue;
        strc_text text;
        memcpy(&text, options->parameters + k * STRC_PARAMETER_BYTES, sizeof text);
        set_text(options, about, k, strc_text_at(text));
    }
    return 0;
}

const char *strc_parameter_text(const strc_options *options, uint32_t parameter) {
    const strc_string *text;
    memcpy(&text, options->parameters + parameter * STRC_PARAMETER_BYTES, sizeof text);
    return text->text;
}

static void define(strc_options *options, const strc_executable *about, const char *text) {
    size_t length = strcspn(text, "=");
    if (length == 0 || !text[length]) {
        wrong_value(text, "-D", "NAME=VALUE");
        return;
    }
    const char *value = text + length + 1;
    for (uint32_t k = 0; k < about->parameter_count; ++k) {
        const strc_parameter *each = &about->parameters[k];
        const char *name = strc_text_at(each->name);
        if (strlen(name) != length || strncmp(name, text, length) != 0) continue;
        options->defined |= STRC_PARAMETER_MARK(k);
        if (each->kind == STRC_TEXT) {
            set_text(options, about, k, value);
            return;
        }
        int is_number = each->kind != STRC_BOOLEAN || strcspn(value, "01") != 0;
        if (!is_number || !strc_parse_value(value, strlen(value), (strc_kind)each->kind,
                                            options->parameters + k * STRC_PARAMETER_BYTES))
            STRC_FAIL(nowhere, BadDefineValue, value, strc_text_at(each->type_name), name);
        return;
    }
    char name[100];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    STRC_FAIL(nowhere, UnknownDefine, strc_text_at(about->main_stream), name);
    strc_note(STRC_MESSAGE_Hint,
              "parameters can be given that were left open by '--keep-param' when this was built; "
              "'--help' lists them");
}

// ---- one option

static void take_profile(strc_options *options, const strc_executable *about, const char *file) {
    options->profile = 1;
    if (file) options->profile_file = file;
    if (about->profile) return;
    STRC_FAIL(nowhere, BadCommandLine,
              "'--profile' is for executables that were built with it: 'strc build --profile'");
}

static int is_of_ranks(option_id id) { return id >= kRanks && id <= kResume; }

/// Ranks that share products have nothing of their own that could be written down.
static int has_ranks(const strc_executable *about, option_id id) {
    return id == kRanks ? about->rank_services != NULL : about->ranks != NULL;
}

/// Nonzero: the executable has no such option.
static int lacks_ranks(const strc_executable *about, option_id id, const char *option) {
    if (has_ranks(about, id)) return 0;
    char text[160];
    snprintf(text, sizeof text,
             "'%s' is for executables that were built with --ranks%s: 'strc build --ranks'", option,
             about->rank_services ? " and without --split" : "");
    STRC_FAIL(nowhere, BadCommandLine, text);
    return 1;
}

static void check_checkpoints(strc_options *options) {
    static const double usual = 60;
    if (options->resume && !options->checkpoint)
        STRC_FAIL(nowhere, BadCommandLine, "--resume needs --checkpoint");
    if (options->every >= 0 && !options->checkpoint)
        STRC_FAIL(nowhere, BadCommandLine, "--every needs --checkpoint");
    if (options->every < 0) options->every = usual;
}

static strc_file_options *file_of(strc_options *options, option_id id) {
    if (id == kIn || id == kInFormat) return &options->in;
    return id >= kIn ? &options->out : NULL;
}

static void take(strc_options *options, const strc_executable *about, const option *what,
                 const char *option, const char *text) {
    strc_file_options *file = file_of(options, what->id);
    if (file && !file->given) file->given = what->word;
    if (is_of_ranks(what->id) && lacks_ranks(about, what->id, what->word)) return;
    int64_t count = 0;
    switch (what->id) {
        case kHelp: break;
        case kIterations:
            if (take_count(text, option, &count) == 0) options->iterations = (uint64_t)count;
            break;
        case kLimit: take_count(text, option, &options->limit); break;
        case kSeconds: take_seconds(text, option, &options->seconds); break;
        case kStats: options->stats = 1; break;
        case kNoTune: options->no_tune = 1; break;
        case kProfile: take_profile(options, about, text); break;
        case kRanks: take_ranks(text, option, &options->ranks); break;
        case kCheckpoint: options->checkpoint = text; break;
        case kEvery: take_seconds(text, option, &options->every); break;
        case kResume: options->resume = 1; break;
        case kTime: options->time = 1; break;
        case kLoopInput: options->loop_input = 1; break;
        case kTail: take_tail(text, option, about, &options->tail); break;
        case kPrintFormat:
            take_word(text, option, "java", "c", "java or c", &options->c_format);
            break;
        case kWorkers: take_size(text, option, &options->workers); break;
        case kDefine: define(options, about, text); break;
        case kWeights:
            if (about->weights_calls)
                options->weights = text;
            else
                STRC_FAIL(nowhere, BadCommandLine,
                          "'--weights' is for executables of --external-weights: the weights are "
                          "in the executable");
            break;
        case kIn:
        case kOut: file->name = file->names[file->count++] = text; break;
        case kInFormat:
        case kOutFormat: take_format(text, option, file); break;
        case kOutRate: take_size(text, option, &options->out_info.rate); break;
        case kOutChannels: take_size(text, option, &options->out_info.channels); break;
        case kOutWidth: take_size(text, option, &options->out_info.width); break;
        case kOutHeight: take_size(text, option, &options->out_info.height); break;
        case kOutSample: take_sample(text, option, &options->out_info); break;
    }
}

// ---- the words

static void say(const char *form, const char *word, const char *more) {
    char text[600];
    snprintf(text, sizeof text, form, word, more);
    STRC_FAIL(nowhere, BadCommandLine, text);
}

/// How many single letters differ, as far as it matters: 0, 1 or 2 for more.
static int difference(const char *one, const char *other) {
    while (*one && *one == *other) ++one, ++other;
    if (!*one && !*other) return 0;
    if (strcmp(one + (*one != 0), other + (*other != 0)) == 0) return 1;  // replaced
    if (*one && strcmp(one + 1, other) == 0) return 1;
    if (*other && strcmp(one, other + 1) == 0) return 1;
    if (*one && *other && one[0] == other[1] && one[1] == other[0] &&
        strcmp(one + 2, other + 2) == 0)
        return 1;
    return 2;
}

static strc_parsed unknown(const char *word, size_t length) {
    say("unknown option '%s'%s", word, "");
    char wanted[100];
    if (length >= sizeof wanted) return STRC_PARSED_WRONG;
    memcpy(wanted, word, length);
    wanted[length] = '\0';
    for (int k = 0; k < kOptions; ++k) {
        if (difference(wanted, table[k].word) != 1) continue;
        strc_note(STRC_MESSAGE_DidYouMean, table[k].word);
        break;
    }
    return STRC_PARSED_WRONG;
}

/// The option that a word names, and where its value begins in it, or null.
static const option *find(const char *word, const char **value) {
    size_t length = strcspn(word, "=");
    *value = NULL;
    for (int k = 0; k < kOptions; ++k) {
        const option *each = &table[k];
        if (word[1] == '-') {
            if (strlen(each->word) != length || strncmp(word, each->word, length) != 0) continue;
            if (word[length] == '=') *value = word + length + 1;
            return each;
        }
        if (!each->letter || word[1] != each->letter) continue;
        if (word[2]) *value = word + 2 + (word[2] == '=');
        return each;
    }
    return NULL;
}

static int has_open_end(const strc_port *ports, uint32_t count) {
    return count != 0 && ports[count - 1].node == STRC_OPEN;
}

/// Without the options of ends that the program does not have.
static int is_shown(option_id id, const strc_executable *about) {
    const strc_program *program = about->program;
    if (id == kIn || id == kInFormat) return has_open_end(about->inputs, program->inputs);
    if (id >= kIn) return has_open_end(about->outputs, program->outputs);
    if (id == kDefine) return about->parameter_count != 0;
    if (id == kWeights) return about->weights_calls != NULL;
    if (id == kProfile) return about->profile != NULL;
    if (is_of_ranks(id)) return has_ranks(about, id);
    return program->inputs != 0 || (id != kLoopInput && id != kTail);
}

static void print_help(const char *program, const strc_executable *about) {
    printf("Usage: %s [OPTION...]\n\n%s, a StreamIt program compiled by strc.\n\nOptions:\n",
           program, strc_text_at(about->main_stream));
    for (int k = 0; k < kOptions; ++k) {
        const option *each = &table[k];
        if (!is_shown(each->id, about)) continue;
        char flags[40];
        char letter[] = {'-', each->letter, ',', '\0'};
        snprintf(flags, sizeof flags, "%s%s%s%s", each->letter ? letter : "", each->word,
                 each->value ? " " : "", each->value ? each->value : "");
        printf("  %-26s %s\n", flags, each->help);
    }
    for (uint32_t k = 0; k < about->parameter_count; ++k)
        printf("%s  %s, %s\n", k == 0 ? "\nParameters:\n" : "",
               strc_text_at(about->parameters[k].name),
               strc_text_at(about->parameters[k].type_name));
    printf(
        "\nExit status: 0 fine; 1 a fault of the run; 2 a wrong call; 130 interrupted, 143 "
        "terminated\n(with all files completed).\n");
}

strc_parsed strc_options_parse(strc_options *options, int argc, char **argv,
                               const strc_executable *about) {
    *options = (strc_options){.iterations = UINT64_MAX,
                              .limit = -1,
                              .seconds = -1,
                              .every = -1,
                              .in = {.name = "-", .format = STRC_FORMATS},
                              .out = {.name = "-", .format = STRC_FORMATS}};
    const size_t capacity = (size_t)argc * sizeof *options->in.names;
    if (begin_parameters(options, about) != 0 ||
        !strc_own((void **)&options->in.names, capacity, nowhere, "the options") ||
        !strc_own((void **)&options->out.names, capacity, nowhere, "the options"))
        return STRC_PARSED_WRONG;
    for (int k = 1; k < argc; ++k) {
        const char *word = argv[k];
        const char *value;
        if (word[0] != '-' || !word[1]) {
            say("'%s' is one argument too many%s", word, "");
            continue;
        }
        const option *found = find(word, &value);
        const int takes_value =
            found && (found->value || (found->id == kProfile && value && *value));
        if (!found || (!takes_value && value)) return unknown(word, strcspn(word, "="));
        if (found->id == kHelp) {
            print_help(argv[0], about);
            return STRC_PARSED_DONE;
        }
        char letter[] = {'-', found->letter, '\0'};
        const char *shown = found->letter ? letter : found->word;
        if (found->value && !value && k + 1 < argc) value = argv[++k];
        if (found->value && (!value || !*value))
            say("%s: 1 required %s missing", found->word, found->value);
        else
            take(options, about, found, shown, value);
    }
    check_checkpoints(options);
    return strc_messages_status() == 0 ? STRC_PARSED_RUN : STRC_PARSED_WRONG;
}
