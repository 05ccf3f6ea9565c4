#pragma once
/// Where items and fields lie that a phase reads and writes: in fields of the one filter, or in variables of a loop of the
/// phase, where nothing else can change them.

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "ir/writer.h"
#include "lowered/detail/state.h"

namespace strc::lowered {

using ir::Reg;

/// An index into a tape: `base`, and counters of loops times factors.
struct Index {
    std::int64_t base = 0;
    std::vector<std::pair<Reg, std::int64_t>> terms;

    /// A counter that is ir::kNone counts as 0.
    Index plus(Reg counter, std::int64_t factor = 1) const;
    Index plus(std::int64_t items) const;
    Index plus(const Index&, std::int64_t factor) const;
};

class Items {
public:
    Items(ir::Writer& writer, const State& state, const plan::Plan& plan)
        : w(writer), state(state), plan(plan) {}

    // ---- places
    Index index(EdgeId, const plan::Position&) const;
    /// The same in a field, of what is counted by the loops of the plan alone.
    Index place(const plan::Position&) const;
    Reg valueOf(const Index&);
    Reg item(EdgeId, const Index&);
    Reg tape(EdgeId);
    const Type* tapeType(EdgeId) const;
    Reg fieldRef(std::uint32_t field, const Type*);
    Reg fieldsOf(NodeId);  ///< ir::kNone: it has none
    Reg member(Reg fields, const Record&, std::uint32_t k);

    /// Items of the tape, from `first` on, lie in the array instead.
    void lieIn(Reg array, EdgeId tape, std::int64_t first) { ownArrays[tape] = {array, first}; }

    // ---- items
    /// From now on items that lie beside each other are moved together, which LLVM need not find out, and then does by gathering
    /// those of several iterations around.
    void moveTogether() { together = true; }
    void copy(Reg to, Reg from);
    /// `count` items that lie one behind the other on both sides.
    void copyItems(EdgeId toEdge, const Index& to, EdgeId fromEdge, const Index& from,
                   std::int64_t count);
    /// Between a tape and the field of the port that has its items (State::portOf).
    void takeFromPort(EdgeId, const Index& to, const Index& port, std::int64_t count);
    void giveToPort(EdgeId, const Index& from, const Index& port, std::int64_t count);
    void zeroItems(EdgeId, const Index& first, std::int64_t count);

    // ---- loops
    /// `inside` gets the counter; ir::kNone if there is one iteration.
    void loop(std::int64_t count, const std::function<void(Reg)>& inside);
    /// A loop of the plan, whose iterations positions count.
    void planLoop(std::int64_t count, const std::function<void()>& inside);
    /// Of the loops of the plan around: a number for each.
    std::vector<Reg> loopCounters();
    /// What is written is inside of loops with these counters.
    void inLoops(std::vector<Reg> around) { counters = std::move(around); }
    /// Has `loop`, made by `inside`, keep fields of its filters, and tapes on which items stay no longer than an iteration, in
    /// variables, as far as they are small (the pass `scalar-replacement`).
    void keeping(const plan::Phase&, const plan::Step& loop, const std::function<void()>& inside);

private:
    struct OwnTape {
        std::uint32_t local = ir::kNone;
        std::int64_t first =
            0;  ///< the item that lies at index 0 in each iteration, without what counters add
    };

    /// An array, and where in it items begin.
    struct Place {
        Reg array = ir::kNone;
        Index at;
    };

    void copyBetween(const Place& to, const Place& from, std::int64_t count, bool areApart);
    Place atPort(EdgeId, const Index&);
    struct OwnArray {
        Reg array = ir::kNone;
        std::int64_t first = 0;  ///< the item of the tape that lies at index 0
    };

    const OwnTape* ownTape(EdgeId) const;
    const OwnArray* arrayOf(EdgeId) const;
    void keepFields(const std::vector<plan::Step>& body);
    void keepTapes(const plan::Phase&, const std::vector<plan::Step>& body);

    ir::Writer& w;
    const State& state;
    const plan::Plan& plan;
    bool together = false;
    std::vector<Reg> counters;  ///< of the loops of the plan around
    std::map<NodeId, std::uint32_t> ownFields;  ///< locals
    std::map<EdgeId, OwnTape> ownTapes;  ///< by tape
    std::map<EdgeId, OwnArray> ownArrays;  ///< by tape
};

}  // namespace strc::lowered
