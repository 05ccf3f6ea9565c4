// Contractions as products of matrices.

#include <algorithm>

#include "operators/detail/loops.h"

namespace strc::operators {
namespace {

/// Takes a loop out of several: the first that fits, else none.
template <typename Fits>
ContractionLoop take(Loops& from, Fits fits) {
    auto found = std::find_if(from.begin(), from.end(), fits);
    if (found == from.end()) return kOnce;
    const ContractionLoop loop = *found;
    from.erase(found);
    return loop;
}

bool isLonger(const ContractionLoop& x, const ContractionLoop& y) { return x.trips < y.trips; }

ContractionLoop takeLongest(Loops& from) {
    if (from.empty()) return kOnce;
    auto longest = std::max_element(from.begin(), from.end(), isLonger);
    const ContractionLoop loop = *longest;
    from.erase(longest);
    return loop;
}

/// What does not move along a dimension is broadcast.
void addOrBroadcast(View& view, std::int64_t extent, std::int64_t step) {
    view.extents.push_back(step == 0 ? 1 : extent);
    view.steps.push_back(step);
}

/// Are elements neighbours along one of the two last dimensions?
bool isMatrix(const View& view) {
    const std::size_t last = view.extents.size() - 1;
    const bool isLine = view.extents[last] == 1 && view.extents[last - 1] == 1;
    auto isNext = [&](std::size_t k) { return view.steps[k] == 1 && view.extents[k] > 1; };
    return isLine || isNext(last) || isNext(last - 1);
}

}  // namespace

std::optional<Operator> matmulOf(const ir::Contraction& how) {
    SortedLoops loops = sortLoops(how);
    if (!loops.isClean || loops.sums.size() != 1) return std::nullopt;
    const ContractionLoop sum = loops.sums[0];
    const bool hasColumns = !loops.columns.empty();
    const ContractionLoop column =
        take(loops.columns, [](const ContractionLoop& l) { return l.out == 1; });
    if (hasColumns && column.trips == 1) return std::nullopt;
    ContractionLoop row =
        sum.a == 1 ? takeLongest(loops.rows) : take(loops.rows, [](auto& l) { return l.a == 1; });
    if (row.trips == 1 && column.trips == 1) return std::nullopt;
    Loops outer = loops.batches;
    outer.insert(outer.end(), loops.rows.begin(), loops.rows.end());
    outer.insert(outer.end(), loops.columns.begin(), loops.columns.end());
    if (outer.size() + 2 > kMostRank) return std::nullopt;
    std::sort(outer.begin(), outer.end(), [](auto& x, auto& y) { return x.out > y.out; });
    Operator made;
    made.source.first = how.a;
    made.weights.first = how.b;
    made.result.first = how.out;
    for (const ContractionLoop& loop : outer) {
        addOrBroadcast(made.source, loop.trips, loop.a);
        addOrBroadcast(made.weights, loop.trips, loop.b);
        addOrBroadcast(made.result, loop.trips, loop.out);
    }
    addOrBroadcast(made.source, row.trips, row.a);
    addOrBroadcast(made.source, sum.trips, sum.a);
    addOrBroadcast(made.weights, sum.trips, sum.b);
    addOrBroadcast(made.weights, column.trips, column.b);
    addOrBroadcast(made.result, row.trips, row.out);
    addOrBroadcast(made.result, column.trips, column.out);
    for (const View* view : {&made.source, &made.weights, &made.result})
        if (!isMatrix(*view) || !isApart(*view)) return std::nullopt;
    for (View* view : {&made.source, &made.weights, &made.result}) settleSteps(*view);
    return made;
}

}  // namespace strc::operators
