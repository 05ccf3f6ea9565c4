// Parts of products on several processes (strc/mesh.h). Between processes elements lie side by side, in blocks of one size for all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "strc/mesh.h"
#include "strc/workers.h"

static const char gathering[] = "gathering a product", adding[] = "adding up a product";

/// Elements of a result, in the order in which they lie side by side.
typedef struct box {
    int64_t first, elements;
    uint32_t count;  ///< of loops, outermost first
    uint32_t element;  ///< bytes
    strc_spread_loop loops[STRC_SPREAD_LOOPS + 1];
} box;

int64_t strc_spread_first(int64_t parts, uint32_t rank, uint32_t count) {
    return parts * rank / count;
}

/// `bytes`: that memory has not; 0: something else is wrong.
static _Noreturn void fail(strc_env *env, const char *what, const char *why, uint64_t bytes) {
    strc_device_error *error = &env->device_error;
    *error = (strc_device_error){.failure = STRC_MESH_FAILED, .node = STRC_NOBODY, .bytes = bytes};
    snprintf(error->text, sizeof error->text, "%s", what);
    snprintf(error->why, sizeof error->why, "%s", why);
    strc_leave(env, STRC_END_DEVICE);
}

static void *room_for(strc_env *env, const char *what, uint64_t bytes) {
    void *room = malloc(bytes);
    if (!room) fail(env, what, "there is not enough memory", bytes);
    return room;
}

// ---- boxes

/// A loop that goes from one end of the next one to the next is one with it.
static void add_loop(box *to, strc_spread_loop loop) {
    to->elements *= loop.trips;
    strc_spread_loop *before = to->count > 0 ? &to->loops[to->count - 1] : NULL;
    if (before && before->step == loop.step * loop.trips)
        *before = (strc_spread_loop){before->trips * loop.trips, loop.step};
    else
        to->loops[to->count++] = loop;
}

/// So many iterations of the parted loop from `begin` on, or all of the result if its parts are sums.
static box box_of(const strc_spread_plan *plan, int64_t begin, int64_t end) {
    box made = {.first = plan->first, .elements = 1, .element = plan->element};
    const int is_parted = plan->sums == STRC_SPREAD_RESULT;
    const strc_spread_loop split = {end - begin, plan->split.step};
    int has_split = !is_parted;
    for (uint32_t k = 0; k < plan->loop_count; ++k) {
        if (!has_split && plan->loops[k].step < split.step) {
            add_loop(&made, split);
            has_split = 1;
        }
        add_loop(&made, plan->loops[k]);
    }
    if (!has_split) add_loop(&made, split);
    if (is_parted) made.first += begin * plan->split.step;
    return made;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// What a rank has computed.
static box box_of_rank(const strc_spread_plan *plan, uint32_t rank, uint32_t count) {
    const int64_t trips = plan->split.trips;
    return box_of(plan, least(trips, strc_spread_first(plan->parts, rank, count) * plan->grain),
                  least(trips, strc_spread_first(plan->parts, rank + 1, count) * plan->grain));
}

/// Moves what the loops from `loop` on reach; returns what is behind it side by side.
static unsigned char *move(const box *what, uint32_t loop, unsigned char *apart,
                           unsigned char *beside, int gathers) {
    const int is_run = loop + 1 == what->count && what->loops[loop].step == 1;
    if (loop == what->count || is_run) {
        const size_t bytes = (size_t)(is_run ? what->loops[loop].trips : 1) * what->element;
        memcpy(gathers ? beside : apart, gathers ? apart : beside, bytes);
        return beside + bytes;
    }
    const int64_t step = what->loops[loop].step * what->element;
    for (int64_t k = 0; k < what->loops[loop].trips; ++k)
        beside = move(what, loop + 1, apart + k * step, beside, gathers);
    return beside;
}

static unsigned char *begin_of(const box *what, unsigned char *out) {
    return out + what->first * what->element;
}

static void put_beside(const box *what, unsigned char *out, unsigned char *beside) {
    if (what->elements > 0) move(what, 0, begin_of(what, out), beside, 1);
}

static void put_apart(const box *what, unsigned char *out, unsigned char *beside) {
    if (what->elements > 0) move(what, 0, begin_of(what, out), beside, 0);
}

// ---- parts of the result

/// Each process gets what the others have computed. Nonzero: it does not.
static int gather_result(const strc_mesh *mesh, const strc_spread_plan *plan, unsigned char *out,
                         unsigned char *room, uint64_t block) {
    const box own = box_of_rank(plan, mesh->rank, mesh->count);
    put_beside(&own, out, room);
    unsigned char *all = room + block;
    if (mesh->gather(mesh->self, room, block, all) != 0) return 1;
    for (uint32_t k = 0; k < mesh->count; ++k) {
        const box other = box_of_rank(plan, k, mesh->count);
        if (k != mesh->rank) put_apart(&other, out, all + k * block);
    }
    return 0;
}

static void spread_result(strc_env *env, const strc_spread_plan *plan, unsigned char *out) {
    const strc_mesh *mesh = env->mesh;
    if (!mesh || mesh->count < 2 || plan->stays_apart) return;
    int64_t most = 0;
    for (uint32_t k = 0; k < mesh->count; ++k) {
        const int64_t elements = box_of_rank(plan, k, mesh->count).elements;
        if (elements > most) most = elements;
    }
    const uint64_t block = (uint64_t)most * plan->element;
    unsigned char *room = room_for(env, gathering, block * (mesh->count + 1));
    const int failed = gather_result(mesh, plan, out, room, block);
    free(room);
    if (failed) fail(env, gathering, mesh->why(mesh->self), 0);
}

// ---- parts of the sums

#define ADD(name, type)                                                 \
    static void add_##name(void *to, const void *from, int64_t count) { \
        type *sums = to;                                                \
        const type *more = from;                                        \
        for (int64_t k = 0; k < count; ++k) sums[k] += more[k];         \
    }
ADD(floats, float)
ADD(doubles, double)
ADD(ints, uint32_t)
#undef ADD

static void add(const strc_spread_plan *plan, unsigned char *to, const unsigned char *from,
                int64_t count) {
    if (plan->sums == STRC_SPREAD_FLOATS)
        add_floats(to, from, count);
    else if (plan->sums == STRC_SPREAD_DOUBLES)
        add_doubles(to, from, count);
    else
        add_ints(to, from, count);
}

/// What ranks give each other: each gets some neighbouring elements of the sums of all parts, its stripe.
typedef struct stripes {
    uint64_t bytes;  ///< of a stripe of one part
    int64_t elements;  ///< of it; the last stripes may have fewer
    int64_t parts;  ///< the most that a rank has
} stripes;

static stripes stripes_of(const strc_mesh *mesh, const strc_spread_plan *plan, int64_t elements) {
    stripes made = {.elements = (elements + mesh->count - 1) / mesh->count};
    made.bytes = (uint64_t)made.elements * plan->element;
    for (uint32_t k = 0; k < mesh->count; ++k) {
        const int64_t parts = strc_spread_first(plan->parts, k + 1, mesh->count) -
                              strc_spread_first(plan->parts, k, mesh->count);
        if (parts > made.parts) made.parts = parts;
    }
    return made;
}

/// All sums to the beginning of `partial`, where those of the own parts are, in stripes. Nonzero: they do not come.
static int sum_stripes(const strc_mesh *mesh, const strc_spread_plan *plan, unsigned char *partial,
                       int64_t elements, unsigned char *room) {
    const stripes how = stripes_of(mesh, plan, elements);
    const uint64_t block = how.bytes * (uint64_t)how.parts;
    unsigned char *const coming = room + block * mesh->count;
    const int64_t own = strc_spread_first(plan->parts, mesh->rank + 1, mesh->count) -
                        strc_spread_first(plan->parts, mesh->rank, mesh->count);
    for (uint32_t k = 0; k < mesh->count; ++k)
        for (int64_t part = 0; part < own; ++part) {
            const int64_t begin = least(elements, k * how.elements);
            const int64_t end = least(elements, begin + how.elements);
            memcpy(room + k * block + (uint64_t)part * how.bytes,
                   partial + (part * elements + begin) * plan->element,
                   (size_t)(end - begin) * plan->element);
        }
    if (mesh->exchange(mesh->self, room, block, coming) != 0) return 1;
    unsigned char *sums = NULL;
    for (uint32_t k = 0; k < mesh->count; ++k) {
        const int64_t parts = strc_spread_first(plan->parts, k + 1, mesh->count) -
                              strc_spread_first(plan->parts, k, mesh->count);
        for (int64_t part = 0; part < parts; ++part) {
            unsigned char *more = coming + k * block + (uint64_t)part * how.bytes;
            if (sums)
                add(plan, sums, more, how.elements);
            else
                sums = more;
        }
    }
    if (mesh->gather(mesh->self, sums, how.bytes, room) != 0) return 1;
    memcpy(partial, room, (size_t)elements * plan->element);
    return 0;
}

static uint64_t room_for_stripes(const strc_mesh *mesh, const strc_spread_plan *plan,
                                 int64_t elements) {
    if (!mesh || mesh->count < 2) return 0;
    const stripes how = stripes_of(mesh, plan, elements);
    return 2 * how.bytes * (uint64_t)how.parts * mesh->count;
}

// ---- the call

/// The own parts, which the threads of the process share.
typedef struct own_parts {
    strc_part *part;
    void *self;
    int64_t first;
} own_parts;

static void some(void *self, int64_t first, int64_t end) {
    const own_parts *own = self;
    own->part(own->self, own->first + first, own->first + end);
}

/// Nonzero: the run shall end.
static int compute(strc_env *env, own_parts own, int64_t count) {
    if (count > 0) strc_workers_share(env->workers, some, &own, count, &env->poll);
    return strc_is_set(&env->poll);
}

static void spread_sums(strc_env *env, own_parts own, int64_t count, const strc_spread_plan *plan) {
    unsigned char **begin = own.self;
    unsigned char *const out = *begin;
    const strc_mesh *mesh = env->mesh;
    const box whole = box_of(plan, 0, 0);
    const uint64_t bytes = (uint64_t)whole.elements * plan->element;
    const uint64_t partials = bytes * (uint64_t)(count > 0 ? count : 1);
    unsigned char *room =
        room_for(env, adding, partials + room_for_stripes(mesh, plan, whole.elements));
    // Part k writes k whole results behind the beginning.
    *begin = (unsigned char *)((uintptr_t)room - (uintptr_t)own.first * bytes);
    const int ends = compute(env, own, count);
    *begin = out;
    int failed = 0;
    if (!ends && mesh && mesh->count > 1)
        failed = sum_stripes(mesh, plan, room, whole.elements, room + partials);
    else
        for (int64_t part = 1; part < count && !ends; ++part)
            add(plan, room, room + (uint64_t)part * bytes, whole.elements);
    if (!ends && !failed) put_apart(&whole, out, room);
    free(room);
    if (failed) fail(env, adding, mesh->why(mesh->self), 0);
    if (ends) strc_stop(env);
}

void strc_spread(strc_env *env, void *part, void *self, const void *how) {
    const strc_spread_plan *plan = how;
    const strc_mesh *mesh = env->mesh;
    const uint32_t rank = mesh ? mesh->rank : 0, count = mesh ? mesh->count : 1;
    const int64_t first = strc_spread_first(plan->parts, rank, count);
    const int64_t own = strc_spread_first(plan->parts, rank + 1, count) - first;
    const own_parts parts = {(strc_part *)part, self, first};
    if (plan->sums != STRC_SPREAD_RESULT) return spread_sums(env, parts, own, plan);
    if (compute(env, parts, own)) strc_stop(env);
    spread_result(env, plan, *(unsigned char **)self);
}
