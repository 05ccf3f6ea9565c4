#include "io/supply.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/assert.h"

namespace strc::io {
namespace {

constexpr std::uint64_t kChunk = 4096;  ///< items
constexpr std::uint64_t kChunkBytes = 1 << 20;  ///< of items so large that fewer come at once
constexpr std::uint64_t kMostAtOnce = 1 << 20;  ///< items: a file may hold less than is wanted

}  // namespace

Supply::Supply(ItemReader& items, std::string name, const types::Type* item, SupplyOptions options)
    : reader(&items),
      file(std::move(name)),
      itemSize(static_cast<std::uint64_t>(types::sizeOf(item))),
      options(options) {}

Supply::Supply(std::unique_ptr<ItemReader> items, std::string name, const types::Type* item,
               SupplyOptions options)
    : Supply(*items, std::move(name), item, options) {
    owned = std::move(items);
}

base::Result<bool> Supply::has(std::uint64_t wanted) {
    if (wanted > options.mostBytes / itemSize) throw std::bad_alloc();
    readUntil(wanted);
    if (size() >= wanted) return true;
    if (fault) return *fault;
    if (!pads()) return false;
    std::uint64_t missing = wanted - size();
    ahead.resize(ahead.size() + missing * itemSize);
    padded += missing;
    return true;
}

/// What is there of a steady state is filled up, and then come as many zeros as bring it out of the program.
bool Supply::pads() const {
    return options.padTail && !isEmpty() && (size() != 0 || padded < options.flush);
}

base::Result<std::uint64_t> Supply::still(std::uint64_t most) {
    most = std::min(most, options.mostBytes / itemSize);
    readUntil(most);
    if (size() < most && fault) return *fault;
    return std::min(size(), most);
}

bool Supply::hasAtOnce(std::uint64_t wanted) {
    if (reader->total()) readUntil(wanted);
    return size() >= wanted;
}

void Supply::readUntil(std::uint64_t wanted) {
    while (size() < wanted && !ended && !fault) {
        auto got = readMore(wanted - size());
        if (!got) {
            fault = got.failure();
            return;
        }
        sinceRewind += *got;
        if (*got != 0) continue;
        if (options.loop && sinceRewind != 0 && reader->rewind())
            sinceRewind = 0;
        else
            ended = true;
    }
}

/// A file is read in pieces; a pipe gives what it has at once, which may be more than is wanted now.
base::Result<std::size_t> Supply::readMore(std::uint64_t wanted) {
    const std::uint64_t least = std::clamp<std::uint64_t>(kChunkBytes / itemSize, 1, kChunk);
    std::uint64_t count = std::clamp(wanted, least, kMostAtOnce);
    dropTaken();
    std::size_t end = ahead.size();
    ahead.resize(end + count * itemSize);
    auto got = reader->read(ahead.data() + end, count);
    ahead.resize(end + (got ? *got : 0) * itemSize);
    return got;
}

void Supply::dropTaken() {
    const std::size_t used = marked ? marked->first : first;
    if (used <= ahead.size() / 2) return;
    ahead.erase(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(used));
    first -= used;
    if (marked) marked->first = 0;
}

void Supply::mark() { marked = Mark{first, taken}; }

void Supply::giveBack() {
    STRC_ASSERT(marked, "nothing was marked");
    first = marked->first;
    taken = marked->taken;
    marked.reset();
}

void Supply::keep() { marked.reset(); }

void Supply::take(std::byte* to, std::uint64_t items) {
    std::uint64_t bytes = items * itemSize;
    STRC_ASSERT(ahead.size() - first >= bytes, "items that were not promised");
    std::memcpy(to, ahead.data() + first, bytes);
    first += bytes;
    taken += items;
}

std::vector<ItemReader::Part> Supply::left() const {
    std::vector<ItemReader::Part> parts = reader->parts();
    if (parts.empty() || options.loop) return {{file, leftOfOne()}};
    std::vector<ItemReader::Part> left;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::uint64_t used = (taken + parts.size() - 1 - k) / parts.size();
        parts[k].items -= std::min(parts[k].items, used);
        // The tensors of one file follow each other.
        if (left.empty() || left.back().file != parts[k].file)
            left.push_back(parts[k]);
        else
            left.back().items += parts[k].items;
    }
    return left;
}

std::uint64_t Supply::leftOfOne() const {
    if (padded != 0) return 0;
    std::uint64_t here = (ahead.size() - first) / itemSize;
    std::optional<std::uint64_t> all = reader->total();
    if (all && !options.loop) return std::max(here, *all - std::min(*all, taken));
    return here;
}

}  // namespace strc::io
