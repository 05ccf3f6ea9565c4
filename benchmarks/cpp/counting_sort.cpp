// Twin of programs/counting_sort.str.

#include "twin.h"

static constexpr int kSize = 32;
static int block[kSize], sorted[kSize];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(block, kSize, kSize)) {
        for (int i = 0; i < kSize; i++) {
            int before = 0;
            for (int j = 0; j < i; j++) before += block[j] <= block[i];
            for (int j = i + 1; j < kSize; j++) before += block[j] < block[i];
            sorted[before] = block[i];
        }
        twin.write(sorted, kSize);
    }
}
