#pragma once
/// From operations on tensors to loops over arrays: what the operations mean. In: bodies with their
/// constants bound, and the types of the tensors that arrive. Out: the same bodies in which tensors are
/// arrays of one dimension, row by row, and every operation is a nest of loops. Engines see only these.
///
/// An operation is not computed where it stands but where its value is needed: chains of operations
/// element by element become one nest, also around a sum or product before them, and views (transpose,
/// slice, reshape of what lies in memory) become indices. Values that are used more than once, or more
/// often than they have elements, get memory of their own.
///
/// A call of a native function that takes or gives tensors stays a call. What it takes lies in memory row by row, where
/// it is if it does already, and is handed over as an `addr` whose type is that of the tensor; the memory of a result comes
/// last, as another such `addr`.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/passes.h"
#include "base/result.h"
#include "ir/ir.h"
#include "tensor/storage.h"
#include "types/tensor_split.h"
#include "weights/weights.h"

namespace strc::tensor {

using types::Type;
using types::Value;

/// Types of the items on a channel: concrete tensors, from the first on, over and over again.
using Sequence = std::vector<const Type*>;

/// Why shapes do not fit.
struct Fault {
    bool isUnknown = false;  ///< `subject` is what is not known; else it is the operation
    std::string subject;  ///< empty: the stream itself, as a program adds it
    std::string why;
    base::SourceRange range;
    /// The name that no weights file has, with the nearest one that there is; it replaces subject and why.
    std::optional<base::Failure> refusal = std::nullopt;
    bool endsAll = true;  ///< other instances are not worth looking at
    bool isOfRun = false;  ///< the program may be right: only the run can tell
    std::string similar = {};  // NOLINT(readability-redundant-member-init): for gcc
};

/// The tensors among the fields of a filter, by field.
struct Fields {
    Sequence types;  ///< null for others, and for those without a value
    /// Into StreamCode::stored: where the value lies. ir::kNone: in the state.
    std::vector<std::uint32_t> stored;
    /// No body changes it that runs after setup and init.
    std::vector<bool> isConstant;
    Sequence declared = {};  ///< what its declaration says; null: no more than that it is a tensor
};

/// Has registers, variables or sides that are tensors.
bool usesTensors(const ir::StreamCode&);
/// Has registers or variables that are, or demands that are checked when these are known.
bool usesTensors(const ir::Body&);

/// A short array of ints, which may say a shape.
bool maySayShape(const Type*);

/// Requires something of arguments or shapes.
bool makesDemands(const ir::Body&);

/// Elements that code can be made for so far: the others a body cannot compute with.
bool isComputable(const Type* element);

/// Setup and init of a filter, or the body of a composite, specialised to its constants (ir::specializeSetup). `fields`
/// are filled in: one that is nothing but what stands under a name, or a static tensor, lies there, and not in the state. No
/// weights: null. The faults; several only if names or types of stored values are wrong, which are reported all at once.
std::vector<Fault> expandSetup(ir::StreamCode&, std::span<const Value> constants, const ir::Module&,
                               Fields& fields, weights::Source*, types::TypeTable&);

/// Is something added to one of its sums of products, or one kept within bounds, as far as can be told before it is expanded?
bool mayHaveEpilogue(const ir::Body&);

struct Arriving {
    std::span<const Value> constants;  ///< of the stream
    Sequence input;  ///< empty: the items are no tensors
    Fields fields;  ///< as expandSetup has filled them in
    /// Additions and bounds behind a sum of products are part of it (ir/contraction.h); else loops of their own.
    bool fusesEpilogues = false;
    base::Passes* passes = nullptr;  ///< null: none is done
    std::span<const ir::Native> natives = {};  ///< of the program
    std::optional<types::TensorSplit> split = std::nullopt;  ///< of large sums of products
    bool tellsAttention = false;  ///< as a whole (ir/attention.h)
};
/// Finds the types of the items that a firing pushes; `output` has one entry if all are alike.
std::optional<Fault> inferWork(ir::StreamCode&, const Arriving&, Sequence& output,
                               types::TypeTable&);

/// The types of the items that the first firing pushes, if its prework pops nothing; one entry if all are alike. Empty
/// after a fault, which inferWork finds again and reports.
Sequence inferPrework(ir::StreamCode&, const Arriving&, types::TypeTable&);

/// Where the channels of a place of an image lie beside each other: else all tensors lie row by row.
struct Layouts {
    bool isInputLast = false;
    bool isOutputLast = false;
    bool areValuesLast = false;  ///< what convolutions give, and what is made of it
    bool areAny() const { return isInputLast || isOutputLast || areValuesLast; }
};
/// Items x channels x rows x columns, which lie otherwise with their channels last.
bool isImage(const Type* tensor);

/// The memory of items (Storages); null where they are no tensors.
struct Channels {
    const Type* input = nullptr;
    const Type* output = nullptr;
    Layouts layouts = {};
};
/// All bodies but setup and init. inferWork has found no fault.
std::optional<Fault> expandWork(ir::StreamCode&, const Arriving&, const Channels&,
                                types::TypeTable&);

}  // namespace strc::tensor
