// Where a program is cut over ranks, and what comes of it.
#include <stdlib.h>
#include <string.h>

#include "strc/ranks.h"

static const double message = 2000;  // ns of a processor for one
static const double copying = 0.1;  // ns likewise, for each byte
static const double tolerance = 1.05;  // a cut may be so much slower if less crosses
static const double transaction = 30e6;  // ns
enum { kLeastChunks = 4, kMostChunks = 1024, kLeastWindow = 2, kMostWindow = 32 };
static const uint64_t window_bytes = (uint64_t)1 << 22;

uint64_t strc_cut_piece(const strc_ranks *ranks, const strc_rank_tape *tape, uint32_t segment,
                        uint64_t *first) {
    if (tape->written >= segment || tape->read == STRC_NO_SEGMENT || tape->read < segment) return 0;
    // What stayed is there already if it was taken before, and has to go on.
    *first = tape->taken < segment ? 0 : tape->kept;
    uint64_t end = tape->kept + tape->bytes * ranks->slices;
    if (end > tape->room) end = tape->room;
    return end > *first ? end - *first : 0;
}

uint64_t strc_cut_bytes(const strc_ranks *ranks, uint32_t segment) {
    uint64_t sum = 0, first;
    for (uint64_t k = 0; k < ranks->tape_count; ++k)
        sum += strc_cut_piece(ranks, &ranks->tapes[k], segment, &first);
    return sum;
}

uint64_t strc_cut_transaction(double chunk) {
    const double count = chunk > 0 ? transaction / chunk : kMostChunks;
    return count < kLeastChunks  ? kLeastChunks
           : count > kMostChunks ? kMostChunks
                                 : (uint64_t)count;
}

uint32_t strc_cut_window(uint64_t bytes) {
    const uint64_t count = bytes != 0 ? window_bytes / bytes : kMostWindow;
    return count < kLeastWindow  ? kLeastWindow
           : count > kMostWindow ? kMostWindow
                                 : (uint32_t)count;
}

// ---- the cut

/// By boundary in front of a segment, and behind the last one.
typedef struct costs {
    uint32_t segments;
    double *before;  ///< ns of all segments in front of it
    double *handing;  ///< ns that a rank on either side takes for what crosses
    double *link;  ///< ns that the network takes
    uint64_t *bytes;
    const uint32_t *may_begin;
} costs;

static double work_of(const costs *c, uint32_t first, uint32_t end) {
    return c->before[end] - c->before[first] + c->handing[first] + c->handing[end];
}

static int make_costs(const strc_ranks *ranks, costs *c) {
    const size_t count = (size_t)ranks->segments + 1;
    *c = (costs){.segments = ranks->segments, .may_begin = ranks->may_begin};
    c->before = calloc(3 * count, sizeof *c->before);
    c->bytes = calloc(count, sizeof *c->bytes);
    if (!c->before || !c->bytes) return -1;
    c->handing = c->before + count;
    c->link = c->handing + count;
    for (uint32_t k = 0; k < ranks->segments; ++k)
        c->before[k + 1] = c->before[k] + ranks->work[k] * ranks->slices;
    for (uint32_t k = 1; k < ranks->segments; ++k) {
        c->bytes[k] = strc_cut_bytes(ranks, k);
        c->handing[k] = message + copying * (double)c->bytes[k];
        c->link[k] = ranks->pace > 0 ? (double)c->bytes[k] / ranks->pace : 0;
    }
    return 0;
}

static void free_costs(costs *c) {
    free(c->before);
    free(c->bytes);
}

static double greater(double a, double b) { return a > b ? a : b; }

/// The least that the slowest of `ranks` parts, or of the links between them, can take. `best`: room for two rows of segments + 1.
static double least_slowest(const costs *c, uint32_t ranks, double *best) {
    const uint32_t n = c->segments;
    double *last = best, *next = best + n + 1;
    for (uint32_t end = 0; end <= n; ++end) last[end] = work_of(c, 0, end);
    for (uint32_t k = 1; k < ranks && k < n; ++k) {
        for (uint32_t end = 0; end <= n; ++end) {
            next[end] = last[end];
            for (uint32_t cut = 1; cut < end; ++cut) {
                if (!c->may_begin[cut]) continue;
                const double slowest =
                    greater(greater(last[cut], c->link[cut]), work_of(c, cut, end));
                if (slowest < next[end]) next[end] = slowest;
            }
        }
        double *row = last;
        last = next;
        next = row;
    }
    return last[n];
}

typedef struct state {
    uint64_t bytes;  ///< that cross, for the segments in front
    uint32_t cut;  ///< the last one, in front of which the parts before end
} state;

/// Of the cuts none of whose parts takes more than `most` the one where the least crosses; 0: there is none.
static uint32_t least_bytes(const costs *c, uint32_t ranks, double most, state *rows,
                            uint32_t *first) {
    const uint32_t n = c->segments;
    const size_t width = (size_t)n + 1;
    uint32_t best = 0;
    for (uint32_t parts = 1; parts <= ranks && parts <= n; ++parts) {
        state *row = rows + (parts - 1) * width;
        const state *fewer = rows + (parts > 1 ? parts - 2 : 0) * width;
        for (uint32_t end = 1; end <= n; ++end) {
            row[end] = (state){UINT64_MAX, 0};
            if (parts == 1) {
                if (work_of(c, 0, end) <= most) row[end].bytes = 0;
                continue;
            }
            for (uint32_t cut = parts - 1; cut < end; ++cut) {
                const uint64_t before = fewer[cut].bytes;
                if (!c->may_begin[cut] || before == UINT64_MAX || c->link[cut] > most ||
                    work_of(c, cut, end) > most)
                    continue;
                if (before + c->bytes[cut] < row[end].bytes)
                    row[end] = (state){before + c->bytes[cut], cut};
            }
        }
        if (row[n].bytes != UINT64_MAX &&
            (best == 0 || row[n].bytes < rows[(best - 1) * width + n].bytes))
            best = parts;
    }
    uint32_t end = n;
    for (uint32_t k = best; k-- > 0;) {
        first[k + 1] = end;
        end = rows[k * width + end].cut;
    }
    first[0] = 0;
    return best;
}

uint32_t strc_cut(const strc_ranks *ranks, uint32_t wanted, uint32_t *first) {
    const uint32_t n = ranks->segments;
    const uint32_t most = wanted < n ? wanted : n;
    costs c;
    const int failed = make_costs(ranks, &c);
    double *best = malloc(2 * ((size_t)n + 1) * sizeof *best);
    state *rows = malloc((size_t)most * ((size_t)n + 1) * sizeof *rows);
    uint32_t count = 0;
    if (failed == 0 && best && rows)
        count = least_bytes(&c, most, least_slowest(&c, most, best) * tolerance, rows, first);
    free(best);
    free(rows);
    free_costs(&c);
    return count;
}

// ---- what it does

strc_cut_speed strc_cut_predict(const strc_ranks *ranks, uint32_t count, const uint32_t *first) {
    strc_cut_speed speed = {0};
    costs c;
    double *ends = calloc((size_t)count * (kMostWindow + 1), sizeof *ends);
    if (make_costs(ranks, &c) == 0 && ends) {
        speed.alone = c.before[ranks->segments];
        for (uint32_t k = 0; k < count; ++k) {
            speed.slowest = greater(speed.slowest, work_of(&c, first[k], first[k + 1]));
            if (k != 0) speed.link = greater(speed.link, c.link[first[k]]);
        }
        // ends[k][j]: when rank k was done with the chunk that is j modulo the window.
        const uint64_t chunks = strc_cut_transaction(greater(speed.slowest, speed.link));
        for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
            double there = 0;  // when what the rank needs is there
            for (uint32_t k = 0; k < count; ++k) {
                double *own = ends + (size_t)k * (kMostWindow + 1);
                const double last = chunk == 0 ? 0 : own[(chunk - 1) % (kMostWindow + 1)];
                double begin = greater(there, last);
                if (k + 1 < count) {
                    const uint32_t window = strc_cut_window(c.bytes[first[k + 1]]);
                    const double *next = own + (kMostWindow + 1);
                    if (chunk >= window)
                        begin = greater(
                            begin, next[(chunk - window) % (kMostWindow + 1)] + ranks->latency);
                }
                own[chunk % (kMostWindow + 1)] = begin + work_of(&c, first[k], first[k + 1]);
                there = own[chunk % (kMostWindow + 1)] + c.link[first[k + 1]] + ranks->latency;
            }
        }
        double end = 0;
        for (uint32_t k = 0; k < count; ++k)
            end = greater(end,
                          ends[(size_t)k * (kMostWindow + 1) + (chunks - 1) % (kMostWindow + 1)]);
        // Who has done its chunks says so, and is told that all have: twice there and back.
        if (count > 1) end += 4 * ranks->latency;
        speed.chunk = count > 1 ? end / (double)chunks : speed.alone;
    }
    free(ends);
    free_costs(&c);
    return speed;
}
