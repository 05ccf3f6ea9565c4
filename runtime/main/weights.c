// The weights of an executable that were left in their file. Nothing but executables with such weights links this.
#include <stdio.h>
#include <string.h>

#include "mapped_file.h"
#include "messages.h"
#include "signals.h"

static struct {
    char name[STRC_OWN_PATH];
    const unsigned char *bytes;
} file;

/// Who wants it.
static strc_origin origin_of(const strc_weight *weight) {
    return (strc_origin)STRC_ORIGIN(weight->place, weight->instance);
}

static int unusable(strc_origin origin, const char *why) {
    return STRC_FAIL(origin, WeightsFile, file.name, strc_lost() ? strc_mapped_file_fault() : why);
}

// ---- finding

enum { kTypeText = STRC_SAFE_DIMENSIONS * 24 + 16 };

/// "F32[2, 3]"
static const char *type_text(char to[kTypeText], uint32_t type, uint32_t rank,
                             const uint64_t *dims) {
    int at = snprintf(to, kTypeText, "%s[", strc_safe_name(type));
    for (uint32_t k = 0; k < rank; ++k)
        at += snprintf(to + at, (size_t)(kTypeText - at), "%s%llu", k ? ", " : "",
                       (unsigned long long)dims[k]);
    snprintf(to + at, (size_t)(kTypeText - at), "]");
    return to;
}

/// 0, or -1 after reporting.
static int bind(const strc_weight *wanted, const strc_safe_index *index) {
    char have[kTypeText], want[kTypeText], why[STRC_SAFE_WHY];
    const strc_origin origin = origin_of(wanted);
    const char *name = strc_text_at(wanted->name);
    const strc_safe_tensor *found = strc_safe_find(index, name, strlen(name));
    if (!found) return STRC_FAIL(origin, WeightsMissing, name, file.name);
    if (found->type != wanted->type || found->rank != wanted->rank ||
        memcmp(found->dims, wanted->dims, sizeof *found->dims * found->rank) != 0)
        return STRC_FAIL(origin, WeightsMismatch, name, file.name,
                         type_text(have, found->type, found->rank, found->dims),
                         type_text(want, wanted->type, wanted->rank, wanted->dims));
    void *copy;  // as long as the program runs
    const void *values = strc_safe_values(file.bytes, found, &copy, why);
    if (!values) return unusable(origin, why);
    if (wanted->hash && strc_safe_hash(values, found->size) != wanted->hash) {
        snprintf(why, sizeof why,
                 "'%.200s' has changed since the program was built, with values computed from it",
                 name);
        return unusable(origin, why);
    }
    if (strc_lost()) return unusable(origin, "");
    if (wanted->values) *wanted->values = values;
    return 0;
}

/// All that is wrong is told at once.
static int bind_all(const strc_executable *about, uint64_t size) {
    char why[STRC_SAFE_WHY];
    strc_safe_index index;
    if (strc_safe_read(file.bytes, size, &index, why) != 0)
        return unusable(origin_of(about->weights), why);
    int status = 0;
    for (uint64_t k = 0; k < about->weight_count && !strc_lost(); ++k)
        status |= bind(&about->weights[k], &index);
    strc_safe_free(&index);
    return status;
}

/// What they are made of is hardly looked at again.
static void make_panels(const strc_executable *about) {
    for (uint64_t k = 0; k < about->weight_panel_count; ++k) {
        const strc_weight_panels *each = &about->weight_panels[k];
        strc_make_panels(&each->how, about->panel_loops + each->first_loop, each->panels,
                         *each->values);
        strc_mapped_file_forget();
    }
}

// ---- losing

static uint64_t bytes_of(const strc_weight *weight) {
    uint64_t bytes = strc_safe_bytes(weight->type);
    for (uint32_t k = 0; k < weight->rank; ++k) bytes *= weight->dims[k];
    return bytes;
}

/// The first that wants weights, if nobody has missed them.
static strc_origin who_misses(const strc_executable *about, const void *address) {
    for (uint64_t k = 0; k < about->weight_count; ++k) {
        const strc_weight *weight = &about->weights[k];
        const uintptr_t first = weight->values ? (uintptr_t)*weight->values : 0;
        if (address && (uintptr_t)address - first < bytes_of(weight)) return origin_of(weight);
    }
    return origin_of(about->weights);
}

static int is_lost(void) { return strc_mapped_file_fault() != NULL; }

static void report_lost(const strc_executable *about) {
    unusable(who_misses(about, strc_lost()), strc_mapped_file_fault());
}

// ---- the file

static int open_weights(const strc_executable *about, const char *name) {
    uint64_t size;
    const char *why;
    char path[STRC_OWN_PATH];
    if (!name) name = strc_own_file(path, strc_text_at(about->weights_file));
    snprintf(file.name, sizeof file.name, "%s", name);
    file.bytes = strc_map_file(name, &size, &why);
    if (!file.bytes) return unusable(origin_of(about->weights), why);
    if (bind_all(about, size) != 0) return -1;
    make_panels(about);
    if (!strc_lost()) return 0;
    report_lost(about);
    return -1;
}

static const char *name_of_file(void) { return file.name; }

const strc_weights_calls strc_weights_in_file = {open_weights, is_lost, report_lost, name_of_file};
