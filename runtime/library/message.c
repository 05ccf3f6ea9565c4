#include "message.h"

#include <string.h>

typedef struct strc_line {
    char *at, *end;
} strc_line;

static void put(strc_line *line, const char *text, size_t size) {
    size_t room = (size_t)(line->end - line->at);
    if (size > room) size = room;
    memcpy(line->at, text, size);
    line->at += size;
}

static void put_text(strc_line *line, const char *text) { put(line, text, strlen(text)); }

static void put_number(strc_line *line, int64_t value) {
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do *--at = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) *--at = '-';
    put(line, at, (size_t)(digits + sizeof digits - at));
}

void strc_fault_message(char to[STRC_MESSAGE_ROOM], const strc_executable *about,
                        const strc_fault *fault) {
    const strc_site *site = &about->sites[fault->site];
    strc_line line = {to, to + STRC_MESSAGE_ROOM - 1};
    // What filters require has no place of its own: that of the instance counts.
    put_text(&line, about->texts + (site->place ? site->place : about->places[fault->node]));
    put_text(&line, ": error: ");
    const int64_t *number = fault->numbers;
    for (const char *text = about->texts + site->message; *text; ++text) {
        if (*text == STRC_NUMBER)
            put_number(&line, *number++);
        else
            put(&line, text, 1);
    }
    put_text(&line, " [");
    put_text(&line, about->texts + site->name);
    put_text(&line, "] in ");
    const char *path = about->texts + about->paths[fault->node];
    put(&line, path, strc_path_above(path, site->above));
    if (about->added[fault->node] && site->above == 0) {
        put_text(&line, ", added at ");
        put_text(&line, about->texts + about->places[fault->node]);
    }
    *line.at = '\0';
}
