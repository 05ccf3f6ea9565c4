#pragma once
/// Phases that several threads do: chunks of a run (docs/design/cores.md), and partitions of one call of a library.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/phase.h"

namespace strc::plan {

/// What one chunk hands to the next one.
enum class CarryKind : std::uint8_t {
    State,  ///< bytes of a filter's fields, or its count of firings
    Items,  ///< of a tape: those that stay on it
    Affine,  ///< a field that the firings of a chunk change by a known function (ir/affine_state.h)
    Counter,  ///< 8 bytes that grow by `summand` in a chunk: a count of firings of `node`, or an end of the queue of `tape`
    Random,  ///< the generator of random numbers
    Mail,  ///< what waits in the mailbox of `node`, whose place it has; not the count of firings there
    Order,  ///< nothing: what prints, reads or writes does so in the order of chunks
};

/// The segments between which it is nobody else's.
struct Section {
    std::size_t taken = 0, given = 0;
};

/// A chunk takes it before it begins with segment `taken`, and gives it when the segments before `given` are done. Affine and
/// Counter: at once, computed from what was taken.
struct Carry {
    CarryKind kind = CarryKind::State;
    NodeId node = graph::kNone;  ///< whose it is; of Items: kNone
    EdgeId tape = graph::kNone;  ///< Items
    std::int64_t from = 0;  ///< bytes, into the state: where a chunk of one slice leaves it
    std::int64_t perSlice = 0;  ///< bytes that it lies further on for each further slice
    std::int64_t to = 0;  ///< where a chunk, and every other phase, expects it
    std::int64_t size = 0;  ///< bytes
    std::size_t taken = 0, given = 0;
    std::uint32_t factor = 1, summand = 0,
                  mask = UINT32_MAX;  ///< Affine, for all firings of a slice
};

/// Steps that a thread does without waiting for others, in functions of their own.
struct Segment {
    std::vector<Step> steps;
    double work = 0;  ///< estimated (ir/work_estimate.h)
};

/// Some steady states that a thread does while other threads do those before and behind, each in a copy of the state of its own:
/// state crosses threads, data does not. The segments in order do what a phase does, but for the Moves at the end of it: items
/// that stay on tapes go to the next chunk instead, and to the state of the program when the last chunk is done.
///
/// How many steady states that are is decided while the program runs: a chunk has 1 to `slices` slices. A segment is the body of a loop
/// over the slices, for positions, and does all of them before the next segment begins.
struct Chunk {
    std::vector<Segment> segments;
    std::vector<Carry> carries;
    /// By carry: sections between fewer hand-overs, where these may be as good. Empty: they would not be.
    std::vector<Section> coarse;
    std::vector<std::int64_t> reads;  ///< as in Phase, of a slice
    std::int64_t iterations = 0;  ///< steady states of a slice
    std::int64_t slices = 1;  ///< that a chunk can have; tapes within a segment are used again in each
    std::int64_t usual = 1;  ///< slices that a chunk should have, by the estimate
    double work = 0;  ///< of all segments, once
    std::vector<double> nodeWork;  ///< by NodeId
    double ordered = 0;  ///< of the longest part of a chunk that the next one has to wait for
};

/// The same with its coarse sections.
Chunk coarser(const Chunk&);

/// How items of a tape come from one partition to another.
enum class ChannelKind : std::uint8_t {
    Within,  ///< of one partition: nobody waits
    BySlice,  ///< one writes, one reads: a slice waits for the same slice of the other, and those before
    Whole,  ///< likewise, but for all slices of the other
};

struct PartitionChannel {
    EdgeId tape = graph::kNone;
    NodeId receiver = graph::kNone;  ///< of messages, which have no tape
    std::size_t from = 0, to = 0;  ///< partitions; from one to many there is a channel for each
    ChannelKind kind = ChannelKind::Within;
};

/// Steps that one thread does at a time, and the filters whose state they own; the body of a loop over slices, for positions.
struct Partition {
    std::vector<Step> steps;
    std::vector<NodeId>
        nodes;  ///< that fire in it, in ascending order: their mailboxes are its own, too
    std::int64_t slices = 1;  ///< 1, or those of the phase
    bool isInOrder = false;  ///< slice after slice: firings change what others find
    bool drawsRandom = false;
    double work = 0;  ///< of all slices, estimated (ir/work_estimate.h)
    std::uint32_t home = 0;  ///< the thread that looks for it first; 0: the caller's
};

/// A phase that threads of a library share within one call. All its items have room, so its tapes are the buffers between partitions: a
/// slice, some of the steady states, can be done when what it reads has been done.
struct Partitioning {
    std::vector<Step> begin, end;  ///< open ends, prints, Moves: the caller's, before and behind
    std::vector<Partition> partitions;  ///< in the order in which they are looked for
    std::vector<PartitionChannel> channels;
    std::vector<std::int64_t> reads;  ///< as in Phase
    std::int64_t iterations = 0;  ///< steady states
    std::int64_t slices = 1;  ///< of the same number of steady states
    std::vector<double> nodeWork;  ///< by NodeId: of all its firings, estimated
    double work = 0;  ///< of all partitions
    double span = 0;  ///< what that takes on the threads that were asked for, by the estimate
};

}  // namespace strc::plan
