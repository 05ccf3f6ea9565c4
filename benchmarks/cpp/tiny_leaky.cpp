// Twin of programs/tiny_leaky.str.

#include <algorithm>

#include "twin.h"

static float block[4096];

int main(int argc, char** argv) {
    float sum = 0;
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(block, 4096)) {
        for (std::size_t i = 0; i < n; i++) {
            sum = 0.95F * sum + block[i];
            block[i] = std::clamp(sum, -2.0F, 2.0F);
        }
        twin.write(block, n);
    }
}
