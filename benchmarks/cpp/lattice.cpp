// Twin of programs/lattice.str and lattice_stages.str: each sample goes through all stages.

#include "twin.h"

static constexpr int kStages = 10, kBlock = 4096;
static float block[kBlock];

int main(int argc, char** argv) {
    float k[kStages], delayed[kStages] = {};
    for (int i = 0; i < kStages; i++)
        k[i] = (i % 2 == 0 ? -0.9F : 0.9F) / static_cast<float>(i + 1);
    Twin twin(argc, argv);
    while (std::size_t n = twin.read(block, kBlock)) {
        for (std::size_t i = 0; i < n; i++) {
            float forward = block[i], backward = block[i];
            for (int stage = 0; stage < kStages; stage++) {
                float old = delayed[stage];
                delayed[stage] = backward;
                backward = old - k[stage] * forward;
                forward = forward - k[stage] * old;
            }
            block[i] = forward;
        }
        twin.write(block, n);
    }
}
