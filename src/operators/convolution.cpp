// Contractions as convolutions. Which loops go along a window, and which of its places they are, is not said by their steps
// alone; all ways are tried, and the one whose source is smallest is the one that was meant. Any of them is right.

#include <algorithm>
#include <numeric>
#include <set>

#include "operators/detail/loops.h"

namespace strc::operators {
namespace {

constexpr std::size_t kMostSpace = 3;

/// A dimension of the source: what moves the window, what moves inside of it, or both.
struct Dimension {
    ContractionLoop moves{1, 0, 0, 0};
    ContractionLoop taps{1, 0, 0, 0};
    std::int64_t step = 1, stride = 1, dilation = 1;

    std::int64_t extent() const {
        return (moves.trips - 1) * stride + (taps.trips - 1) * dilation + 1;
    }
};

using Dimensions = std::vector<Dimension>;

class ConvolutionMatcher {
public:
    explicit ConvolutionMatcher(const ir::Contraction& contraction, const SortedLoops& sorted)
        : how(contraction), loops(sorted) {}

    std::optional<Operator> run() {
        if (!loops.isClean || loops.columns.size() > 1 || loops.batches.size() > 1) return {};
        if (loops.rows.empty() && loops.columns.empty()) return {};
        for (std::size_t n = 0; n <= loops.rows.size(); ++n)
            for (std::size_t c = 0; c <= loops.sums.size(); ++c) tryRoles(n, c);
        return best;
    }

private:
    /// Takes loop k out; one beyond the last: none.
    static ContractionLoop without(Loops& all, std::size_t k) {
        if (k == all.size()) return {1, 0, 0, 0};
        const ContractionLoop loop = all[k];
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        return loop;
    }

    void tryRoles(std::size_t n, std::size_t c) {
        Loops moves = loops.rows, taps = loops.sums;
        image = without(moves, n);
        channel = without(taps, c);
        const std::size_t space = std::max(moves.size(), taps.size());
        if (space == 0 || space > kMostSpace) return;
        // Windows whose other dimensions have one place, or that do not move along them.
        for (std::size_t all = space; all <= std::min(kMostSpace, moves.size() + taps.size());
             ++all)
            tryPairs(moves, taps, all);
    }

    void tryPairs(Loops moves, Loops taps, std::size_t space) {
        const ContractionLoop none{1, 0, 0, 0};
        moves.resize(space, none);
        taps.resize(space, none);
        std::vector<std::size_t> order(space);
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
            Dimensions made;
            for (std::size_t k = 0; k < space; ++k)
                made.push_back({moves[k], taps[order[k]], 1, 1, 1});
            tryUnits(made, 0);
        } while (std::next_permutation(order.begin(), order.end()));
    }

    /// A step of the source is what both steps are multiples of, or a part of that where stride and dilation have a factor
    /// in common.
    void tryUnits(Dimensions& made, std::size_t k) {
        if (k == made.size()) return tryAll(made);
        Dimension& one = made[k];
        const std::int64_t most = std::gcd(one.moves.a, one.taps.a);
        if (most == 0) return;
        for (const std::int64_t factor : std::set<std::int64_t>{1, 2, 3, 4, most}) {
            if (most % factor != 0) continue;
            one.step = most / factor;
            one.stride = std::max<std::int64_t>(1, one.moves.a / one.step);
            one.dilation = std::max<std::int64_t>(1, one.taps.a / one.step);
            tryUnits(made, k + 1);
        }
    }

    void tryAll(Dimensions made) {
        std::stable_sort(made.begin(), made.end(),
                         [](auto& x, auto& y) { return x.step > y.step; });
        const ContractionLoop group =
            loops.batches.empty() ? ContractionLoop{1, 0, 0, 0} : loops.batches[0];
        const ContractionLoop output =
            loops.columns.empty() ? ContractionLoop{1, 0, 0, 0} : loops.columns[0];
        // Channels of all groups are one dimension.
        const bool goOn =
            group.trips == 1 || ((channel.trips == 1 || group.a == channel.a * channel.trips) &&
                                 (output.trips == 1 || group.out == output.out * output.trips));
        if (!goOn) return;
        Operator found;
        found.kind = OperatorKind::Convolution;
        found.source = {how.a,
                        {image.trips, std::int64_t{group.trips} * channel.trips},
                        {image.a, channel.trips > 1 ? channel.a : group.a}};
        found.result = {how.out,
                        {image.trips, std::int64_t{group.trips} * output.trips},
                        {image.out, output.trips > 1 ? output.out : group.out}};
        found.weights = {how.b, {output.trips, channel.trips}, {output.b, channel.b}};
        if (group.trips > 1) {
            found.weights.extents.insert(found.weights.extents.begin(), group.trips);
            found.weights.steps.insert(found.weights.steps.begin(), group.b);
        }
        for (const Dimension& one : made) {
            add(found.source, one.extent(), one.step);
            add(found.weights, one.taps.trips, one.taps.b);
            add(found.result, one.moves.trips, one.moves.out);
            found.strides.push_back(one.stride);
            found.dilations.push_back(one.dilation);
        }
        consider(std::move(found));
    }

    static void add(View& view, std::int64_t extent, std::int64_t step) {
        view.extents.push_back(extent);
        view.steps.push_back(step);
    }

    void consider(Operator found) {
        for (const View* view : {&found.source, &found.weights, &found.result})
            if (view->extents.size() > kMostRank || !isApart(*view)) return;
        const std::vector<std::int64_t>& extents = found.source.extents;
        const std::int64_t size =
            std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
        if (best && size >= bestSize) return;
        for (View* view : {&found.source, &found.weights, &found.result}) settleSteps(*view);
        bestSize = size;
        best = std::move(found);
    }

    const ir::Contraction& how;
    const SortedLoops& loops;
    ContractionLoop image{1, 0, 0, 0}, channel{1, 0, 0, 0};
    std::optional<Operator> best;
    std::int64_t bestSize = 0;
};

}  // namespace

std::optional<Operator> asConvolution(const ir::Contraction& how) {
    SortedLoops loops = sortLoops(how, false);
    const SortedLoops merged = sortLoops(how, true);
    // Windows are looked for among the loops as they are; batches and outputs are one loop each.
    loops.batches = merged.batches;
    loops.columns = merged.columns;
    if (loops.sums.empty()) return std::nullopt;
    if (auto found = ConvolutionMatcher(how, loops).run()) return found;
    return ConvolutionMatcher(how, merged).run();
}

}  // namespace strc::operators
