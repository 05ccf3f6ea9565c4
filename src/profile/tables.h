#pragma once
/// What there is to measure in a run, as constants of the runtime (strc/profile.h). In: a program as an engine runs it, with what its laps
/// are about. Out: tables, which executables have as data and a run in this process as they are. Paths are those of the program that
/// runs: filters that passes have joined are one.

#include <string>
#include <vector>

#include "elab/elaborate.h"
#include "plan/plan.h"
#include "plan/timed.h"
#include "strc/profile.h"

namespace strc::profile {

struct Tables {
    std::string texts;
    std::vector<strc_profile_node> nodes;
    std::vector<strc_profile_entry> entries;
    std::vector<strc_profile_member> members;
    std::vector<strc_profile_channel> channels;
    strc_profile_tables top{};  ///< without pointers

    /// With pointers into this, which outlives them.
    strc_profile_tables view() const;
};

/// Of a compiled program, and the quota of what fires in it (plan::firingProgram); `timed`: by the number that strc_lap gets.
Tables tablesOf(const plan::Plan&, const graph::Repetitions&,
                const std::vector<plan::TimedSteps>& timed);
/// Of the interpreter, which times nodes.
Tables tablesOf(const elab::Elaboration&, const graph::Repetitions&);

}  // namespace strc::profile
