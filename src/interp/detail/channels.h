#pragma once
/// The tapes of a program with their items: values, or the names of tensors whose shapes only the run knows.

#include <deque>
#include <memory>

#include "dynamic_shapes/tensor_heap.h"
#include "eval/eval.h"
#include "graph/graph.h"
#include "io/items.h"
#include "io/supply.h"

namespace strc::interp {

using dynamic_shapes::TensorHeap;
using eval::TensorHandle;
using graph::EdgeId;
using types::Type;
using types::Value;

struct Channels {
    /// `mostBytes`: that all tapes together may take.
    Channels(const graph::Graph& graph, types::TypeTable& types, std::uint64_t mostBytes)
        : graph(graph), types(types), budget{mostBytes} {}
    /// Makes the tapes, with the items that are enqueued. `tensors`: null unless shapes are open.
    void setUp(std::unique_ptr<TensorHeap> tensors);

    bool hasNames(EdgeId edge) const {
        return heap && graph.edges[edge].type->is(types::TypeKind::Tensor);
    }
    std::uint32_t itemSize(EdgeId) const;
    void addItem(EdgeId, const Value&);
    /// From an input to the edge.
    void takeItems(io::Supply&, EdgeId, std::uint64_t items);
    /// Writes the first item on the edge.
    base::Status writeItem(io::ItemWriter&, EdgeId);

    // ---- names
    TensorHandle nameAt(EdgeId, std::uint64_t item);
    Value tensorNamed(TensorHandle);
    void forEachName(const TensorHeap::Mark&);
    /// The others are not what whoever takes them has room for.
    void keepFirst(EdgeId, std::uint64_t items);

    const graph::Graph& graph;
    types::TypeTable& types;
    eval::TapeBudget budget;
    std::deque<eval::Tape> tapes;  ///< by EdgeId
    std::unique_ptr<TensorHeap> heap;  ///< of a symbolic program
};

}  // namespace strc::interp
