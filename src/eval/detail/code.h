#pragma once
/// The flat code that bodies are compiled to (opcodes.def) and the frames it runs in; internal to eval.
///
/// A frame is a run of 8-byte slots: a header, parameters and other scalar locals, aggregate locals,
/// then registers. The parameters of a callee lie where its frame will begin, behind the caller's.
/// Addresses of fields and of aggregate locals are relative to two pointers that each frame keeps in
/// slots of its header, so they need no code of their own.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "eval/eval.h"
#include "ir/contraction.h"

namespace strc::eval {

struct Function;

/// One register, scalar local or address. boolean, bit, int, char and portal are in `i`; float3 and
/// float4 take two slots.
union Slot {
    std::int32_t i;
    std::int64_t l;
    float f;
    float parts[2];
    double d;
    std::uint64_t bits;
    std::byte* address;
    const std::string* text;  ///< String; null is ""
    const std::uint32_t* code;
    const Function* function;
    Slot* slot;
};

/// Slots of the frame's header.
enum Header : std::uint32_t {
    kReturn,  ///< code of the caller, behind the call
    kCaller,  ///< frame of the caller
    kFunction,
    kEnd,  ///< of the piece of stack the frame lies in
    kDepth,  ///< calls outside of this one
    kState,  ///< memory of the fields
    kFrame,  ///< the frame itself
    kHeader
};

enum class Code32 : std::uint32_t {
#define X(Name, operands) Name,
#include "eval/opcodes.def"
#undef X
    Count
};

/// Where the extent of one dimension comes from.
struct ExtentSource {
    enum class Kind : std::uint8_t {
        Literal,
        Slot,
        Field,
        Constant,
        Global,
        Item
    } kind = Kind::Literal;
    std::uint32_t index = 0;  ///< slot, field, constant, side
    std::uint32_t dimension = 0;
    std::int64_t literal = 0;
};

/// An operand of a HostOp.
struct HostOperand {
    std::uint32_t slot = 0;
    const Type* type = nullptr;
    bool isRef = false;  ///< the slot holds an address; extents follow if the type is dynamic
};

/// The operations of opcode Host: instructions that leave the evaluator or need more than slots.
struct HostOp {
    const ir::Instr* instr = nullptr;
    const ir::Body* body = nullptr;
    std::vector<HostOperand> operands;
    std::uint32_t result = 0;
    const Type* declared = nullptr;  ///< Declare and Store of a tensor: what the declaration says
    std::uint32_t local =
        0;  ///< Declare of a local with dynamic extents: its descriptor's first slot,
    std::uint32_t extents = 0;  ///< and where its extents are
};

/// Descriptor of a local array with dynamic extents: three kinds of slots, one after the other.
enum Dynamic : std::uint32_t { kAddress, kCapacity, kExtents };

struct CodeRange {
    std::uint32_t at = 0;  ///< code from here on ...
    SourceRange range;  ///< ... comes from there
};

/// A call that does a firing of a node.
struct FiringCall {
    std::uint32_t at = 0;
    std::uint32_t node = 0;
};

/// Bytes that are copied or zeroed in about the time of one operation. Work on fewer than kFewBytes is
/// a part of the operation that does it.
constexpr std::uint64_t kBytesPerStep = 64;
constexpr std::uint64_t kFewBytes = 1024;

/// Bytes of aggregates in one frame, and of one aggregate anywhere: sizes and offsets fit a word.
constexpr std::uint64_t kLargestFrame = UINT32_MAX;

/// A contraction of elements of one kind.
struct Products {
    ir::Contraction how;
    types::TypeKind element;  ///< of the sums
    types::TypeKind a = element,
                    b = element;  ///< of the operands: may be narrow (types/tensor_elements.h)
};

struct Function {
    const ir::Body* body = nullptr;
    std::vector<std::uint32_t> code;
    std::uint64_t slots = 0;  ///< of the frame
    std::uint64_t arrayBytes = 0;  ///< of its aggregates
    std::uint32_t outgoing = 0;  ///< slots behind it for the parameters of callees
    std::uint64_t need = 0;  ///< both together; UINT64_MAX: it is too large to run
    std::uint32_t paramSlots = 0;
    std::uint32_t resultExtents =
        0;  ///< slots of the extents of an aggregate result of dynamic type
    std::uint32_t weight = 1;  ///< operations that a call counts for
    std::vector<CodeRange> ranges;
    std::vector<FiringCall> firingCalls;  ///< in order
    std::vector<Products> products;  ///< of Contract

    SourceRange rangeAt(const std::uint32_t* at) const;
    /// Of the call there; ir::kNone: it is no firing, or no call.
    std::uint32_t firingAt(const std::uint32_t* at) const;
};

struct Code {
    const ir::Module* module = nullptr;
    const ir::StreamCode* stream = nullptr;
    types::TypeTable* types = nullptr;
    std::deque<Function> functions;  ///< the body first
    std::deque<ir::Body> scalarised;  ///< bodies that had vectors
    std::vector<const Function*> table;  ///< the same, quick to find
    std::deque<HostOp> hostOps;
    std::deque<std::string> strings;  ///< literals
};

/// Operand letters of an opcode, see opcodes.def.
std::string_view operands(Code32);

/// Slots that a scalar type takes.
inline std::uint32_t slotsOf(const Type* type) {
    return type->kind == types::TypeKind::Float3 || type->kind == types::TypeKind::Float4 ? 2 : 1;
}

/// Text of a scalar in slots as the language prints it, or as C does.
std::string format(const Slot*, types::TypeKind, bool cFormat);

/// A scalar between slots and a Value; the text of a String is not copied into slots but pointed at.
Value toValue(const Slot*, const Type*);
void fromValue(Slot*, const Value&, const std::string* text);

}  // namespace strc::eval
