#pragma once
/// A channel as a growing ring buffer of items of one size: the deque of the interpreter.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/assert.h"

namespace strc::eval {

class Tape {
public:
    explicit Tape(std::uint32_t itemSize) : itemSize(itemSize) {}

    std::uint64_t size() const { return count; }
    std::uint32_t bytesPerItem() const { return itemSize; }

    /// Room for one more item at the end; the caller writes itemSize bytes there.
    std::byte* append() {
        if (count == capacity) grow();
        std::byte* at = slot(count);
        ++count;
        return at;
    }
    /// The k-th item from the front; k < size().
    std::byte* at(std::uint64_t k) { return slot(k); }
    void drop() {
        head = (head + 1) & (capacity - 1);
        --count;
    }
    void clear() { head = count = 0; }

private:
    std::byte* slot(std::uint64_t k) { return data.get() + ((head + k) & (capacity - 1)) * itemSize; }
    void grow();

    std::unique_ptr<std::byte[]> data;
    std::uint64_t head = 0;
    std::uint64_t count = 0;
    std::uint64_t capacity = 0;  ///< items; zero or a power of two
    std::uint32_t itemSize;
};

}  // namespace strc::eval
