// Twin of programs/autocorrelation.str: a tile of lags of an item at once, whose sums are in registers. Zeros follow the block.

#include "twin.h"

#ifndef N
#define N 128
#endif
#ifndef LAGS
#define LAGS 32
#endif

static constexpr int kSize = N, kLags = LAGS, kTile = 32;
static float x[kSize + kLags];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(x, kSize, kSize)) {
        for (int first = 0; first < kLags; first += kTile) {
            float sum[kTile] = {};
            for (int i = 0; i < kSize - first; i++)
                for (int lag = 0; lag < kTile; lag++) sum[lag] += x[i] * x[i + first + lag];
            twin.write(sum, kTile);
        }
    }
}
