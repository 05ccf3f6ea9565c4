#include "eval/detail/scalar_compiler.h"
#include "types/tensor_elements.h"

namespace strc::eval {
namespace {

constexpr Code32 kNoCode = Code32::Count;

enum class Family : std::uint8_t { Int, Long, Float, Double, Complex, Vector, Other };

Family familyOf(const Type* type) {
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Int:
        case TypeKind::Char:
        case TypeKind::Portal: return Family::Int;
        case TypeKind::Long: return Family::Long;
        case TypeKind::Float: return Family::Float;
        case TypeKind::Double: return Family::Double;
        case TypeKind::Complex: return Family::Complex;
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: return Family::Vector;
        default: return Family::Other;
    }
}

struct Row {
    Op op;
    Code32 plain, literal;  ///< literal: right operand immediate
    bool commutes;
};

constexpr Row kIntRows[] = {
    {Op::Add, Code32::AddI, Code32::AddIK, true},  {Op::Sub, Code32::SubI, kNoCode, false},
    {Op::Mul, Code32::MulI, Code32::MulIK, true},  {Op::Div, Code32::DivI, Code32::DivIK, false},
    {Op::Rem, Code32::RemI, Code32::RemIK, false}, {Op::And, Code32::AndI, Code32::AndIK, true},
    {Op::Or, Code32::OrI, Code32::OrIK, true},     {Op::Xor, Code32::XorI, Code32::XorIK, true},
    {Op::Shl, Code32::ShlI, Code32::ShlIK, false}, {Op::Shr, Code32::ShrI, Code32::ShrIK, false},
};
constexpr Row kLongRows[] = {
    {Op::Add, Code32::AddL, kNoCode, false},
    {Op::Sub, Code32::SubL, kNoCode, false},
    {Op::Mul, Code32::MulL, kNoCode, false},
    {Op::Div, Code32::DivL, kNoCode, false},
};
constexpr Row kFloatRows[] = {
    {Op::Add, Code32::AddF, Code32::AddFK, true},
    {Op::Sub, Code32::SubF, Code32::SubFK, false},
    {Op::Mul, Code32::MulF, Code32::MulFK, true},
    {Op::Div, Code32::DivF, Code32::DivFK, false},
};
constexpr Row kDoubleRows[] = {
    {Op::Add, Code32::AddD, kNoCode, false},
    {Op::Sub, Code32::SubD, kNoCode, false},
    {Op::Mul, Code32::MulD, kNoCode, false},
    {Op::Div, Code32::DivD, kNoCode, false},
};
constexpr Row kComplexRows[] = {
    {Op::Add, Code32::AddC, kNoCode, false},
    {Op::Sub, Code32::SubC, kNoCode, false},
    {Op::Mul, Code32::MulC, kNoCode, false},
    {Op::Div, Code32::DivC, kNoCode, false},
};

const Row* find(std::span<const Row> rows, Op op) {
    for (const Row& row : rows)
        if (row.op == op) return &row;
    return nullptr;
}

std::span<const Row> rowsOf(Family family) {
    switch (family) {
        case Family::Int: return kIntRows;
        case Family::Long: return kLongRows;
        case Family::Float: return kFloatRows;
        case Family::Double: return kDoubleRows;
        case Family::Complex: return kComplexRows;
        case Family::Vector:
        case Family::Other: break;
    }
    return {};
}

Code32 negation(Family family) {
    switch (family) {
        case Family::Int: return Code32::NegI;
        case Family::Long: return Code32::NegL;
        case Family::Float: return Code32::NegF;
        case Family::Double: return Code32::NegD;
        case Family::Complex: return Code32::NegC;
        case Family::Vector:
        case Family::Other: break;
    }
    return kNoCode;
}

}  // namespace

ScalarCompiler::ScalarCompiler(BodyState& state)
    : analysis(state.analysis), cursor(state.cursor), registers(state.registers), out(state.out) {}

void ScalarCompiler::arithmetic(const Instr& instr) {
    switch (instr.op) {
        case Op::Convert: return convert(instr);
        case Op::Math: return math(instr);
        case Op::Make:
        case Op::Part:
        case Op::WithPart: return make(instr);
        case Op::Concat: {
            std::uint32_t left = registers.slotOf(instr.operands[0]),
                          right = registers.slotOf(instr.operands[1]);
            out.op(Code32::Concat, {registers.destination(instr), left, right});
            return;
        }
        case Op::Random: {
            out.op(Code32::Random, {registers.destination(instr)});
            return;
        }
        case Op::Neg: {
            Family family = familyOf(instr.type);
            if (family != Family::Vector) return unary(instr, negation(family));
            std::uint32_t from = registers.slotOf(instr.operands[0]);
            out.op(Code32::NegV, {registers.destination(instr), from,
                                  static_cast<std::uint32_t>(instr.type->components())});
            return;
        }
        default: return binary(instr);
    }
}

void ScalarCompiler::unary(const Instr& instr, Code32 operation) {
    STRC_ASSERT(operation != kNoCode, "an operation on a type that has none");
    std::uint32_t from = registers.slotOf(instr.operands[0]);
    out.op(operation, {registers.destination(instr), from});
}

void ScalarCompiler::binary(const Instr& instr) {
    Family family = familyOf(instr.type);
    Reg left = instr.operands[0], right = instr.operands[1];
    if (family == Family::Vector) {
        std::uint32_t a = registers.slotOf(left), b = registers.slotOf(right);
        out.op(Code32::BinaryV,
               {registers.destination(instr), a, b, static_cast<std::uint32_t>(instr.op),
                static_cast<std::uint32_t>(instr.type->components()),
                registers.typeOf(right)->is(TypeKind::Float) ? 1u : 0u});
        return;
    }
    const Row* row = find(rowsOf(family), instr.op);
    STRC_ASSERT(row, "an operation on a type that has none");
    if (row->commutes && registers.immediate(left) && !registers.immediate(right))
        std::swap(left, right);
    if (family == Family::Int && instr.op == Op::Add && multiplyAdd(instr, left, right)) return;
    if (analysis[instr.result].fused && deferInt(instr, left, right)) return;
    if (auto literal = registers.immediate(right);
        literal && literalOperand(instr, left, row->literal, *literal))
        return;
    if (family == Family::Float && (instr.op == Op::Add || instr.op == Op::Sub)) {
        if (addProduct(instr, left, right)) return;
        if (instr.op == Op::Add && addProduct(instr, right, left)) return;
    }
    std::uint32_t a = registers.slotOf(left), b = registers.slotOf(right);
    out.op(row->plain, {registers.destination(instr), a, b});
}

/// A product with a literal that is added to something, in one operation.
bool ScalarCompiler::multiplyAdd(const Instr& instr, Reg left, Reg right) {
    if (registers[left].kind != Location::Kind::Product) std::swap(left, right);
    if (registers[left].kind != Location::Kind::Product ||
        registers[right].kind == Location::Kind::Literal)
        return false;
    const Location product = registers[left];
    std::uint32_t other = registers.slotOf(right);
    out.op(Code32::MulAddIK, {registers.destination(instr), product.slot, product.right, other});
    return true;
}

/// Sums and products that what uses them computes.
bool ScalarCompiler::deferInt(const Instr& instr, Reg left, Reg right) {
    auto literal = registers.immediate(right);
    bool isSum = instr.op == Op::Add || instr.op == Op::Sub;
    Location location;
    location.kind = isSum ? Location::Kind::Sum : Location::Kind::Product;
    location.isLiteral = literal.has_value();
    location.slot = registers[left].slot;
    if (isSum && literal && registers[left].kind == Location::Kind::Product) {
        location.slot = out.take(1);
        location.owned = true;
        out.op(Code32::MulIK, {location.slot, registers[left].slot, registers[left].right});
    } else if (registers[left].kind != Location::Kind::Slot) {
        return false;
    }
    if (!literal && (!isSum || registers[right].kind != Location::Kind::Slot)) return false;
    if (!literal)
        location.right = registers[right].slot;
    else if (instr.op == Op::Sub)
        location.right = -*literal;
    else if (instr.op == Op::Shl)
        location.right = 1u << (*literal & 31);
    else
        location.right = *literal;
    registers[instr.result] = location;
    return true;
}

/// sum + product or sum - product in one operation, if the product has just been computed for it.
bool ScalarCompiler::addProduct(const Instr& instr, Reg sum, Reg product) {
    std::uint32_t last = out.lastIs(Code32::MulF);
    if (last == Label::kUnbound || analysis[product].uses != 1) return false;
    const Location& location = registers[product];
    if (location.kind != Location::Kind::Slot || !location.owned ||
        out.word(last + 1) != location.slot)
        return false;
    if (registers[sum].kind != Location::Kind::Slot) return false;
    std::uint32_t a = out.word(last + 2), b = out.word(last + 3);
    out.truncate(last);
    out.op(instr.op == Op::Add ? Code32::MulAddF : Code32::MulSubF,
           {registers.destination(instr), registers.slotOf(sum), a, b});
    return true;
}

/// An operation whose right operand is a literal, if there is one that takes it.
bool ScalarCompiler::literalOperand(const Instr& instr, Reg left, Code32 operation,
                                    std::uint32_t literal) {
    if (familyOf(instr.type) == Family::Int) {
        if (instr.op == Op::Sub) {
            operation = Code32::AddIK;
            literal = -literal;
        }
        if (instr.op == Op::Shl || instr.op == Op::Shr) literal &= 31;
        if (instr.op == Op::Div || instr.op == Op::Rem) {
            if (literal == 0) return false;
            if (literal == UINT32_MAX) {  // -2147483648 / -1 wraps
                std::uint32_t from = registers.slotOf(left);
                if (instr.op == Op::Div)
                    out.op(Code32::NegI, {registers.destination(instr), from});
                else
                    out.op(Code32::Const, {registers.destination(instr), 0});
                return true;
            }
        }
    }
    if (operation == kNoCode) return false;
    std::uint32_t from = registers.slotOf(left);
    out.op(operation, {registers.destination(instr), from, literal});
    return true;
}

// ---- comparisons

namespace {

/// How one comparison is computed and jumped upon.
struct Comparison {
    Code32 value;
    Code32 ifTrue, ifFalse;
    bool swapFalse;  ///< ifFalse takes the operands the other way round
};

Op mirrored(Op op) {
    switch (op) {
        case Op::Lt: return Op::Gt;
        case Op::Le: return Op::Ge;
        case Op::Gt: return Op::Lt;
        case Op::Ge: return Op::Le;
        default: return op;
    }
}

/// The comparison as one of lt, le, eq and ne: gt and ge are these with the operands swapped.
Comparison comparison(Op op, Family family) {
    using C = Code32;
    switch (family) {
        case Family::Int:
            switch (op) {
                case Op::Lt: return {C::LtI, C::JumpLtI, C::JumpLeI, true};
                case Op::Le: return {C::LeI, C::JumpLeI, C::JumpLtI, true};
                case Op::Eq: return {C::EqI, C::JumpEqI, C::JumpNeI, false};
                default: return {C::NeI, C::JumpNeI, C::JumpEqI, false};
            }
        case Family::Float:
            switch (op) {
                case Op::Lt: return {C::LtF, C::JumpLtF, C::JumpNotLtF, false};
                case Op::Le: return {C::LeF, C::JumpLeF, C::JumpNotLeF, false};
                case Op::Eq: return {C::EqF, C::JumpEqF, C::JumpNeF, false};
                default: return {C::NeF, C::JumpNeF, C::JumpEqF, false};
            }
        case Family::Long:
            switch (op) {
                case Op::Lt: return {C::LtL, kNoCode, kNoCode, false};
                case Op::Le: return {C::LeL, kNoCode, kNoCode, false};
                case Op::Eq: return {C::EqL, kNoCode, kNoCode, false};
                default: return {C::NeL, kNoCode, kNoCode, false};
            }
        case Family::Double:
            switch (op) {
                case Op::Lt: return {C::LtD, kNoCode, kNoCode, false};
                case Op::Le: return {C::LeD, kNoCode, kNoCode, false};
                case Op::Eq: return {C::EqD, kNoCode, kNoCode, false};
                default: return {C::NeD, kNoCode, kNoCode, false};
            }
        default: return {op == Op::Eq ? C::EqC : C::NeC, kNoCode, kNoCode, false};
    }
}

Comparison literalComparison(Op op, Family family) {
    using C = Code32;
    bool ints = family == Family::Int;
    switch (op) {
        case Op::Lt: return {ints ? C::LtIK : C::LtFK, C::JumpLtIK, C::JumpGeIK, false};
        case Op::Le: return {ints ? C::LeIK : C::LeFK, C::JumpLeIK, C::JumpGtIK, false};
        case Op::Gt: return {ints ? C::GtIK : C::GtFK, C::JumpGtIK, C::JumpLeIK, false};
        case Op::Ge: return {ints ? C::GeIK : C::GeFK, C::JumpGeIK, C::JumpLtIK, false};
        case Op::Eq: return {ints ? C::EqIK : C::EqFK, C::JumpEqIK, C::JumpNeIK, false};
        default: return {ints ? C::NeIK : C::NeFK, C::JumpNeIK, C::JumpEqIK, false};
    }
}

}  // namespace

void ScalarCompiler::compare(const Instr& instr) {
    Reg left = instr.operands[0], right = instr.operands[1];
    Family family = familyOf(registers.typeOf(left));
    if (family == Family::Vector) return compareVectors(instr);
    for (Reg operand : {left, right}) {
        if (!cursor.isTruthOf(instr, operand)) continue;
        const Value& literal = *analysis.literal(operand == left ? right : left);
        return truth(instr, operand, (instr.op == Op::Eq) == (literal.bytes[0] != 0));
    }
    if (registers.typeOf(left)->is(TypeKind::String)) {
        const std::uint32_t a = registers.slotOf(left), b = registers.slotOf(right);
        out.op(instr.op == Op::Eq ? Code32::EqT : Code32::NeT,
               {registers.destination(instr), a, b});
        return;
    }
    STRC_ASSERT(family != Family::Other, "a comparison of a type that has none");
    Op op = instr.op;
    bool jumps = cursor.branchesNext(instr.result);
    if (registers.immediate(left) && !registers.immediate(right)) {
        std::swap(left, right);
        op = mirrored(op);
    }
    auto literal = registers.immediate(right);
    // Floats are jumped upon with both operands in slots.
    bool useLiteral = literal && (family == Family::Int || !jumps);
    if (!useLiteral && (op == Op::Gt || op == Op::Ge)) {
        std::swap(left, right);
        op = mirrored(op);
    }
    Comparison how = useLiteral ? literalComparison(op, family) : comparison(op, family);
    std::uint32_t a = registers.slotOf(left);
    std::uint32_t b = useLiteral ? *literal : registers.slotOf(right);
    if (!jumps || how.ifTrue == kNoCode) {
        out.op(how.value, {registers.destination(instr), a, b});
        return;
    }
    Location& location = registers[instr.result];
    location.kind = Location::Kind::Compare;
    location.slot = a;
    location.right = b;
    location.ifTrue = how.ifTrue;
    location.ifFalse = how.ifFalse;
    location.swapFalse = how.swapFalse;
}

/// By element: equal if all are.
void ScalarCompiler::compareVectors(const Instr& instr) {
    std::uint32_t a = registers.slotOf(instr.operands[0]), b = registers.slotOf(instr.operands[1]);
    auto parts = static_cast<std::uint32_t>(registers.typeOf(instr.operands[0])->components());
    std::uint32_t to = registers.destination(instr);
    out.op(Code32::BinaryV, {to, a, b, static_cast<std::uint32_t>(instr.op), parts, 0});
}

void ScalarCompiler::negate(const Instr& instr) {
    if (instr.type->is(TypeKind::Int)) return unary(instr, Code32::NotI);
    truth(instr, instr.operands[0], false);
}

/// The boolean (or bit) itself, or its negation.
void ScalarCompiler::truth(const Instr& instr, Reg reg, bool isSame) {
    const Location operand = registers[reg];
    if (operand.kind != Location::Kind::Compare) {
        std::uint32_t from = registers.slotOf(reg);
        std::uint32_t to = registers.destination(instr);
        if (isSame)
            registers.moveSlots(to, from, 1);
        else
            out.op(Code32::NotB, {to, from});
        return;
    }
    Location& location = registers[instr.result];
    location = operand;
    if (isSame) return;
    std::swap(location.ifTrue, location.ifFalse);
    if (!operand.swapFalse) return;
    std::swap(location.slot,
              location.right);  // not (a < b) is b <= a, and the opposite of that a < b
}

// ---- conversions

void ScalarCompiler::convert(const Instr& instr) {
    Reg operand = instr.operands[0];
    const Type* from = registers.typeOf(operand);
    const Type* to = instr.type;
    if (analysis[instr.result].fused) {
        registers[instr.result] = registers[operand];
        registers[instr.result].owned = false;
        if (to->is(TypeKind::Int)) return;
        registers.setSlot(instr.result, registers.slotOf(operand));
        registers[instr.result].isNarrow = true;
        return;
    }
    if (types::isNarrow(from->kind) || types::isNarrow(to->kind)) return convertNarrow(instr);
    const bool isTensor = to->is(TypeKind::Tensor);  // which says more of it than was known
    const bool isInt = familyOf(from) == Family::Int &&
                       (to->is(TypeKind::Int) || to->is(TypeKind::Char));  // of which 8 bits count
    if (from == to || isTensor || isInt) {
        std::uint32_t slot = registers.slotOf(operand);
        registers.moveSlots(registers.destination(instr), slot, slotsOf(to));
        return;
    }
    if (to->is(TypeKind::String)) {
        std::uint32_t slot = registers.slotOf(operand);
        out.op(Code32::ToString,
               {registers.destination(instr), slot, static_cast<std::uint32_t>(from->kind)});
        return;
    }
    std::uint32_t slot = registers.slotOf(operand);
    switch (to->kind) {
        case TypeKind::Boolean: return convertTo(instr, slot, from, TypeKind::Int, Code32::NeIK);
        case TypeKind::Bit: return convertTo(instr, slot, from, TypeKind::Int, Code32::Low);
        case TypeKind::Int: return convertTo(instr, slot, from, TypeKind::Int, kNoCode);
        case TypeKind::Long: return convertTo(instr, slot, from, TypeKind::Long, kNoCode);
        case TypeKind::Float: return convertTo(instr, slot, from, TypeKind::Float, kNoCode);
        case TypeKind::Double: return convertTo(instr, slot, from, TypeKind::Double, kNoCode);
        case TypeKind::Complex: return convertTo(instr, slot, from, TypeKind::Float, Code32::FToC);
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: return convertTo(instr, slot, from, TypeKind::Float, Code32::FToV);
        default: STRC_UNREACHABLE("a conversion that the language does not have");
    }
}

namespace {

Code32 conversion(Family from, TypeKind to) {
    switch (from) {
        case Family::Int:
            return to == TypeKind::Float    ? Code32::IToF
                   : to == TypeKind::Double ? Code32::IToD
                   : to == TypeKind::Long   ? Code32::IToL
                                            : kNoCode;
        case Family::Long:
            return to == TypeKind::Float    ? Code32::LToF
                   : to == TypeKind::Double ? Code32::LToD
                   : to == TypeKind::Int    ? Code32::LToI
                                            : kNoCode;
        case Family::Float:
            return to == TypeKind::Int      ? Code32::FToI
                   : to == TypeKind::Long   ? Code32::FToL
                   : to == TypeKind::Double ? Code32::FToD
                                            : kNoCode;
        case Family::Double:
            return to == TypeKind::Int     ? Code32::DToI
                   : to == TypeKind::Long  ? Code32::DToL
                   : to == TypeKind::Float ? Code32::DToF
                                           : kNoCode;
        default: STRC_UNREACHABLE("a conversion that the language does not have");
    }
}

}  // namespace

/// Between elements of tensors that no scalar of the language is and what they are computed with.
void ScalarCompiler::convertNarrow(const Instr& instr) {
    const std::uint32_t slot = registers.slotOf(instr.operands[0]);
    const TypeKind from = registers.typeOf(instr.operands[0])->kind;
    const std::uint32_t to = registers.destination(instr);
    const bool isDouble = from == TypeKind::Double;
    switch (types::isNarrow(from) ? from : instr.type->kind) {
        case TypeKind::Half:
            out.op(from == TypeKind::Half ? Code32::HToF
                   : isDouble             ? Code32::DToH
                                          : Code32::FToH,
                   {to, slot});
            return;
        case TypeKind::BFloat16:
            out.op(from == TypeKind::BFloat16 ? Code32::BToF
                   : isDouble                 ? Code32::DToB
                                              : Code32::FToB,
                   {to, slot});
            return;
        default:
            if (from == TypeKind::Int8) return out.op(Code32::I8ToI, {to, slot});
            registers.moveSlots(to, slot, 1);  // of which 8 bits count
    }
}

/// To int, float or double first, then by a second operation that takes it on.
void ScalarCompiler::convertTo(const Instr& instr, std::uint32_t slot, const Type* from,
                               TypeKind first, Code32 second) {
    Code32 step = conversion(familyOf(from), first);
    std::uint32_t to = registers.destination(instr);
    if (step != kNoCode) {
        std::uint32_t between = second == kNoCode ? to : registers.temporary();
        out.op(step, {between, slot});
        slot = between;
    }
    if (second == Code32::FToV)
        out.op(second, {to, slot, static_cast<std::uint32_t>(instr.type->components())});
    else if (second == Code32::NeIK)
        out.op(second, {to, slot, 0});
    else if (second != kNoCode)
        out.op(second, {to, slot});
}

// ---- built-in functions

/// The slot of a double that may still be a float.
std::uint32_t ScalarCompiler::asDouble(Reg reg) {
    std::uint32_t slot = registers.slotOf(reg);
    if (!registers[reg].isNarrow) return slot;
    std::uint32_t wide = registers.temporary();
    out.op(Code32::FToD, {wide, slot});
    return wide;
}

/// A function of floats whose result is only wanted as a float: the next instruction narrows it.
bool ScalarCompiler::floatMath(const Instr& instr) {
    for (Reg operand : instr.operands)
        if (!registers[operand].isNarrow) return false;
    const Instr* next = cursor.next();
    if (analysis[instr.result].uses != 1 || !next) return false;
    if (next->op != Op::Convert || !next->type->is(TypeKind::Float) ||
        next->operands[0] != instr.result)
        return false;
    std::uint32_t x = registers[instr.operands[0]].slot;
    std::uint32_t y = registers[instr.operands.back()].slot;
    registers.release(cursor.position - 1);
    cursor.skipNext();
    std::uint32_t to = registers.destination(*next);
    if (instr.math == types::MathFn::Sqrt)
        out.op(Code32::SqrtF, {to, x});
    else if (instr.math == types::MathFn::Abs)
        out.op(Code32::AbsF, {to, x});
    else
        out.op(Code32::MathF, {to, x, y, static_cast<std::uint32_t>(instr.math)});
    return true;
}

void ScalarCompiler::math(const Instr& instr) {
    auto fn = static_cast<std::uint32_t>(instr.math);
    Reg first = instr.operands.front(), last = instr.operands.back();
    if (instr.type->is(TypeKind::Double)) {
        if (floatMath(instr)) return;
        std::uint32_t x = asDouble(first), y = first == last ? x : asDouble(last);
        out.op(Code32::MathD, {registers.destination(instr), x, y, fn});
        return;
    }
    std::uint32_t z = registers.slotOf(first), w = registers.slotOf(last);
    if (instr.type->is(TypeKind::Complex))
        out.op(Code32::MathC, {registers.destination(instr), z, w, fn});
    else
        out.op(Code32::MathR, {registers.destination(instr), z, fn});
}

void ScalarCompiler::make(const Instr& instr) {
    if (instr.op == Op::Part) {
        std::uint32_t from = registers.slotOf(instr.operands[0]);
        out.op(Code32::GetPart, {registers.destination(instr), from, instr.index});
        return;
    }
    std::vector<std::uint32_t> parts;
    for (Reg operand : instr.operands) parts.push_back(registers.slotOf(operand));
    std::uint32_t to = registers.destination(instr);
    if (instr.op == Op::WithPart) {
        registers.moveSlots(to, parts[0], slotsOf(instr.type));
        out.op(Code32::PutPart, {to, instr.index, parts[1]});
        return;
    }
    for (std::uint32_t k = 0; k < parts.size(); ++k) out.op(Code32::PutPart, {to, k, parts[k]});
}

}  // namespace strc::eval
