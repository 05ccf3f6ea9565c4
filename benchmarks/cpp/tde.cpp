// Twin of programs/tde.str.

#include "fft.h"
#include "twin.h"

static constexpr int kChannels = 6, kSamples = 36, kPoints = 64;
static Complex block[kSamples][kChannels], response[kChannels][kPoints];

int main(int argc, char** argv) {
    static const Fft<kPoints> forward(-1, Twiddles::OfLibrary), backward(1, Twiddles::OfLibrary);
    for (int channel = 0; channel < kChannels; channel++) {
        for (int k = 0; k < kPoints; k++) {
            auto frequency = static_cast<float>(k < kPoints / 2 ? k : k - kPoints);
            float delay = 0.25F * static_cast<float>(channel);
            float angle = 2 * kPi * frequency * delay / kPoints;
            response[channel][k] = {cosine(angle), sine(angle)};
        }
    }
    Twin twin(argc, argv);
    while (twin.read(&block[0][0], kSamples * kChannels, kSamples * kChannels)) {
        for (int channel = 0; channel < kChannels; channel++) {
            Complex x[kPoints] = {}, spectrum[kPoints];
            for (int i = 0; i < kSamples; i++) x[i] = block[i][channel];
            forward.run(x, spectrum);
            for (int k = 0; k < kPoints; k++) spectrum[k] = response[channel][k] * spectrum[k];
            backward.run(spectrum, x);
            for (int i = 0; i < kSamples; i++)
                block[i][channel] = x[i] * Complex{1.0F / kPoints, 0};
        }
        twin.write(&block[0][0], kSamples * kChannels);
    }
}
