// The same segments with fewer hand-overs: sections are longer, and a thread looks less often whether it may go on.
#include <algorithm>
#include <array>
#include <cstddef>

#include "plan/detail/chunk.h"
#include "plan/detail/partition.h"

namespace strc::plan {
namespace {

/// Two boundaries with less than this part of a chunk between them are not both kept.
constexpr double kLeastPart = 1.0 / 8;
/// A trial is worth while if chunks would take at most so many times as long, by the estimate, on one of these numbers of threads.
constexpr double kClose = 1.05;
constexpr std::array<double, 4> kThreads{2, 4, 8, 16};

/// The boundaries that stay hand-overs: in front of the first segment, behind the last one, and some between.
std::vector<bool> boundariesOf(const Chunk& chunk) {
    const std::size_t count = chunk.segments.size();
    std::vector<bool> kept(count + 1);
    kept.front() = kept.back() = true;
    double before = 0, behind = chunk.work;
    for (std::size_t k = 1; k < count; ++k) {
        before += chunk.segments[k - 1].work;
        behind -= chunk.segments[k - 1].work;
        kept[k] = std::min(before, behind) >= chunk.work * kLeastPart;
        if (kept[k]) before = 0;
    }
    return kept;
}

/// Of a chunk, while so many threads do those before and behind.
double timeOf(const Chunk& chunk, double ordered, std::ptrdiff_t boundaries, double threads) {
    const auto slices = static_cast<double>(chunk.usual);
    return slices * std::max(chunk.work / threads, ordered) +
           static_cast<double>(boundaries) * kHandOver;
}

}  // namespace

std::vector<Section> coarseSections(const Chunk& chunk) {
    const std::vector<bool> kept = boundariesOf(chunk);
    std::vector<Section> sections;
    double ordered = 0;
    bool isOther = false;
    for (const Carry& carry : chunk.carries) {
        Section section{carry.taken, carry.given};
        while (!kept[section.taken]) --section.taken;
        while (!kept[section.given]) ++section.given;
        isOther = isOther || section.taken != carry.taken || section.given != carry.given;
        ordered = std::max(ordered, workBetween(chunk, section.taken, section.given));
        sections.push_back(section);
    }
    const auto all = static_cast<std::ptrdiff_t>(kept.size());
    const std::ptrdiff_t fewer = std::count(kept.begin(), kept.end(), true);
    const bool isClose = std::any_of(kThreads.begin(), kThreads.end(), [&](double threads) {
        return timeOf(chunk, ordered, fewer, threads) <=
               kClose * timeOf(chunk, chunk.ordered, all, threads);
    });
    return isOther && isClose ? sections : std::vector<Section>();
}

Chunk coarser(const Chunk& chunk) {
    Chunk made = chunk;
    for (std::size_t k = 0; k < chunk.coarse.size(); ++k) {
        made.carries[k].taken = chunk.coarse[k].taken;
        made.carries[k].given = chunk.coarse[k].given;
    }
    return made;
}

}  // namespace strc::plan
