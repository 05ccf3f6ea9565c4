#pragma once
/// The tree of stream instances while it is built: what running the composite bodies said, before it
/// becomes a flat graph. Private to elab.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elab/elaborate.h"
#include "ir/dependence.h"

namespace strc::elab {

using InstanceId = std::uint32_t;

/// One executed `split` or `join`.
struct SplitSpec {
    bool duplicate = false;
    ir::SplitForm form = ir::SplitForm::None;
    std::vector<std::int64_t> weights;
    base::SourceRange range;
};

/// A stream has items at an end whose type is known and not void.
inline bool hasItems(const Type* type) { return type && !type->is(types::TypeKind::Void); }

struct EnqueuedItem {
    Value value;
    base::SourceRange range;
};

/// A stream instance. Children stand behind their parent in the tree.
struct Instance {
    const ir::StreamCode* code = nullptr;  ///< null: built-in
    std::uint32_t stream = ir::kNone;
    ir::BuiltinStream builtin = ir::BuiltinStream::None;
    InstanceId parent = ir::kNone;
    std::uint32_t depth = 0;
    ir::CreateRole role = ir::CreateRole::Add;
    base::SourceRange range;  ///< of the creator; of the declaration for the main stream
    std::vector<Value> constants;
    std::vector<std::uint32_t> defaulted;  ///< constants that take their parameter's default
    std::uint32_t create = ir::kNone;  ///< which instruction of its parent's body made it
    std::uint32_t ordinal = 0;  ///< when it did so for the how-manieth time
    bool demands =
        false;  ///< its body requires something of open parameters, which no filter in it checks yet
    std::vector<ir::Marks> marks;  ///< by constant: open parameters it depends on; or empty
    std::vector<std::pair<std::string, Value>> seen;  ///< where it was added: ir::Create::seen
    std::uint32_t fileSlot =
        ir::kNone;  ///< readers and writers: the open parameter that names the file
    const Type* typeArgument = nullptr;  ///< built-ins
    const Type* input = nullptr;  ///< concrete; null until known (anonymous composites)
    const Type* output = nullptr;
    bool failed = false;  ///< reported; types may be missing

    // ---- filters
    graph::KernelId kernel = graph::kNone;
    std::shared_ptr<const std::string> state;

    // ---- composites
    const ir::StreamCode* ran = nullptr;  ///< the code whose body has run
    std::vector<InstanceId> children;  ///< in order of `add`; of a loop: as executed
    std::optional<SplitSpec> split, join;
    std::vector<EnqueuedItem> enqueued;

    // ---- filled in while the graph is built
    graph::CompositeId composite = graph::kNone;
    graph::NodeId node = graph::kNone;  ///< filters
    graph::NodeId splitter = graph::kNone, joiner = graph::kNone;

    bool isFilter() const { return !code || code->kind == ir::StreamKind::Filter; }
    ir::StreamKind kind() const { return code ? code->kind : ir::StreamKind::Filter; }
};

struct Registration {
    std::int32_t portal;
    InstanceId receiver;
};

/// The program takes a sound to be so; 0: it did not ask.
struct TakenSound {
    int rate = 0, channels = 0;
};

struct Tree {
    std::vector<Instance> instances;  ///< [0] is the main stream
    std::vector<Registration> registrations;
    std::vector<Kernel> kernels;
    std::deque<ir::StreamCode> derivedCodes;  ///< of filters with derived constants
    std::map<std::string, TakenSound>
        sounds;  ///< by file; an empty name: the input, where the program had to assume
    std::int32_t portals = 0;  ///< how many there are
    types::Random random;
};

/// "filter", "pipeline", "splitjoin", "feedbackloop".
std::string_view kindName(ir::StreamKind);
/// Name as messages show it: the stream's, or its kind if it is anonymous.
std::string displayName(const Instance&);
/// "Main.bank[1].fir"
std::string path(const Tree&, InstanceId);
/// The instance itself, or the stream of the library that it is a part of, as the program adds it; and where.
InstanceId addedFrom(const base::SourceManager&, const Tree&, InstanceId);
base::SourceRange addedAt(const base::SourceManager&, const Tree&, InstanceId);
/// "int->float"
std::string signature(const Type* input, const Type* output);

/// Runs setups, inits and bodies in the order of language.md 7.3. False after reporting an error
/// that makes the tree useless.
bool growTree(base::Context&, const ir::Module&, types::TypeTable&, const Entry&,
              const Environment&, Tree&);

/// Shapes of all tensors, from sources to sinks: kernels that deal with tensors give way to such that
/// know them, in which tensors are arrays (tensor/expand.h), one for each list of types that arrive. The
/// items of channels become arrays; Edge::tensors keeps what they are. False after an error: bodies have
/// tensors without shapes then, and nobody may look at them.
bool inferShapes(base::Context&, const ir::Module&, types::TypeTable&, const Entry&, Elaboration&);

/// Filters that write to one file, one after the other, write items of one type.
void checkWriters(base::Context&, const Elaboration&);

/// Resolves and checks the item types of all streams, weights and parts of composites.
void checkTypes(base::Context&, types::TypeTable&, Tree&);

/// Nodes, edges and composites of a tree without errors; notes their ids in the instances.
graph::Graph buildGraph(base::Context&, const ir::Module&, types::TypeTable&, Tree&);

/// Notes in the graph what the program says of the sounds that it takes.
void noteSounds(const base::SourceManager&, const Tree&, graph::Graph&);
void noteMixedSounds(const base::SourceManager&, const Tree&, graph::Graph&);
/// Readers refuse files whose rate or channels are not those that the program was told of them.
void requireSounds(types::TypeTable&, Tree&);
/// The parameter `rate` of a stream, if it has one that is known.
std::optional<double> rateOf(const Instance&);
/// The rate or channels, if a parameter of the main stream has these of the input as default value; else Items.
ir::FileQuestion::What soundOf(const Instance& main, std::uint32_t constant);

/// Elaboration::stages. The graph has been built.
std::vector<std::string> stagesOf(const base::SourceManager&, const Tree&, const graph::Graph&);

/// Finds which filter sends to which, and the direction of each link.
void linkMessages(base::Context&, const Tree&, Elaboration&);

}  // namespace strc::elab
