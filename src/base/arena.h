#pragma once
/// Memory that lives as long as its Context: trees are built in it and never freed one by one.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace strc::base {

class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void* allocate(std::size_t size, std::size_t align) {
        std::size_t start = (used + align - 1) & ~(align - 1);
        if (chunks.empty() || start + size > capacity) {
            grow(size + align);
            start = (used + align - 1) & ~(align - 1);
        }
        used = start + size;
        return chunks.back().get() + start;
    }

    /// Types with destructors are refused: nobody would run them.
    template <typename T, typename... Args>
    T* make(Args&&... args) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
        return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
    }

    template <typename T>
    std::span<T> copy(const std::vector<T>& items) {
        static_assert(std::is_trivially_copyable_v<T>, "an arena copies bytes");
        if (items.empty()) return {};
        T* to = static_cast<T*>(allocate(sizeof(T) * items.size(), alignof(T)));
        std::memcpy(static_cast<void*>(to), items.data(), sizeof(T) * items.size());
        return {to, items.size()};
    }

private:
    void grow(std::size_t atLeast) {
        capacity = atLeast > kChunk ? atLeast : kChunk;
        chunks.push_back(std::make_unique<std::byte[]>(capacity));
        used = 0;
    }

    static constexpr std::size_t kChunk = 1 << 16;
    std::vector<std::unique_ptr<std::byte[]>> chunks;
    std::size_t used = 0;
    std::size_t capacity = 0;
};

}  // namespace strc::base
