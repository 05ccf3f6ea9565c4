#pragma once
/// A channel as a growing queue of items of one size: the deque of the interpreter. The items lie one
/// after the other in memory, so a window of them can be read, written or copied at once.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "base/assert.h"

namespace strc::eval {

/// Memory that several tapes may take together.
struct TapeBudget {
    std::uint64_t bytesLeft;
};

class Tape {
public:
    /// Without a budget it grows as far as the machine's memory goes.
    explicit Tape(std::uint32_t itemSize, TapeBudget* budget = nullptr)
        : itemSize(itemSize), budget(budget) {}

    std::uint64_t size() const { return static_cast<std::uint64_t>(last - first) / itemSize; }
    /// size() >= items, without a division.
    bool has(std::uint64_t items) const {
        return static_cast<std::uint64_t>(last - first) >= items * itemSize;
    }
    std::uint32_t bytesPerItem() const { return itemSize; }

    /// Room for so many more items at the end, in one piece; the caller writes all of their bytes.
    /// Throws std::bad_alloc when the budget or the memory is used up.
    std::byte* append(std::uint64_t items = 1) {
        std::uint64_t bytes = items * itemSize;
        if (static_cast<std::uint64_t>(end - last) < bytes && !grow(bytes)) throw std::bad_alloc();
        std::byte* at = last;
        last += bytes;
        return at;
    }
    /// The k-th item from the front; k < size(). Those behind it follow in memory.
    std::byte* at(std::uint64_t k) { return first + k * itemSize; }
    void drop(std::uint64_t items = 1) { first += items * itemSize; }
    void clear() { first = last = data.get(); }

private:
    friend struct TapeWindow;
    /// Makes room for so many bytes behind the last item; false: neither budget nor memory has it.
    [[nodiscard]] bool grow(std::uint64_t bytes);
    bool move(std::uint64_t capacity, std::uint64_t used, std::uint64_t dead);

    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, Free> data;
    std::byte* first = nullptr;
    std::byte* last = nullptr;
    std::byte* end = nullptr;
    std::uint32_t itemSize;
    TapeBudget* budget;
};

/// The evaluator's access while a body runs: it moves the ends itself.
struct TapeWindow {
    static std::byte* first(const Tape& tape) { return tape.first; }
    static std::byte* last(const Tape& tape) { return tape.last; }
    static std::byte* end(const Tape& tape) { return tape.end; }
    static void setFirst(Tape& tape, std::byte* first) { tape.first = first; }
    static void setLast(Tape& tape, std::byte* last) { tape.last = last; }
    [[nodiscard]] static bool grow(Tape& tape, std::uint64_t bytes) { return tape.grow(bytes); }
};

}  // namespace strc::eval
