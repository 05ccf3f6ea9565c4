#pragma once
/// Operations that go through many elements of their operands for one of the result. Private to tensor.

#include "tensor/detail/elements.h"

namespace strc::tensor {

class Reductions {
public:
    explicit Reductions(Elements& in)
        : elements(in), w(in.w), numbers(in.numbers), places(in.places) {}

    ir::Reg element(const Node&, const MultiIndex&);

private:
    ir::Reg sum(const Node&, const MultiIndex&);
    /// One after the other, in the type of registers.
    ir::Reg multiplied(const Node&, const MultiIndex& place);
    ir::Reg extreme(const Node&, const MultiIndex&);
    ir::Reg indexOfGreatest(const Node&, const MultiIndex&);
    ir::Reg product(const Node&, const MultiIndex&);
    ir::Reg convolution(const Node&, const MultiIndex&);
    /// `total` += a * b, of the result's type.
    void addProduct(const Node&, std::uint32_t total, const MultiIndex& left,
                    const MultiIndex& right);

    Elements& elements;
    ir::Writer& w;
    Numbers& numbers;
    Places& places;
};

}  // namespace strc::tensor
