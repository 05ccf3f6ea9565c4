// Twin of programs/mpeg2.str.

#include <algorithm>

#include "fir.h"
#include "twin.h"
#include "zigzag.h"

static constexpr int kSize = 8, kItems = 64, kScale = 8;
static constexpr int kIntra[kItems] = {
    8,  16, 19, 22, 26, 27, 29, 34, 16, 16, 22, 24, 27, 29, 34, 37, 19, 22, 26, 27, 29, 34,
    34, 38, 22, 22, 26, 27, 29, 34, 37, 40, 22, 26, 27, 29, 32, 35, 40, 48, 26, 27, 29, 32,
    35, 40, 48, 58, 26, 27, 29, 34, 38, 46, 56, 69, 27, 29, 35, 38, 46, 56, 69, 83};
static float c[kSize][kSize];
static int coefficients[kItems], samples[kItems];
static float block[kItems], rows[kSize][kSize];

static void dequantise(int dc) {
    int values[kItems], sum = 0;
    values[0] = std::clamp(8 * dc, -2048, 2047);
    for (int i = 1; i < kItems; i++) values[kZigzag[i]] = coefficients[i];
    for (int i = 1; i < kItems; i++)
        values[i] = std::clamp(values[i] * kIntra[i] * kScale / 16, -2048, 2047);
    for (int value : values) sum += value;
    if (sum % 2 == 0) values[kItems - 1] ^= 1;
    for (int i = 0; i < kItems; i++) block[i] = static_cast<float>(values[i]);
}

static void transform() {
    for (int row = 0; row < kSize; row++) {
        float sum[kSize] = {};
        for (int k = 0; k < kSize; k++)
            for (int i = 0; i < kSize; i++) sum[i] += c[k][i] * block[kSize * row + k];
        std::copy_n(sum, kSize, rows[row]);
    }
    for (int i = 0; i < kSize; i++) {
        float sum[kSize] = {};
        for (int k = 0; k < kSize; k++)
            for (int column = 0; column < kSize; column++) sum[column] += c[k][i] * rows[k][column];
        for (int column = 0; column < kSize; column++)
            samples[kSize * i + column] =
                static_cast<int>(std::clamp(std::floor(sum[column] + 0.5), 0.0, 255.0));
    }
}

int main(int argc, char** argv) {
    for (int i = 0; i < kSize; i++)
        for (int k = 0; k < kSize; k++)
            c[k][i] = (k == 0 ? std::sqrt(0.125F) : 0.5F) *
                      cosine(kPi * static_cast<float>((2 * i + 1)) * static_cast<float>(k) / 16);
    int dc = 128;
    Twin twin(argc, argv);
    while (twin.read(coefficients, kItems, kItems)) {
        dc += coefficients[0];
        dequantise(dc);
        transform();
        twin.write(samples, kItems);
    }
}
