#pragma once
/// Laps in the phases of a program that has become one filter (lowered/lower.h), where they are bodies whose calls say who fires.
/// Private to codegen.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "codegen/detail/body_context.h"
#include "ir/affine.h"
#include "plan/timed.h"

namespace strc::codegen {

class BodyLaps {
public:
    /// Once loops that threads share have been chosen: these are timed as a whole.
    explicit BodyLaps(BodyContext&);

    /// Behind the code of an instruction of that block.
    void after(ir::BlockId, const Instr&);

private:
    using Firings = std::map<graph::NodeId, std::int64_t>;

    Firings countFirings(ir::BlockId);
    std::int64_t tripsOf(std::span<const Instr> before, const Instr& loop) const;
    std::vector<const Instr*> stepsOf(ir::BlockId) const;
    bool isTimedAsWhole(const Instr& loop) const;
    void timeStepsOf(ir::BlockId);
    std::optional<plan::TimedSteps> timedBy(const Instr&) const;

    BodyContext& c;
    ir::Affine affine;
    std::map<const Instr*, Firings> firings;  ///< of instructions with blocks, and of calls
    std::set<ir::BlockId> timed;  ///< each step of theirs is
};

}  // namespace strc::codegen
