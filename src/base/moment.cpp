#include "base/moment.h"

#include <time.h>

namespace strc::base {

namespace {

constexpr std::int64_t kMoment = 100'000'000;  ///< nanoseconds

std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec * 1'000'000'000ll + time.tv_nsec;
}

}  // namespace

void Moment::begin() { start = now(); }

bool Moment::isOver() const { return now() - start > kMoment; }

}  // namespace strc::base
