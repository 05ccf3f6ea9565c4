/// A program as the compiler would make it, and a world for it, in C: counts its input in steps of
/// two, prints, and stops at a negative item. Exits with 0 if all its runs ended as they should.
#include <stdio.h>
#include <string.h>

#include "strc/runtime.h"

typedef struct state {
    int64_t sum;
} state;

static const int64_t image[1] = {1000};
static const uint64_t nothing[1] = {0}, two[1] = {2};

static void begin(strc_env* env, void* memory) {
    (void)memory;
    strc_print_string(env, strc_string_concat(env, strc_string_of_float(env, 0.5f),
                                              strc_string_of_boolean(env, 1)));
    strc_print_newline(env);
}

static void add_two(strc_env* env, void* memory) {
    state* own = memory;
    int32_t items[2];
    if (env->poll) strc_stop(env);
    strc_read(env, 0, items, 2);
    for (int i = 0; i < 2; ++i) {
        if (items[i] < 0) strc_trap(env, 5, 1, items[i], i);
        own->sum += items[i];
    }
    strc_print_int(env, (int32_t)own->sum);
    strc_print_newline(env);
}

static const strc_piece piece = {0, sizeof image, image};

static const strc_program program = {
    .abi_version = STRC_ABI_VERSION,
    .inputs = 1,
    .node_count = 2,
    .state_size = sizeof(state),
    .piece_count = 1,
    .pieces = &piece,
    .init = {begin, nothing, 0},
    .steady = {add_two, two, 1},
};

typedef struct environment {
    const int32_t* items;
    uint64_t left;
    char printed[200];
    volatile unsigned char interrupt;
    int interrupted;  ///< by the first item it reads
} environment;

static int print(void* self, const char* text, uint64_t size) {
    strncat(((environment*)self)->printed, text, size);
    return 0;
}

static int supply(void* self, uint32_t input, uint64_t items, int must) {
    (void)must;
    (void)input;
    return ((environment*)self)->left < items;
}

static int read_items(void* self, uint32_t input, void* to, uint64_t items) {
    environment* host = self;
    (void)input;
    memcpy(to, host->items, items * sizeof *host->items);
    host->items += items;
    host->left -= items;
    if (host->interrupted) host->interrupt = 1;
    return 0;
}

static int faults = 0;

static void expect(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    ++faults;
}
#define EXPECT(condition) expect(condition, #condition)

static strc_end run(environment* own, strc_env* env, uint64_t* done) {
    const strc_host host = {.self = own, .print = print, .supply = supply, .read = read_items};
    _Alignas(64) state memory;
    env->host = &host;
    env->interrupt = &own->interrupt;
    return strc_execute(&program, env, &memory, UINT64_MAX, done);
}

int main(void) {
    uint64_t done;

    const int32_t five[] = {1, 2, 3, 4, 5};
    environment ends = {.items = five, .left = 5};
    EXPECT(run(&ends, &(strc_env){0}, &done) == STRC_END_INPUT);
    EXPECT(done == 2);
    EXPECT(strcmp(ends.printed, "0.5true\n1003\n1010\n") == 0);
    EXPECT(ends.left == 1);

    const int32_t negative[] = {1, 2, 3, -4};
    environment fails = {.items = negative, .left = 4};
    strc_env env = {0};
    EXPECT(run(&fails, &env, &done) == STRC_END_FAULT);
    EXPECT(done == 1);
    EXPECT(env.fault.site == 5 && env.fault.node == 1);
    EXPECT(env.fault.numbers[0] == -4 && env.fault.numbers[1] == 1);

    environment stops = {.items = five, .left = 5, .interrupted = 1};
    EXPECT(run(&stops, &(strc_env){0}, &done) == STRC_END_INTERRUPTED);
    EXPECT(done == 1);
    return faults != 0;
}
