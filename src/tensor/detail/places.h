#pragma once
/// Code for places in tensors: indices, memory at them, and nests of loops over them. Private to tensor.

#include <functional>
#include <vector>

#include "tensor/detail/layout.h"
#include "tensor/detail/numbers.h"

namespace strc::tensor {

/// A place along one dimension: a number that is known, or a register.
struct Index {
    std::int64_t constant = 0;
    ir::Reg reg = ir::kNone;
    bool isConstant() const { return reg == ir::kNone; }
};
using MultiIndex = std::vector<Index>;

/// A place in a larger tensor as one in an operand that was broadcast to it: aligned at the last dimensions.
MultiIndex aligned(const Dims& operand, const MultiIndex&);

class Places {
public:
    using Writing = std::function<void(const MultiIndex&)>;

    explicit Places(ir::Writer& writer) : w(writer), numbers(writer) {}

    // ---- indices
    ir::Reg at(const Index&);
    Index scaled(const Index&, std::int64_t factor, std::int64_t offset);
    Index plus(const Index&, const Index&);
    /// Row by row.
    Index linear(const MultiIndex&, const Dims&);
    Index stepped(const MultiIndex&, const Dims& steps);
    MultiIndex placeOf(const Index& flat, const Dims&);
    ir::Reg indexOf(ir::Reg value);
    /// Traps unless the index lies in the extent: as an element of an array that has no memory does.
    void check(ir::Reg index, std::int64_t extent);

    // ---- memory
    ir::Reg address(const Node&);
    ir::Reg loadFlat(const Node&, ir::Reg index);
    void storeFlat(ir::Reg array, ir::Reg index, ir::Reg value, const Type* element);
    /// Puts an element into memory.
    void store(const Node& memory, const MultiIndex&, ir::Reg value);

    // ---- nests
    void nest(const Dims&, const Writing&);
    /// The loops in that order.
    void nest(const Dims&, const Order&, const Writing&);
    void overAll(const Node& from, const MultiIndex& outer, const std::vector<std::size_t>& inner,
                 const Writing&);

private:
    ir::Writer& w;
    Numbers numbers;
};

}  // namespace strc::tensor
