#pragma once
/// Expansion of one body of a stream: what is known before, what it leaves behind, and the body or its fault. Private to tensor.

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tensor/detail/known_variables.h"
#include "tensor/expand.h"

namespace strc::tensor {

/// How operations are done, where there is a choice.
struct ExpansionOptions {
    bool attendsInBlocks = false;  ///< the pass `attention-blocks`
    bool fusesEpilogues = false;  ///< additions and bounds into the sums of products before them
    std::optional<types::TensorSplit> split = std::nullopt;  ///< --split
    bool tellsAttention = false;  ///< as a whole (ir/attention.h)
};

/// What is known of a stream before its bodies are expanded.
struct ExpansionInput {
    std::span<const Value> constants = {};  ///< of the stream
    Sequence input = {};  ///< items that arrive; empty: no tensors
    Channels channels = {};  ///< what is null is not known yet
    std::span<const ir::Native> natives = {};  ///< of the program
    const ir::Module* module = nullptr;  ///< of the program, where static tensors may be read
    weights::Source* weights = nullptr;
    std::vector<bool> keepsFirst = {};  ///< fields that get a value once, in setup, and no other
    bool mayStore = false;  ///< setup is not over: values are looked up by name
    bool areFieldsKnown = false;  ///< setup and init are done
    bool isStaticItem = false;
    ExpansionOptions options = {};
};

/// What a body leaves to those that are expanded after it.
struct ExpansionState {
    Fields fields = {};
    Sequence output = {};  ///< pushed so far
    bool isOutputRegular = true;  ///< nothing was pushed where the count depends on the run
    std::map<std::uint32_t, const Type*> declared = {};  ///< fields: what their declarations say
    KnownVariables known = {};  ///< fields behind setup, for init
    std::vector<ir::StoredArray> stored = {};  ///< those of the code, while setup is not over
    std::vector<Fault> missing = {};  ///< stored values that are not there as they are wanted
    std::map<std::uint32_t, const Type*> given = {};  ///< static tensors, by static items
};

/// A body with the type of every tensor, in which branches and loops that decide on shapes stand written out.
struct ShapedBody {
    ir::Body body;  ///< its registers have the types
    std::vector<std::optional<Value>> values;  ///< by register; of a ref, what is there
    ExpansionState state;  ///< behind the body
    std::optional<Fault> fault = std::nullopt;  ///< then there is no body and no state
    bool hasWrittenOut = false;  ///< loops with tensors
};

/// Finds the types of a body's tensors. Loops with tensors whose iterations are known are written out if the body makes
/// no sense otherwise: parts of a tensor at a place that depends on the iteration, a shape that grows.
ShapedBody inferShapes(const ir::StreamCode&, const ir::Body&, const ExpansionInput&,
                       const ExpansionState&, types::TypeTable&);

struct Expanded {
    ir::Body body;
    std::optional<Fault> fault =
        std::nullopt;  ///< then there is no body, and the state is as before
};

/// The body without tensors: with its shapes inferred, and operations as loops.
Expanded expandBody(const ir::StreamCode&, const ir::Body&, const ExpansionInput&, ExpansionState&,
                    types::TypeTable&);

/// The body with slices of so many neighbours from a place on that only the run knows as `narrow`. None: it has none.
std::optional<ir::Body> withoutOpenSlices(const ir::Body&, types::TypeTable&);

/// Puts functions with tensors among their parameters or results where they are called. The fault, if there is one.
std::optional<Fault> takeInFunctions(ir::StreamCode&, types::TypeTable&);

}  // namespace strc::tensor
