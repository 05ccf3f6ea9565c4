#pragma once
/// Runs composite bodies and yields the concrete graph. In: a lowered module and the entry. Out: the
/// flat graph with its hierarchy, kernels (code with its constants bound, shared by all instances
/// with equal arguments) and the state of every instance after its init. Speaks about what is wrong
/// with an instance: arguments, extents, item types, rates, weights, joins (language.md 19.5).
/// Order of what runs: language.md 7.3 (pre-order, depth first).

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/context.h"
#include "graph/ending.h"
#include "graph/graph.h"
#include "ir/dependence.h"
#include "ir/file_question.h"
#include "ir/ir.h"

namespace strc::eval {
class Natives;
}
namespace strc::weights {
class Source;
}
namespace strc::dynamic_shapes {
struct Program;
}

namespace strc::elab {

using types::Type;
using types::Value;

/// Many firings of a filter at once, faster than one by one: a body that looks at what all of them look at, pushes what they
/// push and returns true. A program that has been lowered to one filter (lowered/lower.h) may have state; then a fault in the
/// middle of it has to be undone.
struct Blocks {
    std::int64_t firings = 0;
    graph::Rates rates;
    ir::Body work;
};

/// The end of the input (strc/ending.h) of a program that has been lowered to one filter: its phases once more, as functions of
/// the filter. Each firing is left out that has no number left in a field, an array of `long`, which the functions count down.
struct Drain {
    std::uint32_t init = ir::kNone, steady = ir::kNone;  ///< into StreamCode::functions
    std::uint32_t left = ir::kNone;  ///< the field
    graph::Ending ending;  ///< of the program as it was written; places are indices into the field
    /// By output port, if it has several (ir::StreamCode::outputFields): the number that counts what is given there.
    std::vector<std::uint32_t> outputPlaces = {};
};

/// Bytes of the fields of a filter.
struct FieldBytes {
    std::int64_t at = 0, size = 0;
};

/// What filters of one declaration with equal constants share.
struct Kernel {
    ir::BuiltinStream builtin = ir::BuiltinStream::None;
    std::uint32_t stream = ir::kNone;  ///< into Module::streams; kNone for a built-in
    std::vector<Value> constants;  ///< parallel to the stream's constants
    const Type* input = nullptr;  ///< concrete
    const Type* output = nullptr;
    graph::Rates work;
    std::optional<graph::Rates> prework;
    ir::StreamCode code;  ///< specialised; empty for a built-in
    std::size_t firings =
        1;  ///< of what is declared that one of `code` does (elab/detail/cyclo_static.h)
    std::vector<const Type*> fieldTypes;  ///< concrete
    std::vector<std::int64_t> fieldOffsets;  ///< into the state
    std::int64_t stateSize = 0;
    std::optional<Blocks> blocks;  ///< made by passes
    /// Types of the tensors among the fields, by field, null for others; empty: it has nothing to do with
    /// tensors.
    std::vector<const Type*> tensors;
    /// Parallel to them: into the code's stored arrays, or kNone for those that lie in the state.
    std::vector<std::uint32_t> storedTensors;
    /// Parallel to them: what declarations say; null: no more than "tensor".
    std::vector<const Type*> declaredTensors;
    /// Of a symbolic program: where fields lie in Elaboration::states, whose tensors lie there as arrays. While the
    /// program runs they are names (eval/tensors.h), which fieldTypes and fieldOffsets count with.
    std::vector<std::int64_t> initialOffsets = {};
    /// Of code that starts late, by field: the open parameters that setup and init make it of. Else empty.
    std::vector<ir::Marks> derived = {};
    /// Of a program that has been lowered to one filter, by open parameter: the function that computes again what init makes of it,
    /// into StreamCode::functions; ir::kNone: nothing. It gets whether the results are kept; else they are made for the checks alone.
    std::vector<std::uint32_t> updates = {};
    std::optional<Drain> drain = {};  ///< likewise, if anything can be left at the end of its input
    /// Likewise, what one phase leaves to the next: fields of its filters, and items that stay on tapes. None: all fields.
    std::optional<std::vector<FieldBytes>> kept = {};
};

/// Why a program is symbolic: only the run can tell the shapes of some tensors. Then all of its tensors stay values of type
/// tensor, in bodies and on channels, for the interpreter.
struct DynamicShape {
    graph::NodeId node = graph::kNone;  ///< the first filter that cannot tell
    std::string operation;
    std::string why;
    base::SourceRange range;  ///< in its body; perhaps none
    std::string whyWhole;  ///< why compiled engines run nothing of it; empty: Elaboration::compiled
};

struct Elaboration {
    graph::Graph graph;
    std::vector<Kernel> kernels;
    /// State of each instance after its init, by NodeId; instances may share one.
    std::vector<std::shared_ptr<const std::string>> states;
    /// Receivers in order of registration, by the int that portal values hold.
    std::vector<std::vector<graph::NodeId>> portals;
    types::Random random;  ///< its state goes on from elaboration
    std::vector<Value> openValues;  ///< by Module::open: what the elaboration took them for
    /// Parallel to them: what of the input's sound an executable sets the parameter to. Items: nothing.
    std::vector<ir::FileQuestion::What> openSounds = {};
    std::optional<double> mainRate =
        {};  ///< the parameter `rate` of the main stream, unless it is open
    std::optional<DynamicShape> dynamicShape;
    /// A symbolic program as compiled engines run it (elab/detail/compiled_form.h). Nodes and edges are the same.
    std::shared_ptr<const Elaboration> compiled;
    /// Those of such a form, for whoever runs them; null: there are none.
    std::shared_ptr<const dynamic_shapes::Program> dynamicFilters;
    /// Of a program that passes have made: by NodeId, the node of the elaborated one that it still is; kNone: they have
    /// made it of others. Empty: all of them.
    std::vector<graph::NodeId> origin = {};
    /// By NodeId, with Context::keepsStages: what led to the filter while the graph was built, a line for each stream around it and for
    /// itself, with where it was added, the variables seen there, and its parameters. Of splitters and joiners: empty.
    std::vector<std::string> stages = {};
    bool complete = false;  ///< whatever bodies are found to do beside their rates
};

/// Is it the Identity of the language, whatever its items are?
bool isIdentity(const Elaboration&, graph::NodeId);
/// Does it push what it pops, scalar by scalar, and nothing else? (A prework may push other items first.)
bool forwardsItems(const Elaboration&, graph::NodeId);

/// "only the run can tell a shape in 'F': 'zeros': ...", of a symbolic program.
std::string whyDynamicShape(const Elaboration&);

/// A tensor that arrives at the main stream, as a user says or a file has it.
struct GivenInput {
    const Type* type =
        nullptr;  ///< said: may have open extents; of a file: of all of it, which may be several items
    std::string file;  ///< empty: it was said
};

struct Entry {
    std::uint32_t stream = ir::kNone;  ///< the main stream
    std::map<std::string, std::string> arguments;  ///< -D name=value, as written
    std::vector<GivenInput> inputs = {};  ///< in turn
};

/// The sound that arrives at the main stream, if its header can be looked at beforehand.
struct GivenSound {
    int rate = 0, channels = 0;  ///< 0: not known
    std::string why;  ///< it is not known: half a sentence
};

struct Environment {
    std::function<void(std::string_view)> print;  ///< prints during elaboration
    const volatile bool* interrupt = nullptr;
    eval::Natives* natives = nullptr;  ///< null: natives cannot be called
    weights::Source* weights = nullptr;  ///< null: there are none
    GivenSound sound = {};
};

/// Errors are in Context::diags; then nothing can run. If the result is complete, its graph can still
/// be balanced, so that what is wrong there is found in the same run.
Elaboration elaborate(base::Context&, const ir::Module&, types::TypeTable&, const Entry&,
                      const Environment&, types::Random random = {});

/// Executes a static item and stores the globals it assigned in Module::globalValues; false after
/// reporting an error.
bool runStatic(base::Context&, ir::Module&, const ir::Body&, types::TypeTable&, const Environment&,
               types::Random&);

}  // namespace strc::elab
