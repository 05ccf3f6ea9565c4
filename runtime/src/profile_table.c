// A profile for people.
#define _POSIX_C_SOURCE 200809L  // open_memstream
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum {
    kMostRows = 40,  ///< of filters, and of tapes: all of them are in the JSON
    kMostName = 60,
};

/// A row of the tables of filters and kernels.
typedef struct line {
    const char *name;
    uint64_t firings, items;
    uint32_t instances;
    double seconds;
    int is_estimated;
    uint32_t order;  ///< among those that took as long
} line;

typedef struct report {
    FILE *to;
    const strc_profile *profile;
    const strc_profile_tables *tables;
    double *times;
    unsigned char *estimated;
    double total;  ///< seconds of all filters, and of what moves items
    int name_width;
} report;

static const char *text_of(const report *r, uint32_t at) { return r->tables->texts + at; }

/// "950", "12.3 k", "4.56 M", "7.89 G"
static const char *rounded(char *to, size_t capacity, double count) {
    static const char units[] = {0, 'k', 'M', 'G', 'T'};
    size_t unit = 0;
    while (count >= 999.5 && unit + 1 < sizeof units) {
        count /= 1000;
        ++unit;
    }
    if (unit == 0)
        snprintf(to, capacity, "%.0f", count);
    else
        snprintf(to, capacity, "%.3g %c", count, units[unit]);
    return to;
}

/// What is so long is cut at its front: filters differ at the end of their paths.
static const char *shortened(char *to, const char *name) {
    const size_t length = strlen(name);
    if (length <= kMostName) return name;
    snprintf(to, kMostName + 4, "...%s", name + length - (kMostName - 3));
    return to;
}

static int compare(const void *a, const void *b) {
    const line *one = a, *other = b;
    if (one->seconds != other->seconds) return one->seconds < other->seconds ? 1 : -1;
    return one->order < other->order ? -1 : 1;
}

static double part(const report *r, double seconds) {
    return r->total > 0 ? 100 * seconds / r->total : 0;
}

static void print_line(const report *r, const line *each) {
    char items[40], name[kMostName + 8];
    const char *mark = each->is_estimated ? "~" : "";
    rounded(items, sizeof items, each->seconds > 0 ? (double)each->items / each->seconds : 0);
    fprintf(r->to, "%-*s %10llu %1s%9.6f %6.1f %10.1f %9s\n", r->name_width,
            shortened(name, each->name), (unsigned long long)each->firings, mark, each->seconds,
            part(r, each->seconds),
            each->firings ? each->seconds * 1e9 / (double)each->firings : 0.0,
            each->items && each->seconds > 0 ? items : "-");
}

static void print_heads(const report *r, const char *first) {
    fprintf(r->to, "\n%-*s %10s %10s %6s %10s %9s\n", r->name_width, first, "firings", "seconds",
            "%", "ns/firing", "items/s");
}

static void print_lines(const report *r, line *lines, uint32_t count, const char *what) {
    qsort(lines, count, sizeof *lines, compare);
    print_heads(r, what);
    line rest = {.name = "others"};
    for (uint32_t k = 0; k < count; ++k) {
        if (k < kMostRows || count <= kMostRows + 1) {
            print_line(r, &lines[k]);
            continue;
        }
        rest.firings += lines[k].firings;
        rest.seconds += lines[k].seconds;
        rest.is_estimated |= lines[k].is_estimated;
    }
    if (rest.firings != 0) print_line(r, &rest);
}

static line line_of(const report *r, uint32_t node) {
    const strc_profile_node *about = &r->tables->nodes[node];
    const uint64_t firings = strc_profile_firings(r->profile, node);
    return (line){.name = text_of(r, about->path),
                  .firings = firings,
                  .items = about->items * firings,
                  .instances = 1,
                  .seconds = r->times[node],
                  .is_estimated = r->estimated[node],
                  .order = node};
}

/// Nonzero: there is no memory.
static int print_filters(const report *r) {
    const uint32_t count = r->tables->node_count;
    line *lines = malloc((count + 1) * sizeof *lines);
    if (!lines) return 1;
    for (uint32_t k = 0; k < count; ++k) lines[k] = line_of(r, k);
    print_lines(r, lines, count, "filter");
    free(lines);
    const double moving = r->times[count];
    fprintf(r->to, "%-*s %10s %1s%9.6f %6.1f\n", r->name_width, "(between filters)", "",
            r->estimated[count] ? "~" : "", moving, part(r, moving));
    fprintf(r->to, "%-*s %10s %10.6f %6.1f\n", r->name_width, "all", "", r->total,
            part(r, r->total));
    return 0;
}

static int print_kernels(const report *r) {
    const strc_profile_tables *tables = r->tables;
    line *lines = calloc(tables->node_count + 1, sizeof *lines);
    if (!lines) return 1;
    uint32_t count = 0;
    for (uint32_t k = 0; k < tables->node_count; ++k) {
        const line each = line_of(r, k);
        line *group = &lines[tables->nodes[k].group];
        if (tables->nodes[k].group >= count) count = tables->nodes[k].group + 1;
        group->name = text_of(r, tables->nodes[k].kernel);
        group->firings += each.firings;
        group->items += each.items;
        group->seconds += each.seconds;
        group->is_estimated |= each.is_estimated;
        group->order = tables->nodes[k].group;
    }
    print_lines(r, lines, count, "kernel");
    free(lines);
    return 0;
}

static void print_threads(const report *r, double wall) {
    const strc_profile *p = r->profile;
    const double tick = strc_profile_tick(p);
    fprintf(r->to, "\n%-*s %10s %10s %10s\n", r->name_width, "thread", "busy", "waiting", "else");
    for (uint32_t k = 0; k < p->thread_count; ++k) {
        const double busy = strc_profile_busy(p, k);
        const double waiting = (double)p->threads[k].waited * tick;
        const double rest = wall - busy - waiting;
        char name[24];
        snprintf(name, sizeof name, "%u", k);
        fprintf(r->to, "%-*s %10.6f %10.6f %10.6f\n", r->name_width, name, busy, waiting,
                rest > 0 ? rest : 0.0);
    }
}

static void print_channels(const report *r) {
    const strc_profile_tables *tables = r->tables;
    fprintf(r->to, "\n%-*s %10s %10s\n", r->name_width, "tape", "most items", "bytes");
    uint32_t shown = 0;
    for (uint32_t k = 0; k < tables->channel_count && shown < kMostRows; ++k) {
        const int64_t most = strc_profile_mark(r->profile, k);
        if (most < 0) continue;
        char name[kMostName + 8];
        ++shown;
        fprintf(r->to, "%-*s %10lld %10lld\n", r->name_width,
                shortened(name, text_of(r, tables->channels[k].name)), (long long)most,
                (long long)most * tables->channels[k].item_bytes);
    }
    if (tables->channel_count > kMostRows && shown == kMostRows) fprintf(r->to, "...\n");
}

static void widen(report *r, const char *text) {
    const int length = (int)strlen(text);
    const int width = length > kMostName ? kMostName : length;
    if (width > r->name_width) r->name_width = width;
}

static int print(report *r) {
    const strc_profile *p = r->profile;
    const strc_profile_tables *tables = r->tables;
    const double wall = (double)(p->end_ns - p->begin_ns) * 1e-9;
    r->name_width = 17;
    for (uint32_t k = 0; k < tables->node_count; ++k) widen(r, text_of(r, tables->nodes[k].path));
    for (uint32_t k = 0; k < tables->channel_count; ++k)
        widen(r, text_of(r, tables->channels[k].name));
    for (uint32_t k = 0; k <= tables->node_count; ++k) r->total += r->times[k];
    fprintf(r->to, "profile of %s (%s): %llu steady state%s in %.6f s, %u thread%s\n",
            text_of(r, tables->main_stream), text_of(r, tables->engine),
            (unsigned long long)p->iterations, p->iterations == 1 ? "" : "s", wall, p->thread_count,
            p->thread_count == 1 ? "" : "s");
    if (p->drained != 0)
        fprintf(r->to, "and %llu firings at the end of the input, which are not told apart below\n",
                (unsigned long long)p->drained);
    if (print_filters(r) != 0 || print_kernels(r) != 0) return 1;
    print_threads(r, wall);
    print_channels(r);
    return 0;
}

char *strc_profile_table(const strc_profile *p) {
    char *text = NULL;
    size_t size = 0;
    report r = {.profile = p, .tables = p->tables};
    r.times = strc_profile_times(p, &r.estimated);
    r.to = open_memstream(&text, &size);
    int failed = !r.times || !r.to || print(&r) != 0;
    if (r.to) failed |= fclose(r.to) != 0;
    free(r.times);
    free(r.estimated);
    if (!failed) return text;
    free(text);
    return NULL;
}
