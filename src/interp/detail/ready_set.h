#pragma once
/// A set of small numbers that finds its greatest member quickly: which actors might fire, by their
/// structural order. Two levels of 64 bits for each 4096 numbers.

#include <bit>
#include <cstdint>
#include <vector>

namespace strc::interp {

class ReadySet {
public:
    explicit ReadySet(std::size_t size)
        : words((size + 63) / 64), summary((words.size() + 63) / 64) {}

    void insert(std::uint32_t k) {
        words[k >> 6] |= 1ull << (k & 63);
        summary[k >> 12] |= 1ull << (k >> 6 & 63);
    }
    void erase(std::uint32_t k) {
        if ((words[k >> 6] &= ~(1ull << (k & 63))) == 0)
            summary[k >> 12] &= ~(1ull << (k >> 6 & 63));
    }
    /// The greatest member, or -1.
    std::int64_t greatest() const {
        for (std::size_t top = summary.size(); top-- > 0;) {
            if (summary[top] == 0) continue;
            std::size_t word =
                top * 64 + 63 - static_cast<std::size_t>(std::countl_zero(summary[top]));
            return static_cast<std::int64_t>(
                word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(words[word])));
        }
        return -1;
    }

private:
    std::vector<std::uint64_t> words;
    std::vector<std::uint64_t> summary;  ///< which words are not zero
};

}  // namespace strc::interp
