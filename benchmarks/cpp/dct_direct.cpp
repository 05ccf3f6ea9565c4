// Twin of programs/dct_direct.str: cosines are a table, and the sums of all coefficients go on side by side.

#include <cmath>

#include "fir.h"
#include "twin.h"

static constexpr int kSize = 8, kItems = 64;
static float c[kSize][kSize];  ///< [sample][frequency]
static float block[kSize][kSize], result[kSize][kSize];

int main(int argc, char** argv) {
    float weight[kSize];
    for (int k = 0; k < kSize; k++) {
        weight[k] = k == 0 ? std::sqrt(0.5F) : 1.0F;
        for (int i = 0; i < kSize; i++)
            c[i][k] = cosine(kPi * static_cast<float>(2 * i + 1) * static_cast<float>(k) / 16);
    }
    Twin twin(argc, argv);
    while (twin.read(&block[0][0], kItems, kItems)) {
        float sum[kSize][kSize] = {};
        for (int x = 0; x < kSize; x++) {
            for (int y = 0; y < kSize; y++) {
                for (int u = 0; u < kSize; u++) {
                    float turned = block[x][y] * c[x][u];
                    for (int v = 0; v < kSize; v++) sum[u][v] += turned * c[y][v];
                }
            }
        }
        for (int u = 0; u < kSize; u++)
            for (int v = 0; v < kSize; v++) result[u][v] = weight[u] * weight[v] * sum[u][v] / 4;
        twin.write(&result[0][0], kItems);
    }
}
