#pragma once
/// Functions for several firings at once, made by the passes of src/vector, and how their items lie.

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ir.h"

namespace strc::codegen {

class ModuleBuilder;
struct KernelFunctions;

/// Order of a body's parameters in LLVM, before those of the language. `work` and `prework` have those up to
/// Iter, functions have all.
enum Param : unsigned { kEnv, kFields, kIn, kOut, kNode, kIter, kPopped, kPushed, kFirstArgument };

/// Firings in vectors, with the transposition of their windows; without; that alone. Soa: they take columns and leave
/// rows; TransposeBack: pushes these rows.
enum class VectorVariant : std::uint8_t { Whole, Transposed, Transpose, Soa, TransposeBack };

struct VariantShape {
    VectorVariant which = VectorVariant::Whole;
    unsigned width = 0;  ///< firings at once
    unsigned repeat = 1;  ///< Transpose and TransposeBack: firings of each lane
    /// Items from one column to the next, of the input and of the output; 0: the columns lie one behind the other.
    std::int64_t inLength = 0, outLength = 0;
    bool partsComplex = false;  ///< vector::ItemParts
    auto operator<=>(const VariantShape&) const = default;
};

/// A body, and where its parameters lie: memory that arguments of the LLVM function lead to.
struct VariantBody {
    ir::Body body;
    std::vector<Param> arguments;
};

/// Finds what varies between firings, and the state that they can skip ahead.
void prepareFirings(ModuleBuilder&, KernelFunctions&);

VariantBody makeVariant(ModuleBuilder&, KernelFunctions&, const VariantShape&);

/// The pass `vectorise-loops`: the body with loops in vectors; none: it stays as it is.
std::optional<ir::Body> vectoriseLoops(ModuleBuilder&, KernelFunctions&, const ir::Body&,
                                       const std::string& subject);

}  // namespace strc::codegen
