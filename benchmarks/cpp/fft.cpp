// Twin of programs/fft.str.

#include "fft.h"

#include "twin.h"

static constexpr int kSize = 512;
static Complex x[kSize], y[kSize];

int main(int argc, char** argv) {
    static const Fft<kSize> fft;
    Twin twin(argc, argv);
    while (twin.read(x, kSize, kSize)) {
        fft.run(x, y);
        twin.write(y, kSize);
    }
}
