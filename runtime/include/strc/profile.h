/// Profiles of runs: how often each filter fired, what that took, what threads did meanwhile, and how full tapes were. What there is to
/// measure is described by constants (src/profile makes them); a `strc_profile` gathers one run, and is printed as a table for people
/// or as JSON for tools.
///
/// Generated code that is to be timed calls strc_lap behind each timed part of a phase. Of phases so short that this would take more
/// than a hundredth of them, one among many is timed and stands for those before it: a run takes hardly longer than without a profile.
#ifndef STRC_PROFILE_H
#define STRC_PROFILE_H

#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The phases of a program, as far as times are concerned; of a run by demand and of the interpreter Steady is one iteration.
typedef enum strc_profile_phase {
    STRC_PROFILE_INIT,
    STRC_PROFILE_STEADY,
    STRC_PROFILE_SCALED,
    STRC_PROFILE_CHUNK,
    STRC_PROFILE_PHASES
} strc_profile_phase;

/// A filter, splitter or joiner. Texts are offsets into strc_profile_tables.texts.
typedef struct strc_profile_node {
    uint32_t path;
    uint32_t kernel;  ///< the name of its declaration, or of its kind
    uint32_t group;  ///< nodes of one kernel have the same number
    uint32_t head;  ///< of a region (plan::Region): whose firings these follow; STRC_NOBODY: none
    uint64_t init_firings,
        steady_firings;  ///< in those phases; of a region: for the first firing of the head, and each later one
    uint64_t items;  ///< that a firing gives, else takes; 0: the data decide both
} strc_profile_node;

/// What one lap is about: `count` members from `first` on.
typedef struct strc_profile_entry {
    uint32_t first, count;
} strc_profile_entry;

/// A filter that has a part in a lap.
typedef struct strc_profile_member {
    uint32_t node;  ///< STRC_NOBODY: items are moved
    uint32_t unused;
    double share;  ///< of the time: an estimate unless it is the only member
} strc_profile_member;

/// A tape, with the most items that it holds in each phase: -1: only the run knows.
typedef struct strc_profile_channel {
    uint32_t name;
    uint32_t item_bytes;
    int64_t marks[STRC_PROFILE_PHASES];
} strc_profile_channel;

typedef struct strc_profile_tables {
    const char *texts;
    const strc_profile_node *nodes;
    const strc_profile_entry
        *entries;  ///< by the number that strc_lap gets; by node where nodes fire one by one
    const strc_profile_member *members;
    const strc_profile_channel *channels;
    uint32_t node_count, entry_count, member_count, channel_count;
    uint32_t engine;  ///< text: what runs the program
    uint32_t main_stream;  ///< text
} strc_profile_tables;

typedef struct strc_profile strc_profile;

/// Null: there is no memory for it. The tables outlive it. `keeps_events`: for strc_profile_json, what happened when.
strc_profile *strc_profile_new(const strc_profile_tables *, uint32_t threads, int keeps_events);
void strc_profile_free(strc_profile *);

// ---- for engines; strc_execute does all of this itself
/// The run begins, and ends after so many steady states.
void strc_profile_start(strc_profile *);
void strc_profile_stop(strc_profile *, uint64_t iterations);
/// Of an engine that counts: so often the node fired in all.
void strc_profile_set_firings(strc_profile *, uint32_t node, uint64_t firings);
/// Of an engine that looks: so many items lie on the tape now.
void strc_profile_note_items(strc_profile *, uint32_t channel, uint64_t items);
/// An iteration in which nodes fire one by one: nonzero if these are to be timed.
int strc_profile_begin_iteration(strc_profile *);
void strc_profile_end_iteration(strc_profile *);
/// In an iteration that is timed: all since the last call of these belongs to that entry.
void strc_profile_lap(strc_profile *, uint32_t entry);

// ---- results; to be freed by the caller; null: there is no memory
/// For people.
char *strc_profile_table(const strc_profile *);
/// For Perfetto, chrome://tracing and --profile-use (docs/profiling.md). With events it grows by some MiB for each thread, and no further.
char *strc_profile_json(const strc_profile *);

/// The functions of an executable that was built with --profile.
typedef struct strc_profile_calls {
    strc_profile *(*make)(const strc_profile_tables *, uint32_t threads, int keeps_events);
    void (*free)(strc_profile *);
    char *(*table)(const strc_profile *);
    char *(*json)(const strc_profile *);
} strc_profile_calls;
extern const strc_profile_calls strc_profile_in_executable;

#ifdef __cplusplus
}
#endif
#endif
