#include "eval/tape.h"

#include <algorithm>

namespace strc::eval {

void Tape::grow() {
    std::uint64_t larger = capacity == 0 ? 16 : capacity * 2;
    auto fresh = std::make_unique<std::byte[]>(larger * itemSize);
    std::uint64_t first = std::min(count, capacity - head);
    if (count != 0) {
        std::memcpy(fresh.get(), data.get() + head * itemSize, first * itemSize);
        std::memcpy(fresh.get() + first * itemSize, data.get(), (count - first) * itemSize);
    }
    data = std::move(fresh);
    head = 0;
    capacity = larger;
}

}  // namespace strc::eval
