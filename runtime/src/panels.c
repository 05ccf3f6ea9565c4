#include "strc/panels.h"

#include <string.h>

static int64_t count(const strc_panel_loop *loops, uint32_t depth) {
    int64_t trips = 1;
    for (uint32_t k = 0; k < depth; ++k) trips *= loops[k].trips;
    return trips;
}

/// Where the iterations of the loops lead.
static int64_t place(const strc_panel_loop *loops, uint32_t depth, int64_t iteration) {
    int64_t at = 0;
    for (uint32_t k = depth; k-- > 0; iteration /= loops[k].trips)
        at += iteration % loops[k].trips * loops[k].step;
    return at;
}

static void gather(const strc_panels *how, char *to, const char *from, const int64_t *places,
                   int64_t columns) {
    const int64_t element = (int64_t)how->element, word = how->word;
    if (element == sizeof(float) &&
        word == 1)  // a size that is known makes this a load and a store
        for (int64_t k = 0; k < columns; ++k) memcpy(to + k * 4, from + places[k] * 4, 4);
    else
        for (int64_t k = 0; k < columns * word; ++k)
            memcpy(to + k * element,
                   from + (places[k / word] + k % word * how->word_step) * element, how->element);
}

void strc_make_panels(const strc_panels *how, const strc_panel_loop *loops, void *to,
                      const void *from) {
    const strc_panel_loop *sum_loops = loops + how->column_loops;
    const int64_t element = (int64_t)how->element;
    const int64_t columns = count(loops, how->column_loops),
                  sums = count(sum_loops, how->sum_loops);
    int64_t places[STRC_PANEL_WIDTH];
    char *out = to;
    for (int64_t first = 0; first < columns; first += how->width) {
        const int64_t used = columns - first < how->width ? columns - first : how->width;
        const int64_t row = (used + how->lanes - 1) / how->lanes * how->lanes;
        for (int64_t k = 0; k < used; ++k) places[k] = place(loops, how->column_loops, first + k);
        for (int64_t sum = 0; sum < sums; ++sum, out += row * how->word * element) {
            const int64_t at = how->first + place(sum_loops, how->sum_loops, sum);
            gather(how, out, (const char *)from + at * element, places, used);
        }
    }
}
