// Runs what Faust makes of chain.dsp on a raw file of floats: chain_faust IN OUT. Faust looks back where chain.str looks ahead:
// the first 4 * 63 items that it gives are left out. Threads: OMP_NUM_THREADS.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <faust/dsp/dsp.h>
#include <faust/gui/UI.h>
#include <faust/gui/meta.h>
#include <vector>

#include "scheduler.cpp"  // of Faust

#include "chain.inc"

int main(int, char** words) {
    constexpr std::size_t kSkipped = 4 * 63;
    constexpr int kBlock = 4096;
    std::vector<float> items;
    std::FILE* in = std::fopen(words[1], "rb");
    std::fseek(in, 0, SEEK_END);
    items.resize(static_cast<std::size_t>(std::ftell(in)) / sizeof(float));
    std::rewind(in);
    if (std::fread(items.data(), sizeof(float), items.size(), in) != items.size()) return 1;
    std::fclose(in);
    static Program program;
    program.init(48000);
    std::vector<float> made(items.size());
    for (std::size_t at = 0; at < items.size(); at += kBlock) {
        float* from = items.data() + at;
        float* to = made.data() + at;
        program.compute(static_cast<int>(std::min<std::size_t>(kBlock, items.size() - at)), &from,
                        &to);
    }
    std::FILE* out = std::fopen(words[2], "wb");
    std::fwrite(made.data() + kSkipped, sizeof(float), made.size() - kSkipped, out);
    return std::fclose(out);
}
