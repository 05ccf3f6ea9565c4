#pragma once
/// The operands of an operation, as all rules look at them, and what keeps them from having a result. Private to tensor.

#include <span>
#include <string>

#include "tensor/shape.h"

namespace strc::tensor {

/// boolean 0, integers 1, reals 2.
int category(const Type* element);
/// The element type that has room for both.
const Type* wider(const Type*, const Type*, types::TypeTable&);

class RuleOperands {
public:
    RuleOperands(const ir::Instr& of, std::span<const Operand> given, types::TypeTable& table)
        : instr(of), operands(given), types(table) {}

    /// With the type that a rule has found; null after `fail`.
    Shaped shaped(const Type*);

protected:
    const Type* input(std::size_t k) const { return operands[k].type; }
    const Dims& dims(std::size_t k) const { return operands[k].type->dims; }
    const Type* element(std::size_t k) const { return operands[k].type->element; }
    const Type* fail(std::string sentence);
    const Type* elementOf(const Type* scalar) const;
    /// The element type, or float for integers and booleans.
    const Type* real(std::size_t k) const;
    const Type* common(std::size_t a, std::size_t b) const;
    /// An int that the shape depends on.
    std::int64_t known(std::size_t k);
    std::size_t dimensionAt(std::size_t k, std::size_t rank);
    /// Operands from `first` on as extents.
    Dims extents(std::size_t first);
    const Type* summed() const;
    /// One spatial dimension of a convolution.
    std::int64_t swept(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                       std::int64_t dilation);
    /// `count` items from the one that operand `first` names, if that is known already.
    void checkPart(std::int64_t count, std::int64_t extent, std::size_t at, std::size_t first);

    const ir::Instr& instr;
    std::span<const Operand> operands;
    types::TypeTable& types;
    std::string why;
    bool isOfRun = false;
};

}  // namespace strc::tensor
