// Chunks in order of their numbers: a thread that has none takes the next one. A chunk waits for what the chunk before it gives, and
// that one is always at work already, so somebody can always go on. What is handed from chunk to chunk lies in a ring of slots.
#include "chunks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mail_arena.h"
#include "messages.h"
#include "run.h"
#include "strc/workers.h"
#include "thread.h"
#include "timing.h"

enum {
    kLine = 64,  ///< bytes
    kSpins = 4000,  ///< looks before a thread sleeps: some 10 to 100 µs
    kAhead =
        2,  ///< slots more than threads: a thread may begin with a chunk although another one still takes what it was given
};

/// The boundary in front of segment k of a chunk is passed when what is taken there has been taken, and what is given, given. The
/// number of the chunk, and of boundaries that it has passed: later ones are greater.
typedef struct progress {
    _Alignas(kLine) uint64_t reached;  ///< atomic
} progress;

typedef struct member {
    _Alignas(kLine) strc_env env;
    strc_team *team;
    char *state;
    strc_mail_arena mail;  ///< of what is sent
    uint64_t chunk;  ///< that it does
    strc_end end;
    strc_profile_thread *timing;  ///< null: there is no profile
} member;

struct strc_team {
    const strc_program *program;
    const strc_chunks *chunks;
    uint64_t state_size;
    uint32_t threads, slots;
    member *members;
    char *memory;  ///< states and work memory of the members, then the slots
    char *handed;
    strc_mailbox
        *mailboxes;  ///< of the program, as they were before this run, in which there are copies
    strc_mail_arena mail;  ///< of these
    progress *progress;  ///< by slot: of the chunk for which it is
    uint64_t first;  ///< number of the chunk with which this run begins
    uint64_t count;
    uint32_t slices;  ///< of a chunk, in this run
    const strc_hand_overs *hand_overs;  ///< likewise
    uint32_t
        delays;  ///< for tests: threads stop for some time between segments, at random; 0: they do not
    volatile unsigned char ends;  ///< nothing is begun any more
    _Alignas(kLine) uint64_t next;  ///< how many have been begun; atomic
    _Alignas(kLine) uint32_t sleeping;  ///< threads; atomic
    pthread_mutex_t mutex;  ///< of who sleeps
    pthread_cond_t moved;
};

enum { kBoundaryBits = 16 };

static uint64_t mark(uint64_t chunk, uint32_t passed) { return chunk << kBoundaryBits | passed; }

static uint64_t rounded(uint64_t size) { return (size + kLine - 1) / kLine * kLine; }

static uint64_t *reached(strc_team *team, uint64_t chunk) {
    return &team->progress[chunk % team->slots].reached;
}

static char *slot(strc_team *team, uint64_t chunk) {
    return team->handed + chunk % team->slots * rounded(team->chunks->handed);
}

// ---- waiting

static int is_there(strc_team *team, uint64_t chunk, uint32_t passed) {
    return __atomic_load_n(reached(team, chunk), __ATOMIC_SEQ_CST) >= mark(chunk, passed);
}

static void wait_for(member *me, uint64_t chunk, uint32_t passed) {
    strc_team *team = me->team;
    for (int k = 0; k < kSpins; ++k) {
        if (is_there(team, chunk, passed)) return;
        if (strc_is_set(&team->ends)) strc_stop(&me->env);
        strc_pause();
    }
    pthread_mutex_lock(&team->mutex);
    __atomic_fetch_add(&team->sleeping, 1, __ATOMIC_SEQ_CST);
    while (!is_there(team, chunk, passed) && !strc_is_set(&team->ends))
        pthread_cond_wait(&team->moved, &team->mutex);
    __atomic_fetch_sub(&team->sleeping, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&team->mutex);
    if (!is_there(team, chunk, passed)) strc_stop(&me->env);
}

/// The same, seen by a profile.
static void await(member *me, uint64_t chunk, uint32_t passed) {
    if (!me->timing) return wait_for(me, chunk, passed);
    if (is_there(me->team, chunk, passed)) return;
    const uint64_t begin = strc_ticks();
    wait_for(me, chunk, passed);
    strc_timing_waited(me->timing, begin);
}

static void wake(strc_team *team) {
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->moved);
    pthread_mutex_unlock(&team->mutex);
}

static void pass(strc_team *team, uint64_t chunk, uint32_t passed) {
    __atomic_store_n(reached(team, chunk), mark(chunk, passed), __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&team->sleeping, __ATOMIC_SEQ_CST) != 0) wake(team);
}

void strc_team_stop(strc_team *team) {
    __atomic_store_n(&team->ends, 1, __ATOMIC_SEQ_CST);
    for (uint32_t k = 0; k < team->threads; ++k)
        __atomic_store_n(&team->members[k].env.poll, 1, __ATOMIC_RELAXED);
    wake(team);
}

// ---- what is carried

static int is_computed(const strc_carry *carry) {
    return carry->kind == STRC_CARRY_AFFINE || carry->kind == STRC_CARRY_COUNTER;
}

/// What it is after a chunk, of what it is before.
static void compute(const strc_carry *carry, uint32_t slices, const char *before, char *after) {
    if (carry->kind == STRC_CARRY_COUNTER) {
        uint64_t count;
        memcpy(&count, before, sizeof count);
        count += (uint64_t)slices * carry->summand;
        memcpy(after, &count, sizeof count);
        return;
    }
    uint32_t number;
    memcpy(&number, before, sizeof number);
    for (; slices != 0; --slices) number = (number * carry->factor + carry->summand) & carry->mask;
    memcpy(after, &number, sizeof number);
}

static strc_mailbox *mailbox_of(const strc_carry *carry, char *state) {
    return (strc_mailbox *)(state + carry->to);
}

static void take_mail(const strc_carry *carry, const char *handed, strc_env *env, char *state) {
    strc_mailbox waiting;
    memcpy(&waiting, handed + carry->at, sizeof waiting);
    if (strc_mailbox_put_before(env, mailbox_of(carry, state), &waiting) != 0) strc_stop(env);
}

/// Nothing of it stays behind: what the thread sends next is of another chunk.
static void give_mail(const strc_carry *carry, char *state, char *handed) {
    strc_mailbox *box = mailbox_of(carry, state);
    memcpy(handed + carry->at, box, sizeof *box);
    strc_mailbox_empty(box);
}

static void take(const strc_carry *carry, const char *handed, strc_env *env, char *state) {
    if (carry->kind == STRC_CARRY_MAIL) return take_mail(carry, handed, env, state);
    char *to = carry->kind == STRC_CARRY_RANDOM ? (char *)&env->random : state + carry->to;
    memcpy(to, handed + carry->at, carry->size);
}

static void give(const strc_carry *carry, const strc_env *env, char *state, uint64_t place,
                 char *handed) {
    if (carry->kind == STRC_CARRY_MAIL) return give_mail(carry, state, handed);
    const char *from =
        carry->kind == STRC_CARRY_RANDOM ? (const char *)&env->random : state + place;
    memcpy(handed + carry->at, from, carry->size);
}

/// How far a chunk has got with what there is to take and to give.
typedef struct carrying {
    uint32_t taken, given;  ///< carries that are done
} carrying;

/// What segment `segment` takes is given by the chunk before, at the latest of the boundaries concerned.
static void take_all(member *me, carrying *done, uint32_t segment) {
    strc_team *team = me->team;
    const strc_carry *carries = team->hand_overs->carries;
    uint32_t end = done->taken, passed = 0;
    for (; end < team->chunks->carry_count && carries[end].taken == segment; ++end)
        if (carries[end].given >= passed) passed = carries[end].given + 1;
    if (end == done->taken) return;
    await(me, me->chunk - 1, passed);
    char *handed = slot(team, me->chunk), *next = slot(team, me->chunk + 1);
    for (; done->taken < end; ++done->taken) {
        const strc_carry *carry = &carries[done->taken];
        take(carry, handed, &me->env, me->state);
        if (is_computed(carry)) compute(carry, team->slices, handed + carry->at, next + carry->at);
    }
}

/// Nonzero: the next chunk may take something.
static int give_all(member *me, carrying *done, uint32_t segment) {
    const strc_team *team = me->team;
    const strc_hand_overs *hand_overs = team->hand_overs;
    char *handed = slot(me->team, me->chunk + 1);
    const uint32_t before = done->given;
    for (; done->given < team->chunks->carry_count; ++done->given) {
        const strc_carry *carry = &hand_overs->carries[hand_overs->given[done->given]];
        if (carry->given != segment) break;
        const uint64_t from = carry->from + (team->slices - 1) * carry->per_slice;
        if (!is_computed(carry)) give(carry, &me->env, me->state, from, handed);
    }
    return done->given != before;
}

// ---- chunks

/// The slots that it uses belonged to chunks as many numbers before: nobody may look at them any more.
static void wait_for_slots(member *me) {
    const strc_team *team = me->team;
    const uint32_t whole = team->chunks->segment_count + 1;
    for (uint64_t chunk = me->chunk; chunk <= me->chunk + 1; ++chunk)
        if (chunk >= team->first + team->slots) await(me, chunk - team->slots, whole);
}

static void do_segment(member *me, uint32_t segment) {
    strc_profile_thread *timing = me->env.timing;
    if (timing) timing->last = strc_ticks();
    const uint64_t begin = timing ? timing->last : 0;
    for (uint64_t slice = 0; slice < me->team->slices; ++slice)
        me->team->chunks->segments[segment](&me->env, me->state, slice);
    if (timing) strc_timing_event(timing, STRC_EVENT_SEGMENT + segment, begin, strc_ticks());
}

static strc_end do_chunk(void *self) {
    member *me = self;
    strc_team *team = me->team;
    const strc_chunks *chunks = team->chunks;
    carrying done = {0, 0};
    me->env.timing = me->timing ? strc_timing_begin(me->timing, STRC_PROFILE_CHUNK) : NULL;
    wait_for_slots(me);
    for (uint32_t segment = 0; segment <= chunks->segment_count; ++segment) {
        take_all(me, &done, segment);
        const int has_given = give_all(me, &done, segment);
        strc_delay(&team->delays);
        const int is_last = segment == chunks->segment_count;
        if (has_given || is_last) pass(team, me->chunk, segment + 1);
        if (!is_last) do_segment(me, segment);
    }
    if (me->env.timing) strc_timing_end(me->env.timing, STRC_PROFILE_CHUNK);
    return STRC_END_ITERATIONS;
}

static void do_chunks(void *self, int64_t first, int64_t end) {
    strc_team *team = self;
    for (; first < end; ++first) {
        member *me = &team->members[first];
        me->env.stack_end = strc_end_of_stack();
        me->end = STRC_END_ITERATIONS;
        while (me->end == STRC_END_ITERATIONS && !strc_is_set(&team->ends)) {
            const uint64_t number = __atomic_fetch_add(&team->next, 1, __ATOMIC_RELAXED);
            if (number >= team->count) break;
            me->chunk = team->first + number;
            me->end = strc_attempt(&me->env, do_chunk, me);
            strc_strings_release(&me->env);
        }
        if (me->end != STRC_END_ITERATIONS) strc_team_stop(team);
    }
}

/// Chunks of this run that went well, up to the first that did not.
static uint64_t count_done(strc_team *team) {
    const uint64_t begun = team->next < team->count ? team->next : team->count;
    const uint64_t most = team->slots + team->threads;  // that may be under way, or wait for others
    uint64_t done = begun > most ? begun - most : 0;
    while (done < begun && is_there(team, team->first + done, team->chunks->segment_count + 1))
        ++done;
    return done;
}

static strc_end why_not(const strc_team *team) {
    strc_end why = STRC_END_INTERRUPTED;
    for (uint32_t k = 0; k < team->threads; ++k) {
        const strc_end end = team->members[k].end;
        if (end != STRC_END_ITERATIONS && end != STRC_END_INTERRUPTED) why = end;
    }
    return why;
}

/// What the first chunk takes; the one before it counts as done.
static void hand_over_first(strc_team *team, const strc_env *env, char *state) {
    const strc_chunks *chunks = team->chunks;
    const strc_carry *carries = team->hand_overs->carries;
    char *handed = slot(team, team->first);
    for (uint32_t k = 0; k < chunks->carry_count; ++k)
        give(&carries[k], env, state, carries[k].to, handed);
    *reached(team, team->first - 1) = mark(team->first - 1, chunks->segment_count + 1);
}

static void take_last(strc_team *team, strc_env *env, char *state, int is_mail) {
    const char *handed = slot(team, team->first + team->count);
    const strc_carry *carries = team->hand_overs->carries;
    for (uint32_t k = 0; k < team->chunks->carry_count; ++k)
        if ((carries[k].kind == STRC_CARRY_MAIL) == is_mail) take(&carries[k], handed, env, state);
}

// ---- messages

/// Threads send and take copies: what the program had is there for who does all of it again. Nonzero: there is no memory.
static int set_mail_aside(strc_team *team, strc_env *env) {
    const uint32_t count = team->program->mailbox_count;
    if (count == 0) return 0;
    strc_mail_arena_reset(&team->mail);
    for (uint32_t k = 0; k < team->threads; ++k) {
        member *each = &team->members[k];
        strc_mail_arena_reset(&each->mail);
        for (uint32_t box = 0; box < count; ++box) strc_mailbox_empty(&each->env.mailboxes[box]);
        each->env.bytes_left = env->bytes_left / team->threads;  // so all together keep the limit
    }
    memcpy(team->mailboxes, env->mailboxes, count * sizeof *team->mailboxes);
    env->mail_arena = &team->mail;
    env->message_memory = &strc_message_arena;
    const int failed = strc_mail_copy(env, env->mailboxes, team->mailboxes, count);
    if (failed) {
        env->message_memory = &strc_message_heap;
        memcpy(env->mailboxes, team->mailboxes, count * sizeof *team->mailboxes);
    }
    return failed;
}

/// Mailboxes are the program's own again: what threads have left, from the heap, or else what they were. Nonzero: there is no memory,
/// and they are what they were.
static int settle_mail(strc_team *team, strc_env *env, int is_done) {
    const uint32_t count = team->program->mailbox_count;
    if (count == 0) return 0;
    env->message_memory = &strc_message_heap;
    strc_mailbox *left = is_done ? malloc(count * sizeof *left) : NULL;
    int failed = is_done && !left;
    if (left) {
        memcpy(left, env->mailboxes, count * sizeof *left);
        failed = strc_mail_copy(env, env->mailboxes, left, count);
        if (!failed)
            env->bytes_left +=
                strc_mail_bytes(team->mailboxes, count) - strc_mail_bytes(left, count);
        strc_mail_free(failed ? env->mailboxes : team->mailboxes, count);
    }
    free(left);
    if (!is_done || failed)
        memcpy(env->mailboxes, team->mailboxes, count * sizeof *team->mailboxes);
    return failed;
}

uint64_t strc_team_run(strc_team *team, strc_env *env, void *state, uint64_t count,
                       strc_division division, strc_end *why) {
    if (set_mail_aside(team, env) != 0) return 0;
    team->first += team->count + team->slots;  // nothing of a run before looks like one of this
    team->count = count;
    team->slices = division.slices;
    team->hand_overs = division.is_coarse ? &team->chunks->coarse : &team->chunks->fine;
    team->next = 0;
    // Who stops the team meanwhile stops it once more a tick later.
    __atomic_store_n(&team->ends, 0, __ATOMIC_SEQ_CST);
    for (uint32_t k = 0; k < team->threads; ++k) {
        member *each = &team->members[k];
        __atomic_store_n(&each->env.poll, 0, __ATOMIC_RELAXED);
        each->end = STRC_END_ITERATIONS;
    }
    hand_over_first(team, env, state);
    static const volatile unsigned char never = 0;
    strc_workers_share(division.threads, do_chunks, team, division.threads, &never);
    const uint64_t done = count_done(team);
    const int is_done = done == count;
    if (is_done) take_last(team, env, state, 1);
    if (settle_mail(team, env, is_done) != 0) return 0;
    if (is_done)
        take_last(team, env, state, 0);
    else
        *why = why_not(team);
    return done;
}

// ---- a team

static int begin_members(strc_team *team, const strc_env *env, const void *state) {
    const uint64_t own = rounded(team->state_size) + rounded(team->program->work_size);
    const uint64_t slots = team->slots * rounded(team->chunks->handed);
    team->memory = aligned_alloc(kLine, team->threads * own + slots + kLine);
    team->members = aligned_alloc(kLine, team->threads * sizeof *team->members);
    if (team->members) memset(team->members, 0, team->threads * sizeof *team->members);
    team->progress = aligned_alloc(kLine, team->slots * sizeof *team->progress);
    team->mailboxes = malloc((team->program->mailbox_count + 1) * sizeof *team->mailboxes);
    if (!team->memory || !team->members || !team->progress || !team->mailboxes) return 1;
    memset(team->progress, 0, team->slots * sizeof *team->progress);
    team->handed = team->memory + team->threads * own;
    for (uint32_t k = 0; k < team->threads; ++k) {
        member *each = &team->members[k];
        *each = (member){.env = *env, .team = team, .state = team->memory + k * own};
        each->env.work = each->state + rounded(team->state_size);
        each->env.workers = 1;
        each->env.mailboxes = (strc_mailbox *)(each->state + team->program->mailboxes_at);
        each->env.mail_arena = &each->mail;
        each->env.message_memory = &strc_message_arena;
        each->env.strings = NULL;
        each->env.escape = NULL;
        each->env.timing = NULL;
        each->timing = env->profile ? &env->profile->threads[k] : NULL;
        memcpy(each->state, state, team->state_size);
    }
    return 0;
}

strc_team *strc_team_new(const strc_program *program, const strc_chunks *chunks,
                         const strc_env *env, const void *state) {
    const uint32_t threads = env->workers;
    strc_team *team = aligned_alloc(kLine, sizeof *team);
    if (!team) return NULL;
    *team = (strc_team){.program = program,
                        .chunks = chunks,
                        .state_size = program->state_size,
                        .threads = threads,
                        .slots = threads + kAhead,
                        .first = threads + kAhead,
                        .delays = strc_delays(),
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .moved = PTHREAD_COND_INITIALIZER};
    if (begin_members(team, env, state) == 0) return team;
    strc_team_free(team);
    return NULL;
}

void strc_team_free(strc_team *team) {
    if (!team) return;
    for (uint32_t k = 0; team->members && k < team->threads; ++k) {
        strc_strings_free(&team->members[k].env);
        strc_mail_arena_free(&team->members[k].mail);
    }
    strc_mail_arena_free(&team->mail);
    pthread_mutex_destroy(&team->mutex);
    pthread_cond_destroy(&team->moved);
    free(team->mailboxes);
    free(team->progress);
    free(team->members);
    free(team->memory);
    free(team);
}
