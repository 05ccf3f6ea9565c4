// A profile for tools: the trace event format of Chrome, which Perfetto reads too, with what the table says beside the events
// ("Trace Event Format", Google, 2016: "JSON Object Format"; keys that are not known there are left alone).
#define _POSIX_C_SOURCE 200809L  // open_memstream
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

static void put_text(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < 0x20)
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

// ---- events

static const char *const phases[] = {"init", "steady state", "phase", "chunk"};

static void put_names(FILE *to, const strc_profile_tables *tables, uint32_t entry) {
    const strc_profile_entry *row = &tables->entries[entry];
    char name[200] = "";
    size_t length = 0;
    for (uint32_t k = 0; k < row->count && length < sizeof name - 1; ++k) {
        const uint32_t node = tables->members[row->first + k].node;
        const char *path =
            node == STRC_NOBODY ? "(moving items)" : tables->texts + tables->nodes[node].path;
        const char *last = strrchr(path, '.');
        const int size = snprintf(name + length, sizeof name - length, "%s%s", k ? " + " : "",
                                  last && row->count > 1 ? last + 1 : path);
        length += (size_t)size;
    }
    put_text(to, name);
}

/// Nanoseconds since the beginning. What tools read is rounded to these at both ends: a length that was rounded by itself would let an event
/// end behind the one around it, and Perfetto leaves such events out.
static int64_t since(const strc_profile *p, uint64_t time) {
    return (int64_t)((double)(int64_t)(time - p->begin) * strc_profile_tick(p) * 1e9);
}

static void put_microseconds(FILE *to, const char *key, int64_t nanoseconds) {
    fprintf(to, ",\"%s\":%s%lld.%03lld", key, nanoseconds < 0 ? "-" : "", llabs(nanoseconds / 1000),
            llabs(nanoseconds % 1000));
}

static void put_event(FILE *to, const strc_profile *p, uint32_t thread, const strc_event *event) {
    const int64_t begin = since(p, event->begin), end = since(p, event->end);
    const uint32_t number = event->what & ~STRC_EVENT_KIND;
    const char *category = "filter";
    fputs(",\n{\"ph\":\"X\",\"pid\":1,\"name\":", to);
    switch (event->what & STRC_EVENT_KIND) {
        case STRC_EVENT_PHASE:
            category = "phase";
            put_text(to, phases[number]);
            break;
        case STRC_EVENT_SEGMENT:
            category = "segment";
            fprintf(to, "\"segment %u\"", number);
            break;
        case STRC_EVENT_WAIT:
            category = "wait";
            put_text(to, "waits for another thread");
            break;
        default: put_names(to, p->tables, event->what);
    }
    fprintf(to, ",\"cat\":\"%s\",\"tid\":%u", category, thread);
    put_microseconds(to, "ts", begin);
    put_microseconds(to, "dur", end - begin);
    fputc('}', to);
}

static void put_events(FILE *to, const strc_profile *p) {
    fputs(
        "\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":",
        to);
    put_text(to, p->tables->texts + p->tables->main_stream);
    fputs("}}", to);
    for (uint32_t k = 0; k < p->thread_count; ++k) {
        const strc_profile_thread *t = &p->threads[k];
        fprintf(to,
                ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":"
                "\"thread %u\"}}",
                k, k);
        for (uint32_t n = 0; n < t->event_count; ++n) put_event(to, p, k, &t->events[n]);
    }
    fputs("\n]", to);
}

// ---- figures

static void put_filter(FILE *to, const strc_profile *p, uint32_t id, double seconds,
                       int is_estimated) {
    const strc_profile_node *node = &p->tables->nodes[id];
    const uint64_t firings = strc_profile_firings(p, id);
    fprintf(to, "%s\n{\"path\":", id ? "," : "");
    put_text(to, p->tables->texts + node->path);
    fputs(",\"kernel\":", to);
    put_text(to, p->tables->texts + node->kernel);
    fprintf(to, ",\"group\":%u,\"firings\":%llu,\"seconds\":%.9f,\"estimated\":%s,\"items\":%llu}",
            node->group, (unsigned long long)firings, seconds, is_estimated ? "true" : "false",
            (unsigned long long)(node->items * firings));
}

static void put_threads(FILE *to, const strc_profile *p) {
    const double tick = strc_profile_tick(p);
    fputs(",\n\"threads\":[", to);
    for (uint32_t k = 0; k < p->thread_count; ++k)
        fprintf(to, "%s\n{\"busy\":%.9f,\"waiting\":%.9f,\"chunks\":%llu}", k ? "," : "",
                strc_profile_busy(p, k), (double)p->threads[k].waited * tick,
                (unsigned long long)p->threads[k].samplers[STRC_PROFILE_CHUNK].runs);
    fputs("]", to);
}

static void put_channels(FILE *to, const strc_profile *p) {
    int any = 0;
    fputs(",\n\"tapes\":[", to);
    for (uint32_t k = 0; k < p->tables->channel_count; ++k) {
        const int64_t most = strc_profile_mark(p, k);
        if (most < 0) continue;
        fprintf(to, "%s\n{\"tape\":", any++ ? "," : "");
        put_text(to, p->tables->texts + p->tables->channels[k].name);
        fprintf(to, ",\"most\":%lld,\"bytes\":%lld}", (long long)most,
                (long long)most * p->tables->channels[k].item_bytes);
    }
    fputs("]", to);
}

static void put_figures(FILE *to, const strc_profile *p, const double *times,
                        const unsigned char *estimated) {
    const uint32_t nodes = p->tables->node_count;
    fputs(",\n\"strc\":{\"format\":\"strc-profile\",\"version\":1,\"program\":", to);
    put_text(to, p->tables->texts + p->tables->main_stream);
    fputs(",\"engine\":", to);
    put_text(to, p->tables->texts + p->tables->engine);
    fprintf(
        to,
        ",\"iterations\":%llu,\"drained\":%llu,\"seconds\":%.9f,\"between\":%.9f,\n\"filters\":[",
        (unsigned long long)p->iterations, (unsigned long long)p->drained,
        (double)(p->end_ns - p->begin_ns) * 1e-9, times[nodes]);
    for (uint32_t k = 0; k < nodes; ++k) put_filter(to, p, k, times[k], estimated[k]);
    fputs("]", to);
    put_threads(to, p);
    put_channels(to, p);
    fputs("}", to);
}

char *strc_profile_json(const strc_profile *p) {
    char *text = NULL;
    size_t size = 0;
    unsigned char *estimated = NULL;
    double *times = strc_profile_times(p, &estimated);
    FILE *to = open_memstream(&text, &size);
    int failed = !times || !to;
    if (!failed) {
        fputs("{\"displayTimeUnit\":\"ns\",\n", to);
        put_events(to, p);
        put_figures(to, p, times, estimated);
        fputs("}\n", to);
    }
    if (to) failed |= fclose(to) != 0;
    free(times);
    free(estimated);
    if (!failed) return text;
    free(text);
    return NULL;
}
