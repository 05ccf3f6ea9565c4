#pragma once
/// Arithmetic, comparisons, conversions and built-in functions as expressions: with the bits that the evaluator computes. Private
/// to csource.

#include <vector>

#include "csource/detail/expression.h"
#include "csource/detail/source.h"

namespace strc::csource {

Expr constantOf(Source&, const types::Value&);
/// An int as uint32_t or uint64_t.
std::string asUnsigned(const Expr&, const Type*, Rank least);
/// A divisor of ints is no zero.
Expr arithmetic(Source&, const ir::Instr&, const std::vector<Expr>& operands);
Expr compare(Source&, const ir::Instr&, const Type* type, const std::vector<Expr>& operands);
Expr convert(Source&, const Type* from, const Type* to, const Expr& x);
Expr math(Source&, const ir::Instr&, const Type* from, const std::vector<Expr>& operands);

/// Is it one of these, or a constant, or makes or takes apart a complex number or vector?
bool isOperation(ir::Op);
/// It; `types` are those of the operands.
Expr operation(Source&, const ir::Instr&, const std::vector<const Type*>& types,
               const std::vector<Expr>& operands);
/// ".re", ".at[1]"
std::string partName(const Type*, std::uint32_t part);

/// What makes a number of an element that no scalar of the language is; empty: it is one.
std::string widening(Source&, const Type* element);

/// The types of the arrays of a product, and what makes numbers of a factor that is narrower than the sums.
struct FactorText {
    std::string type;
    std::string widen;  ///< a function or cast; empty: nothing is needed
};
struct FactorTexts {
    std::string sum;
    FactorText a, b;
};

/// A product of arrays (ir/contraction.h) as lines of loops.
class Lines;
void printContraction(Lines&, const ir::Instr&, const FactorTexts&,
                      const std::vector<std::string>& arrays);

}  // namespace strc::csource
