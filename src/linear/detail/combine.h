#pragma once
/// Several linear nodes as one (Lamb, Thies, Amarasinghe 2003, section 3.2 and 3.3): what a steady state of
/// theirs computes, as one firing. Empty where the result would be too large.

#include <optional>
#include <span>

#include "linear/detail/form.h"

namespace strc::linear {

/// More multiplications in one firing are not worth their memory.
constexpr std::int64_t kMostTerms = 1 << 14;
constexpr std::int64_t kMostRows = 1 << 8;

/// How often the parts fire in one firing of the whole.
struct Combined {
    Form form;
    std::vector<std::int64_t> firings;
};

/// `second` takes what `first` gives.
std::optional<Combined> inPipeline(const Form& first, const Form& second);

/// Branches between a splitter and a round robin joiner. `splits`: the weights of the splitter; empty: it
/// duplicates.
std::optional<Combined> inSplitJoin(std::span<const Form* const> branches,
                                    std::span<const std::int64_t> splits,
                                    std::span<const std::int64_t> joins);

}  // namespace strc::linear
