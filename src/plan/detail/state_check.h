#pragma once
/// Judges the memory of a plan before anything fires: no two blocks of the state overlap, but for tapes that
/// may, and the image has what the program begins with.

#include <string>
#include <vector>

#include "plan/detail/verify_faults.h"
#include "plan/plan.h"

namespace strc::plan {

class StateCheck {
public:
    StateCheck(const Plan&, VerifyFaults&);
    void run();
    /// By EdgeId: tapes some of whose memory it has.
    std::vector<std::vector<EdgeId>> takeOverlaps() { return std::move(over); }

private:
    struct Block {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::string what;
        EdgeId tape = graph::kNone;
    };
    void addNodes(std::vector<Block>&) const;
    void addChannel(std::vector<Block>&, const Channel&);
    void addRing(std::vector<Block>&, const Channel&);
    void addQueues(std::vector<Block>&) const;
    void checkOverlaps(std::vector<Block>&);
    void checkOverlap(const Block&, const Block&);
    bool imageHas(std::int64_t offset, const std::string& bytes) const;
    void checkImage();
    bool hasRings() const { return plan.tapes == Tapes::Ring; }
    std::string name(EdgeId) const;

    const Plan& plan;
    const graph::Graph& graph;
    VerifyFaults& faults;
    std::vector<std::vector<EdgeId>> over;
};

}  // namespace strc::plan
