#pragma once
/// Phases of a plan: trees of steps in which every firing knows where its items lie.

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace strc::plan {

using graph::EdgeId;
using graph::NodeId;

/// An item of a channel: `base + Σ perIteration[d] * i(d)`, i(d) the iteration (from 0) of the d-th enclosing
/// Loop, outermost first. Shorter than the nesting: the rest is 0. The iterations of a Fire step with a
/// count follow from the rates of its node.
struct Position {
    std::int64_t base = 0;
    std::vector<std::int64_t> perIteration;
    bool operator==(const Position&) const = default;
};

/// How items lie in the memory of an edge.
/// Linear: every firing knows where (Position). Ring: cursors in the state count what was read and written;
/// the plain way, to compare with: nothing is scaled, and there are no positions and no Moves.
enum class Tapes : std::uint8_t { Linear, Ring };

enum class StepKind : std::uint8_t {
    Fire,  ///< `node` fires `count` times; inputs and outputs by port: where the first firing begins
    Loop,  ///< `body`, `count` times
    Move,  ///< `count` items of `channel` from inputs[0] to outputs[0], which may overlap; in some
    ///< iterations the last of them are used up or not yet there and move along for nothing
    Read,  ///< `count` items of program input `port` to outputs[0] of `channel`
    Write,  ///< `count` items of `channel` from inputs[0] to program output `port`
    Part,  ///< function `port` of filter `node`, one of those that do `count` of its firings together (lowered/lower.h): a chunk,
    ///< or a call of a library, of a program that is one filter. inputs, outputs: where its items lie, if it takes or gives
    ///< them. As arguments it gets iterations of loops around, the outermost first
    Device,  ///< segment `port` of what has been moved to a device (src/device); plans as such have none
};

struct Step {
    StepKind kind = StepKind::Fire;
    std::int64_t count = 1;
    NodeId node = graph::kNone;
    bool first = false;  ///< Fire: the first firing of a filter with prework; count 1
    EdgeId channel = graph::kNone;
    std::uint32_t port = 0;
    std::vector<Position> inputs, outputs;
    std::vector<Step> body;
};

/// All input it needs is there before it begins (language.md 17.2): `reads`, by program input.
struct Phase {
    std::vector<Step> steps;
    std::vector<std::int64_t> reads;
    std::int64_t iterations = 0;  ///< steady states; 0: the phase does not exist (or is `init`)
};

}  // namespace strc::plan
