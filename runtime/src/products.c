// How sums of products are done on a device (strc/contraction.h): their loops become tables of offsets, and their sizes
// decide on the kernel and on how many blocks of threads there are.
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum {
    kMostLoops = 24,
    kMostRows = 1 << 16,  ///< of several firings together
    kBlocksEach = 2,  ///< that each processor should have
    kShortestPart = 64,  ///< sums
    kMostParts = 32,
    kMostGrid = 65535,
    kMostPartial = 1 << 28,  ///< bytes
    kTensorSums = 8,  ///< fewer would be zeros for the most part on tensor cores
};

typedef struct loops {
    strc_device_loop at[kMostLoops];
    int count;
    int64_t trips;
} loops;

typedef struct tables {
    int *items;
    uint64_t count, capacity;
    int failed;
} tables;

static void add_loop(loops *to, strc_device_loop loop) {
    to->at[to->count++] = loop;
    to->trips *= loop.trips;
}

/// The loop with the shortest step in the result goes last.
static void order(loops *all) {
    for (int i = 1; i < all->count; ++i)
        for (int j = i; j > 0 && abs(all->at[j - 1].out) < abs(all->at[j].out); --j) {
            strc_device_loop other = all->at[j];
            all->at[j] = all->at[j - 1];
            all->at[j - 1] = other;
        }
}

static int step_of(const strc_device_loop *loop, int which) {
    const int steps[] = {loop->out, loop->a, loop->b, loop->added[0], loop->added[1]};
    return steps[which];
}

static int offset_of(const loops *all, int64_t item, int which) {
    int64_t offset = 0;
    for (int k = all->count; k-- > 0;) {
        offset += item % all->at[k].trips * step_of(&all->at[k], which);
        item /= all->at[k].trips;
    }
    return (int)offset;
}

/// Offsets of the result (0), a (1), b (2) or an addend (3, 4): a step if all are multiples of one, else a table, for now its place.
static strc_offsets offsets_of(tables *to, const loops *all, int which) {
    strc_offsets result = {NULL, 0, 0};
    if (all->trips > 1) result.step = offset_of(all, 1, which);
    int is_straight = 1;
    for (int64_t i = 2; i < all->trips && is_straight; ++i)
        is_straight = offset_of(all, i, which) == i * result.step;
    if (is_straight) return result;
    uint64_t needed = to->count + (uint64_t)all->trips;
    if (needed > to->capacity) {
        uint64_t capacity = needed * 2;
        int *items = realloc(to->items, capacity * sizeof *items);
        if (!items) {
            to->failed = 1;
            return result;
        }
        to->items = items;
        to->capacity = capacity;
    }
    result.table = (const int *)(uintptr_t)(to->count * sizeof(int) + 1);  // 0 is no table
    for (int64_t i = 0; i < all->trips; ++i) to->items[to->count++] = offset_of(all, i, which);
    return result;
}

static void place_table(strc_offsets *offsets, cu_address tables) {
    if (offsets->table)
        offsets->table = (const int *)(uintptr_t)(tables + ((uintptr_t)offsets->table - 1));
}

static void take_loops(const strc_device_program *program, const strc_device_contraction *from,
                       loops group[4]) {
    const uint32_t counts[4] = {from->rows, from->columns, from->batch, from->sums};
    const strc_device_loop *next = program->loops + from->first_loop + 1;
    for (int k = 0; k < 4; ++k) {
        group[k] = (loops){.trips = 1};
        for (uint32_t i = 0; i < counts[k]; ++i) add_loop(&group[k], *next++);
    }
}

static int64_t size_of_factor(uint32_t element) {
    return element == STRC_DEVICE_DOUBLE                                    ? 8
           : element == STRC_DEVICE_HALF || element == STRC_DEVICE_BFLOAT16 ? 2
                                                                            : 4;
}

/// Of results and addends.
static int64_t size_of_sum(uint32_t element) { return element == STRC_DEVICE_DOUBLE ? 8 : 4; }

/// Firings that all have one of the operands are more rows, or columns.
static int64_t merge_firings(const strc_device_op *op, const strc_device_address *places,
                             loops group[4], uint32_t element) {
    const int64_t size = size_of_sum(element), factor = size_of_factor(element);
    const int64_t out = places[0].per_firing / size, a = places[1].per_firing / factor,
                  b = places[2].per_firing / factor;
    const int64_t firings = (int64_t)op->count;
    strc_device_loop loop = {(int32_t)firings, (int32_t)out, (int32_t)a, (int32_t)b, {0, 0}};
    if (firings == 1) return 1;
    for (uint32_t k = 3; k < op->address_count; ++k) {
        const int64_t step = places[k].per_firing / size;
        if (step * firings > INT32_MAX) return firings;
        loop.added[k - 3] = (int32_t)step;
    }
    const int into = b == 0 && a != 0 ? 0 : a == 0 && b != 0 ? 1 : -1;
    if (into < 0 || group[into].trips * firings > kMostRows || out * firings > INT32_MAX ||
        a * firings > INT32_MAX || b * firings > INT32_MAX)
        return firings;
    add_loop(&group[into], loop);
    return 1;
}

static int least_step(const loops *all) {
    int least = INT32_MAX;
    for (int k = 0; k < all->count; ++k)
        if (abs(all->at[k].out) < least) least = abs(all->at[k].out);
    return least;
}

/// Columns are what lies side by side in the result, unless there would be few of them and many rows.
static int should_swap(const loops group[4]) {
    if (group[0].trips > STRC_THIN_ROWS && group[1].trips <= STRC_THIN_ROWS) return 1;
    if (group[0].trips <= STRC_THIN_ROWS && group[1].trips > STRC_THIN_ROWS) return 0;
    return least_step(&group[0]) < least_step(&group[1]);
}

static void swap(loops group[4]) {
    loops rows = group[0];
    group[0] = group[1];
    group[1] = rows;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < group[k].count; ++i) {
            strc_device_loop *loop = &group[k].at[i];
            int32_t a = loop->a;
            loop->a = loop->b;
            loop->b = a;
        }
}

static int64_t divided(int64_t a, int64_t b) { return (a + b - 1) / b; }

static unsigned clamped(int64_t blocks) {
    return (unsigned)(blocks < 1 ? 1 : blocks > kMostGrid ? kMostGrid : blocks);
}

/// `size`: bytes of a sum.
static void choose(strc_product *product, int processors, int64_t size) {
    strc_contraction *c = &product->how;
    const int64_t wholes = (int64_t)c->batches * c->firings;
    const int is_thin = c->rows <= STRC_THIN_ROWS;
    const int64_t wanted = (int64_t)kBlocksEach * processors;
    c->parts = 1;
    if (is_thin && c->b_along_sums && c->sums >= 32) {
        product->way = STRC_WAY_DOTS;
        product->grid[0] = clamped(divided((int64_t)c->columns * 32, STRC_THIN_THREADS));
        product->grid[1] = clamped(wholes);
        return;
    }
    const int64_t threads = c->columns * wholes;
    if (is_thin && (c->sums < 2 * kShortestPart || threads >= 64 * wanted)) {
        product->way = STRC_WAY_THIN;
        product->grid[0] = clamped(divided(c->columns, STRC_THIN_THREADS));
        product->grid[1] = clamped(wholes);
        return;
    }
    product->way =
        product->is_for_tensor_cores && c->sums >= kTensorSums ? STRC_WAY_TENSOR : STRC_WAY_TILE;
    product->grid[0] = (unsigned)divided(c->columns, STRC_TILE);
    product->grid[1] = clamped(divided(c->rows, STRC_TILE));
    const int64_t tiles = (int64_t)product->grid[0] * product->grid[1] * wholes;
    int64_t parts = divided(wanted, tiles);
    if (parts > c->sums / kShortestPart) parts = c->sums / kShortestPart;
    if (parts > kMostParts) parts = kMostParts;
    while (parts > 1 && parts * wholes * c->rows * c->columns * size > kMostPartial) --parts;
    if (parts > 1) c->parts = (int)parts;
    product->grid[2] = clamped(wholes * c->parts);
}

static void prepare(strc_device *d, const strc_device_op *op, strc_product *product, tables *to) {
    const strc_device_contraction *from = &d->program->contractions[op->what];
    const strc_device_address *places = d->program->places + op->first_address;
    const int64_t size = size_of_sum(from->element), factor = size_of_factor(from->element);
    loops group[4];
    take_loops(d->program, from, group);
    int64_t firings = merge_firings(op, places, group, from->element);
    int64_t per[3];
    for (int k = 0; k < 3; ++k)
        per[k] = firings == 1 ? 0 : places[k].per_firing / (k == 0 ? size : factor);
    for (int k = 0; k < 3; ++k) order(&group[k]);
    product->is_swapped = should_swap(group);
    if (product->is_swapped) {
        swap(group);
        int64_t a = per[1];
        per[1] = per[2];
        per[2] = a;
    }
    product->element = from->element;
    product->is_for_tensor_cores = (int)from->is_for_tensor_cores;
    product->grid[0] = product->grid[1] = product->grid[2] = 1;
    product->how = (strc_contraction){
        .out_per_firing = per[0],
        .a_per_firing = per[1],
        .b_per_firing = per[2],
        .row_out = offsets_of(to, &group[0], 0),
        .row_a = offsets_of(to, &group[0], 1),
        .column_out = offsets_of(to, &group[1], 0),
        .column_b = offsets_of(to, &group[1], 2),
        .batch_out = offsets_of(to, &group[2], 0),
        .batch_a = offsets_of(to, &group[2], 1),
        .batch_b = offsets_of(to, &group[2], 2),
        .sum_a = offsets_of(to, &group[3], 1),
        .sum_b = offsets_of(to, &group[3], 2),
        .rows = (int)group[0].trips,
        .columns = (int)group[1].trips,
        .batches = (int)group[2].trips,
        .sums = (int)group[3].trips,
        .firings = (int)firings,
        .addends = (int)from->addends,
        .is_bounded = (int)from->is_bounded,
        .low = from->low,
        .high = from->high,
    };
    for (int k = 0; k < (int)from->addends; ++k)
        product->how.added[k] = (strc_addend){
            .per_firing = firings == 1 ? 0 : places[3 + k].per_firing / size,
            .row = offsets_of(to, &group[0], 3 + k),
            .column = offsets_of(to, &group[1], 3 + k),
            .batch = offsets_of(to, &group[2], 3 + k),
        };
    strc_contraction *c = &product->how;
    c->a_along_sums = c->sums > 1 && abs(c->sum_a.step) <= abs(c->row_a.step);
    c->b_along_sums = c->sums > 1 && abs(c->sum_b.step) <= abs(c->column_b.step);
    choose(product, d->processors, size);
}

static void place_tables(strc_contraction *c, cu_address tables) {
    strc_offsets *all[] = {&c->row_out, &c->row_a,   &c->column_out, &c->column_b, &c->batch_out,
                           &c->batch_a, &c->batch_b, &c->sum_a,      &c->sum_b};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) place_table(all[k], tables);
    for (int k = 0; k < c->addends; ++k) {
        place_table(&c->added[k].row, tables);
        place_table(&c->added[k].column, tables);
        place_table(&c->added[k].batch, tables);
    }
}

static int is_product(const strc_device_op *op) { return op->kind == STRC_DEVICE_CONTRACT; }

static int upload_tables(strc_device *d, const tables *all) {
    if (all->failed) return strc_device_check(d, CU_OUT_OF_MEMORY, "made tables of products");
    const uint64_t bytes = all->count * sizeof(int);
    if (!(d->tables = strc_device_allocate(d, bytes, "tables of products"))) return -1;
    if (bytes == 0) return 0;
    return strc_device_check(d, d->driver->upload(d->tables, all->items, bytes),
                             "was given tables");
}

int strc_products_prepare(strc_device *d) {
    const strc_device_program *program = d->program;
    tables all = {NULL, 0, 0, 0};
    uint64_t most = 0;
    for (uint64_t k = 0; k < program->op_count; ++k) {
        if (!is_product(&program->ops[k])) continue;
        prepare(d, &program->ops[k], &d->products[k], &all);
        const strc_contraction *c = &d->products[k].how;
        uint64_t bytes = (uint64_t)size_of_sum(d->products[k].element) * (uint64_t)c->parts *
                         (uint64_t)c->batches * (uint64_t)c->firings * (uint64_t)c->rows *
                         (uint64_t)c->columns;
        if (c->parts > 1 && bytes > most) most = bytes;
    }
    int status = upload_tables(d, &all);
    free(all.items);
    if (status != 0 || !(d->partial = strc_device_allocate(d, most, "parts of sums"))) return -1;
    for (uint64_t k = 0; k < program->op_count; ++k)
        if (is_product(&program->ops[k])) place_tables(&d->products[k].how, d->tables);
    return 0;
}

int strc_products_launch(strc_device *d, const strc_device_op *op, const cu_address *at) {
    const strc_product *product = &d->products[op - d->program->ops];
    const strc_device_loop *first =
        d->program->loops + d->program->contractions[op->what].first_loop;
    const int64_t size = size_of_sum(product->element), factor = size_of_factor(product->element);
    strc_contraction how = product->how;
    const cu_address left = at[1] + (cu_address)(first->a * factor),
                     right = at[2] + (cu_address)(first->b * factor);
    how.out = (void *)(uintptr_t)(at[0] + (cu_address)(first->out * size));
    how.a = (const void *)(uintptr_t)(product->is_swapped ? right : left);
    how.b = (const void *)(uintptr_t)(product->is_swapped ? left : right);
    for (int k = 0; k < how.addends; ++k)
        how.added[k].at =
            (const void *)(uintptr_t)(at[3 + k] + (cu_address)(first->added[k] * size));
    how.partial = (void *)(uintptr_t)d->partial;
    void *parameters[] = {&how};
    const int is_tile = product->way == STRC_WAY_TILE || product->way == STRC_WAY_TENSOR;
    const unsigned threads = is_tile ? STRC_TILE_THREADS : STRC_THIN_THREADS;
    const unsigned *grid = product->grid;
    cu_result result = d->driver->launch(d->ways[product->element][product->way], grid[0], grid[1],
                                         grid[2], threads, 1, 1, 0, d->stream, parameters, NULL);
    if (result == 0 && how.parts > 1) {
        const int64_t all = (int64_t)how.firings * how.batches * how.rows * how.columns;
        result = d->driver->launch(d->gathers[product->element], clamped(divided(all, 256)), 1, 1,
                                   256, 1, 1, 0, d->stream, parameters, NULL);
    }
    return strc_device_check(d, result, "began a product");
}
