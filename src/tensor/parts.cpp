#include "tensor/detail/parts.h"

#include <algorithm>

#include "types/tensor_split.h"

namespace strc::tensor {

using ir::Contraction;
using ir::ContractionLoop;
using ir::LoopParts;

namespace {

/// Bytes in a ns between two processes, as Gloo has on one machine or on a network of 10 Gb; ns until a message is there.
constexpr double kPace = 0.6, kLatency = 20e3;
/// Whoever shares a product wants to be done earlier by so much.
constexpr double kWorthIt = 0.8;
/// Places that tiles want beside each other.
constexpr std::int64_t kTile = 16;

std::int64_t grainFor(std::int64_t trips, std::int64_t parts) {
    const std::int64_t grain = (trips + parts - 1) / parts;
    return trips >= parts * kTile ? (grain + kTile - 1) / kTile * kTile : grain;
}

std::int64_t countElements(const Contraction& how) {
    std::int64_t elements = 1;
    for (const ContractionLoop& loop : how.loops)
        if (loop.out != 0) elements *= loop.trips;
    return elements;
}

}  // namespace

std::optional<LoopParts> partsOfSums(const Contraction& how, std::int64_t trips) {
    for (std::size_t k = 0; k < how.loops.size(); ++k) {
        const ContractionLoop& loop = how.loops[k];
        if (loop.out != 0 || loop.a == 0 || loop.b == 0) continue;
        if (trips >= loop.trips) return std::nullopt;
        return LoopParts{k, static_cast<std::int32_t>(trips)};
    }
    return std::nullopt;
}

std::optional<LoopParts> partsThatPay(const Contraction& how, std::int64_t parts,
                                      std::int64_t elementBytes, const FactorBytes& factors) {
    const auto products = static_cast<double>(ir::countProducts(how));
    const double alone = products / types::kProductsInNs;
    const auto result = static_cast<double>(countElements(how) * elementBytes);
    const double crossing =
        kLatency + result * static_cast<double>(parts - 1) / static_cast<double>(parts) / kPace;
    std::optional<LoopParts> best;
    double least = alone * kWorthIt;
    auto consider = [&](bool dividesLarger) {
        for (std::size_t k = 0; k < how.loops.size(); ++k) {
            const ContractionLoop& loop = how.loops[k];
            const bool divides = factors.b > factors.a ? loop.b != 0 : loop.a != 0;
            if (loop.out == 0 || loop.trips < parts || divides != dividesLarger) continue;
            const std::int64_t grain = grainFor(loop.trips, parts);
            const double time =
                alone * static_cast<double>(grain) / static_cast<double>(loop.trips) + crossing;
            if (time >= least) continue;
            least = time;
            best = LoopParts{k, static_cast<std::int32_t>(grain)};
        }
    };
    if (parts < 2) return std::nullopt;
    consider(true);
    if (!best) consider(false);
    return best;
}

}  // namespace strc::tensor
