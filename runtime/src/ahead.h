/// Regions in front of filters that ask for item after item: in a batch they have many firings at a stretch as well, more than are
/// asked for. Their items are hidden until somebody asks, and what nobody has asked for when the batch ends is taken back: so the
/// state is that of firings on demand. Private to the runtime.
#ifndef STRC_AHEAD_H
#define STRC_AHEAD_H

#include "batches.h"

/// Room for what is saved. 0: it is there.
int strc_ahead_begin(strc_batches *);
void strc_ahead_free(strc_batches *);

/// Of a batch of so many iterations, after one of `before`.
void strc_ahead_expect(strc_batches *, uint64_t times, uint64_t before);
/// Gives out what so many firings of the region have left hidden. Returns how many there were.
uint64_t strc_ahead_release(strc_batches *, const strc_node *, strc_queue *out, uint64_t times);
/// How often the region should fire if it is asked for so many firings.
uint64_t strc_ahead_firings(strc_batches *, const strc_node *, uint64_t times);
/// Before it fires `fired` times for `times` that are asked for, and afterwards.
void strc_ahead_save(strc_batches *, const strc_node *, const strc_queue *in,
                     const strc_queue *out);
void strc_ahead_hide(strc_batches *, const strc_node *, strc_queue *out, uint64_t fired,
                     uint64_t times);
/// The batch ends: firings that nobody has asked for are taken back.
void strc_ahead_take_back(strc_batches *);
/// After a rollback.
void strc_ahead_forget(strc_batches *);

/// Items that were read before somebody asked for them: gives out `items` of them at the most, and returns how many.
uint64_t strc_ahead_read(strc_batches *, uint32_t edge, uint64_t items);

#endif
