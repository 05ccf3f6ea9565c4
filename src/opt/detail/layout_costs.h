#pragma once
/// What a body of tensors takes in each layout of its images.

#include <cstdint>

#include "elab/elaborate.h"

namespace strc::opt {

/// Cycles, roughly: of convolutions, and of what wants its elements row by row. All else follows its neighbours.
struct LayoutCosts {
    double rowByRow = 0;
    double channelsLast = 0;
};
LayoutCosts layoutCosts(const elab::Kernel&, types::TypeTable&);

/// Elements of the images among some items whose channels may lie beside each other: what is read or written across its order
/// where two layouts meet.
std::int64_t countImageElements(const std::vector<const types::Type*>& items);

}  // namespace strc::opt
