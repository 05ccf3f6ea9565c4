#include "messages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "strc/utf8.h"

static const strc_executable *about;
static const char *speaker;
static int call_faults, other_faults;

// ---- what is kept

static struct {
    char *bytes;
    size_t size, capacity;
} kept;

static void write_out(const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = write(STDERR_FILENO, bytes, size);
        if (done <= 0) return;  // there is nobody left to tell
        bytes += done;
        size -= (size_t)done;
    }
}

void strc_messages_show(void) {
    write_out(kept.bytes, kept.size);
    kept.size = 0;
}

static void put(const char *bytes, size_t size) {
    if (size > kept.capacity - kept.size) {
        size_t capacity = 2 * kept.capacity + size + 256;
        char *larger = realloc(kept.bytes, capacity);
        if (!larger) {  // then at once
            strc_messages_show();
            write_out(bytes, size);
            return;
        }
        kept.bytes = larger;
        kept.capacity = capacity;
    }
    memcpy(kept.bytes + kept.size, bytes, size);
    kept.size += size;
}

static void put_text(const char *text) { put(text, strlen(text)); }

// ---- texts from outside: one line, no control characters

static void put_foreign(const char *foreign) {
    const unsigned char *text = (const unsigned char *)foreign;
    while (*text) {
        size_t length = strc_utf8_length(text);
        int control = *text < 0x20 || *text == 0x7F || (*text == 0xC2 && text[1] < 0xA0);
        if (*text == '\n' || *text == '\t')
            put(" ", 1);
        else if (length == 0 || control)
            put_text(STRC_UTF8_REPLACEMENT);
        else
            put((const char *)text, length);
        text += length ? length : 1;
    }
}

// ---- wording

static void put_worded(const char *text, const char *const *arguments) {
    const char *last = "";
    for (const char *open = strchr(text, '{'); open; open = strchr(text, '{')) {
        put(text, (size_t)(open - text));
        text = strchr(open, '}') + 1;
        if (strncmp(open, "{s}", 3) == 0) {
            if (strcmp(last, "1") != 0) put("s", 1);
        } else if (*arguments) {
            last = *arguments++;
            put_foreign(last);
        }
    }
    put_text(text);
}

static void put_heading(strc_text place, const char *severity) {
    if (place)
        put_foreign(strc_text_at(place));
    else
        put_foreign(speaker);
    put_text(": ");
    put_text(severity);
    put_text(": ");
}

static void put_end(strc_text name, strc_text instance) {
    put_text(" [");
    put_text(strc_text_at(name));
    put_text("]\n");
    if (instance) strc_note(STRC_MESSAGE_InInstance, strc_text_at(instance));
}

/// Is it the call that has to be changed? Files that the program names have a place.
static int is_call_fault(strc_message_id id, strc_origin origin) {
    switch (id) {
        case STRC_MESSAGE_UnknownFormat:
        case STRC_MESSAGE_FormatItemType:
        case STRC_MESSAGE_FormatLeftOut: return origin.place == 0;
        case STRC_MESSAGE_BadCommandLine:
        case STRC_MESSAGE_BadOptionValue:
        case STRC_MESSAGE_ConflictingOptions:
        case STRC_MESSAGE_MainStreamSide:
        case STRC_MESSAGE_NumberOfFiles:
        case STRC_MESSAGE_UnknownDefine:
        case STRC_MESSAGE_BadDefineValue: return 1;
        default: return 0;
    }
}

// ---- the interface

void strc_messages_begin(const strc_executable *executable, const char *name) {
    about = executable;
    speaker = name;
    call_faults = other_faults = 0;
}

const char *strc_text_at(strc_text text) { return about->texts + text; }

int strc_report(strc_severity severity, strc_origin origin, strc_message_id id,
                const char *const *arguments) {
    if (severity == STRC_SILENT) return -1;
    if (severity == STRC_ERROR) *(is_call_fault(id, origin) ? &call_faults : &other_faults) = 1;
    const strc_message *message = &about->messages[id];
    put_heading(origin.place, severity == STRC_ERROR ? "error" : "warning");
    put_worded(strc_text_at(message->message), arguments);
    put_end(message->name, origin.instance);
    return -1;
}

static int report_error(const strc_reporter *self, strc_text place, strc_text instance,
                        strc_message_id id, const char *const *arguments) {
    return strc_report(STRC_ERROR, (strc_origin){place, instance, self}, id, arguments);
}

static void give_hint(const strc_reporter *self, const char *text) {
    (void)self;
    strc_note(STRC_MESSAGE_Hint, text);
}

const strc_reporter strc_messages = {report_error, give_hint};

void strc_note(strc_message_id id, const char *argument) {
    put_text("note: ");
    put_worded(strc_text_at(about->messages[id].message), (const char *const[]){argument, 0});
    put_text("\n");
}

static void put_note(strc_text place, strc_text note) {
    if (!place || !note) return;
    put_heading(place, "note");
    put_text(strc_text_at(note));
    put_text("\n");
}

/// What a composite requires is checked by a filter in it.
static void note_composite(const char *path, uint32_t above) {
    char *name = strndup(path, strc_path_above(path, above));
    strc_note(STRC_MESSAGE_InInstance, name ? name : path);
    free(name);
}

void strc_report_fault(const strc_fault *fault) {
    const strc_site *site = &about->sites[fault->site];
    other_faults = 1;
    // What filters require has no place of its own: that of the instance counts.
    put_heading(site->place ? site->place : about->places[fault->node], "error");
    strc_digits digits;
    const int64_t *number = fault->numbers;
    for (const char *text = strc_text_at(site->message); *text; ++text) {
        if (*text == STRC_NUMBER)
            put_text(strc_decimal_text(digits, *number++));
        else
            put(text, 1);
    }
    put_end(site->name, site->above == 0 ? about->paths[fault->node] : 0);
    if (site->above == 0)
        put_note(about->places[fault->node], about->added[fault->node]);
    else
        note_composite(strc_text_at(about->paths[fault->node]), site->above);
}

void strc_report_symbolic(const strc_symbolic_fault *fault) {
    const strc_symbolic_row *filter = &about->symbolic->filters[fault->filter];
    const strc_text place = fault->place == STRC_NOBODY ? 0 : about->symbolic->places[fault->place];
    other_faults = 1;
    put_heading(fault->is_shape ? filter->place : place, "error");
    put_foreign(fault->message);
    put_text(" [");
    put_text(fault->name);
    put_text("]\n");
    strc_note(STRC_MESSAGE_InInstance, strc_text_at(filter->path));
    if (fault->is_shape)
        put_note(place, filter->in_body);
    else
        put_note(filter->place, filter->added);
}

int strc_messages_status(void) { return other_faults ? 1 : call_faults ? 2 : 0; }
