#pragma once
/// Sums of products as one instruction, Op::Contract (ir/contraction.h). Private to tensor.

#include <vector>

#include "ir/contraction.h"
#include "tensor/detail/elements.h"

namespace strc::tensor {

class Contractions {
public:
    explicit Contractions(Elements& in) : elements(in), w(in.w), places(in.places) {}

    /// With all that is done with the sum, if the operands lie in memory as it takes them; else false, and nothing is written.
    bool contract(const Node&, const Target&);
    void contract(const ir::Contraction&, std::vector<ir::Reg> operands);

private:
    static Target permuted(const Node& permutation, Target);

    Elements& elements;
    ir::Writer& w;
    Places& places;
};

}  // namespace strc::tensor
