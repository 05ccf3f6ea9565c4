// Checkpoints of a run: a file for each rank with the state of its segments and how far its files are, and one, written when all of these
// are complete, that says which belong together. Each is written beside its name, synchronised and renamed, so there is no half one.
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ranks.h"

static const strc_origin nowhere = STRC_ORIGIN(0, 0);
enum { kPath = 4096, kLayout = 2, kSkip = 1 << 16 };
static const char magic[8] = "strcckp";

/// In front of the file of a rank. Behind it: a count for each input, a place for each output, the state, and a sum over all of it.
typedef struct front {
    char magic[8];
    uint32_t layout, rank, ranks, is_apart;
    uint64_t identity, settings, epoch, random;
    int64_t lines_left, items_left;
    uint64_t inputs, outputs, state_size;
} front;

typedef struct place {
    uint64_t position;  ///< bytes
    uint64_t items;  ///< written by the rank; the same for all its outputs
} place;

static uint32_t rank_of(const strc_rank *rank) { return rank->link.transport.rank; }

static void name_of(const strc_rank *rank, uint64_t epoch, char path[kPath]) {
    snprintf(path, kPath, "%s/rank-%u.%" PRIu64, rank->all->options.checkpoint,
             (unsigned)rank_of(rank), epoch);
}

static void name_of_all(const strc_rank *rank, char path[kPath]) {
    snprintf(path, kPath, "%s/checkpoint", rank->all->options.checkpoint);
}

// ---- files that appear at once

static int write_all(int file, const unsigned char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t done = write(file, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return -1;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

static int synchronise_folder(const strc_rank *rank) {
    const int folder = open(rank->all->options.checkpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    const int status = fsync(folder);
    close(folder);
    return status;
}

static int replace(const strc_rank *rank, const char *path, const void *bytes, size_t size) {
    char beside[kPath + 8];
    snprintf(beside, sizeof beside, "%s.new", path);
    const int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return STRC_FAIL(nowhere, CannotWriteFile, path, strerror(errno));
    int status = write_all(file, bytes, size);
    if (status == 0) status = fsync(file);
    int why = errno;
    if (close(file) != 0 && status == 0) {
        status = -1;
        why = errno;
    }
    if (status == 0 && (rename(beside, path) != 0 || synchronise_folder(rank) != 0)) {
        status = -1;
        why = errno;
    }
    if (status == 0) return 0;
    unlink(beside);
    return STRC_FAIL(nowhere, CannotWriteFile, path, strerror(why));
}

/// To be freed; null after reporting, unless it may be missing and is.
static unsigned char *read_whole(const char *path, size_t *size, int may_be_missing) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0) {
        if (!may_be_missing || errno != ENOENT)
            STRC_FAIL(nowhere, CannotReadFile, path, strerror(errno));
        return NULL;
    }
    unsigned char *bytes = NULL;
    size_t got = 0;
    if (fstat(file, &status) == 0) bytes = malloc((size_t)status.st_size + 1);
    while (bytes && got < (size_t)status.st_size) {
        const ssize_t more = read(file, bytes + got, (size_t)status.st_size - got);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        got += (size_t)more;
    }
    close(file);
    if (!bytes) STRC_FAIL(nowhere, CannotReadFile, path, "there is no memory for it");
    *size = got;
    if (bytes) bytes[got] = 0;
    return bytes;
}

// ---- what can be taken up again

static int cannot_take_up(const char *name) {
    return STRC_FAIL(nowhere, CannotWriteFile, name,
                     "with --checkpoint an output has to be a regular file of raw items other than "
                     "bits");
}

int strc_checkpoint_check(strc_rank *rank) {
    const strc_environment *all = rank->all;
    const strc_program *program = rank->about->program;
    if (all->options.tail == STRC_TAIL_PAD)
        return STRC_FAIL(nowhere, ConflictingOptions, "--checkpoint", "--tail=pad");
    if (mkdir(all->options.checkpoint, 0777) != 0 && errno != EEXIST)
        return STRC_FAIL(nowhere, CannotWriteFile, all->options.checkpoint, strerror(errno));
    for (uint32_t k = 0; k < program->outputs; ++k) {
        if (all->others_outputs[k]) continue;
        const strc_writer *writer = all->outputs[k];
        if (strc_host_has_file_cycle(all, k) || !writer->format->takes_back ||
            !writer->format->takes_back(writer) || !writer->sink.seekable ||
            writer->sink.descriptor == STDOUT_FILENO)
            return cannot_take_up(writer->sink.name);
    }
    return 0;
}

// ---- writing

static int place_of(strc_writer *writer, place *to) {
    strc_sink *sink = &writer->sink;
    if (strc_writer_flush(writer) != 0 || strc_sink_flush(sink) != 0) return -1;
    if (fsync(sink->descriptor) != 0)
        return STRC_FAIL(sink->origin, CannotWriteFile, sink->name, strerror(errno));
    to->position = strc_sink_position(sink);
    return 0;
}

static size_t size_of(const strc_program *program) {
    return sizeof(front) + program->inputs * sizeof(uint64_t) + program->outputs * sizeof(place) +
           program->state_size + sizeof(uint64_t);
}

static int pack(strc_rank *rank, const strc_env *env, const void *state, uint64_t epoch,
                unsigned char *to) {
    const strc_environment *all = rank->all;
    const strc_program *program = rank->about->program;
    const size_t sum_at = size_of(program) - sizeof(uint64_t);
    front made = {.layout = kLayout,
                  .rank = rank_of(rank),
                  .ranks = rank->link.transport.size,
                  .is_apart = (uint32_t)rank->is_apart,
                  .identity = rank->about->identity,
                  .settings = strc_rank_settings(rank),
                  .epoch = epoch,
                  .random = env->random,
                  .lines_left = all->lines_left,
                  .items_left = all->items_left,
                  .inputs = program->inputs,
                  .outputs = program->outputs,
                  .state_size = program->state_size};
    memcpy(made.magic, magic, sizeof magic);
    memcpy(to, &made, sizeof made);
    unsigned char *next = to + sizeof made;
    for (uint32_t k = 0; k < program->inputs; ++k, next += sizeof(uint64_t))
        memcpy(next, &all->inputs[k].taken, sizeof(uint64_t));
    for (uint32_t k = 0; k < program->outputs; ++k, next += sizeof(place)) {
        place each = {0, all->items_written};
        if (!all->others_outputs[k] && place_of(all->outputs[k], &each) != 0) return -1;
        memcpy(next, &each, sizeof each);
    }
    memcpy(next, state, program->state_size);
    const uint64_t sum = strc_safe_hash(to, sum_at);
    memcpy(to + sum_at, &sum, sizeof sum);
    return 0;
}

int strc_checkpoint_write(strc_rank *rank, const strc_env *env, const void *state, uint64_t epoch) {
    char path[kPath];
    const size_t size = size_of(rank->about->program);
    unsigned char *bytes = calloc(1, size);
    strc_digits digits;
    if (!bytes)
        return STRC_FAIL(nowhere, OutOfMemory, "a checkpoint",
                         strc_decimal_text(digits, (int64_t)size));
    int status = pack(rank, env, state, epoch, bytes);
    name_of(rank, epoch, path);
    if (status == 0) status = replace(rank, path, bytes, size);
    free(bytes);
    return status;
}

int strc_checkpoint_keep(strc_rank *rank, uint64_t epoch) {
    char path[kPath], text[160];
    snprintf(text, sizeof text, "strc checkpoint %d\nepoch %" PRIu64 "\nranks %u\n", kLayout, epoch,
             (unsigned)rank->link.transport.size);
    name_of_all(rank, path);
    return replace(rank, path, text, strlen(text));
}

/// Is it `rank-K.EPOCH`, or that with `.new`?
static int is_of_rank(const char *name, uint64_t *which, uint64_t *epoch) {
    char *end;
    if (strncmp(name, "rank-", 5) != 0 || !isdigit((unsigned char)name[5])) return 0;
    *which = strtoull(name + 5, &end, 10);
    if (*end != '.' || !isdigit((unsigned char)end[1])) return 0;
    *epoch = strtoull(end + 1, &end, 10);
    return *end == 0 || strcmp(end, ".new") == 0;
}

void strc_checkpoint_clean(strc_rank *rank, uint64_t kept) {
    DIR *folder = opendir(rank->all->options.checkpoint);
    if (!folder) return;
    for (const struct dirent *each; (each = readdir(folder)) != NULL;) {
        uint64_t which, epoch;
        if (!is_of_rank(each->d_name, &which, &epoch)) continue;
        const int is_own = which == rank_of(rank), is_nobodys = which >= rank->link.transport.size;
        if (is_nobodys || (is_own && epoch != kept)) unlinkat(dirfd(folder), each->d_name, 0);
    }
    closedir(folder);
}

int strc_checkpoint_forget(strc_rank *rank) {
    char path[kPath];
    name_of_all(rank, path);
    if (unlink(path) == 0 ? synchronise_folder(rank) == 0 : errno == ENOENT) return 0;
    return STRC_FAIL(nowhere, CannotWriteFile, path, strerror(errno));
}

// ---- reading

static const char *of_another_strc(int64_t layout) {
    return layout > kLayout ? "a newer strc has written it" : "an older strc has written it";
}

int strc_checkpoint_find(strc_rank *rank, uint64_t *epoch) {
    char path[kPath], why[100];
    size_t size = 0;
    int layout = 0, end = 0;
    unsigned ranks = 0;
    *epoch = 0;
    name_of_all(rank, path);
    const int before = strc_messages_status();
    unsigned char *text = read_whole(path, &size, 1);
    if (!text) return strc_messages_status() == before ? 0 : -1;
    const int found =
        sscanf((const char *)text, "strc checkpoint %d\nepoch %" SCNu64 "\nranks %u\n%n", &layout,
               epoch, &ranks, &end);
    const int is_whole = found == 3 && (size_t)end == size && text[size - 1] == '\n';
    free(text);
    if (found >= 1 && layout != kLayout)
        return STRC_FAIL(nowhere, CannotReadFile, path, of_another_strc(layout));
    if (!is_whole)
        return STRC_FAIL(nowhere, CannotReadFile, path, "it is damaged, or no checkpoint");
    if (ranks == rank->link.transport.size) return 1;
    snprintf(why, sizeof why, "%u %s written it, and these are %u", ranks,
             ranks == 1 ? "rank has" : "ranks have", (unsigned)rank->link.transport.size);
    return STRC_FAIL(nowhere, CannotReadFile, path, why);
}

static const char *what_is_wrong(const strc_rank *rank, const front *read,
                                 const unsigned char *bytes, size_t size, uint64_t epoch) {
    const strc_program *program = rank->about->program;
    uint64_t sum = 0;
    if (size < sizeof *read || memcmp(read->magic, magic, sizeof magic) != 0)
        return "it is damaged, or no checkpoint";
    if (read->layout != kLayout) return of_another_strc(read->layout);
    if (read->identity != rank->about->identity || read->inputs != program->inputs ||
        read->outputs != program->outputs || read->state_size != program->state_size)
        return "it is of another program, or of one with other weights or other passes";
    if (read->settings != strc_rank_settings(rank))
        return "it is of a run with other values of parameters, or another --limit";
    if (size < size_of(program)) return "it is not complete: its end is missing";
    memcpy(&sum, bytes + size_of(program) - sizeof sum, sizeof sum);
    if (size != size_of(program) || sum != strc_safe_hash(bytes, size_of(program) - sizeof sum) ||
        read->rank != rank_of(rank) || read->ranks != rank->link.transport.size ||
        read->epoch != epoch)
        return "it is damaged";
    return NULL;
}

static int skip(strc_rank *rank, uint32_t input, uint64_t items) {
    strc_supply *supply = &rank->all->inputs[input];
    const strc_source *source = &supply->reader->source;
    const uint64_t size = rank->about->types[rank->about->inputs[input].type].size;
    const uint64_t most = size < kSkip ? kSkip / (size ? size : 1) : 1;
    void *nowhere_to = malloc(most * size + 1);
    strc_digits digits;
    int status = 0;
    if (!nowhere_to)
        status = STRC_FAIL(nowhere, OutOfMemory, "a checkpoint",
                           strc_decimal_text(digits, (int64_t)(most * size + 1)));
    while (status == 0 && items > 0) {
        const uint64_t next = items < most ? items : most;
        const int there = strc_supply_has(supply, next);
        if (there == 0)
            STRC_FAIL(source->origin, CannotReadFile, source->name,
                      "it has fewer items than the checkpoint says that were read");
        status = there == 1 ? strc_supply_take(supply, nowhere_to, next) : -1;
        items -= next;
    }
    free(nowhere_to);
    return status;
}

/// What was written behind the checkpoint is written once more.
static int take_up(strc_writer *writer, uint64_t position) {
    strc_sink *sink = &writer->sink;
    struct stat status;
    if (position == 0) return 0;
    if (fstat(sink->descriptor, &status) != 0 || (uint64_t)status.st_size < position)
        return STRC_FAIL(sink->origin, CannotWriteFile, sink->name,
                         "it is shorter than it was when the checkpoint was written");
    sink->begun = 1;
    sink->used = 0;
    sink->written = UINT64_MAX;  // so that the sink goes back
    return strc_sink_go_back(sink, position);
}

static int take_up_files(strc_rank *rank, const unsigned char *next) {
    strc_environment *all = rank->all;
    const strc_program *program = rank->about->program;
    for (uint32_t k = 0; k < program->inputs; ++k, next += sizeof(uint64_t)) {
        uint64_t taken;
        memcpy(&taken, next, sizeof taken);
        if (!all->others_inputs[k] && skip(rank, k, taken) != 0) return -1;
    }
    for (uint32_t k = 0; k < program->outputs; ++k, next += sizeof(place)) {
        place each;
        memcpy(&each, next, sizeof each);
        all->items_written = each.items;
        if (!all->others_outputs[k] && take_up(all->outputs[k], each.position) != 0) return -1;
    }
    return 0;
}

int strc_checkpoint_read(strc_rank *rank, strc_env *env, void *state, uint64_t epoch) {
    char path[kPath];
    size_t size = 0;
    front read = {0};
    name_of(rank, epoch, path);
    unsigned char *bytes = read_whole(path, &size, 0);
    if (!bytes) return -1;
    if (size >= sizeof read) memcpy(&read, bytes, sizeof read);
    const char *why = what_is_wrong(rank, &read, bytes, size, epoch);
    int status = why ? STRC_FAIL(nowhere, CannotReadFile, path, why) : 0;
    if (status == 0) status = take_up_files(rank, bytes + sizeof read);
    if (status == 0) {
        const strc_program *program = rank->about->program;
        memcpy(state, bytes + size_of(program) - sizeof(uint64_t) - program->state_size,
               program->state_size);
        env->random = read.random;
        rank->all->lines_left = read.lines_left;
        rank->all->items_left = read.items_left;
        rank->is_apart = rank->have_state = (int)read.is_apart;
    }
    free(bytes);
    return status;
}
