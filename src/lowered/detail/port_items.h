#pragma once
/// Items of sides that have several ports. Those of a phase lie in a field of the port, one after the other as they are read or
/// written (ir::StreamCode::inputFields): their places are affine in the counters of the loops around, as those on tapes are.

#include <map>

#include "lowered/detail/ports.h"

namespace strc::lowered {

class PortItems {
public:
    /// Of a plan with files as ends, which outlives this.
    explicit PortItems(const plan::Plan&);

    const Ports& ports() const { return all; }
    /// Where the items of a Read or Write begin in the field of its port; null: it is the only one of its side, and has a tape.
    const plan::Position* find(const plan::Step& step) const;
    /// Of a port in the phases `init` and `steady`.
    graph::FlowRate rateOf(graph::EdgeId) const;
    /// Of a port in the longest phase.
    std::int64_t mostOf(graph::EdgeId) const;

private:
    std::int64_t number(const std::vector<plan::Step>&, graph::EdgeId, const plan::Position& at);

    const plan::Plan& plan;
    const Ports all;
    std::map<const plan::Step*, plan::Position> places;
};

}  // namespace strc::lowered
