// Twin of programs/fft.str: in place, radix two, decimation in time.

#include "fir.h"
#include "twin.h"

struct Complex {
    float real, imag;
};

static constexpr int kSize = 512;
static Complex input[kSize], x[kSize], w[kSize];  // w[m / 2 + k]: of the stage of m points
static int from[kSize];

static void makeTables() {
    for (int i = 0; i < kSize; i++)
        for (int m = 1, rest = i; m < kSize; m *= 2, rest /= 2) from[i] = 2 * from[i] + rest % 2;
    for (int m = 2; m <= kSize; m *= 2) {
        for (int k = 0; k < m / 2; k++) {
            float angle = 2 * kPi * static_cast<float>(k) / static_cast<float>(m);
            w[m / 2 + k] = {cosine(angle), -sine(angle)};
        }
    }
}

static void transform() {
    for (int i = 0; i < kSize; i++) x[i] = input[from[i]];
    for (int m = 2; m <= kSize; m *= 2) {
        const int half = m / 2;
        for (int start = 0; start < kSize; start += m) {
            for (int k = 0; k < half; k++) {
                Complex a = x[start + k], b = x[start + half + k], t = w[half + k];
                float real = t.real * b.real - t.imag * b.imag;
                float imag = t.real * b.imag + t.imag * b.real;
                x[start + k] = {a.real + real, a.imag + imag};
                x[start + half + k] = {a.real - real, a.imag - imag};
            }
        }
    }
}

int main(int argc, char** argv) {
    makeTables();
    Twin twin(argc, argv);
    while (twin.read(input, kSize, kSize)) {
        transform();
        twin.write(x, kSize);
    }
}
