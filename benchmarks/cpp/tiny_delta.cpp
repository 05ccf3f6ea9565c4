// Twin of programs/tiny_delta.str.

#include "twin.h"

static constexpr std::size_t kGroup = 8, kBlock = 4096;
static int in[1 + kBlock], out[kBlock / kGroup * (kGroup + 1)];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(in + 1, kBlock, kGroup)) {
        int* next = out;
        for (std::size_t first = 1; first <= n; first += kGroup) {
            int sum = 0;
            for (std::size_t i = first; i < first + kGroup; i++) {
                int x = in[i] - in[i - 1];
                x = x < 0 ? -2 * x - 1 : 2 * x;
                *next++ = x;
                sum += x;
            }
            *next++ = sum;
        }
        twin.write(out, static_cast<std::size_t>(next - out));
        in[0] = in[n];
    }
}
