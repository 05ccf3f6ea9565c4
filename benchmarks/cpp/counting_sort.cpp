// Twin of programs/counting_sort.str and comparison_counting.str: each item is compared with all, so that vectors are full.

#include "twin.h"

static constexpr int kSize = 32;
static int block[kSize], sorted[kSize];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(block, kSize, kSize)) {
        for (int i = 0; i < kSize; i++) {
            int item = block[i], before = 0;
            for (int j = 0; j < kSize; j++)
                before += (block[j] < item) | ((block[j] == item) & (j < i));
            sorted[before] = item;
        }
        twin.write(sorted, kSize);
    }
}
