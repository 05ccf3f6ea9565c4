// Twin of programs/matmul.str: the product row by row, as loops over whole rows of B.

#include <cstddef>

#include "twin.h"

static constexpr std::size_t kSize = 48;
static float input[2][kSize][kSize], product[kSize][kSize];

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(&input[0][0][0], 2 * kSize * kSize, 2 * kSize * kSize)) {
        const auto& a = input[0];
        const auto& b = input[1];
        for (std::size_t i = 0; i < kSize; i++) {
            float row[kSize] = {};
            for (std::size_t k = 0; k < kSize; k++)
                for (std::size_t j = 0; j < kSize; j++) row[j] += a[i][k] * b[k][j];
            for (std::size_t j = 0; j < kSize; j++) product[i][j] = row[j];
        }
        twin.write(&product[0][0], kSize * kSize);
    }
}
