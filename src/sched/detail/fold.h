#pragma once
/// Finds the loops in a sequence of firings while it is being made: repetitions of what was just
/// appended are folded into loops, and loops into outer loops.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sched/detail/loops.h"

namespace strc::sched {

class Folder {
public:
    Folder();

    /// One run of firings. A run that must stay as it is (`alone`: a prework) becomes part of no
    /// loop. True if the latest entry is now a loop that has just grown by one iteration.
    bool append(graph::NodeId node, std::int64_t count, bool alone = false);
    /// The latest entry; to be asked for after append returned true.
    const Loop& latest() const { return entries.back(); }
    /// Adds rounds to it without their being appended.
    void growLatest(std::int64_t trips);

    /// Nodes of all trees so far.
    std::int64_t size() const { return nodes; }
    Body finish() { return std::move(entries); }

private:
    using Hash = std::uint64_t;

    void push(Loop loop, std::int64_t size, Hash hash, Hash body);
    Loop pop();
    Body popMany(std::size_t count);
    Hash hashOf(std::size_t begin, std::size_t end) const;
    bool equalRanges(std::size_t a, std::size_t b, std::size_t count) const;
    bool growLoopBefore();
    bool foldRepetition();
    bool joinLoops();
    bool fold();

    Body entries;
    std::vector<Hash> hashes;  ///< of each entry
    std::vector<Hash> bodyHashes;  ///< of a loop's children
    std::vector<Hash> prefix;  ///< of the entries before
    std::vector<Hash> powers;
    std::vector<std::uint32_t> loops;  ///< positions of entries that are loops
    std::vector<std::int64_t> sizes;  ///< nodes of each entry's tree
    std::unordered_map<Hash, std::vector<std::uint32_t>> places;  ///< of equal entries, ascending
    std::int64_t nodes = 0;
    Hash unique = 0;
};

}  // namespace strc::sched
