#define _GNU_SOURCE
#include "fake_grid.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "ptx_machine.h"

enum {
    kWarp = 32,
    kMostThreads = 1024,
    kStack = 1 << 16,
    kMostBlocks = 4096,
    kPoison = 0xA5,
    kIllegal = 700,
    kMisaligned = 716
};

int fake_fault;

struct fake_code {
    const ptx_code* code;
};

_Noreturn static void stop(const char* what, const char* about) {
    fprintf(stderr, "fake device: %s %s\n", what, about);
    _exit(99);
}

// ---- memory

static struct {
    uint64_t at, bytes;
} memory[kMostBlocks];
static int memory_count;

void fake_memory_add(uint64_t at, uint64_t bytes) {
    if (memory_count == kMostBlocks) stop("too much", "memory");
    memory[memory_count].at = at;
    memory[memory_count++].bytes = bytes;
}

void fake_memory_remove(uint64_t at) {
    for (int k = 0; k < memory_count; ++k)
        if (memory[k].at == at) memory[k] = memory[--memory_count];
}

// ---- code

static uint64_t hash_of(const char* text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

/// Makes `base`.so of the text, by way of other names, so that whoever looks for it meanwhile finds none or all of it.
static void compile(const char* ptx, const char* base, const char* tools) {
    char path[300], command[3000];
    snprintf(path, sizeof path, "%s-%d.ptx", base, (int)getpid());
    FILE* file = fopen(path, "w");
    if (!file) stop("cannot write", path);
    fputs(ptx, file);
    fclose(file);
    snprintf(command, sizeof command,
             "b='%s' n='%s-%d' t='%s'; python3 \"$t/ptx_to_c.py\" \"$n.ptx\" \"$n.c\" >&2 && "
             "cc -w -O1 -ffp-contract=off -shared -fPIC -I \"$t\" \"$n.c\" -o \"$n.so\" -lm >&2 && "
             "mv \"$n.so\" \"$b.so\" && rm \"$n.ptx\" \"$n.c\"",
             base, base, (int)getpid(), tools);
    if (system(command) != 0) stop("cannot compile", path);
}

/// Code lies in the folder FAKE_CUDA_CACHE, by its hash, and is made there once.
const fake_code* fake_code_of(const char* ptx) {
    const char *tools = getenv("FAKE_CUDA_TOOLS"), *cache = getenv("FAKE_CUDA_CACHE");
    char base[200], path[220];
    if (!tools || !cache) stop("no folder", "for code");
    snprintf(base, sizeof base, "%s/%016llx", cache, (unsigned long long)hash_of(ptx));
    snprintf(path, sizeof path, "%s.so", base);
    if (access(path, R_OK) != 0) compile(ptx, base, tools);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const ptx_code* code = library ? dlsym(library, "ptx_module") : NULL;
    if (!code) stop("cannot load", path);
    for (int k = 0; k < code->global_count; ++k)
        fake_memory_add((uint64_t)(uintptr_t)code->globals[k].at, code->globals[k].size);
    fake_code* made = malloc(sizeof *made);
    made->code = code;
    return made;
}

const fake_entry* fake_entry_of(const fake_code* of, const char* symbol) {
    for (int k = 0; k < of->code->entry_count; ++k)
        if (strcmp(of->code->entries[k].name, symbol) == 0) return &of->code->entries[k];
    stop("no kernel", symbol);
}

int fake_parameters(const fake_entry* of, void** parameters, unsigned char* to, int most) {
    int end = 0;
    for (int k = 0; k < of->parameter_count; ++k) {
        end = of->offsets[k] + of->sizes[k];
        if (end > most) return -1;
        memcpy(to + of->offsets[k], parameters[k], (size_t)of->sizes[k]);
    }
    return end;
}

// ---- threads of a block: they take turns, each until it waits or ends

typedef struct warp {
    uint32_t arrived, present;  ///< lanes
    uint32_t generation;
    uint32_t values[2][kWarp];  ///< of two meetings in turn, so that a lane may be one behind
} warp;

typedef struct fiber {
    ptx_thread thread;  ///< first, so that one is the other
    ucontext_t context;
    jmp_buf end;
    struct block* of;
    int is_done;
} fiber;

typedef struct block {
    fiber* fibers;
    int count, waiting, present;
    uint32_t generation;  ///< of barriers that all have met at
    long progress;  ///< changes whenever somebody goes on
    warp* warps;
    const ptx_entry* entry;
    const unsigned char* parameters;
    ucontext_t scheduler;
} block;

static fiber* fiber_of(ptx_thread* thread) { return (fiber*)(void*)thread; }

static void give_way(fiber* f) { swapcontext(&f->context, &f->of->scheduler); }

static void meet_if_all(block* b) {
    if (b->waiting == 0 || b->waiting < b->present) return;
    b->waiting = 0;
    ++b->generation;
    ++b->progress;
}

static void barrier(ptx_thread* thread) {
    fiber* f = fiber_of(thread);
    block* b = f->of;
    const uint32_t generation = b->generation;
    ++b->waiting;
    meet_if_all(b);
    while (b->generation == generation) give_way(f);
    give_way(f);  // who came last is not the first to go on
}

static void meet_lanes_if_all(block* b, warp* w, uint32_t mask) {
    if ((w->arrived & mask) != (mask & w->present)) return;
    w->arrived = 0;
    ++w->generation;
    ++b->progress;
}

/// One mask at a time: lanes of a warp that meet in several groups at once are not told apart.
static void warp_barrier(ptx_thread* thread, uint32_t mask) {
    fiber* f = fiber_of(thread);
    warp* w = &f->of->warps[thread->warpid];
    const uint32_t generation = w->generation;
    if (!(mask >> thread->laneid & 1)) stop("a lane waits for others", "and is none of them");
    w->arrived |= 1u << thread->laneid;
    meet_lanes_if_all(f->of, w, mask);
    while (w->generation == generation) give_way(f);
}

/// Lane i + 1 may leave its value for the next meeting while lane i still reads those of this one, but none is two ahead.
static const uint32_t* exchanged(ptx_thread* thread, uint32_t value, uint32_t mask) {
    warp* w = &fiber_of(thread)->of->warps[thread->warpid];
    uint32_t* values = w->values[w->generation & 1];
    values[thread->laneid] = value;
    warp_barrier(thread, mask);
    return values;
}

static uint32_t shuffle(ptx_thread* thread, char mode, uint32_t value, uint32_t by, uint32_t clamp,
                        uint32_t mask, uint8_t* is_valid) {
    const uint32_t lane = thread->laneid, segment = clamp >> 8 & 31, limit = clamp & 31;
    const uint32_t most = (lane & segment) | (limit & ~segment), least = lane & segment;
    by &= 31;
    uint32_t from = mode == 'u'   ? lane - by
                    : mode == 'd' ? lane + by
                    : mode == 'b' ? lane ^ by
                                  : least | (by & ~segment);
    *is_valid = mode == 'u' ? (int32_t)from >= (int32_t)most : from <= most;
    if (!*is_valid) from = lane;
    if (!(mask >> from & 1)) stop("a lane reads of one", "that does not take part");
    return exchanged(thread, value, mask)[from];
}

static uint32_t ballot(ptx_thread* thread, int is_set, uint32_t mask) {
    const uint32_t* values = exchanged(thread, is_set != 0, mask);
    uint32_t result = 0;
    for (int lane = 0; lane < kWarp; ++lane)
        if (mask >> lane & 1) result |= values[lane] << lane;
    return result;
}

/// The factors in a word: one of TF32, or two.
static int factors_of(ptx_thread* thread, ptx_factors kind, uint32_t word, double to[2]) {
    if (kind == PTX_TF32) {
        if (word & 0x1fff)
            stop("a factor is not rounded to TF32, in", fiber_of(thread)->of->entry->name);
        to[0] = ptx_f32(word);
        return 1;
    }
    for (int k = 0; k < 2; ++k) {
        const uint32_t bits = word >> 16 * k & 0xffff;
        to[k] = kind == PTX_F16 ? ptx_f16(bits) : ptx_bf16(bits);
    }
    return 2;
}

/// Who has what: PTX ISA, "Matrix Fragments for mma.m16n8k8" and "... mma.m16n8k16". Products are exact and rounded once they
/// are summed; a device may cut off more.
static void multiply(ptx_thread* thread, ptx_factors kind, const uint32_t a[4], const uint32_t b[2],
                     float sums[4]) {
    enum { kLeft = 4, kRight = 2, kWords = 8 };
    uint32_t left[kLeft][kWarp], right[kRight][kWarp];
    for (int k = 0; k < kLeft; ++k) memcpy(left[k], exchanged(thread, a[k], ~0u), sizeof left[k]);
    for (int k = 0; k < kRight; ++k)
        memcpy(right[k], exchanged(thread, b[k], ~0u), sizeof right[k]);
    const int group = (int)thread->laneid / 4, in_group = (int)thread->laneid % 4;
    for (int k = 0; k < 4; ++k) {
        const int column = 2 * in_group + k % 2;
        double sum = sums[k];
        for (int word = 0; word < kWords; ++word) {
            double l[2], r[2];
            const int half = word / 4;
            factors_of(thread, kind, left[k / 2 + 2 * half][group * 4 + word % 4], l);
            const int count = factors_of(thread, kind, right[half][column * 4 + word % 4], r);
            for (int each = 0; each < count; ++each) sum += l[each] * r[each];
        }
        sums[k] = (float)sum;
    }
}

_Noreturn static void leave(ptx_thread* thread) { longjmp(fiber_of(thread)->end, 1); }

/// As on a device, the thread ends, and from then on every call fails.
static void fault(ptx_thread* thread, int result, const char* what) {
    if (fake_fault == 0)
        fprintf(stderr, "fake device: %s, in %s\n", what, fiber_of(thread)->of->entry->name);
    fake_fault = result;
    leave(thread);
}

static void poll(ptx_thread* thread) { give_way(fiber_of(thread)); }

static void touch(ptx_thread* thread, uint64_t at, uint64_t bytes) {
    if (at % (bytes & -bytes) != 0) fault(thread, kMisaligned, "a place that is not aligned");
    for (int k = 0; k < memory_count; ++k)
        if (at >= memory[k].at && at + bytes <= memory[k].at + memory[k].bytes) return;
    fault(thread, kIllegal, "a place outside of its memory");
}

static const ptx_calls calls = {barrier,  warp_barrier, shuffle, ballot,
                                multiply, poll,         leave,   touch};

static void run_thread(fiber* f) {
    if (setjmp(f->end) == 0) f->of->entry->run(&f->thread, f->of->parameters);
    f->is_done = 1;
    block* b = f->of;
    warp* w = &b->warps[f->thread.warpid];
    --b->present;
    ++b->progress;
    w->present &= ~(1u << f->thread.laneid);
    meet_if_all(b);
}

static void begin_fiber(unsigned low, unsigned high) {
    fiber* f = (fiber*)(uintptr_t)((uint64_t)high << 32 | low);
    run_thread(f);
    setcontext(&f->of->scheduler);
}

static char* stacks_for(size_t threads) {
    static char* stacks;
    static size_t count;
    if (threads <= count) return stacks;
    free(stacks);
    count = threads;
    return stacks = malloc(kStack * count);
}

static void begin_fibers(block* b, char* stacks) {
    for (int k = 0; k < b->count; ++k) {
        fiber* f = &b->fibers[k];
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = stacks + (size_t)k * kStack;
        f->context.uc_stack.ss_size = kStack;
        f->context.uc_link = NULL;
        const uint64_t at = (uint64_t)(uintptr_t)f;
        makecontext(&f->context, (void (*)(void))begin_fiber, 2, (unsigned)at,
                    (unsigned)(at >> 32));
    }
}

/// Each thread of a block until it waits or ends.
static void take_turn(block* b, int is_backward) {
    for (int k = 0; k < b->count; ++k) {
        fiber* f = &b->fibers[is_backward ? b->count - 1 - k : k];
        if (!f->is_done) swapcontext(&b->scheduler, &f->context);
    }
}

static void take_turns(block* all, int count, int is_backward) {
    char* stacks = stacks_for((size_t)count * (size_t)all->count);
    for (int k = 0; k < count; ++k)
        begin_fibers(&all[k], stacks + (size_t)k * (size_t)all->count * kStack);
    long before = -1;
    for (int idle = 0, present = 1; present > 0;) {
        long progress = 0;
        present = 0;
        for (int k = 0; k < count; ++k)
            take_turn(&all[is_backward ? count - 1 - k : k], is_backward);
        for (int k = 0; k < count; ++k) {
            progress += all[k].progress;
            present += all[k].present;
        }
        idle = progress == before ? idle + 1 : 0;
        before = progress;
        if (idle > 4) stop("threads wait for others that do not come, in", all->entry->name);
    }
}

static void fill_block(block* b, const fake_grid* grid, const uint32_t at[3],
                       unsigned char* shared) {
    b->present = b->count;
    b->waiting = 0;
    b->generation = 0;
    memset(b->warps, 0, sizeof(warp) * (kMostThreads / kWarp));
    for (int k = 0; k < b->count; ++k) {
        fiber* f = &b->fibers[k];
        f->of = b;
        f->is_done = 0;
        ptx_thread* t = &f->thread;
        uint32_t rest = (uint32_t)k;
        for (int axis = 0; axis < 3; ++axis) {
            t->tid[axis] = rest % grid->threads[axis];
            rest /= grid->threads[axis];
            t->ntid[axis] = grid->threads[axis];
            t->nctaid[axis] = grid->blocks[axis];
            t->ctaid[axis] = at[axis];
        }
        t->laneid = (uint32_t)k % kWarp;
        t->warpid = (uint32_t)k / kWarp;
        t->shared = shared;
        t->calls = &calls;
        b->warps[t->warpid].present |= 1u << t->laneid;
    }
}

int fake_blocks_each(void) {
    const char* text = getenv("FAKE_CUDA_BLOCKS");
    return text ? atoi(text) : 4;
}

/// Some blocks that are at work at once.
static void run_blocks(const fake_grid* grid, block* all, int count, unsigned char* shared,
                       uint64_t size, uint64_t first, int is_backward) {
    const uint64_t whole = (uint64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2],
                   plane = (uint64_t)grid->blocks[0] * grid->blocks[1];
    memset(shared, kPoison, size * (uint64_t)count);
    for (int k = 0; k < count; ++k) {
        const uint64_t number = first + (uint64_t)k;
        const uint64_t which = is_backward ? whole - 1 - number : number;
        const uint32_t at[3] = {(uint32_t)(which % grid->blocks[0]),
                                (uint32_t)(which % plane / grid->blocks[0]),
                                (uint32_t)(which / plane)};
        fill_block(&all[k], grid, at, shared + size * (uint64_t)k);
    }
    if (all->entry->meets)
        take_turns(all, count, is_backward);
    else
        for (int t = 0; t < all->count; ++t)
            run_thread(&all->fibers[is_backward ? all->count - 1 - t : t]);
}

void fake_grid_run(const fake_code* code, const fake_entry* entry, const unsigned char* parameters,
                   const fake_grid* grid, int is_backward) {
    const uint64_t size = (code->code->shared_size + 31) / 16 * 16;
    const uint64_t whole = (uint64_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
    const size_t threads = (size_t)grid->threads[0] * grid->threads[1] * grid->threads[2],
                 warps = kMostThreads / kWarp;
    if (threads > kMostThreads) stop("too many threads in a block of", entry->name);
    if (entry->polls && whole > (uint64_t)(FAKE_PROCESSORS * fake_blocks_each()))
        stop("blocks wait for others that are not at work, in", entry->name);
    const size_t count = entry->polls ? (size_t)whole : 1;
    block* all = calloc(count, sizeof *all);
    fiber* fibers = calloc(count * threads, sizeof *fibers);
    warp* of_warps = calloc(count * warps, sizeof *of_warps);
    unsigned char* shared = aligned_alloc(16, size * count);
    for (size_t k = 0; k < count; ++k)
        all[k] = (block){.fibers = fibers + k * threads,
                         .warps = of_warps + k * warps,
                         .entry = entry,
                         .parameters = parameters,
                         .count = (int)threads};
    for (uint64_t first = 0; first < whole; first += count)
        run_blocks(grid, all, (int)count, shared, size, first, is_backward);
    free(shared);
    free(of_warps);
    free(fibers);
    free(all);
}
