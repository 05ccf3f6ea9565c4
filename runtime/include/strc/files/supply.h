/// An input of a running program: read ahead, so that it is known whether there is enough before
/// something begins (language.md 17.2), and continued at its end as the call asks for.
#ifndef STRC_SUPPLY_H
#define STRC_SUPPLY_H

#include "strc/files/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a supply was at a moment.
typedef struct strc_supply_place {
    size_t first, last;
    uint64_t taken, padded, position;
    int ended;
} strc_supply_place;

typedef struct strc_supply {
    strc_reader *reader;
    int loop;  ///< --loop-input: after the last item the first again
    int pad_tail;  ///< --tail=pad: zeros where the last items do not suffice
    uint64_t
        flush;  ///< zeros behind the last item, at least, that bring out what the program holds
    uint64_t most_bytes;  ///< of what is read ahead
    unsigned char *ahead;  ///< read, not yet taken
    size_t capacity, first, last;  ///< bytes of it
    uint64_t taken, padded;  ///< items
    int is_marked;
    strc_supply_place marked;  ///< what lies behind its `first` is kept while it is marked
    int has_passed;  ///< since then items have gone by `ahead`, straight to where they were taken to
    uint64_t position;  ///< items of the file that have been read, since it was rewound
    int ended;
    int failed;  ///< it has been reported
} strc_supply;

/// The reader is open, or will be before anything is asked for, and outlives this.
void strc_supply_begin(strc_supply *, strc_reader *, int loop, int pad_tail, uint64_t flush,
                       uint64_t most_bytes);
void strc_supply_free(strc_supply *);

/// Reads ahead until `wanted` items are there, unless they are large and a file has them: 1; 0: there never will be; -1
/// after reporting.
int strc_supply_has(strc_supply *, uint64_t wanted);
/// The same without waiting for a pipe and without filling up the end; never -1.
int strc_supply_has_at_once(strc_supply *, uint64_t wanted);
/// Items behind those taken, as far as `most` matters; -1 after reporting.
int64_t strc_supply_still(strc_supply *, int64_t most);
/// The next items, which have been promised. 0; -1 after reporting that the file has not kept that, or after a signal. While it
/// is marked nothing is reported: they have to be given back, and are taken once more.
int strc_supply_take(strc_supply *, void *to, uint64_t items);
/// From here on what is taken is kept; strc_supply_give_back makes it the next items again; strc_supply_keep
/// ends that.
void strc_supply_mark(strc_supply *);
void strc_supply_give_back(strc_supply *);
void strc_supply_keep(strc_supply *);
/// Items at the end that did not come to be used, of the k-th of the files that take turns; none if the end was padded.
/// Without a file there are no more.
strc_part strc_supply_left(const strc_supply *, uint32_t k);

#ifdef __cplusplus
}
#endif
#endif
