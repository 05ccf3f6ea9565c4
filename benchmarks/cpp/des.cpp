// Twin of programs/des.str: blocks as words of 64 bits, the first bit on top.

#include <cstdint>

#include "des_tables.h"
#include "twin.h"

static constexpr std::uint64_t kKey = 0x133457799BBCDFF1;
static constexpr int kRounds = 16, kBlocks = 512;
static std::uint64_t keys[kRounds], blocks[kBlocks];

/// The bits of `x`, which has `width`, that the table names, counted from 1 at the top.
template <std::size_t n>
static std::uint64_t permute(std::uint64_t x, int width, const int (&table)[n]) {
    std::uint64_t result = 0;
    for (int place : table) result = result << 1 | (x >> (width - place) & 1);
    return result;
}

static void scheduleKeys() {
    std::uint64_t both = permute(kKey, 64, kChoice1);
    std::uint64_t c = both >> 28, d = both & 0xFFFFFFF;
    for (int round = 0; round < kRounds; round++) {
        c = (c << kShifts[round] | c >> (28 - kShifts[round])) & 0xFFFFFFF;
        d = (d << kShifts[round] | d >> (28 - kShifts[round])) & 0xFFFFFFF;
        keys[round] = permute(c << 28 | d, 56, kChoice2);
    }
}

static std::uint32_t f(std::uint32_t half, std::uint64_t key) {
    std::uint64_t x = permute(half, 32, kExpansion) ^ key;
    std::uint32_t result = 0;
    for (int box = 0; box < 8; box++) {
        auto bits = static_cast<int>(x >> (42 - 6 * box) & 63);
        int row = (bits >> 4 & 2) | (bits & 1), column = bits >> 1 & 15;
        result = result << 4 | static_cast<std::uint32_t>(kBoxes[box][16 * row + column]);
    }
    return static_cast<std::uint32_t>(permute(result, 32, kPermutation));
}

static std::uint64_t encrypt(std::uint64_t block) {
    std::uint64_t x = permute(block, 64, kInitial);
    auto left = static_cast<std::uint32_t>(x >> 32), right = static_cast<std::uint32_t>(x);
    for (std::uint64_t key : keys) {
        std::uint32_t next = left ^ f(right, key);
        left = right;
        right = next;
    }
    return permute(static_cast<std::uint64_t>(right) << 32 | left, 64, kFinal);
}

int main(int argc, char** argv) {
    scheduleKeys();
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(blocks, kBlocks)) {
        for (std::size_t i = 0; i < n; i++)
            blocks[i] = __builtin_bswap64(encrypt(__builtin_bswap64(blocks[i])));
        twin.write(blocks, n);
    }
}
