#include "operators/detail/loops.h"

#include <algorithm>
#include <numeric>

namespace strc::operators {
namespace {

bool mergeOnce(Loops& loops) {
    for (std::size_t i = 0; i < loops.size(); ++i)
        for (std::size_t j = 0; j < loops.size(); ++j) {
            if (i == j || !ir::follows(loops[i], loops[j])) continue;
            loops[j].trips *= loops[i].trips;
            loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
    return false;
}

}  // namespace

SortedLoops sortLoops(const ir::Contraction& how) {
    SortedLoops all;
    for (ContractionLoop loop : how.loops) {
        if (loop.trips == 1) continue;
        loop.added = {};  // addends follow behind the call of the library
        if (loop.out < 0 || loop.a < 0 || loop.b < 0) all.isClean = false;
        if (loop.out == 0 && loop.a != 0 && loop.b != 0)
            all.sums.push_back(loop);
        else if (loop.out == 0 || (loop.a == 0 && loop.b == 0))
            all.isClean = false;
        else
            (loop.b == 0 ? all.rows : loop.a == 0 ? all.columns : all.batches).push_back(loop);
    }
    for (Loops* loops : {&all.rows, &all.columns, &all.batches, &all.sums})
        while (mergeOnce(*loops)) {
        }
    return all;
}

bool isApart(const View& view) {
    std::vector<std::size_t> order(view.extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return view.steps[x] < view.steps[y]; });
    std::int64_t least = 1;
    for (std::size_t k : order) {
        if (view.extents[k] == 1) continue;
        if (view.steps[k] < least) return false;
        least = view.steps[k] * view.extents[k];
    }
    return true;
}

void settleSteps(View& view) {
    std::int64_t all = 1;
    for (std::size_t k = 0; k < view.extents.size(); ++k)
        if (view.extents[k] > 1) all = std::max(all, view.extents[k] * view.steps[k]);
    for (std::size_t k = 0; k < view.extents.size(); ++k)
        if (view.extents[k] == 1) view.steps[k] = all;
}

}  // namespace strc::operators
