#pragma once
/// A program for several instances at once: every filter is so many of it, each in a lane of vectors (merge.h), and on every tape item k
/// of all instances lies together. Graph, firings and order are those of the one program, so that what phases leave behind lies
/// in the same places, once for each lane. In: a program as the passes have left it. Out: one that computes the same in each lane, to
/// the bit, from any state that the one can have between two phases.

#include <cstdint>
#include <string>
#include <vector>

#include "elab/lane_fields.h"
#include "pass/context.h"
#include "pass/program.h"

namespace strc::horizontal {

struct InLanes {
    std::string whyNot;  ///< one sentence; empty: it can be done
    pass::Program program;
    std::vector<elab::LaneFields> fields;  ///< by node
    std::vector<std::string> inTurn;  ///< filters that do one lane after the other, and why
};

/// `lanes`: as many as make one group (vector::groupsOf). First firings (`prework`) only keep their rates: they have been done by the one
/// program.
InLanes inLanes(const pass::Context&, const pass::Program&, std::int64_t lanes);

}  // namespace strc::horizontal
