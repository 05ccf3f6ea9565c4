#pragma once
/// The pass `vectorise-firings`: several firings of a filter, which has no state but such that can be skipped ahead (ir/affine_state.h), as one function, a firing in each lane of vectors
/// (Hormati et al., "MacroSS", ASPLOS 2010, section 3.1). In: a specialised work body and what varies between its firings
/// (ir::findVarying). Out: a function that gives a boolean. If it is false, the firings have to be done one by one after all:
/// a check fails in one of them, or they do not agree on what they read and write. Nothing but memory of the output, and of
/// arrays that it was given, has changed then, and the firing that fails is the first one that would.

#include <cstdint>
#include <functional>

#include "graph/graph.h"
#include "ir/affine_state.h"
#include "ir/ir.h"
#include "ir/varying.h"
#include "vector/columns.h"

namespace strc::vector {

/// What is known of the filter.
struct FiringFacts {
    const types::Type *input = nullptr, *output = nullptr;
    graph::Rates rates;
    bool popsProved = true, pushesProved = true;  ///< else the counts are checked
    std::function<bool(const ir::Instr&)> isSafe = {};  ///< a check that cannot fail
    /// Do the items of a firing lie on tapes of their own, each beside the next firing's (plan::Plan::inputsOf)? Such items are
    /// not transposed.
    bool isDealt = false;
    /// Fields that a firing changes; the body has them in its last locals (ir::firingsThatSkipAhead).
    std::vector<ir::AffineField> state = {};
};

struct FiringShape {
    std::int64_t lanes = 0;
    /// The window is in an array, the first parameter, in columns of `inLength` items; 0: of as many as it has.
    bool takesColumns = false;
    std::int64_t inLength = 0;
    /// What is pushed goes to an array, the last parameter, in rows of `outLength` items; 0: one behind the other.
    bool leavesRows = false;
    std::int64_t outLength = 0;
    /// Behind an array of columns or rows with such a length stands the row, or the column, at which these firings begin.
    bool hasPlaces = false;
    bool partsComplex = false;  ///< ItemParts
};

/// `varying`: of the body, with the locals of the state as each lane's own.
ir::Body vectoriseFirings(types::TypeTable&, const ir::Body& work, const ir::Varying& varying,
                          const FiringFacts&, const FiringShape&);

/// A function that transposes a window of `lanes` times `repeat` firings, in columns, to the array that is its parameter.
ir::Body transposeWindow(types::TypeTable&, const FiringFacts&, std::int64_t lanes,
                         std::int64_t repeat, ItemParts);
/// A function that pushes the rows of an array, of so many firings.
ir::Body pushRows(types::TypeTable&, const FiringFacts&, std::int64_t lanes, std::int64_t repeat,
                  ItemParts);

}  // namespace strc::vector
