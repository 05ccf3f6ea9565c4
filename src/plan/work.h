#pragma once
/// Estimates the work of steps, to find where to cut a phase and what a filter's part of a time is. The unit is that of
/// ir/work_estimate.h; where somebody has measured, it is what takes a tenth of a nanosecond.

#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace strc::plan {

class WorkEstimate {
public:
    /// `measured`: ns that a firing takes, by path (Options::measured); null: none is known. Others are estimated in proportion.
    explicit WorkEstimate(const elab::Elaboration&,
                          const std::map<std::string, double>* measured = nullptr);

    double ofSteadyState(const graph::Repetitions&) const;
    double of(const Plan&, const Step&) const;
    double ofFiring(NodeId id) const { return nodes[id]; }

private:
    double estimate(NodeId) const;
    void take(const std::map<std::string, double>& measured);

    const elab::Elaboration& program;
    std::vector<double> kernels;  ///< of a firing
    std::vector<double> nodes;  ///< of a firing
};

}  // namespace strc::plan
