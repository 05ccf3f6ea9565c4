#include "eval/tape.h"

#include <algorithm>

namespace strc::eval {

// Dead space in front is used again when it is at least as large as what lives: each byte is then
// moved at most once for every byte that was appended.
bool Tape::grow(std::uint64_t bytes) {
    auto used = static_cast<std::uint64_t>(last - first);
    auto dead = static_cast<std::uint64_t>(first - data.get());
    if (dead >= used && dead >= bytes) {
        if (used != 0) std::memcpy(data.get(), first, used);
    } else {
        std::uint64_t least = 16ull * itemSize;
        auto held = static_cast<std::uint64_t>(end - data.get());
        std::uint64_t capacity = std::max({least, 2 * used, used + bytes});
        if (budget && capacity > held + budget->bytesLeft)
            capacity = used + std::max(bytes, used / 8);  // less would mean to move it often
        if (budget && capacity > held + budget->bytesLeft) return false;
        if (!move(capacity, used, dead)) return false;
        if (budget) budget->bytesLeft -= capacity - held;  // gives back what a smaller piece frees
    }
    first = data.get();
    last = first + used;
    return true;
}

/// Gets larger memory for the items. If none before them is dead, realloc may leave large pieces where they are.
bool Tape::move(std::uint64_t capacity, std::uint64_t used, std::uint64_t dead) {
    void* to = dead == 0 ? std::realloc(data.get(), capacity) : std::malloc(capacity);
    if (!to) return false;
    if (dead == 0) {
        static_cast<void>(data.release());
    } else if (used != 0) {
        std::memcpy(to, first, used);
    }
    data.reset(static_cast<std::byte*>(to));
    end = data.get() + capacity;
    return true;
}

}  // namespace strc::eval
