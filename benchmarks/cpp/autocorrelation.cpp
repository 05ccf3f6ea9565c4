// Twin of programs/autocorrelation.str: all lags of an item at once. Zeros follow the block.

#include "twin.h"

static constexpr int kSize = 128, kLags = 32;
static float x[kSize + kLags];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(x, kSize, kSize)) {
        float sum[kLags] = {};
        for (int i = 0; i < kSize; i++)
            for (int lag = 0; lag < kLags; lag++) sum[lag] += x[i] * x[i + lag];
        twin.write(sum, kLags);
    }
}
