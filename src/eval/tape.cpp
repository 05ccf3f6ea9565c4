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
        if (budget && capacity > held && capacity - held > budget->bytesLeft)
            capacity = used + bytes;  // no more than there must be
        if (budget && capacity > held && capacity - held > budget->bytesLeft) return false;
        std::unique_ptr<std::byte[]> fresh(new (std::nothrow) std::byte[capacity]);
        if (!fresh) return false;
        if (budget) budget->bytesLeft -= capacity - held;  // gives back what a smaller piece frees
        if (used != 0) std::memcpy(fresh.get(), first, used);
        data = std::move(fresh);
        end = data.get() + capacity;
    }
    first = data.get();
    last = first + used;
    return true;
}

}  // namespace strc::eval
