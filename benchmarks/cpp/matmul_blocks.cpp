// Twin of programs/matmul_blocks.str.

#include "twin.h"

static constexpr int kSize = 32, kBlock = 8;
static float input[2][kSize][kSize], product[kSize][kSize];

/// Block (i, j) of the product: the products of blocks are summed one after the other.
static void multiply(int i, int j) {
    float sum[kBlock][kBlock] = {};
    for (int k = 0; k < kSize; k += kBlock) {
        float part[kBlock][kBlock] = {};
        for (int y = 0; y < kBlock; y++)
            for (int z = 0; z < kBlock; z++)
                for (int x = 0; x < kBlock; x++)
                    part[y][x] += input[0][i + y][k + z] * input[1][k + z][j + x];
        for (int y = 0; y < kBlock; y++)
            for (int x = 0; x < kBlock; x++) sum[y][x] += part[y][x];
    }
    for (int y = 0; y < kBlock; y++)
        for (int x = 0; x < kBlock; x++) product[i + y][j + x] = sum[y][x];
}

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(&input[0][0][0], 2 * kSize * kSize, 2 * kSize * kSize)) {
        for (int i = 0; i < kSize; i += kBlock)
            for (int j = 0; j < kSize; j += kBlock) multiply(i, j);
        twin.write(&product[0][0], kSize * kSize);
    }
}
