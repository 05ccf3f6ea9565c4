// float2, float3, float4 and the functions of StreamItVectorLib (language.md 5.4), written out in the
// parts of the vectors.

#include "lower/detail/vectors.h"

#include "base/assert.h"
#include "lower/detail/arithmetic.h"
#include "lower/detail/calls.h"
#include "lower/detail/expressions.h"

namespace strc::lower::detail {

using types::MathFn;

Typed vectorLiteral(BodyScope& in, const ast::VectorLiteral& e) {
    const Type* type = in.typeOf(e);
    std::vector<Reg> parts;
    for (const ast::Expr* component : e.components)
        parts.push_back(valueAs(in, *component, in.floatType()));
    return {in.b.value(Op::Make, type, std::move(parts), e.range), type};
}

Reg part(BodyScope& in, Typed whole, std::uint32_t index, SourceRange range) {
    Reg result = in.b.value(Op::Part, in.floatType(), {whole.reg}, range);
    in.b.last().index = index;
    return result;
}

namespace {

/// Sum of the products of the parts, in order.
Reg dot(BodyScope& in, Typed left, Typed right, SourceRange range) {
    Reg sum = kNone;
    for (int k = 0; k < left.type->components(); ++k) {
        Reg x = part(in, left, static_cast<std::uint32_t>(k), range);
        Reg y = part(in, right, static_cast<std::uint32_t>(k), range);
        Reg product = in.b.value(Op::Mul, in.floatType(), {x, y}, range);
        sum = sum == kNone ? product : in.b.value(Op::Add, in.floatType(), {sum, product}, range);
    }
    return sum;
}

/// A real function of floats: computed in binary64, rounded once.
Reg floatMath(BodyScope& in, MathFn fn, std::vector<Reg> floats, SourceRange range) {
    for (Reg& reg : floats)
        reg = convert(in, {reg, in.floatType()}, in.m.types.doubleType(), range);
    return convert(in, {math(in, fn, std::move(floats), range), in.m.types.doubleType()},
                   in.floatType(), range);
}

Typed byPart(BodyScope& in, MathFn fn, const std::vector<Typed>& args, SourceRange range) {
    const Type* type = args[0].type;
    std::vector<Reg> parts;
    for (int k = 0; k < type->components(); ++k) {
        std::vector<Reg> operands;
        for (const Typed& arg : args)
            operands.push_back(part(in, arg, static_cast<std::uint32_t>(k), range));
        parts.push_back(floatMath(in, fn, std::move(operands), range));
    }
    return {in.b.value(Op::Make, type, std::move(parts), range), type};
}

/// True if the comparison holds for any part, or for all.
Typed compareParts(BodyScope& in, Op op, bool all, const std::vector<Typed>& args,
                   SourceRange range) {
    const Type* boolean = in.m.types.boolean();
    Reg result = kNone;
    for (int k = 0; k < args[0].type->components(); ++k) {
        Reg x = part(in, args[0], static_cast<std::uint32_t>(k), range);
        Reg y = part(in, args[1], static_cast<std::uint32_t>(k), range);
        Reg holds = in.b.value(op, in.floatType(), {x, y}, range);
        result = result == kNone
                     ? holds
                     : in.b.value(all ? Op::And : Op::Or, boolean, {result, holds}, range);
    }
    return {result, boolean};
}

Typed cross(BodyScope& in, Typed left, Typed right, SourceRange range) {
    std::vector<Reg> parts;
    for (std::uint32_t k = 0; k < 3; ++k) {
        std::uint32_t i = (k + 1) % 3;
        std::uint32_t j = (k + 2) % 3;
        Reg plus = in.b.value(Op::Mul, in.floatType(),
                              {part(in, left, i, range), part(in, right, j, range)}, range);
        Reg minus = in.b.value(Op::Mul, in.floatType(),
                               {part(in, left, j, range), part(in, right, i, range)}, range);
        parts.push_back(in.b.value(Op::Sub, in.floatType(), {plus, minus}, range));
    }
    return {in.b.value(Op::Make, left.type, std::move(parts), range), left.type};
}

/// The operator that a function stands for, or Op::Count.
Op operatorOf(std::string_view name) {
    struct Row {
        std::string_view name;
        Op op;
    };
    static constexpr Row rows[] = {
        {"add", Op::Add},       {"sub", Op::Sub},       {"mul", Op::Mul},   {"div", Op::Div},
        {"addScalar", Op::Add}, {"subScalar", Op::Sub}, {"scale", Op::Mul}, {"scaleInv", Op::Div},
    };
    for (const Row& row : rows)
        if (row.name == name) return row.op;
    return Op::Count;
}

/// `name` without its number.
Typed vectorCall(BodyScope& in, std::string_view name, const std::vector<Typed>& args,
                 SourceRange range) {
    const Type* type = args[0].type;
    if (Op op = operatorOf(name); op != Op::Count)
        return {in.b.value(op, type, {args[0].reg, args[1].reg}, range), type};
    if (name == "neg") return {in.b.value(Op::Neg, type, {args[0].reg}, range), type};
    if (name == "dot") return {dot(in, args[0], args[1], range), in.floatType()};
    if (name == "normalize") {
        Reg length = floatMath(in, MathFn::Sqrt, {dot(in, args[0], args[0], range)}, range);
        return {in.b.value(Op::Div, type, {args[0].reg, length}, range), type};
    }
    if (name == "sqrtDist") {
        Typed difference{in.b.value(Op::Sub, type, {args[0].reg, args[1].reg}, range), type};
        return {floatMath(in, MathFn::Sqrt, {dot(in, difference, difference, range)}, range),
                in.floatType()};
    }
    if (name == "cross") return cross(in, args[0], args[1], range);
    if (name == "floor") return byPart(in, MathFn::Floor, args, range);
    if (name == "min") return byPart(in, MathFn::Min, args, range);
    if (name == "max") return byPart(in, MathFn::Max, args, range);
    if (name == "greaterThan") return compareParts(in, Op::Gt, false, args, range);
    if (name == "lessThan") return compareParts(in, Op::Lt, false, args, range);
    if (name == "equals") return compareParts(in, Op::Eq, true, args, range);
    STRC_UNREACHABLE("no such vector function");
}

}  // namespace

Typed vectorFunction(BodyScope& in, std::string_view name, std::span<const ast::Expr* const> args,
                     SourceRange range) {
    std::vector<Typed> values;
    for (const ast::Expr* e : args) {
        const Type* type = in.typeOf(*e);
        values.push_back(type->isFloatN() ? value(in, *e)
                                          : Typed{valueAs(in, *e, in.floatType()), in.floatType()});
    }
    while (!name.empty() && name.back() >= '2' && name.back() <= '4') name.remove_suffix(1);
    return vectorCall(in, name, values, range);
}

}  // namespace strc::lower::detail
