#include "session/run_length.h"

#include <algorithm>
#include <cstdint>

#include "io/items.h"
#include "plan/writes.h"

namespace strc::session {
namespace {

/// ns; making code for threads takes some tenths of a second for most programs.
constexpr double kShort = 250e6;
constexpr double kUnit = 0.1;  ///< ns that the unit of plan/work.h takes

/// The most steady states that the run can have; INT64_MAX: nobody knows.
std::int64_t statesOf(const plan::Plan& plan, const interp::Options& how) {
    std::int64_t most = how.iterations.value_or(INT64_MAX);
    if (const std::int64_t written = plan::itemsWritten(plan.steady.steps);
        how.limit && written > 0)
        most = std::min(most, *how.limit / written + 1);
    const std::int64_t reads = plan.steady.reads.empty() ? 0 : plan.steady.reads.back();
    if (!how.input || how.loopInput || reads == 0) return most;
    const std::optional<std::uint64_t> total = how.input->total();
    return total ? std::min(most, static_cast<std::int64_t>(*total) / reads) : most;
}

}  // namespace

bool isWorthThreads(const plan::Plan& plan, const interp::Options& how) {
    if (!plan.chunk || how.sharesAlways) return true;
    if (how.seconds && *how.seconds * 1e9 < kShort) return false;
    const double each = plan.chunk->work / static_cast<double>(plan.chunk->iterations) * kUnit;
    return static_cast<double>(statesOf(plan, how)) * each >= kShort;
}

}  // namespace strc::session
