#include "csource/detail/scalars.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "csource/detail/literals.h"
#include "ir/ranges.h"
#include "types/tensor_elements.h"

namespace strc::csource {
namespace {

using ir::Instr;
using ir::Op;
using types::MathFn;
using types::TypeKind;

bool isInt(const Type* type) { return type->is(TypeKind::Int) || type->is(TypeKind::Portal); }
bool isWide(const Type* type) { return isInt(type) || type->is(TypeKind::Long); }
bool isReal(const Type* type) { return type->is(TypeKind::Float) || type->is(TypeKind::Double); }

Expr joined(std::string text, Rank rank, const std::vector<Expr>& parts) {
    Expr made = plain(std::move(text), rank);
    for (const Expr& part : parts) inherit(made, part);
    return made;
}

Expr called(const std::string& function, const std::vector<Expr>& arguments) {
    std::string list;
    for (const Expr& each : arguments) list += (list.empty() ? "" : ", ") + each.text;
    return joined(fmt::format("{}({})", function, list), kPrimary, arguments);
}

char signOf(Op op) {
    switch (op) {
        case Op::Add: return '+';
        case Op::Sub: return '-';
        case Op::Mul: return '*';
        case Op::Div: return '/';
        case Op::Rem: return '%';
        case Op::And: return '&';
        case Op::Or: return '|';
        default: return '^';
    }
}

/// A sum, difference, product or quotient as C computes it.
Expr binary(char sign, const Expr& x, const Expr& y) {
    const Rank rank = sign == '+' || sign == '-' ? kSum : kProduct;
    const std::string tail = within(y, static_cast<Rank>(rank + 1));
    Expr made = joined(fmt::format("{} {} {}", within(x, rank), sign, tail), rank, {x, y});
    made.sign = sign;
    made.head = x.text;
    made.tail = tail;
    return made;
}

/// The exact result of the operation on all values of the operands, if all of it is an int.
bool fits(Op op, const Expr& x, const Expr& y, ir::Range& result) {
    std::vector<std::int64_t> ends;
    for (const std::int64_t a : {x.range.min, x.range.max})
        for (const std::int64_t b : {y.range.min, y.range.max})
            ends.push_back(op == Op::Add ? a + b : op == Op::Sub ? a - b : a * b);
    result = {*std::min_element(ends.begin(), ends.end()),
              *std::max_element(ends.begin(), ends.end())};
    return result.min >= INT32_MIN && result.max <= INT32_MAX;
}

/// Signed where nothing can overflow, else unsigned, which wraps.
Expr wrapping(const Instr& instr, const Expr& x, const Expr& y) {
    ir::Range range;
    if (isInt(instr.type) && fits(instr.op, x, y, range)) {
        Expr made = binary(signOf(instr.op), x, y);
        made.range = range;
        return made;
    }
    const Rank rank = instr.op == Op::Mul ? kProduct : kSum;
    const std::string bits =
        fmt::format("{} {} {}", asUnsigned(x, instr.type, rank), signOf(instr.op),
                    asUnsigned(y, instr.type, static_cast<Rank>(rank + 1)));
    const char* type = isInt(instr.type) ? "int32_t" : "int64_t";
    Expr made = joined(fmt::format("({})({})", type, bits), kUnary, {x, y});
    made.bits = bits;
    made.bitsRank = rank;
    return made;
}

Expr shifted(const Instr& instr, const Expr& x, const Expr& y) {
    const bool isConstant = y.range.min == y.range.max;
    const std::string count =
        isConstant ? std::to_string(y.range.min & 31) : fmt::format("({} & 31)", operandOf(y));
    if (instr.op == Op::Shr)
        return joined(fmt::format("{} >> {}", operandOf(x), count), kShift, {x, y});
    const std::string bits = fmt::format("{} << {}", asUnsigned(x, instr.type, kUnary), count);
    Expr made = joined(fmt::format("({})({})", isInt(instr.type) ? "int32_t" : "int64_t", bits),
                       kUnary, {x, y});
    made.bits = bits;
    made.bitsRank = kShift;
    return made;
}

/// Of ints; no divisor is zero.
Expr divided(Source& source, const Instr& instr, const Expr& x, const Expr& y) {
    const bool isLong = instr.type->is(TypeKind::Long);
    const bool mayBeMinusOne = y.range.min <= -1 && y.range.max >= -1;
    if (!isLong && (!mayBeMinusOne || x.range.min > INT32_MIN)) {
        Expr made = binary(signOf(instr.op), x, y);
        return made;
    }
    const Helper helper = instr.op == Op::Div
                              ? (isLong ? Helper::DivideLong : Helper::Divide)
                              : (isLong ? Helper::RemainderLong : Helper::Remainder);
    return called(source.helpers.name(helper), {x, y});
}

Expr intArithmetic(Source& source, const Instr& instr, const Expr& x, const Expr& y) {
    switch (instr.op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul: return wrapping(instr, x, y);
        case Op::Shl:
        case Op::Shr: return shifted(instr, x, y);
        case Op::Div:
        case Op::Rem: return divided(source, instr, x, y);
        default:
            return joined(fmt::format("{} {} {}", operandOf(x), signOf(instr.op), operandOf(y)),
                          kBits, {x, y});
    }
}

Expr negated(const Instr& instr, const Expr& x) {
    if (isWide(instr.type)) {
        if (isInt(instr.type) && x.range.min > INT32_MIN) {
            Expr made = joined("-" + within(x, kPrimary), kUnary, {x});
            made.range = {-x.range.max, -x.range.min};
            return made;
        }
        const bool is32 = isInt(instr.type);
        const std::string bits = "0u - " + asUnsigned(x, instr.type, kProduct);
        Expr made =
            joined(fmt::format("({})({})", is32 ? "int32_t" : "int64_t", bits), kUnary, {x});
        made.bits = bits;
        made.bitsRank = kSum;
        return made;
    }
    return joined("-" + within(x, kPrimary), kUnary, {x});
}

Expr complemented(const Instr& instr, const Expr& x) {
    if (instr.type->is(TypeKind::Boolean)) return joined("!" + within(x, kUnary), kUnary, {x});
    if (instr.type->is(TypeKind::Bit)) return joined(operandOf(x) + " ^ 1", kBits, {x});
    return joined("~" + within(x, kUnary), kUnary, {x});
}

Helper complexHelper(Op op) {
    switch (op) {
        case Op::Add: return Helper::ComplexAdd;
        case Op::Sub: return Helper::ComplexSubtract;
        case Op::Mul: return Helper::ComplexMultiply;
        case Op::Div: return Helper::ComplexDivide;
        default: return Helper::ComplexNegate;
    }
}

std::string_view vectorOperation(Op op) {
    switch (op) {
        case Op::Add: return "add";
        case Op::Sub: return "subtract";
        case Op::Mul: return "multiply";
        case Op::Div: return "divide";
        default: return "negate";
    }
}

}  // namespace

Expr constantOf(Source& source, const types::Value& value) {
    if (value.type->isAggregate()) {
        Expr made = plain(source.table(value.type, value.bytes.data(), "constant"));
        made.isConst = made.isTrivial = true;
        return made;
    }
    const std::string text = scalarLiteral(source.types, value.type, value.bytes.data());
    Expr made = plain(text, text[0] == '-' || text[0] == '(' ? kUnary : kPrimary);
    made.isTrivial = true;
    if (isInt(value.type)) made.range = {value.toInt(), value.toInt()};
    return made;
}

std::string asUnsigned(const Expr& x, const Type* type, Rank least) {
    if (!x.bits.empty()) return within(x.bits, x.bitsRank, least);
    const bool isConstant = isInt(type) && x.range.min == x.range.max;
    if (isConstant && x.range.min >= 0) return std::to_string(x.range.min) + "u";
    return fmt::format("({}){}", type->is(TypeKind::Long) ? "uint64_t" : "uint32_t",
                       within(x, kUnary));
}

Expr arithmetic(Source& source, const Instr& instr, const std::vector<Expr>& operands) {
    if (instr.type->isFloatN())
        return called(source.helpers.onVectors(vectorOperation(instr.op), instr.type,
                                               source.types.name(instr.type)),
                      operands);
    if (instr.type->is(TypeKind::Complex))
        return called(source.helpers.name(complexHelper(instr.op)), operands);
    Expr made;
    if (instr.op == Op::Neg)
        made = negated(instr, operands[0]);
    else if (instr.op == Op::Not)
        made = complemented(instr, operands[0]);
    else if (isReal(instr.type))
        made = binary(signOf(instr.op), operands[0], operands[1]);
    else
        made = intArithmetic(source, instr, operands[0], operands[1]);
    if (isInt(instr.type) && made.range == ir::Range{}) {
        const ir::Range ranges[] = {operands[0].range, operands.back().range};
        made.range = ir::rangeOf(instr, ranges, instr.type);
    }
    return made;
}

namespace {

std::string_view relation(Op op) {
    switch (op) {
        case Op::Eq: return "==";
        case Op::Ne: return "!=";
        case Op::Lt: return "<";
        case Op::Le: return "<=";
        case Op::Gt: return ">";
        default: return ">=";
    }
}

}  // namespace

Expr compare(Source& source, const Instr& instr, const Type* type,
             const std::vector<Expr>& operands) {
    const Expr &x = operands[0], &y = operands[1];
    if (type->is(TypeKind::Complex) || type->isFloatN()) {
        const std::string function =
            type->is(TypeKind::Complex)
                ? source.helpers.name(Helper::ComplexEqual)
                : source.helpers.onVectors("equal", type, source.types.name(type));
        Expr made = called(function, {x, y});
        if (instr.op == Op::Ne) {
            made.text = "!" + made.text;
            made.rank = kUnary;
        }
        return made;
    }
    auto side = [](const Expr& each) {
        return each.rank < kSum ? "(" + each.text + ")" : each.text;
    };
    const Rank rank = instr.op == Op::Eq || instr.op == Op::Ne ? kEquality : kRelation;
    return joined(fmt::format("{} {} {}", side(x), relation(instr.op), side(y)), rank, {x, y});
}

namespace {

Expr cast(std::string_view type, const Expr& x) {
    return joined(fmt::format("({}){}", type, within(x, kUnary)), kUnary, {x});
}

Expr toInt(Source& source, const Type* from, const Expr& x) {
    if (isReal(from)) {
        Expr narrow = x;
        if (!x.narrow.empty()) narrow.text = x.narrow;
        return called(source.helpers.name(Helper::ToInt), {narrow});
    }
    if (from->is(TypeKind::Long)) return cast("int32_t", x);
    Expr same = x;
    if (from->is(TypeKind::Boolean) || from->is(TypeKind::Bit)) same.range = {0, 1};
    return same;
}

Expr toFloat(const Type* from, const Expr& x) {
    if (from->is(TypeKind::Float)) return x;
    if (!x.narrow.empty()) {
        Expr narrow = joined(x.narrow, kUnary, {x});
        return narrow;
    }
    return cast("float", x);
}

Expr toDouble(const Type* from, const Expr& x) {
    Expr made = cast("double", x);
    if (from->is(TypeKind::Float)) made.narrow = within(x, kUnary);
    return made;
}

/// The helper that makes a number of bits, or bits of a number.
Helper helperOf(TypeKind shortFloat, bool makesBits) {
    if (shortFloat == TypeKind::Half) return makesBits ? Helper::ToHalf : Helper::OfHalf;
    return makesBits ? Helper::ToBFloat16 : Helper::OfBFloat16;
}

}  // namespace

std::string widening(Source& source, const Type* element) {
    if (element->is(TypeKind::Half) || element->is(TypeKind::BFloat16))
        return std::string(source.helpers.name(helperOf(element->kind, false)));
    return {};  // C does it
}

Expr convert(Source& source, const Type* from, const Type* to, const Expr& x) {
    if (from == to) return x;
    if (to->is(TypeKind::Int8)) return cast("int8_t", x);
    if (from->is(TypeKind::Int8)) return cast("int32_t", x);
    if (types::isNarrow(to->kind))
        return called(source.helpers.name(helperOf(to->kind, true)), {x});
    if (types::isNarrow(from->kind))
        return called(source.helpers.name(helperOf(from->kind, false)), {x});
    switch (to->kind) {
        case TypeKind::Boolean: {
            const Expr number = toInt(source, from, x);
            if (number.range == ir::Range{0, 1}) return number;
            return joined(operandOf(number) + " != 0", kEquality, {number});
        }
        case TypeKind::Bit: {
            const Expr number = toInt(source, from, x);
            if (number.range == ir::Range{0, 1}) return number;
            return joined(operandOf(number) + " & 1", kBits, {number});
        }
        case TypeKind::Int:
        case TypeKind::Portal: return toInt(source, from, x);
        case TypeKind::Char: return cast("int8_t", toInt(source, from, x));
        case TypeKind::Long:
            if (isReal(from)) return called(source.helpers.name(Helper::ToLong), {x});
            return cast("int64_t", x);
        case TypeKind::Float: return toFloat(from, x);
        case TypeKind::Double: return toDouble(from, x);
        case TypeKind::Complex: {
            const Expr real = toFloat(from, x);
            return joined(fmt::format("({}){{{}, 0}}", source.types.name(to), real.text), kPrimary,
                          {real});
        }
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            return called(source.helpers.onVectors("of", to, source.types.name(to)),
                          {toFloat(from, x)});
        default: STRC_UNREACHABLE("a conversion that C source does not have");
    }
}

namespace {

Helper complexFunction(MathFn fn) {
    switch (fn) {
        case MathFn::Abs: return Helper::ComplexAbs;
        case MathFn::Arg: return Helper::ComplexArg;
        case MathFn::Exp: return Helper::ComplexExp;
        case MathFn::Sin: return Helper::ComplexSin;
        case MathFn::Cos: return Helper::ComplexCos;
        case MathFn::Log: return Helper::ComplexLog;
        case MathFn::Pow: return Helper::ComplexPow;
        default: return Helper::ComplexSqrt;
    }
}

std::string realFunction(Source& source, MathFn fn) {
    switch (fn) {
        case MathFn::Abs: return "fabs";
        case MathFn::Rint: return "nearbyint";
        case MathFn::Round: return source.helpers.name(Helper::Round);
        case MathFn::Min: return source.helpers.name(Helper::Minimum);
        case MathFn::Max: return source.helpers.name(Helper::Maximum);
        default: return std::string(types::name(fn));
    }
}

}  // namespace

Expr math(Source& source, const Instr& instr, const Type* from, const std::vector<Expr>& operands) {
    if (!instr.type->is(TypeKind::Double))
        return called(source.helpers.name(complexFunction(instr.math)),
                      from->is(TypeKind::Complex)
                          ? operands
                          : std::vector{convert(source, from, instr.type, operands[0])});
    std::vector<Expr> arguments = operands;
    for (Expr& each : arguments)  // C converts arguments itself
        if (!each.narrow.empty()) each.text = each.narrow;
    return called(realFunction(source, instr.math), arguments);
}

std::string partName(const Type* type, std::uint32_t k) {
    if (type->is(TypeKind::Complex)) return k == 0 ? ".re" : ".im";
    return fmt::format(".at[{}]", k);
}

namespace {

Expr made(Source& source, const Instr& instr, const std::vector<Expr>& parts) {
    std::string list;
    for (const Expr& part : parts) list += (list.empty() ? "" : ", ") + part.text;
    list = "{" + list + "}";
    if (instr.type->isFloatN()) list = "{" + list + "}";
    return joined(fmt::format("({}){}", source.types.name(instr.type), list), kPrimary, parts);
}

}  // namespace

bool isOperation(Op op) { return (op >= Op::Add && op <= Op::Part) || op == Op::Const; }

Expr operation(Source& source, const Instr& instr, const std::vector<const Type*>& types,
               const std::vector<Expr>& operands) {
    switch (instr.op) {
        case Op::Const: return constantOf(source, instr.value);
        case Op::Eq:
        case Op::Ne:
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge: return compare(source, instr, types[0], operands);
        case Op::Convert: return convert(source, types[0], instr.type, operands[0]);
        case Op::Math: return math(source, instr, types[0], operands);
        case Op::Make: return made(source, instr, operands);
        case Op::Part:
            return joined(within(operands[0], kPrimary) + partName(types[0], instr.index), kPrimary,
                          operands);
        default: break;
    }
    if (!instr.type->isFloatN() || operands.size() < 2) return arithmetic(source, instr, operands);
    return arithmetic(source, instr,
                      {operands[0], convert(source, types[1], instr.type, operands[1])});
}

}  // namespace strc::csource
