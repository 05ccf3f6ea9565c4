// Twin of programs/tiny_smooth.str: means that are left out are not computed.

#include "twin.h"

static constexpr std::size_t kKeep = 2, kBlock = 4096;
static float x[kKeep + kBlock], y[kBlock / 2];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    std::size_t kept = twin.read(x, kKeep);
    for (std::size_t i = 0; i < kept; i++) x[i] *= 0.8F;
    while (std::size_t n = twin.read(x + kKeep, kBlock, 2)) {
        for (std::size_t i = kKeep; i < kKeep + n; i++) x[i] *= 0.8F;
        for (std::size_t i = 0; i < n / 2; i++) y[i] = (x[2 * i] + x[2 * i + 1] + x[2 * i + 2]) / 3;
        twin.write(y, n / 2);
        for (std::size_t i = 0; i < kKeep; i++) x[i] = x[n + i];
    }
}
