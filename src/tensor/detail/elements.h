#pragma once
/// Code for one element of a tensor, and for all of them, into memory. Private to tensor.

#include <string>

#include "tensor/detail/expansion.h"
#include "tensor/detail/places.h"
#include "tensor/storage.h"

namespace strc::tensor {

/// An extent or an offset as the int that the IR computes with; the caller knows that it fits.
inline std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

/// Elements of an array that a result goes to: the first, and by dimension how far they are apart.
struct Target {
    ir::VarRef var;
    const Type* array;
    std::int64_t first;
    Dims steps;
};

class Elements {
public:
    /// `inPreferredOrder`: so new memory lies; else all lies row by row.
    Elements(ir::Writer& writer, const ExpansionOptions& how, bool inPreferredOrder)
        : options(how),
          w(writer),
          numbers(writer),
          places(writer),
          keepsPreferredOrder(inPreferredOrder) {}

    /// New memory with the value, which is computed here; what is copied lies as before.
    NodePtr compute(const NodePtr&, const std::string& name);
    NodePtr computeRowByRow(const NodePtr&);
    /// Computes into memory that begins with the tensor's place. No steps: row by row.
    void computeInto(const NodePtr&, ir::VarRef, const Type* array, const Dims& steps = {});
    /// One element in a register; `place` has an index for each dimension.
    ir::Reg element(const NodePtr&, const MultiIndex&);
    /// Can be computed into a variable that it reads: no element is read after it is written?
    bool isInPlace(const Node&, ir::VarRef) const;
    /// An element of an operand, of the result's type.
    ir::Reg operandElement(const Node&, std::size_t k, const MultiIndex&);

    const ExpansionOptions options;
    ir::Writer& w;
    Numbers numbers;
    Places places;

private:
    /// Can it go through all elements as they lie in memory with those steps?
    bool isFlat(const Node&, const Dims& steps) const;
    ir::Reg flatElement(const NodePtr&, const Index&);
    MultiIndex viewed(const Node&, const MultiIndex&);
    ir::Reg taken(const Node&, const MultiIndex&);

    const bool keepsPreferredOrder;
};

}  // namespace strc::tensor
