#pragma once
/// Firings of filters as calls of functions of the one filter: one by one, or several in vectors.

#include <span>

#include "lowered/detail/dealer.h"
#include "lowered/detail/functions.h"
#include "lowered/detail/items.h"
#include "lowered/detail/pipelines.h"

namespace strc::lowered {

class FiringWriter {
public:
    FiringWriter(ir::Writer& writer, Items& items, Functions& functions, const plan::Plan& plan)
        : w(writer),
          items(items),
          functions(functions),
          state(functions.state),
          plan(plan),
          graph(plan.program->graph),
          dealer(w, items, plan) {}

    /// From now on firings and their loops are done in vectors, as far as passes of the context are enabled.
    void useVectors(base::Context& context) { often = &context; }

    /// All firings of a step of a filter with code.
    void fire(const plan::Step&);
    /// If the first steps look at the same windows of a tape, which have to be transposed for vectors, these are fired together
    /// (the pass `share-transposes`). How many they are; 0: nothing has been done.
    std::size_t fireReaders(std::span<const plan::Step>);
    /// If the first steps are filters behind each other that fire in vectors, they do so together, with the items between them in
    /// columns (the pass `vectorise-pipelines`). How many they are; 0: nothing has been done.
    std::size_t firePipeline(std::span<const plan::Step>);
    /// Setup and init, with fields that are zeros before; ir::kNone: it has none.
    void start(NodeId, Reg fields);

private:
    void fireInVectors(const plan::Step&, unsigned width);
    void fireGroup(const plan::Step&, unsigned width, const Index& first, Reg columns);
    void fireOnce(const plan::Step&, bool isFirst, const Index& number);
    void fireOnWindow(std::span<const plan::Step>, unsigned width);
    unsigned windowWidth(const plan::Step&) const;
    bool isSameWindow(const plan::Step&, const plan::Step&) const;
    void groups(std::int64_t firings, std::int64_t width,
                const std::function<void(const Index&)>& inside);
    void makeBuffers(const VectorPipeline&);
    bool mayGiveUp(const VectorPipeline&);
    void fireStrip(const VectorPipeline&, const Index& start);
    void fireStripAgain(const VectorPipeline&, const Index& start);
    void fireMembers(const VectorPipeline&, const Index& iteration, std::int64_t iterations);
    void fireMember(const VectorPipeline&, std::size_t k, const Index& start, Reg vector);
    Reg columnsOf(const VectorPipeline&, const Index& iteration);
    void spillRows(const VectorPipeline&, Reg rows, const Index& iteration);
    Reg partOf(Reg array, Reg firing, std::int64_t repeat);
    /// What lies in columns before a strip.
    struct History {
        EdgeId edge = graph::kNone;
        Index tape;  ///< where it lies on the tape
        Reg columns = ir::kNone;
        std::int64_t length = 0, first = 0, rows = 0;
    };
    void forHistories(const VectorPipeline&, const Index& iteration,
                      const std::function<void(const History&)>&);
    void fillHistory(const History&);
    void spillHistory(const History&);
    void advanceHistory(const History&, std::int64_t strip);
    /// The arrays of lanes, if they have such; ir::kNone: they have not.
    struct Arrays {
        Reg columns = ir::kNone, rows = ir::kNone;
        Reg columnsAt = ir::kNone, rowsAt = ir::kNone;  ///< of LaneShape::inLength, outLength
    };
    void callFiring(const plan::Step&, FunctionKey, const Index& number, Arrays);
    void call(std::uint32_t function, std::vector<Reg> passed, NodeId, const Type* result);
    void countFirings(NodeId, std::int64_t firings);

    ir::Writer& w;
    Items& items;
    Functions& functions;
    const State& state;
    const plan::Plan& plan;
    const graph::Graph& graph;
    Dealer dealer;
    base::Context* often = nullptr;
    // ---- of the pipeline that is being written
    std::vector<Reg> buffers;  ///< by member, the columns before it
    Reg last =
        ir::kNone;  ///< the rows that the last one leaves, if its iterations are several firings
    /// The local that says whether all lanes have done what they should; ir::kNone: they always do.
    std::uint32_t fine = ir::kNone;
};

}  // namespace strc::lowered
