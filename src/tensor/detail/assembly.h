#pragma once
/// Tensors that are put together part by part. Private to tensor.

#include <functional>

#include "tensor/detail/elements.h"

namespace strc::tensor {

class Assembly {
public:
    explicit Assembly(Elements& in)
        : elements(in), w(in.w), numbers(in.numbers), places(in.places) {}

    /// The whole target.
    void assemble(const NodePtr&, const Target&);

private:
    /// Elements of `part`, converted, at the place that `where` makes of theirs.
    void writePart(const NodePtr& part, const Node& whole, const Target&,
                   const std::function<MultiIndex(const MultiIndex&)>& where);
    void writeAt(const NodePtr& part, const Dims& first, const Node& whole, const Target&);
    void concatenate(const Node&, const Target&);
    void pad(const Node&, const Target&);
    void surround(const Dims& part, const Dims& first, const Node& whole, const Target&,
                  ir::Reg value);
    void fill(const Node&, ir::Reg array, ir::Reg value);
    void spread(const Node&, const Target&);
    void update(const Node&, const Target&);
    void runningSum(const Node&, const Target&);

    Elements& elements;
    ir::Writer& w;
    Numbers& numbers;
    Places& places;
};

}  // namespace strc::tensor
