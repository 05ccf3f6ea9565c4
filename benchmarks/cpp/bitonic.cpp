// Twin of programs/bitonic.str: the sorting network in place.

#include <algorithm>

#include "twin.h"

static constexpr int kSize = 64;
static int x[kSize];

/// Compares items `distance` apart; every second group of `n` items is to go down.
template <int n, int distance>
static void merge() {
    for (int start = 0; start < kSize; start += n) {
        const bool up = start / n % 2 == 0;
        for (int base = start; base < start + n; base += 2 * distance) {
            for (int i = base; i < base + distance; i++) {
                int low = std::min(x[i], x[i + distance]), high = std::max(x[i], x[i + distance]);
                x[i] = up ? low : high;
                x[i + distance] = up ? high : low;
            }
        }
    }
    if constexpr (distance > 1) merge<n, distance / 2>();
}

template <int n>
static void sort() {
    if constexpr (n > 2) sort<n / 2>();
    merge<n, n / 2>();
}

int main(int argc, char** argv) {
    Twin twin(argc, argv);
    while (twin.read(x, kSize, kSize)) {
        sort<kSize>();
        twin.write(x, kSize);
    }
}
