#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double strc_clock(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int strc_rounded_count(char *to, size_t capacity, double count) {
    if (count >= 999.5e6) return snprintf(to, capacity, "%.3g billion", count / 1e9);
    if (count >= 999.5e3) return snprintf(to, capacity, "%.3g million", count / 1e6);
    if (count >= 9999.5) return snprintf(to, capacity, "%.3g thousand", count / 1e3);
    return snprintf(to, capacity, "%.0f", count);
}

static void put_duration(char *to, size_t capacity, double seconds) {
    if (seconds >= 359999) {
        snprintf(to, capacity, "more than 100 h");
        return;
    }
    int whole = (int)lround(seconds);
    if (whole < 60)
        snprintf(to, capacity, "%d s", whole);
    else if (whole < 3600)
        snprintf(to, capacity, "%d min %02d s", whole / 60, whole % 60);
    else
        snprintf(to, capacity, "%d h %02d min", whole / 3600, whole / 60 % 60);
}

void strc_progress_line(char *to, size_t capacity, uint64_t done, uint64_t total, double seconds) {
    double fraction = total == 0 ? 1 : fmin(1, (double)done / (double)total);
    int size = snprintf(to, capacity, "%3.0f %%", floor(fraction * 100));
    char text[40];
    if (seconds > 0) {
        strc_rounded_count(text, sizeof text, (double)done / seconds);
        size += snprintf(to + size, capacity - (size_t)size, "  %s items/s", text);
    }
    if (fraction <= 0) return;
    put_duration(text, sizeof text, seconds / fraction - seconds);
    snprintf(to + size, capacity - (size_t)size, "  %s left", text);
}

static const double first_after = 0.5, again_after = 0.2;  // seconds
static int enabled, shown;
static double begin, next;

void strc_progress_begin(void) {
    enabled = isatty(STDERR_FILENO);
    begin = strc_clock();
    next = begin + first_after;
}

void strc_progress_update(uint64_t done, uint64_t total) {
    if (!enabled) return;
    double now = strc_clock();
    if (now < next) return;
    next = now + again_after;
    char line[200];
    strc_progress_line(line, sizeof line, done, total, now - begin);
    fprintf(stderr, "\r\x1b[K%s", line);
    shown = 1;
}

void strc_progress_erase(void) {
    if (shown) fputs("\r\x1b[K", stderr);
    shown = 0;
}
