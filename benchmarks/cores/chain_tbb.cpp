// chain.str by hand, as a parallel_pipeline of oneTBB: chain_tbb IN OUT THREADS. Each block brings along the items that the first stages of
// it need of the block before, so that all stages are parallel; reading and writing are in order.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <vector>

namespace {

constexpr std::size_t kTaps = 64, kStages = 4, kBlock = 8192;
constexpr std::size_t kOverlap = kStages * (kTaps - 1);

using Block = std::vector<float>;

std::vector<float> coefficients() {
    std::vector<float> h(kTaps);
    const double pi = 3.14159265358979323846;
    for (std::size_t i = 0; i < kTaps; ++i) {
        const double m = static_cast<double>(i) - (kTaps - 1) / 2.0;
        const double shape = 0.54 - 0.46 * std::cos(2 * pi * static_cast<double>(i) / (kTaps - 1));
        h[i] = static_cast<float>(std::sin(pi * m / 2) / (pi * m) * shape);
    }
    return h;
}

/// One sum after the other.
void filter(const std::vector<float>& h, Block& block) {
    const std::size_t items = block.size() - (kTaps - 1);
    for (std::size_t at = 0; at < items; ++at) {
        float sum = 0;
        for (std::size_t i = 0; i < kTaps; ++i) sum += h[i] * block[at + i];
        block[at] = sum;
    }
    block.resize(items);
}

/// Sums beside each other, so that the compiler uses vectors without another order of additions.
void filterInLanes(const std::vector<float>& h, Block& block) {
    constexpr std::size_t kLanes = 32;
    const std::size_t items = block.size() - (kTaps - 1);
    std::size_t at = 0;
    for (; at + kLanes <= items; at += kLanes) {
        float sums[kLanes] = {};
        for (std::size_t i = 0; i < kTaps; ++i)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                sums[lane] += h[i] * block[at + i + lane];
        for (std::size_t lane = 0; lane < kLanes; ++lane) block[at + lane] = sums[lane];
    }
    Block rest(block.begin() + static_cast<std::ptrdiff_t>(at), block.end());
    filter(h, rest);
    block.resize(at);
    block.insert(block.end(), rest.begin(), rest.end());
}

}  // namespace

int main(int, char** words) {
    using oneapi::tbb::filter_mode;
    const auto threads = static_cast<std::size_t>(std::atoi(words[3]));
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                            threads);
    const std::vector<float> h = coefficients();
    std::FILE *in = std::fopen(words[1], "rb"), *out = std::fopen(words[2], "wb");
    Block tail;
    auto read = [&](oneapi::tbb::flow_control& control) -> Block* {
        auto block = std::make_unique<Block>(tail);
        block->resize(tail.size() + kBlock);
        block->resize(tail.size() +
                      std::fread(block->data() + tail.size(), sizeof(float), kBlock, in));
        if (block->size() <= kOverlap) {
            control.stop();
            return nullptr;
        }
        tail.assign(block->end() - kOverlap, block->end());
        return block.release();
    };
    auto stages = oneapi::tbb::make_filter<void, Block*>(filter_mode::serial_in_order, read);
    for (std::size_t stage = 0; stage < kStages; ++stage)
        stages = stages &
                 oneapi::tbb::make_filter<Block*, Block*>(filter_mode::parallel, [&](Block* block) {
                     filterInLanes(h, *block);
                     return block;
                 });
    oneapi::tbb::parallel_pipeline(
        2 * threads, stages & oneapi::tbb::make_filter<Block*, void>(
                                  filter_mode::serial_in_order, [&](Block* block) {
                                      std::fwrite(block->data(), sizeof(float), block->size(), out);
                                      delete block;
                                  }));
    return std::fclose(out);
}
