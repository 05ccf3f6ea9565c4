// Twin of programs/fft.str and fft_recursive.str.

#include "fft.h"

#include "twin.h"

#ifndef N
#define N 512
#endif

static constexpr int kSize = N;
static Complex x[kSize], y[kSize];

int main(int argc, char** argv) {
    static const Fft<kSize> fft;
    Twin twin(argc, argv);
    while (twin.read(x, kSize, kSize)) {
        fft.run(x, y);
        twin.write(y, kSize);
    }
}
