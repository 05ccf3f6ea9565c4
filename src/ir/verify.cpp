#include "ir/verify.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/attention.h"
#include "ir/contraction.h"
#include "ir/detail/instr_text.h"
#include "types/tensor_text.h"

namespace strc::ir {
namespace {

using detail::instrText;
using detail::Names;
using types::TypeKind;

bool isTape(Op op) {
    switch (op) {
        case Op::Push:
        case Op::Pop:
        case Op::Peek:
        case Op::PushFrom:
        case Op::PopInto:
        case Op::PeekInto:
        case Op::Discard: return true;
        default: return false;
    }
}

bool usesVariable(Op op) {
    return op == Op::Load || op == Op::Store || op == Op::Addr || op == Op::Declare ||
           op == Op::Extent;
}

/// Is the variable the memory of the tensor?
bool isTensorIn(const Type* variable, const Type* tensor) {
    return tensor->is(TypeKind::Tensor) && types::isConcrete(tensor) &&
           variable->is(TypeKind::Array) && sizeOf(variable) == types::sizeOf(tensor);
}

/// Is it an element of an array, or one of equal parts?
bool isWithin(const Type* type, const Type* array) {
    if (!array->is(TypeKind::Array) || array->element == type) return array->is(TypeKind::Array);
    return type->is(TypeKind::Array) && type->element == array->element && isConcrete(array) &&
           isConcrete(type) && type->extent > 0 && array->extent % type->extent == 0;
}

bool isIn(const Type* type, TypeKind kind) { return types::laneType(type)->is(kind); }

bool isSetupOnly(Op op) { return op == Op::Rate || op == Op::ItemType; }

/// Without a result whose type it would be.
bool needsType(Op op) {
    switch (op) {
        case Op::Store:
        case Op::StoreAt:
        case Op::Copy:
        case Op::Zero:
        case Op::Contract:
        case Op::Print: return true;
        default: return isTape(op);
    }
}

bool endsBlock(Op op) {
    return op == Op::Yield || op == Op::Break || op == Op::Continue || op == Op::Return;
}

class Verifier {
public:
    Verifier(const Module& module, const StreamCode* stream, const Body& body)
        : module(module), stream(stream), body(body) {}

    std::vector<Fault> run();

private:
    /// The construct that a block belongs to: it decides which instructions may end the block.
    struct Around {
        bool inLoop = false;
        bool condition = false;           ///< must yield a boolean
        const RegInfo* yields = nullptr;  ///< must yield this
    };

    void ports();
    void block(BlockId, Around);
    void instr(const Instr&, Around, bool last);
    void yield(const Instr&, Around);
    void operands(const Instr&);
    void scalars(const Instr&);
    void memory(const Instr&);
    void vector(const Instr&);
    void transpose(const Instr&);
    void element(const Instr&);
    void tape(const Instr&);
    void variable(const Instr&);
    void ofTape(const Instr&);
    void contract(const Instr&);
    void attention(const Instr&);
    void tensor(const Instr&);
    bool isListOfInts(const Instr&, std::size_t k, std::string_view signature) const;
    void call(const Instr&);
    void sides(const Instr&);
    void control(const Instr&, Around);
    void effects(const Instr&);
    void define(const Instr&);

    void fault(const Instr& i, std::string_view what) {
        Names names(&module, stream, &body);
        faults.push_back(
            {fmt::format("{}: {} in `{}`", where(), what, instrText(names, body, i)), i.range});
    }
    void expect(bool holds, const Instr& i, std::string_view what) {
        if (!holds) fault(i, what);
    }
    std::string where() const {
        return (stream ? (stream->name.empty() ? "anonymous stream" : stream->name) + "." : "") +
               (body.name.empty() ? "body" : body.name);
    }
    const Type* typeOf(VarRef) const;
    const RegInfo& reg(const Instr& i, std::size_t k) const { return body.regs[i.operands[k]]; }
    bool isValue(const Instr& i, std::size_t k, const Type* t) const {
        return k < i.operands.size() && !reg(i, k).ref && reg(i, k).type == t;
    }
    /// Shapes of tensors may be known in one place and not yet in another.
    bool isItem(const Instr& i, std::size_t k, const Type* t) const {
        return isValue(i, k, t) || (t->is(TypeKind::Tensor) && isKind(i, k, TypeKind::Tensor));
    }
    bool isKind(const Instr& i, std::size_t k, TypeKind kind) const {
        return k < i.operands.size() && !reg(i, k).ref && reg(i, k).type->is(kind);
    }
    /// A value of the kind, in as many lanes as `like` has.
    bool isLane(const Instr& i, std::size_t k, TypeKind kind, const Type* like) const {
        return k < i.operands.size() && !reg(i, k).ref && laneType(reg(i, k).type)->is(kind) &&
               lanesOf(reg(i, k).type) == lanesOf(like);
    }
    bool isRef(const Instr& i, std::size_t k) const {
        return k < i.operands.size() && reg(i, k).ref;
    }
    bool isTensorMemory(const Instr& i, const Type* t) const {
        return t->is(TypeKind::Tensor) && isConcrete(t) && isRef(i, 0) &&
               types::sizeOf(reg(i, 0).type) >= types::sizeOf(t);
    }
    bool intsFrom(const Instr& i, std::size_t first) const {
        for (std::size_t k = first; k < i.operands.size(); ++k)
            if (!isKind(i, k, TypeKind::Int)) return false;
        return true;
    }

    const Module& module;
    const StreamCode* stream;
    const Body& body;
    std::vector<Fault> faults;
    std::vector<bool> defined;
    std::vector<bool> everDefined;
    std::vector<bool> owned;
    static constexpr std::size_t kMostFaults = 50;
};

const Type* Verifier::typeOf(VarRef var) const {
    auto at = [&](const auto& list) -> const Type* {
        return var.index < list.size() ? list[var.index].type : nullptr;
    };
    switch (var.space) {
        case Space::Local: return at(body.locals);
        case Space::Field: return stream ? at(stream->fields) : nullptr;
        case Space::Constant: return stream ? at(stream->constants) : nullptr;
        case Space::Global: return at(module.globals);
        case Space::Stored: return stream ? at(stream->stored) : nullptr;
        case Space::Input:
        case Space::Output: return nullptr;
    }
    return nullptr;
}

/// The variable is the input or the output.
void Verifier::ofTape(const Instr& i) {
    const Type* item = !stream                       ? nullptr
                       : i.var.space == Space::Input ? stream->input
                                                     : stream->output;
    if (i.op == Op::Addr)
        return expect(item && i.type && i.type->is(TypeKind::Array) && i.type->element == item &&
                          isConcrete(i.type),
                      i, "not an array of the tape's items");
    expect(i.op == Op::Extent && item && i.index < static_cast<std::uint32_t>(rank(item)), i,
           "no such dimension");
}

void Verifier::variable(const Instr& i) {
    if (i.var.space == Space::Input || i.var.space == Space::Output) return ofTape(i);
    const Type* type = typeOf(i.var);
    if (!type) return fault(i, "no such variable");
    switch (i.op) {
        case Op::Load:
            expect(type == i.type && !type->isAggregate(), i, "not a scalar variable of the type");
            break;
        case Op::Store:
            expect(type == i.type && isItem(i, 0, type) && !type->isAggregate(), i,
                   "value of another type");
            break;
        case Op::Addr:
            expect((type == i.type && type->isAggregate()) || isTensorIn(type, i.type), i,
                   "not an aggregate variable of the type");
            break;
        case Op::Extent:
            expect(i.index < static_cast<std::uint32_t>(rank(type)), i, "no such dimension");
            break;
        case Op::Declare: {
            std::size_t needed = isConcrete(type) ? 0 : static_cast<std::size_t>(rank(type));
            expect(i.operands.size() == needed && intsFrom(i, 0), i,
                   "the extents do not fit the type");
            break;
        }
        default: break;
    }
    if (i.op != Op::Store && i.op != Op::Declare) return;
    bool readOnly = i.var.space == Space::Constant || i.var.space == Space::Stored ||
                    (i.var.space == Space::Global && body.kind != BodyKind::Static);
    expect(!readOnly, i, "writes a variable that is read-only here");
    if (i.op == Op::Declare && i.var.space == Space::Field)
        expect(body.kind == BodyKind::Setup, i, "a field is declared outside of setup");
}

void Verifier::memory(const Instr& i) {
    bool dynamic = i.type && !isConcrete(i.type);
    std::size_t extra = dynamic ? 1 : 0;
    switch (i.op) {
        case Op::Elem: element(i); break;
        case Op::Member: {
            bool inside = isRef(i, 0) && reg(i, 0).type->is(TypeKind::Struct) &&
                          i.index < reg(i, 0).type->structure->fields.size();
            expect(inside && reg(i, 0).type->structure->fields[i.index].type == i.type &&
                       i.result < body.regs.size() && body.regs[i.result].lanes == reg(i, 0).lanes,
                   i, "no such field");
            break;
        }
        case Op::LoadAt:
            expect(isRef(i, 0) && reg(i, 0).lanes == 0 && reg(i, 0).type == i.type &&
                       i.type->isScalar(),
                   i, "not a ref to the type");
            break;
        case Op::StoreAt:
            expect(isRef(i, 0) && reg(i, 0).type == i.type && isValue(i, 1, i.type), i,
                   "value of another type");
            break;
        case Op::Copy:
            expect(isRef(i, 0) && isRef(i, 1) && compatible(reg(i, 0).type, i.type) &&
                       compatible(reg(i, 1).type, i.type) && i.operands.size() == 2 + extra &&
                       intsFrom(i, 2),
                   i, "operands do not fit the type");
            break;
        case Op::Zero:
            expect(isRef(i, 0) && reg(i, 0).type == i.type && i.operands.size() == 1 + extra &&
                       intsFrom(i, 1),
                   i, "operands do not fit the type");
            break;
        case Op::Contract: contract(i); break;
        case Op::Require:
            expect(isKind(i, 0, TypeKind::Boolean) && isKind(i, 1, TypeKind::String), i,
                   "a condition and a text");
            break;
        case Op::CheckExtent: expect(intsFrom(i, 0), i, "extents are ints"); break;
        case Op::Check:
            expect(isKind(i, 0, TypeKind::Boolean) && isKind(i, 1, TypeKind::Long) &&
                       isKind(i, 2, TypeKind::Long) && i.index < body.checks.size(),
                   i, "a condition and two numbers");
            break;
        case Op::ReadArray:
        case Op::ReadItems:
            expect(isRef(i, 0) && isKind(i, 1, TypeKind::String) && isKind(i, 2, TypeKind::Int), i,
                   "operands do not fit");
            break;
        default: break;
    }
}

void Verifier::element(const Instr& i) {
    const std::size_t extra = i.type && !isConcrete(i.type) ? 1 : 0;
    expect(isRef(i, 0) && isWithin(i.type, reg(i, 0).type), i,
           "neither an element nor a part of the array");
    if (i.operands.size() != 3 + extra || !intsFrom(i, 2) || reg(i, 1).ref ||
        !laneType(reg(i, 1).type)->is(TypeKind::Int))
        return fault(i, "index, extent and stride do not fit");
    const auto lanes = std::max<std::int64_t>(reg(i, 0).lanes, lanesOf(reg(i, 1).type));
    expect(i.result < body.regs.size() && body.regs[i.result].lanes == lanes, i,
           "refs in other lanes");
}

void Verifier::transpose(const Instr& i) {
    auto isPart = [&](std::size_t part, std::size_t whole) {
        return reg(i, part).type->is(TypeKind::Float) && reg(i, whole).type->is(TypeKind::Complex);
    };
    const bool isFine = isRef(i, 0) && isRef(i, 1) && reg(i, 1).type->isScalar() &&
                        i.type == reg(i, 1).type &&
                        (reg(i, 0).type == reg(i, 1).type || isPart(0, 1) || isPart(1, 0));
    expect(isFine, i, "not refs to the items of a matrix");
    expect(isKind(i, 2, TypeKind::Int) && isKind(i, 3, TypeKind::Int) && i.index > 0 &&
               i.index != kNone,
           i, "counts of items are ints");
}

void Verifier::vector(const Instr& i) {
    const auto lanes = [&](std::size_t k) { return lanesOf(reg(i, k).type); };
    const bool isMade = i.result != kNone && i.result < body.regs.size();
    const Type* made = isMade ? body.regs[i.result].type : nullptr;
    const bool gives = i.op == Op::PushRows || i.op == Op::PushMany;
    const Type* item = !stream ? nullptr : gives ? stream->output : stream->input;
    auto isOfItems = [&](const Type* type) {
        return item && (type == item || (item->is(TypeKind::Complex) && type->is(TypeKind::Float)));
    };
    switch (i.op) {
        case Op::Splat:
            expect(isMade && !reg(i, 0).ref && reg(i, 0).type == made->element && lanesOf(made) > 0,
                   i, "operand of another type");
            break;
        case Op::LaneNumbers:
            expect(isMade && lanesOf(made) > 0 && made->element->is(TypeKind::Int), i,
                   "ints in lanes");
            break;
        case Op::Lane:
            expect(isMade && static_cast<std::int64_t>(i.index) < lanes(0) &&
                       reg(i, 0).type->element == made,
                   i, "no such lane");
            break;
        case Op::Select:
            expect(isMade && isIn(reg(i, 0).type, TypeKind::Boolean) && isValue(i, 1, made) &&
                       isValue(i, 2, made) && (lanes(0) == 0 || lanes(0) == lanesOf(made)),
                   i, "operands of another type");
            break;
        case Op::TeamExchange:
            expect(isMade && isValue(i, 0, made) && i.index != kNone &&
                       (made->isReal() || made->is(TypeKind::Int) || made->is(TypeKind::Long)),
                   i, "an int, a long or a real number");
            break;
        case Op::Any:
        case Op::Every:
            expect(lanes(0) > 0 && isIn(reg(i, 0).type, TypeKind::Boolean), i, "booleans in lanes");
            break;
        case Op::LoadVector:
            expect(isMade && isRef(i, 0) && lanesOf(made) > 0 && reg(i, 0).type == made->element, i,
                   "not a ref to the type");
            break;
        case Op::StoreVector:
            expect(isRef(i, 0) && lanes(1) > 0 && reg(i, 0).type == reg(i, 1).type->element, i,
                   "value of another type");
            break;
        case Op::Transpose: transpose(i); break;
        case Op::Gather:
            expect(isMade && reg(i, 0).lanes == lanesOf(made) &&
                       laneType(reg(i, 0).type) == made->element,
                   i, "refs to another type");
            break;
        case Op::Scatter:
            expect(i.operands.size() >= 2 && reg(i, 0).lanes == lanes(1) &&
                       laneType(reg(i, 0).type) == reg(i, 1).type->element,
                   i, "refs to another type");
            break;
        case Op::PeekVector:
            expect(isMade && lanesOf(made) > 0 && made->element == item &&
                       isIn(reg(i, 0).type, TypeKind::Int) &&
                       (lanes(0) == 0 || lanes(0) == lanesOf(made)),
                   i, "not the type of the tape's items");
            break;
        case Op::DiscardMany:
        case Op::PushMany:
            expect(item && i.type == item && i.index != kNone, i, "no such items");
            break;
        case Op::PushVector:
            expect(lanes(0) > 0 && stream && reg(i, 0).type->element == stream->output, i,
                   "not the type of the tape's items");
            break;
        case Op::PeekColumns:
            expect(isRef(i, 0) && reg(i, 0).type->is(TypeKind::Array) && i.index > 0 &&
                       isOfItems(reg(i, 0).type->element) && isKind(i, 1, TypeKind::Int),
                   i, "not an array of items");
            break;
        case Op::PushRows:
            expect(isRef(i, 0) && reg(i, 0).type->is(TypeKind::Array) &&
                       isOfItems(reg(i, 0).type->element) && i.index > 0 &&
                       reg(i, 0).type->extent % i.index == 0,
                   i, "not an array of items");
            break;
        default: break;
    }
}

namespace {

/// Are sums of that type made of factors of a narrow type, whose values it has all?
bool isWidenedTo(const Type* factor, const Type* sum) {
    if (factor->is(TypeKind::Int8)) return sum->is(TypeKind::Int) || sum->is(TypeKind::Float);
    return (factor->is(TypeKind::Half) || factor->is(TypeKind::BFloat16)) &&
           sum->is(TypeKind::Float);
}

/// Do loops move the windows, and go along in them?
bool areWindowsFine(const Contraction& how) {
    auto isFine = [&](const std::optional<std::size_t>& loop, std::int32_t step, bool isTap) {
        if (!loop) return true;
        if (*loop >= how.loops.size()) return false;
        const ContractionLoop& found = how.loops[*loop];
        return (found.out == 0) == isTap && (isTap || found.b == 0) && found.a % step == 0;
    };
    return std::all_of(how.windows.begin(), how.windows.end(), [&](const Window& window) {
        return window.step > 0 && isFine(window.place, window.step, false) &&
               isFine(window.tap, window.step, true);
    });
}

}  // namespace

void Verifier::contract(const Instr& i) {
    const std::size_t addends = i.operands.size() - 3;
    auto isTable = [&](const Type* type) {
        return type && type->is(TypeKind::Array) && type->extent >= 1 &&
               type->element->is(TypeKind::Array) &&
               type->element->extent == static_cast<std::int64_t>(4 + addends) &&
               type->element->element->is(TypeKind::Int);
    };
    auto isList = [&](std::size_t k) {
        if (!isRef(i, k) || !isConcrete(reg(i, k).type) || !reg(i, k).type->is(TypeKind::Array))
            return false;
        const Type *all = reg(i, 0).type->element, *own = reg(i, k).type->element;
        const bool isFactor = k == 1 || k == 2;
        return own == all || own == laneType(all) ||
               (isFactor && isWidenedTo(laneType(own), laneType(all)));
    };
    bool areLists = i.operands.size() >= 3 && addends <= kMostAddends;
    for (std::size_t k = 0; areLists && k < i.operands.size(); ++k) areLists = isList(k);
    if (!areLists || !isTable(i.type) || i.value.type != i.type)
        return fault(i, "operands do not fit");
    const Type* element = laneType(reg(i, 0).type->element);
    expect(
        element->is(TypeKind::Float) || element->is(TypeKind::Double) || element->is(TypeKind::Int),
        i, "no sums of that type");
    const Contraction how = contractionOf(i);
    const bool arePartsFine =
        !how.parts || (how.parts->loop < how.loops.size() && how.parts->trips > 0);
    expect(arePartsFine, i, "no parts of that loop");
    expect(areWindowsFine(how), i, "no windows of those loops");
    std::vector<std::int64_t> lengths;
    for (std::size_t k = 3; k < i.operands.size(); ++k) lengths.push_back(reg(i, k).type->extent);
    expect(!how.bounds.areAny() || !element->is(TypeKind::Int), i, "no bounds of that type");
    expect(
        fits(how, reg(i, 0).type->extent, reg(i, 1).type->extent, reg(i, 2).type->extent, lengths),
        i, "places outside of an array");
}

/// Behind the condition.
void Verifier::attention(const Instr& i) {
    const std::optional<Attention> how = attentionOf(i);
    std::vector<std::int64_t> lengths;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        const Type* type = reg(i, k).type;
        const bool isList = isRef(i, k) && isConcrete(type) && type->is(TypeKind::Array) &&
                            type->element->is(TypeKind::Float);
        lengths.push_back(isList ? type->extent : 0);
    }
    expect(how && i.result == kNone && fits(*how, lengths), i, "operands do not fit");
}

void Verifier::tape(const Instr& i) {
    bool in = i.op != Op::Push && i.op != Op::PushFrom;
    const Type* item = !stream ? nullptr : in ? stream->input : stream->output;
    expect(item && !item->is(TypeKind::Void) && i.type == item, i,
           "not the type of the tape's items");
    bool aggregate = i.op == Op::PushFrom || i.op == Op::PopInto || i.op == Op::PeekInto;
    if (i.type && i.op != Op::Discard)
        expect(i.type->isAggregate() == aggregate, i, "wrong form for the type");
    if (aggregate)
        expect(isRef(i, 0) && compatible(reg(i, 0).type, i.type), i, "not a ref to the type");
    if (i.op == Op::Push && i.type) expect(isItem(i, 0, i.type), i, "value of another type");
    if (i.op == Op::Peek) expect(isKind(i, 0, TypeKind::Int), i, "the offset is an int");
    if (i.op == Op::PeekInto) expect(isKind(i, 1, TypeKind::Int), i, "the offset is an int");
}

namespace {

bool isComputed(const Type* type) {
    return type->isNumeric() || type->isFloatN() || type->is(TypeKind::Long);
}

bool isLogical(const Type* type) {
    return type->kind >= TypeKind::Boolean && type->kind <= TypeKind::Int;
}

}  // namespace

/// Scalar operations.
void Verifier::scalars(const Instr& i) {
    const Type* t = i.type;
    const Type* lane = t ? types::laneType(t) : nullptr;
    switch (i.op) {
        case Op::Const: expect(t && i.value.type == t, i, "the value has another type"); break;
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div: {
            bool second = isValue(i, 1, t) || (t && t->isFloatN() && isKind(i, 1, TypeKind::Float));
            expect(t && isComputed(lane) && isValue(i, 0, t) && second, i,
                   "operands of another type");
            break;
        }
        case Op::Rem:
        case Op::Shl:
        case Op::Shr:
            expect(t && lane->is(TypeKind::Int) && isValue(i, 0, t) && isValue(i, 1, t), i,
                   "ints are needed");
            break;
        case Op::And:
        case Op::Or:
        case Op::Xor:
            expect(t && isLogical(lane) && isValue(i, 0, t) && isValue(i, 1, t), i,
                   "operands of another type");
            break;
        case Op::Neg:
            expect(t && isComputed(lane) && isValue(i, 0, t), i, "operand of another type");
            break;
        case Op::Not:
            expect(t && isLogical(lane) && isValue(i, 0, t), i, "operand of another type");
            break;
        case Op::Eq:
        case Op::Ne:
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge:
            expect(t && t->isScalar() && isValue(i, 0, t) && isValue(i, 1, t), i,
                   "operands of another type");
            expect(i.result < body.regs.size() &&
                       isIn(body.regs[i.result].type, TypeKind::Boolean) &&
                       lanesOf(body.regs[i.result].type) == lanesOf(t),
                   i, "the result is a boolean");
            break;
        case Op::Convert:
            expect(!reg(i, 0).ref && reg(i, 0).type != t && lanesOf(reg(i, 0).type) == lanesOf(t),
                   i, "nothing to convert");
            break;
        case Op::Concat:
            expect(isKind(i, 0, TypeKind::String) && isKind(i, 1, TypeKind::String), i,
                   "Strings are needed");
            break;
        case Op::Print:
            expect(t && (isValue(i, 0, t) || isTensorMemory(i, t)), i, "operand of another type");
            break;
        case Op::Part:
            expect(!reg(i, 0).ref && lanesOf(reg(i, 0).type) == lanesOf(t) &&
                       (isIn(reg(i, 0).type, TypeKind::Complex) || reg(i, 0).type->isFloatN()),
                   i, "no parts");
            break;
        case Op::WithPart:
            expect(isValue(i, 0, t) && isLane(i, 1, TypeKind::Float, t), i, "operands do not fit");
            break;
        case Op::Make: {
            std::size_t parts = !t                            ? 0
                                : lane->is(TypeKind::Complex) ? 2
                                : t->isFloatN() ? static_cast<std::size_t>(t->components())
                                                : 0;
            bool floats = parts == i.operands.size() && parts;
            for (std::size_t k = 0; k < i.operands.size(); ++k)
                floats = floats && isLane(i, k, TypeKind::Float, t);
            expect(floats, i, "parts do not fit the type");
            break;
        }
        case Op::Tensor: tensor(i); break;
        case Op::Math: {
            TypeKind kind = t && lane->is(TypeKind::Double) ? TypeKind::Double : TypeKind::Complex;
            bool fits = i.math != types::MathFn::Count &&
                        i.operands.size() == static_cast<std::size_t>(arguments(i.math));
            for (std::size_t k = 0; k < i.operands.size(); ++k)
                fits = fits && isLane(i, k, kind, t);
            expect(fits, i, "operands do not fit the function");
            break;
        }
        default: break;
    }
}

void Verifier::tensor(const Instr& i) {
    if (i.tensor == types::TensorFn::Count) return fault(i, "no such operation");
    std::string_view signature = types::info(i.tensor).signature;
    types::OperandCount count = types::operandCount(signature);
    bool fits = i.operands.size() >= count.least && i.operands.size() <= count.most;
    for (std::size_t k = 0; k < i.operands.size(); ++k)
        switch (types::operandAt(signature, k, i.operands.size())) {
            case 'T': fits = fits && isKind(i, k, TypeKind::Tensor); break;
            case 'i':
                fits = fits && (isKind(i, k, TypeKind::Int) || isListOfInts(i, k, signature));
                break;
            case 'r':
                fits = fits && !reg(i, k).ref && types::isTensorElement(reg(i, k).type);
                break;
            case 'S': fits = fits && isKind(i, k, TypeKind::String); break;
            case 'A': fits = fits && isRef(i, k) && reg(i, k).type->is(TypeKind::Array); break;
            default: fits = false;
        }
    expect(fits, i, "operands do not fit the operation");
    bool isMath = i.tensor == types::TensorFn::Math;
    expect(isMath == (i.math != types::MathFn::Count), i, "the function is missing");
}

bool Verifier::isListOfInts(const Instr& i, std::size_t k, std::string_view signature) const {
    const Type* type = reg(i, k).type;
    return types::takesList(signature) && reg(i, k).ref && type->is(TypeKind::Array) &&
           type->element->is(TypeKind::Int);
}

void Verifier::call(const Instr& i) {
    if (i.callee.kind == CalleeKind::Native) {
        if (i.callee.index >= module.natives.size()) return fault(i, "no such native");
        const Native& native = module.natives[i.callee.index];
        const bool fills =
            native.result && native.result->is(TypeKind::Tensor) && i.result == kNone;
        expect(i.operands.size() == native.params.size() + (fills ? 1 : 0), i,
               "wrong number of arguments");
        return;
    }
    if (i.callee.kind == CalleeKind::DynamicShape) {
        for (std::size_t k = 0; k < i.operands.size(); ++k)
            expect(isRef(i, k), i, "items that are not in memory");
        const bool givesCount = i.result == kNone || body.regs[i.result].type->is(TypeKind::Int);
        return expect(i.index <= i.operands.size() && givesCount, i, "not a firing");
    }
    bool own = i.callee.kind == CalleeKind::Stream;
    const std::vector<Body>* list =
        own ? (stream ? &stream->functions : nullptr) : &module.functions;
    if (!list || i.callee.index >= list->size()) return fault(i, "no such function");
    const Body& callee = (*list)[i.callee.index];
    if (callee.blocks.empty()) return;  // not lowered yet
    if (callee.params != i.operands.size()) return fault(i, "wrong number of arguments");
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
        const Type* param = callee.locals[k].type;
        expect(param->isAggregate() ? isRef(i, k) && compatible(reg(i, k).type, param)
                                    : isValue(i, k, param),
               i, "argument of another type");
    }
    bool returns = callee.result && callee.result->isScalar();
    expect(i.result == kNone || (returns && body.regs[i.result].type == callee.result), i,
           "result of another type");
}

/// Instructions with entries in the side tables.
void Verifier::sides(const Instr& i) {
    if (i.op == Op::Create) {
        if (i.index >= body.creates.size()) return fault(i, "no such entry");
        const Create& create = body.creates[i.index];
        if (create.builtin != BuiltinStream::None) return;
        bool known = create.stream < module.streams.size();
        expect(known && module.streams[create.stream].constants.size() == create.args.size(), i,
               "the arguments do not fit the stream");
        for (std::uint32_t position : create.args)
            expect(position == kNone || position < i.operands.size(), i, "no such operand");
        for (std::uint32_t position : create.portals)
            expect(position < i.operands.size() && isKind(i, position, TypeKind::Portal), i,
                   "not a portal");
    }
    if (i.op == Op::Send) {
        if (i.index >= body.sends.size()) return fault(i, "no such entry");
        const Send& send = body.sends[i.index];
        std::size_t count = 1 + (send.hasLatency ? 1 : 0);
        for (const Type* type : send.argTypes)
            count += 1 + (isConcrete(type) ? 0 : static_cast<std::size_t>(rank(type)));
        expect(count == i.operands.size() && isKind(i, 0, TypeKind::Portal), i,
               "the operands do not fit the message");
        expect(!send.hasLatency || isKind(i, 1, TypeKind::Int), i, "the latency is an int");
    }
    if (i.op == Op::Rate) {
        if (i.index >= body.rates.size()) return fault(i, "no such entry");
        const RateClause& rate = body.rates[i.index];
        int count = rate.dynamic ? rate.hasMin + rate.hasAverage + rate.hasMax : 1;
        expect(static_cast<int>(i.operands.size()) == count && intsFrom(i, 0), i,
               "the operands do not fit the rate");
    }
    if (i.op == Op::Split || i.op == Op::Join) expect(intsFrom(i, 0), i, "weights are ints");
    if (i.op == Op::ItemType) {
        const Type* item = !stream ? nullptr : i.index ? stream->output : stream->input;
        expect(item && i.operands.size() == static_cast<std::size_t>(rank(item)) && intsFrom(i, 0),
               i, "the extents do not fit the type");
    }
}

/// Checks that the kind of body allows the instruction.
void Verifier::effects(const Instr& i) {
    bool fires = body.kind == BodyKind::Work || body.kind == BodyKind::Prework ||
                 (body.kind == BodyKind::Function && stream);
    bool sends = fires || body.kind == BodyKind::Handler;
    const bool isManyItems = i.op >= Op::DiscardMany && i.op < Op::Iter;
    const bool isWindow =
        i.op == Op::Addr && (i.var.space == Space::Input || i.var.space == Space::Output);
    if (isTape(i.op) || isManyItems || isWindow) expect(fires, i, "tapes are out of reach here");
    if (i.op == Op::Iter) expect(sends, i, "there are no firings here");
    if (i.op == Op::Send) expect(sends, i, "messages cannot be sent from here");
    if (isSetupOnly(i.op))
        expect(body.kind == BodyKind::Setup, i, "belongs into setup");
    else if (info(i.op).effects == Effects::Build)
        expect(body.kind == BodyKind::Composite, i, "belongs into a composite");
}

void Verifier::control(const Instr& i, Around around) {
    if (i.op == Op::If) {
        const RegInfo* result = i.result < body.regs.size() ? &body.regs[i.result] : nullptr;
        expect(isKind(i, 0, TypeKind::Boolean), i, "the condition is a boolean");
        expect(!result || i.blocks[1] != kNone, i, "an else block is needed");
        Around branch{around.inLoop && !result, false, result};
        block(i.blocks[0], branch);
        if (i.blocks[1] != kNone) block(i.blocks[1], branch);
    }
    if (i.op == Op::Loop) {
        block(i.blocks[0], {.condition = true});
        block(i.blocks[1], {.inLoop = true});
        if (i.blocks[2] != kNone) block(i.blocks[2], {});
    }
    if (i.op == Op::Break || i.op == Op::Continue)
        expect(around.inLoop, i, "outside of a loop's body");
    if (i.op == Op::Return) {
        bool scalar = body.result && body.result->isScalar();
        expect(i.operands.size() == (scalar ? 1u : 0u) && (!scalar || isValue(i, 0, body.result)),
               i, "does not fit the body's result");
    }
}

void Verifier::yield(const Instr& i, Around around) {
    bool fits = around.condition && isKind(i, 0, TypeKind::Boolean);
    if (around.yields)
        fits = reg(i, 0).type == around.yields->type && reg(i, 0).ref == around.yields->ref;
    expect(fits, i, "yields what nobody wants");
}

void Verifier::operands(const Instr& i) {
    for (Reg r : i.operands) {
        if (r >= body.regs.size() || !body.regs[r].type) return fault(i, "no such register");
        if (!defined[r]) return fault(i, fmt::format("%{} is not defined here", r));
    }
    int needed = info(i.op).operands;
    if (i.op == Op::Contract && i.operands.size() > 3) return;  // addends: contract() counts them
    if (i.op == Op::If && i.value.type) return attention(i);
    if (needed != kVariadic && i.operands.size() != static_cast<std::size_t>(needed))
        fault(i, fmt::format("{} operands are needed", needed));
}

void Verifier::define(const Instr& i) {
    if (i.result == kNone) {
        bool optional = i.op == Op::Call || i.op == Op::If;
        expect(info(i.op).result == ResultKind::None || optional, i, "the result is missing");
        return;
    }
    if (i.result >= body.regs.size() || !body.regs[i.result].type)
        return fault(i, "no such register");
    const RegInfo& result = body.regs[i.result];
    expect(!everDefined[i.result], i, "the register is assigned twice");
    expect(info(i.op).result != ResultKind::None, i, "has no result");
    bool aggregate = i.op == Op::Const && result.type->isAggregate();
    expect(result.ref == (info(i.op).result == ResultKind::Ref || aggregate), i,
           "value and ref are confused");
    bool comparison = i.op >= Op::Eq && i.op <= Op::Ge;
    if (!comparison) expect(i.type == result.type, i, "the type is not that of the result");
    everDefined[i.result] = defined[i.result] = true;
}

void Verifier::instr(const Instr& i, Around around, bool last) {
    std::size_t before = faults.size();
    operands(i);
    if (!i.type && needsType(i.op)) fault(i, "the type is missing");
    expect(last || !endsBlock(i.op), i, "does not stand last in its block");
    expect(!last || i.op == Op::Yield || (!around.yields && !around.condition), i,
           "stands where a yield is needed");
    if (faults.size() != before) return;
    if (i.op == Op::Yield) yield(i, around);
    if (usesVariable(i.op)) variable(i);
    memory(i);
    scalars(i);
    vector(i);
    if (isTape(i.op)) tape(i);
    if (i.op == Op::Call) call(i);
    sides(i);
    effects(i);
    control(i, around);
    if (faults.size() == before) define(i);
}

void Verifier::block(BlockId id, Around around) {
    if (id >= body.blocks.size() || owned[id]) {
        bool known = id < body.blocks.size();
        faults.push_back(
            {fmt::format("{}: block {} is {}", where(), id, known ? "used twice" : "not there"),
             body.range});
        return;
    }
    owned[id] = true;
    const std::vector<Instr>& instrs = body.blocks[id].instrs;
    if (instrs.empty() && (around.yields || around.condition))
        faults.push_back({where() + ": a block that has to yield is empty", body.range});
    std::vector<Reg> mine;
    for (const Instr& i : instrs) {
        if (faults.size() >= kMostFaults) return;
        instr(i, around, &i == &instrs.back());
        if (i.result < defined.size() && defined[i.result]) mine.push_back(i.result);
    }
    for (Reg r : mine) defined[r] = false;
}

std::vector<Fault> Verifier::run() {
    defined.assign(body.regs.size(), false);
    everDefined.assign(body.regs.size(), false);
    owned.assign(body.blocks.size(), false);
    if (body.params > body.locals.size())
        faults.push_back({where() + ": parameters are missing among the locals", body.range});
    else
        block(body.entry, {});
    if (stream) ports();
    return std::move(faults);
}

/// Arrays, on sides that have no tape.
void Verifier::ports() {
    for (const bool isInput : {true, false}) {
        const std::vector<std::uint32_t>& fields =
            isInput ? stream->inputFields : stream->outputFields;
        const bool areFine = std::all_of(fields.begin(), fields.end(), [&](std::uint32_t field) {
            return field < stream->fields.size() && stream->fields[field].type->is(TypeKind::Array);
        });
        const Type* tape = isInput ? stream->input : stream->output;
        if (!areFine || (!fields.empty() && tape && !tape->is(TypeKind::Void)))
            faults.push_back(
                {where() + ": a port is an array on a side without a tape", body.range});
    }
}

std::vector<std::string> textsOf(const std::vector<Fault>& faults) {
    std::vector<std::string> texts;
    for (const Fault& fault : faults) texts.push_back(fault.text);
    return texts;
}

}  // namespace

std::vector<std::string> verify(const Module& module, const StreamCode* stream, const Body& body) {
    return textsOf(Verifier(module, stream, body).run());
}

std::vector<std::string> verify(const Module& module) { return textsOf(faultsOf(module)); }

std::vector<Fault> faultsOf(const Module& module) {
    std::vector<Fault> faults;
    auto add = [&](const StreamCode* stream, const Body& body) {
        std::vector<Fault> more = Verifier(module, stream, body).run();
        faults.insert(faults.end(), more.begin(), more.end());
    };
    for (const Body& f : module.functions) add(nullptr, f);
    for (const StreamCode& s : module.streams) {
        for (const std::optional<Body>& b : s.defaults)
            if (b) add(&s, *b);
        if (!s.setup.blocks.empty()) add(&s, s.setup);
        for (const std::optional<Body>* b : {&s.init, &s.prework, &s.work, &s.body})
            if (*b) add(&s, **b);
        for (const Body& f : s.functions) add(&s, f);
    }
    return faults;
}

}  // namespace strc::ir
