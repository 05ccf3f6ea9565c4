// Twin of programs/goertzel.str: the eight tones side by side.

#include "fir.h"
#include "twin.h"

static constexpr int kTones = 8, kLength = 205;
static constexpr float kFrequencies[kTones] = {697, 770, 852, 941, 1209, 1336, 1477, 1633};
static float c[kTones], block[kLength], powers[kTones];

int main(int argc, char** argv) {
    for (int t = 0; t < kTones; t++) c[t] = 2 * cosine(2 * kPi * kFrequencies[t] / 8000);
    Twin twin(argc, argv);
    while (twin.read(block, kLength, kLength)) {
        float s1[kTones] = {}, s2[kTones] = {};
        for (float x : block) {
            for (int t = 0; t < kTones; t++) {
                float s = x + c[t] * s1[t] - s2[t];
                s2[t] = s1[t];
                s1[t] = s;
            }
        }
        for (int t = 0; t < kTones; t++)
            powers[t] = s1[t] * s1[t] + s2[t] * s2[t] - c[t] * s1[t] * s2[t];
        twin.write(powers, kTones);
    }
}
