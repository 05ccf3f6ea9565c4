#pragma once
/// The first stage of the two: a stream's code with its constants bound.
///
/// In: the code of a filter, the values of its constants and the concrete types of its fields and
/// items, as elaboration found them. Out: the same code in which scalar constants are literals,
/// `extent` of everything is a literal, all variable types are concrete, foldable operations are
/// folded and branches on constants are pruned. Setup, init and defaults are dropped (they have run); of a
/// stream that starts late the initialisers of fields and init stay. Open constants are no literals.

#include <span>

#include "ir/ir.h"

namespace strc::ir {

struct Bindings {
    std::span<const Value> constants;
    std::span<const Type* const> fieldTypes;
    /// Values of fields after init where all instances agree on them, scalars and arrays: those that nothing
    /// stores to later are literals too. Empty, or parallel to fieldTypes (no type: unknown).
    std::span<const Value> fieldValues;
    const Type* input;  ///< concrete
    const Type* output;
};

/// Unfoldable things stay as they are: a division by a constant zero still traps when it runs.
StreamCode specialize(const Module&, const StreamCode&, const Bindings&, types::TypeTable&);

/// For what runs before the fields' types are known: setup, init, the body of a composite and the functions
/// with the constants as literals, and nothing else. The other bodies stay as they are.
StreamCode specializeSetup(const StreamCode&, std::span<const Value> constants, types::TypeTable&);

/// Folds constants and prunes branches in place; `specialize` ends with it. Semantics unchanged.
void fold(Body&);

}  // namespace strc::ir
