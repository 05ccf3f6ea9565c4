#pragma once
/// Items in a row that are taken in the order in which they came. Memory is taken beforehand, so that a thread which must not wait
/// can use it.

#include <cstddef>
#include <cstring>
#include <vector>

namespace strc::api {

class ItemQueue {
public:
    /// Room for so many items of that size. What was there is gone.
    void reserve(std::size_t items, std::size_t itemSize) {
        size = itemSize;
        most = items;
        bytes.assign(items * itemSize, std::byte{});
        first = held = 0;
    }
    std::size_t count() const { return held; }
    std::size_t room() const { return most - held; }
    void clear() { first = held = 0; }

    /// The k-th item.
    const std::byte* at(std::size_t k) const { return bytes.data() + (first + k) * size; }
    /// Where `items` more come, for which there is room.
    std::byte* append(std::size_t items) {
        if ((first + held + items) * size > bytes.size()) {
            if (held != 0) std::memmove(bytes.data(), at(0), held * size);
            first = 0;
        }
        held += items;
        return bytes.data() + (first + held - items) * size;
    }
    void append(const void* from, std::size_t items) {
        std::byte* to = append(items);
        if (items != 0) std::memcpy(to, from, items * size);
    }
    void drop(std::size_t items) {
        held -= items;
        first = held == 0 ? 0 : first + items;
    }

private:
    std::vector<std::byte> bytes;
    std::size_t size = 0, most = 0;
    std::size_t first = 0, held = 0;  ///< items
};

}  // namespace strc::api
