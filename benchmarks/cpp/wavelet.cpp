// Twin of programs/wavelet.str: level by level over blocks. What a level cannot use yet waits in
// front of its next block.

#include <algorithm>
#include <vector>

#include "fir.h"
#include "twin.h"

static constexpr int kTaps = 8, kLevels = 5, kUnit = 1 << kLevels, kGroups = 128;
static constexpr float kLow[kTaps] = {
    0.23037781330885523F,  0.7148465705525415F,   0.6308807679295904F,   -0.02798376941698385F,
    -0.18703481171888114F, 0.030841381835986965F, 0.032883011666982945F, -0.010597401784997278F};
static float high[kTaps];

/// Items of which some are still needed.
struct Waiting {
    std::vector<float> items = std::vector<float>(2 * kUnit * (kGroups + kLanes));
    std::size_t count = 0;
    float* end() { return items.data() + count; }
    void drop(std::size_t n) {
        std::copy_n(items.data() + n, count - n, items.data());
        count -= n;
    }
};

static Waiting inputs[kLevels], details[kLevels], averages;

/// Halves what has come to a level: into the next one and its details.
static void halve(int level) {
    Waiting& in = inputs[level];
    Waiting& low = level + 1 < kLevels ? inputs[level + 1] : averages;
    Waiting& detail = details[level];
    std::size_t n = in.count < kTaps ? 0 : (in.count - kTaps) / 2 + 1;
    decimatingFir<kTaps, 2>(kLow, in.items.data(), low.end(), n);
    decimatingFir<kTaps, 2>(high, in.items.data(), detail.end(), n);
    low.count += n;
    detail.count += n;
    in.drop(2 * n);
}

/// Writes the groups that are complete.
static void writeGroups(Twin& twin) {
    static float group[kUnit];
    std::size_t groups = averages.count;
    for (std::size_t g = 0; g < groups; g++) {
        group[0] = averages.items[g];
        for (int level = kLevels - 1, at = 1; level >= 0; at *= 2, level--)
            std::copy_n(details[level].items.data() + g * static_cast<std::size_t>(at), at,
                        group + at);
        twin.write(group, kUnit);
    }
    averages.drop(groups);
    for (int level = 0; level < kLevels; level++)
        details[level].drop(groups << (kLevels - 1 - level));
}

int main(int argc, char** argv) {
    for (int k = 0; k < kTaps; k++)
        high[k] = k % 2 == 0 ? kLow[kTaps - 1 - k] : -kLow[kTaps - 1 - k];
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(inputs[0].end(), kUnit * kGroups)) {
        inputs[0].count += n;
        for (int level = 0; level < kLevels; level++) halve(level);
        writeGroups(twin);
    }
}
