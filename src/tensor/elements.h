#pragma once
/// The definitions: code for one element of a tensor, and nests of loops over all. Private to tensor.

#include "ir/writer.h"
#include "tensor/node.h"

namespace strc::tensor {

/// A place along one dimension: a number that is known, or a register.
struct Index {
    std::int64_t constant = 0;
    ir::Reg reg = ir::kNone;
    bool isConstant() const { return reg == ir::kNone; }
};
using Place = std::vector<Index>;

/// The memory of a tensor.
const Type* storageOf(const Type* tensor, types::TypeTable&);
/// The type that elements have in registers: int for `long`.
const Type* registerType(const Type* element, types::TypeTable&);

class Elements {
public:
    explicit Elements(ir::Writer& writer) : w(writer) {}

    /// New memory with the value, which is computed here.
    NodePtr compute(const NodePtr&, const std::string& name);
    /// Computes into memory that begins with the tensor's place.
    void computeInto(const NodePtr&, ir::VarRef, const Type* array);
    /// One element in a register; `place` has an index for each dimension.
    ir::Reg element(const NodePtr&, const Place&);
    /// Puts an element into memory.
    void store(const Node& memory, const Place&, ir::Reg value);
    /// `value` is of the type `from` has in registers.
    ir::Reg convert(ir::Reg value, const Type* from, const Type* to);
    ir::Reg at(const Index&);

private:
    using Writing = std::function<void(const Place&)>;

    // ---- memory
    ir::Reg address(const Node&);
    ir::Reg loadFlat(const Node&, ir::Reg index);
    void storeFlat(ir::Reg array, ir::Reg index, ir::Reg value, const Type* element);
    Index linear(const Place&, const Dims&);

    // ---- nests
    void nest(const Dims&, const Writing&);
    void overAll(const Node& from, const Place& outer, const std::vector<std::size_t>& inner,
                 const Writing&);
    bool isFlat(const Node&) const;
    ir::Reg flatElement(const NodePtr&, const Index&);
    void concatenate(const Node&, ir::Reg array);

    // ---- operations
    ir::Reg operation(const Node&, const std::vector<ir::Reg>& operands);
    ir::Reg arithmetic(const Node&, ir::Op, const std::vector<ir::Reg>&);
    ir::Reg comparison(const Node&, ir::Op, const std::vector<ir::Reg>&);
    ir::Reg function(const Node&, const std::vector<ir::Reg>&);
    ir::Reg sigmoid(ir::Reg x);
    ir::Reg gelu(ir::Reg x);
    ir::Reg real(double value);
    ir::Reg zero(const Type* registerType);
    ir::Reg select(ir::Reg condition, const Type*, const std::function<ir::Reg()>& yes,
                   const std::function<ir::Reg()>& no);
    Place operandPlace(const Node&, const Node& operand, const Place&) const;
    Place viewed(const Node&, const Place&);
    Index scaled(const Index&, std::int64_t factor, std::int64_t offset);
    ir::Reg reduction(const Node&, const Place&);
    ir::Reg sum(const Node&, const Place&);
    ir::Reg extreme(const Node&, const Place&);
    ir::Reg indexOfGreatest(const Node&, const Place&);
    ir::Reg product(const Node&, const Place&);

    ir::Writer& w;
};

}  // namespace strc::tensor
