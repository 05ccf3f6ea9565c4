// Twin of programs/radix_sort.str, without branches that nobody can predict.

#include <algorithm>

#include "twin.h"

#ifndef N
#define N 64
#endif

static constexpr int kSize = N, kBits = 16, kOffset = 1 << (kBits - 1);
static int block[kSize], ones[kSize];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(block, kSize, kSize)) {
        for (int& item : block) item += kOffset;
        for (int digit = 0; digit < kBits; digit++) {
            int zeros = 0, others = 0;
            for (int item : block) {
                int bit = item >> digit & 1;
                block[zeros] = ones[others] = item;  // to the end of both, of which one grows
                zeros += 1 - bit;
                others += bit;
            }
            std::copy_n(ones, others, block + zeros);
        }
        for (int& item : block) item -= kOffset;
        twin.write(block, kSize);
    }
}
