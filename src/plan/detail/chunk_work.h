#pragma once
/// Estimates the work of steps, to find where to cut a phase. Private to plan. The unit is that of ir/work_estimate.h.

#include <vector>

#include "plan/plan.h"

namespace strc::plan {

class ChunkWork {
public:
    explicit ChunkWork(const elab::Elaboration&);

    double ofSteadyState(const graph::Repetitions&) const;
    double of(const Plan&, const Step&) const;
    double ofFiring(NodeId) const;

private:
    const elab::Elaboration& program;
    std::vector<double> kernels;  ///< of a firing
};

}  // namespace strc::plan
