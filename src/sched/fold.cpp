#include "sched/detail/fold.h"

#include <algorithm>
#include <iterator>

namespace strc::sched {
namespace {

constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;
/// How far back equal entries and loops are tried: the length of a period is not bounded by it.
constexpr std::size_t kTries = 8;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a * 0xbf58476d1ce4e5b9 + b;
    x ^= x >> 29;
    x *= 0x94d049bb133111eb;
    return x ^ (x >> 32);
}

std::uint64_t hashOfLeaf(graph::NodeId node, std::int64_t count) {
    return mix(node + 1, static_cast<std::uint64_t>(count));
}

std::uint64_t hashOfLoop(std::int64_t count, std::uint64_t body) {
    return mix(body ^ 0x5bd1e995, static_cast<std::uint64_t>(count));
}

}  // namespace

Folder::Folder() : prefix{0}, powers{1} {}

void Folder::push(Loop loop, std::int64_t size, Hash hash, Hash body) {
    const auto position = static_cast<std::uint32_t>(entries.size());
    if (!loop.isLeaf()) loops.push_back(position);
    places[hash].push_back(position);
    hashes.push_back(hash);
    bodyHashes.push_back(body);
    prefix.push_back(prefix.back() * kBase + hash);
    if (powers.size() <= prefix.size()) powers.push_back(powers.back() * kBase);
    sizes.push_back(size);
    nodes += size;
    entries.push_back(std::move(loop));
}

Loop Folder::pop() {
    Loop loop = std::move(entries.back());
    entries.pop_back();
    if (!loop.isLeaf()) loops.pop_back();
    auto place = places.find(hashes.back());
    place->second.pop_back();
    if (place->second.empty()) places.erase(place);
    hashes.pop_back();
    bodyHashes.pop_back();
    prefix.pop_back();
    nodes -= sizes.back();
    sizes.pop_back();
    return loop;
}

Body Folder::popMany(std::size_t count) {
    Body body(count);
    for (std::size_t i = count; i-- > 0;) body[i] = pop();
    return body;
}

Folder::Hash Folder::hashOf(std::size_t begin, std::size_t end) const {
    return prefix[end] - prefix[begin] * powers[end - begin];
}

bool Folder::equalRanges(std::size_t a, std::size_t b, std::size_t count) const {
    return hashOf(a, a + count) == hashOf(b, b + count) &&
           std::equal(entries.begin() + static_cast<std::ptrdiff_t>(a),
                      entries.begin() + static_cast<std::ptrdiff_t>(a + count),
                      entries.begin() + static_cast<std::ptrdiff_t>(b));
}

/// … (n X) X  →  … (n+1 X)
bool Folder::growLoopBefore() {
    const std::size_t size = entries.size();
    for (std::size_t i = 0; i < std::min(kTries, loops.size()); ++i) {
        const std::size_t at = loops[loops.size() - 1 - i];
        const std::size_t period = size - 1 - at;
        if (period == 0 || entries[at].children.size() != period) continue;
        if (bodyHashes[at] != hashOf(at + 1, size)) continue;
        if (!std::equal(entries[at].children.begin(), entries[at].children.end(),
                        entries.begin() + static_cast<std::ptrdiff_t>(at + 1))) {
            continue;
        }
        popMany(period);
        growLatest(1);
        return true;
    }
    return false;
}

/// … X X  →  … (2 X)
bool Folder::foldRepetition() {
    const std::size_t size = entries.size();
    const auto& same = places[hashes.back()];
    for (std::size_t i = 1; i < std::min(kTries + 1, same.size()); ++i) {
        const std::size_t at = same[same.size() - 1 - i];
        const std::size_t period = size - 1 - at;
        if (2 * period > size) return false;
        if (period == 1) continue;  // of a leaf it cannot be, of a loop see joinLoops
        if (!equalRanges(size - 2 * period, size - period, period)) continue;
        const Hash body = hashOf(size - period, size);
        popMany(period);
        const std::int64_t before = nodes;
        Loop loop{2, graph::kNone, popMany(period)};
        push(std::move(loop), before - nodes + 1, hashOfLoop(2, body), body);
        return true;
    }
    return false;
}

/// … (m X) (n X)  →  … (m+n X)
bool Folder::joinLoops() {
    const std::size_t size = entries.size();
    if (size < 2 || entries[size - 1].isLeaf() || entries[size - 2].isLeaf()) return false;
    if (bodyHashes[size - 1] != bodyHashes[size - 2]) return false;
    if (entries[size - 1].children != entries[size - 2].children) return false;
    const Loop last = pop();
    growLatest(last.count);
    return true;
}

bool Folder::fold() { return joinLoops() || growLoopBefore() || foldRepetition(); }

bool Folder::append(graph::NodeId node, std::int64_t count, bool alone) {
    if (alone) {
        push(leaf(node, count), 1, mix(++unique, 0x2545f4914f6cdd1d), 0);
        return false;
    }
    push(leaf(node, count), 1, hashOfLeaf(node, count), 0);
    bool folded = false;
    while (fold()) folded = true;
    return folded;
}

void Folder::growLatest(std::int64_t trips) {
    const Hash body = bodyHashes.back();
    const std::int64_t size = sizes.back();
    Loop loop = pop();
    loop.count += trips;
    const Hash hash = hashOfLoop(loop.count, body);
    push(std::move(loop), size, hash, body);
}

}  // namespace strc::sched
