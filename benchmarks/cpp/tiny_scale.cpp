// Twin of programs/tiny_scale.str.

#include "twin.h"

static float block[4096];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(block, 4096)) {
        for (std::size_t i = 0; i < n; i++) block[i] = block[i] * 0.75F + 0.25F;
        twin.write(block, n);
    }
}
