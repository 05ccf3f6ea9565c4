#pragma once
/// A body that is done for one lane after the other: what cannot be in vectors, in the middle of a program that is. Item k of all lanes lies
/// together on tapes, as that of branches does (branches.h); fields lie lane after lane.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "ir/ir.h"

namespace strc::vector {

struct EachLane {
    const types::Type *input = nullptr, *output = nullptr;
    graph::Rates rates;  ///< of one lane, which it keeps; no check of a peek can fail
    std::int64_t lanes = 0;
    /// By field of the body: the one that has it in an array of all lanes, and its type in one lane.
    std::vector<std::uint32_t> fields;
    std::vector<const types::Type*> fieldTypes;
};

/// One sentence; empty: it can be done.
std::string whyNotEachLane(const ir::Body&);

ir::Body fireEachLane(types::TypeTable&, const ir::Body& one, const EachLane&);

}  // namespace strc::vector
