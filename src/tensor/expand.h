#pragma once
/// From operations on tensors to loops over arrays: what the operations mean. In: bodies with their
/// constants bound, and the types of the tensors that arrive. Out: the same bodies in which tensors are
/// arrays of one dimension, row by row, and every operation is a nest of loops. Engines see only these.
///
/// An operation is not computed where it stands but where its value is needed: chains of operations
/// element by element become one nest, also around a sum or product before them, and views (transpose,
/// slice, reshape of what lies in memory) become indices. Values that are used more than once, or more
/// often than they have elements, get memory of their own.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "tensor/storage.h"

namespace strc::tensor {

using types::Type;
using types::Value;

/// Types of the items on a channel: concrete tensors, from the first on, over and over again.
using Sequence = std::vector<const Type*>;

/// Why shapes do not fit.
struct Fault {
    bool isUnknown = false;  ///< `subject` is what is not known; else it is the operation
    std::string subject;
    std::string why;
    base::SourceRange range;
};

/// Has registers, variables or sides that are tensors.
bool usesTensors(const ir::StreamCode&);
/// Has registers or variables that are.
bool usesTensors(const ir::Body&);

/// Elements that code can be made for so far: the others a body cannot compute with.
bool isComputable(const Type* element);

/// Setup and init of a filter, or the body of a composite, specialised to its constants (ir::specializeSetup). `fields`: the types of
/// the tensors among the fields, by field, null for others; filled in.
std::optional<Fault> expandSetup(ir::StreamCode&, std::span<const Value> constants,
                                 Sequence& fields, types::TypeTable&);

struct Arriving {
    std::span<const Value> constants;  ///< of the stream
    Sequence input;  ///< empty: the items are no tensors
    Sequence fields;  ///< as expandSetup has filled it in
};
/// What a firing of a filter pushes, item by item; one if all are alike.
std::optional<Fault> inferWork(ir::StreamCode&, const Arriving&, Sequence& output,
                               types::TypeTable&);

/// The memory of items (Storages); null where they are no tensors.
struct Channels {
    const Type* input = nullptr;
    const Type* output = nullptr;
};
/// All bodies but setup and init. inferWork has found no fault.
std::optional<Fault> expandWork(ir::StreamCode&, const Arriving&, const Channels&,
                                types::TypeTable&);

}  // namespace strc::tensor
