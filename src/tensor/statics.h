#pragma once
/// Static items that compute with tensors. In: the item's body, and the globals as they are when it runs. Out: the
/// same body without tensors. A global keeps its shape only from one item to the next: within one, it is a local
/// variable like any other, which begins with the global's value and goes back there at the end.

#include <map>

#include "tensor/expand.h"

namespace strc::tensor {

struct StaticItem {
    ir::Body body;
    ir::StreamCode around;  ///< its stored arrays: what tensors among the globals held before
    std::map<std::uint32_t, const Type*> given;  ///< tensors among the globals that get a value
    std::vector<Fault> faults;
};

bool computesWithTensors(const ir::Module&, const ir::Body& item);

/// `item`: one that computes with tensors. No weights: null.
StaticItem expandStatic(const ir::Module&, const ir::Body& item, weights::Source*,
                        types::TypeTable&);

}  // namespace strc::tensor
