// Twin of programs/jpeg.str: cosines and weights are tables.

#include <algorithm>
#include <cmath>

#include "fir.h"
#include "twin.h"
#include "zigzag.h"

static constexpr int kSize = 8, kItems = 64;
static constexpr int kSteps[kItems] = {
    16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
    14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
    18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
static float weight[kSize];
static float ofSample[kSize][kSize], ofFrequency[kSize][kSize];  ///< cosines [i][k] and [k][i]

static void makeTables() {
    for (int k = 0; k < kSize; k++) {
        weight[k] = k == 0 ? std::sqrt(0.125F) : 0.5F;
        for (int i = 0; i < kSize; i++)
            ofSample[i][k] = ofFrequency[k][i] =
                cosine(kPi * static_cast<float>(2 * i + 1) * static_cast<float>(k) / 16);
    }
}

/// The rows of `block` to frequencies, each sum in the order of the samples.
static void transformRows(float (&block)[kSize][kSize]) {
    for (auto& row : block) {
        float sum[kSize] = {};
        for (int i = 0; i < kSize; i++)
            for (int k = 0; k < kSize; k++) sum[k] += row[i] * ofSample[i][k];
        for (int k = 0; k < kSize; k++) row[k] = weight[k] * sum[k];
    }
}

static void transformColumns(float (&block)[kSize][kSize]) {
    float result[kSize][kSize];
    for (int k = 0; k < kSize; k++) {
        float sum[kSize] = {};
        for (int i = 0; i < kSize; i++)
            for (int column = 0; column < kSize; column++)
                sum[column] += block[i][column] * ofSample[i][k];
        for (int column = 0; column < kSize; column++) result[k][column] = weight[k] * sum[column];
    }
    std::copy_n(&result[0][0], kItems, &block[0][0]);
}

static void restoreRows(float (&block)[kSize][kSize]) {
    for (auto& row : block) {
        float sum[kSize] = {};
        for (int k = 0; k < kSize; k++) {
            float weighted = weight[k] * row[k];
            for (int i = 0; i < kSize; i++) sum[i] += weighted * ofFrequency[k][i];
        }
        std::copy_n(sum, kSize, row);
    }
}

static void restoreColumns(float (&block)[kSize][kSize]) {
    float result[kSize][kSize] = {};
    for (int k = 0; k < kSize; k++) {
        float weighted[kSize];
        for (int column = 0; column < kSize; column++)
            weighted[column] = weight[k] * block[k][column];
        for (int i = 0; i < kSize; i++)
            for (int column = 0; column < kSize; column++)
                result[i][column] += weighted[column] * ofFrequency[k][i];
    }
    std::copy_n(&result[0][0], kItems, &block[0][0]);
}

static int nearest(float x) { return static_cast<int>(std::floor(x + 0.5)); }

static int samples[kItems], codes[kItems];
static float block[kSize][kSize];

static void encode(int& last) {
    float* values = &block[0][0];
    for (int i = 0; i < kItems; i++) values[i] = static_cast<float>(samples[i]);
    transformRows(block);
    transformColumns(block);
    int quantised[kItems];
    for (int i = 0; i < kItems; i++)
        quantised[i] = nearest(values[i] / static_cast<float>(kSteps[i]));
    for (int i = 0; i < kItems; i++) codes[i] = quantised[kZigzag[i]];
    int dc = codes[0];
    codes[0] -= last;
    last = dc;
}

static void decode(int& last) {
    codes[0] += last;
    last = codes[0];
    int quantised[kItems];
    for (int i = 0; i < kItems; i++) quantised[kZigzag[i]] = codes[i];
    float* values = &block[0][0];
    for (int i = 0; i < kItems; i++) values[i] = static_cast<float>(quantised[i] * kSteps[i]);
    restoreRows(block);
    restoreColumns(block);
    for (int i = 0; i < kItems; i++) samples[i] = std::clamp(nearest(values[i]), -128, 127);
}

int main(int argc, char** argv) {
    makeTables();
    int coded = 0, decoded = 0;
    Twin twin(argc, argv);
    while (twin.read(samples, kItems, kItems)) {
        encode(coded);
        decode(decoded);
        twin.write(samples, kItems);
    }
}
