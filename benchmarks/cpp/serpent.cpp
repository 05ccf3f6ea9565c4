// Twin of programs/serpent.str.

#include <bit>
#include <cstdint>

#include "twin.h"

static constexpr int kRounds = 32, kBlocks = 1024;
static constexpr std::uint8_t kBoxes[8][16] = {
    {3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12},
    {15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4},
    {8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2},
    {0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14},
    {1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13},
    {15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1},
    {7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0},
    {1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6}};
static std::uint32_t keys[kRounds + 1][4], uses[8][4][16], blocks[kBlocks][4];

/// uses[box][j][m]: all ones where the product m of bits is part of bit j of the result.
static void makeSums() {
    for (int box = 0; box < 8; box++) {
        for (int j = 0; j < 4; j++) {
            std::uint32_t* sum = uses[box][j];
            for (int x = 0; x < 16; x++) sum[x] = (kBoxes[box][x] >> j & 1) != 0 ? 0xFFFFFFFF : 0;
            for (int step = 1; step < 16; step *= 2)
                for (int x = 0; x < 16; x++)
                    if ((x & step) != 0) sum[x] ^= sum[x - step];
        }
    }
}

static void substitute(int box, std::uint32_t (&words)[4]) {
    std::uint32_t products[16] = {0xFFFFFFFF};
    for (int j = 0; j < 4; j++)
        for (int m = 0; m < 1 << j; m++) products[(1 << j) + m] = products[m] & words[j];
    for (int j = 0; j < 4; j++) {
        std::uint32_t sum = 0;
        for (int m = 0; m < 16; m++) sum ^= products[m] & uses[box][j][m];
        words[j] = sum;
    }
}

static void scheduleKeys() {
    std::uint32_t w[140];
    for (std::uint32_t i = 0; i < 8; i++) w[i] = 0x03020100 + 0x04040404 * i;
    for (std::uint32_t i = 8; i < 140; i++)
        w[i] = std::rotl(w[i - 8] ^ w[i - 5] ^ w[i - 3] ^ w[i - 1] ^ 0x9E3779B9 ^ (i - 8), 11);
    for (int round = 0; round <= kRounds; round++) {
        for (int j = 0; j < 4; j++) keys[round][j] = w[8 + 4 * round + j];
        substitute((35 - round) % 8, keys[round]);
    }
}

static void encrypt(std::uint32_t (&x)[4]) {
    for (int round = 0; round < kRounds; round++) {
        for (int j = 0; j < 4; j++) x[j] ^= keys[round][j];
        substitute(round % 8, x);
        if (round == kRounds - 1) break;
        x[0] = std::rotl(x[0], 13);
        x[2] = std::rotl(x[2], 3);
        x[1] = std::rotl(x[1] ^ x[0] ^ x[2], 1);
        x[3] = std::rotl(x[3] ^ x[2] ^ x[0] << 3, 7);
        x[0] = std::rotl(x[0] ^ x[1] ^ x[3], 5);
        x[2] = std::rotl(x[2] ^ x[3] ^ x[1] << 7, 22);
    }
    for (int j = 0; j < 4; j++) x[j] ^= keys[kRounds][j];
}

int main(int argc, char** argv) {
    makeSums();
    scheduleKeys();
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(&blocks[0][0], 4 * kBlocks, 4) / 4) {
        for (std::size_t i = 0; i < n; i++) encrypt(blocks[i]);
        twin.write(&blocks[0][0], 4 * n);
    }
}
