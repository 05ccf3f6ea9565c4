#pragma once
/// Which rates a firing keeps whatever its items are. All others are checked when it runs (ir::Check).

#include <map>
#include <set>

#include "elab/elaborate.h"
#include "elab/initial_fields.h"
#include "ir/bounds.h"

namespace strc::lowered {

/// What of a firing has to be counted.
struct Unproved {
    bool pops = false, pushes = false;
};

class RateProofs {
public:
    RateProofs(const ir::Module&, const elab::Elaboration&);

    const Unproved& of(graph::KernelId kernel, bool isPrework) const {
        return isPrework ? preworks[kernel] : works[kernel];
    }
    /// May the peek look beyond the window, or before it?
    bool mayMiss(graph::KernelId kernel, const ir::Instr& peek) const {
        return peek.checked && !cannotFail(kernel, peek);
    }
    /// Does a check of an instruction of the kernel's own bodies always hold?
    bool cannotFail(graph::KernelId kernel, const ir::Instr& instr) const {
        return inside[kernel].contains(&instr);
    }

private:
    std::vector<Unproved> works, preworks;  ///< by kernel
    std::vector<ir::Proofs> inside;
};

}  // namespace strc::lowered
