// Twin of programs/dct.str.

#include "fir.h"
#include "twin.h"

static constexpr int kSize = 8;
static float c[kSize][kSize], block[kSize][kSize], rows[kSize][kSize], result[kSize][kSize];

int main(int argc, char** argv) {
    for (int k = 0; k < kSize; k++) {
        float scale = std::sqrt((k == 0 ? 1.0F : 2.0F) / kSize);
        for (int i = 0; i < kSize; i++)
            c[k][i] = scale * cosine(kPi * static_cast<float>((2 * i + 1)) * static_cast<float>(k) /
                                     (2 * kSize));
    }
    Twin twin(argc, argv);
    while (twin.read(&block[0][0], kSize * kSize, kSize * kSize)) {
        for (int row = 0; row < kSize; row++) {
            float sum[kSize] = {};
            for (int i = 0; i < kSize; i++)
                for (int k = 0; k < kSize; k++) sum[k] += c[k][i] * block[row][i];
            for (int k = 0; k < kSize; k++) rows[row][k] = sum[k];
        }
        for (int k = 0; k < kSize; k++) {
            float sum[kSize] = {};
            for (int i = 0; i < kSize; i++)
                for (int column = 0; column < kSize; column++)
                    sum[column] += c[k][i] * rows[i][column];
            for (int column = 0; column < kSize; column++) result[k][column] = sum[column];
        }
        twin.write(&result[0][0], kSize * kSize);
    }
}
