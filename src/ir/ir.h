#pragma once
/// The typed IR of bodies. Every work, prework, init, handler, function, composite body and static
/// item is lowered to it once; elaboration and the interpreter execute it, optimisation rewrites it,
/// code generation lowers it. Nothing here knows syntax, the stream graph or a back end.
///
/// Shape of a body
/// - Virtual registers, each assigned by exactly one instruction that comes before its uses in the
///   same block or an enclosing one; each has a type and says if it holds a value or a ref (address).
/// - Variables in four spaces (Space). Mutable state is in variables only: locals are loaded and
///   stored, so there are no phis; `if` and `yield` carry values out of short circuits and `?:`.
/// - A register may hold a vector (types::TypeKind::Vector): operations on scalars are done in each lane then, and
///   conditions are vectors of booleans. Lanes never decide on control: `any` and `every` make a boolean of them.
/// - Structured control: If and Loop own blocks. Conversions, copies, checks and evaluation order are
///   explicit: instructions of a block execute in order.
/// - Arrays whose bounds depend on the instance have kDynamic extents in their types; `declare` and
///   `extent` give the numbers. `specialize` (specialize.h) turns a body with bound constants into one
///   in which all types are concrete and all strides and extents literal.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "types/builtin_streams.h"
#include "types/math.h"
#include "types/tensor.h"
#include "types/type.h"
#include "types/value.h"

namespace strc::ir {

using base::SourceRange;
using types::Type;
using types::Value;

using Reg = std::uint32_t;
using BlockId = std::uint32_t;
constexpr std::uint32_t kNone = UINT32_MAX;  ///< no register, no block, no index
/// As an extent of a tensor that is declared: it may be any. Less than 0 is none.
constexpr std::int32_t kOpenExtent = INT32_MIN;

enum class Op : std::uint8_t {
#define OP(Id, mnemonic, operands, result, effects) Id,
#include "ir/ops.def"
#undef OP
    Count
};

constexpr int kVariadic = -1;
enum class ResultKind : std::uint8_t { None, Value, Ref };
enum class Effects : std::uint8_t { Pure, Read, Write, Control, Ordered, Build };

struct OpInfo {
    const char* mnemonic;
    int operands;
    ResultKind result;
    Effects effects;
};
const OpInfo& info(Op);
constexpr bool readsFile(Op op) {
    return op == Op::ReadArray || op == Op::FileNumber || op == Op::ReadItems;
}

/// Local: a slot of the body (its parameters first). Field: state of a filter instance. Constant: a
/// stream parameter or captured variable, read-only, bound for each instance. Global: read-only but
/// in static items. Input, Output (index 0): the item type of the tape, for `extent`; the items of a firing, for `addr`.
/// Stored: arrays that nobody writes (StreamCode::stored).
enum class Space : std::uint8_t { Local, Field, Constant, Global, Input, Output, Stored };

struct VarRef {
    Space space = Space::Local;
    std::uint32_t index = kNone;
    bool operator==(const VarRef&) const = default;
};

/// A function or handler of the stream, a function of a helper package, or a native.
enum class CalleeKind : std::uint8_t {
    Stream,
    Package,
    Native,
    DynamicShape,  ///< a firing of a filter whose shapes only the run knows (elab/detail/compiled_form.h): Instr::index
    ///< operands are memory of items that it takes, the others of what it gives. As an int: how many
    ///< items wait to be given one by one, each by a call with Instr::flag
};
struct Callee {
    CalleeKind kind = CalleeKind::Stream;
    std::uint32_t index =
        kNone;  ///< into StreamCode::functions, Module::functions, Module::natives; a node
    bool operator==(const Callee&) const = default;
    /// Is there a body that is called?
    bool hasBody() const { return kind == CalleeKind::Stream || kind == CalleeKind::Package; }
};

struct Instr {
    Op op = Op::Count;
    /// False: an analysis has proved that the operation never traps, and generated code needs no
    /// check. The evaluator checks nevertheless: it is what the others are measured by.
    bool checked = true;
    bool flag =
        false;  ///< Loop: do-while; If: the condition nearly always holds; Split: duplicate; Declare: needs no
    ///< zeroing; Call: see CalleeKind
    bool isNatural =
        false;  ///< Div, Rem: neither operand is negative; Add, Mul of ints: the result does not wrap
    types::MathFn math = types::MathFn::Count;
    types::TensorFn tensor = types::TensorFn::Count;  ///< Tensor
    VarRef var;
    Callee callee;
    const Type* type = nullptr;  ///< of the result; of the operand for Store, StoreAt, Copy, Zero,
        ///< Push*, comparisons, Print; of the item for tape operations
    Reg result = kNone;
    std::uint32_t index = kNone;  ///< dimension, field, part, lane, stride, or side-table entry
    std::vector<Reg> operands;
    std::array<BlockId, 3> blocks{kNone, kNone, kNone};
    Value value;  ///< Const
    SourceRange range;
};

struct Block {
    std::vector<Instr> instrs;
};

struct RegInfo {
    const Type* type = nullptr;
    bool ref = false;
    std::uint32_t lanes = 0;  ///< of refs: a vector of so many; else 0
};

struct Variable {
    std::string name;
    const Type* type = nullptr;
    SourceRange range;
};

/// Learned values, or a field that nothing changes once init has made it: an array outside of all state, which
/// instances, kernels and running programs share.
struct StoredArray {
    std::string name;  ///< in the weights file; of a field: its own
    const Type* type = nullptr;
    std::shared_ptr<const std::byte> bytes;
    bool isInFile = false;  ///< it is what stands there
};

// ---- side tables of the larger instructions

using types::BuiltinStream;
enum class CreateRole : std::uint8_t { Add, Body, Loop };

struct Create {
    CreateRole role = CreateRole::Add;
    BuiltinStream builtin = BuiltinStream::None;
    std::uint32_t stream = kNone;  ///< into Module::streams
    const Type* typeArgument = nullptr;  ///< Identity<T>, FileReader<T>, …
    std::uint32_t typeExtents = 0;  ///< operands [0, n): extents of a dynamic type argument
    /// For each constant of the stream (parameters, then captured), or argument of the built-in:
    /// position in the operands, or kNone where the parameter's default applies. Aggregates: refs,
    /// followed by their extents if the type is dynamic.
    std::vector<std::uint32_t> args;
    std::vector<std::uint32_t> portals;  ///< positions in the operands
    /// Scalars that the creator sees: the loop variables around it among them. With Context::keepsStages, else empty.
    struct Seen {
        std::string name;
        std::uint32_t operand = kNone;  ///< position
    };
    std::vector<Seen> seen = {};
};

/// Operands of Send: portal, then the maximum latency if there is one, then the arguments (an
/// aggregate one of dynamic type is followed by its extents).
struct Send {
    std::string handler;
    std::vector<const Type*> argTypes;
    bool bestEffort = false;
    bool hasLatency = false;  ///< else (0, 0)
};

enum class RateKind : std::uint8_t { Push, Pop, Peek };
/// Operands: a static rate's value; of a range those of min, average, max that are there.
struct RateClause {
    RateKind kind = RateKind::Push;
    bool prework = false;
    bool dynamic = false;
    bool hasMin = false, hasAverage = false, hasMax = false;
};

enum class CheckKind : std::uint8_t { Pop, Push, Peek, NegativePeek };
/// A rate that a firing has to keep, where tapes are arrays (lowered/lower.h). The numbers are the limit and what was reached; of
/// NegativePeek the offset, and 0.
struct Check {
    CheckKind kind = CheckKind::Pop;
    bool prework = false;
    std::string filter;
};

/// How weights were written: none at all, one for every child, or a list.
enum class SplitForm : std::uint8_t { None, Uniform, List };

enum class BodyKind : std::uint8_t {
    Setup,
    Init,
    Prework,
    Work,
    Function,
    Handler,
    Composite,
    Static,
    Default
};

struct Body {
    std::string name;  ///< "work", "init", or the function's name
    BodyKind kind = BodyKind::Function;
    std::uint32_t params = 0;  ///< the first locals; an aggregate one holds a ref
    const Type* result = nullptr;  ///< void if none; an aggregate one is param 0, a ref to write to
    std::vector<Variable> locals;
    std::vector<RegInfo> regs;
    std::vector<Block> blocks;
    BlockId entry = 0;
    std::vector<Create> creates;
    std::vector<Send> sends;
    std::vector<RateClause> rates;
    std::vector<Check> checks;
    SourceRange range;
    SourceRange header;  ///< work header, function header
};

enum class StreamKind : std::uint8_t { Filter, Pipeline, SplitJoin, FeedbackLoop };

/// One stream declaration, lowered.
/// What runs when an instance is elaborated: constants are bound (missing parameters: `defaults`);
/// `setup` runs: extents of parameters are checked, item types and fields are declared and
/// initialised in textual order, then rates are stated; then `init`, or `body` of a composite.
/// After the written fields come hidden ones of type `bit[0][?]`, without memory: the second extent
/// is an array bound in a body that is known only when setup has run (it uses fields).
struct StreamCode {
    std::string name;  ///< "" for an anonymous stream
    StreamKind kind = StreamKind::Filter;
    bool stateful = false;  ///< the keyword was written
    bool isLibrary = false;
    bool broken = false;  ///< its bodies had errors: work is empty, there is no init
    const Type* input = nullptr;  ///< null: an anonymous composite that wrote no type
    const Type* output = nullptr;
    std::vector<Variable> constants;  ///< parameters, then captured variables
    /// Empty, or parallel to constants: into Module::open where the value is known only when an
    /// executable starts, else kNone. Until then the constant has the value of elaboration.
    std::vector<std::uint32_t> open;
    bool startsLate = false;  ///< setup or init depend on such a constant: they run at the start
    std::uint32_t params = 0;
    /// One for each parameter; may load earlier constants. An aggregate value is written through the
    /// first parameter and Body::result is its type.
    std::vector<std::optional<Body>> defaults;
    std::vector<Variable> fields;
    /// Of a filter that stands for a whole program (lowered/lower.h) and has several ports on a side, by port: the field, an array, in
    /// which a firing finds what it takes there, or leaves what it gives. It has no tape on that side. Else empty.
    std::vector<std::uint32_t> inputFields = {}, outputFields = {};
    std::vector<StoredArray> stored;  ///< of code with its constants bound
    Body setup;
    std::optional<Body> init, prework, work;  ///< filters
    std::optional<Body> body;  ///< composites
    std::vector<Body> functions;  ///< functions and handlers (by Body::kind)
    SourceRange range, header;

    std::uint32_t openSlot(std::uint32_t constant) const {
        return open.empty() ? kNone : open[constant];
    }
};

/// A parameter of the main stream whose value is known only when an executable starts.
struct OpenParameter {
    std::string name;
    std::uint32_t constant = kNone;  ///< of the main stream
};

struct Native {
    std::string package, name;  ///< symbol "package_name"
    std::vector<const Type*> params;
    const Type* result = nullptr;
};

/// A whole program. Scalar globals have been put into the bodies as constants.
struct Module {
    std::vector<StreamCode> streams;
    std::vector<Body> functions;  ///< of helper packages
    std::vector<std::string> functionNames;  ///< "Package.function"
    std::vector<Native> natives;
    std::vector<OpenParameter> open;
    std::vector<Variable> globals;
    std::vector<Value> globalValues;  ///< filled in while static items run

    /// Index of the stream, or kNone.
    std::uint32_t find(const std::string& streamName) const;
};

}  // namespace strc::ir
