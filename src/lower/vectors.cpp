// float2, float3, float4 and the functions of StreamItVectorLib (language.md 5.4), written out in the
// parts of the vectors.

#include "base/assert.h"
#include "lower/detail/lowerer.h"

namespace strc::lower::detail {

using types::MathFn;

Typed BodyLowerer::vectorLiteral(const ast::VectorLiteral& e) {
    const Type* type = typeOf(e);
    std::vector<Reg> parts;
    for (const ast::Expr* component : e.components)
        parts.push_back(valueAs(*component, floatType()));
    return {b.value(Op::Make, type, std::move(parts), e.range), type};
}

Reg BodyLowerer::part(Typed whole, std::uint32_t index, SourceRange range) {
    Reg result = b.value(Op::Part, floatType(), {whole.reg}, range);
    b.last().index = index;
    return result;
}

/// Sum of the products of the parts, in order.
Reg BodyLowerer::dot(Typed left, Typed right, SourceRange range) {
    Reg sum = kNone;
    for (int k = 0; k < left.type->components(); ++k) {
        Reg x = part(left, static_cast<std::uint32_t>(k), range);
        Reg y = part(right, static_cast<std::uint32_t>(k), range);
        Reg product = b.value(Op::Mul, floatType(), {x, y}, range);
        sum = sum == kNone ? product : b.value(Op::Add, floatType(), {sum, product}, range);
    }
    return sum;
}

/// A real function of floats: computed in binary64, rounded once.
Reg BodyLowerer::floatMath(MathFn fn, std::vector<Reg> floats, SourceRange range) {
    for (Reg& reg : floats) reg = convert({reg, floatType()}, m.types.doubleType(), range);
    return convert({math(fn, std::move(floats), range), m.types.doubleType()}, floatType(), range);
}

Typed BodyLowerer::vectorFunction(std::string_view name, std::span<const ast::Expr* const> args,
                                  SourceRange range) {
    std::vector<Typed> values;
    for (const ast::Expr* e : args) {
        const Type* type = typeOf(*e);
        values.push_back(type->isFloatN() ? value(*e)
                                          : Typed{valueAs(*e, floatType()), floatType()});
    }
    while (!name.empty() && name.back() >= '2' && name.back() <= '4') name.remove_suffix(1);
    return vectorCall(name, values, range);
}

namespace {

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

}  // namespace

/// `name` without its number.
Typed BodyLowerer::vectorCall(std::string_view name, const std::vector<Typed>& args,
                              SourceRange range) {
    const Type* type = args[0].type;
    if (Op op = operatorOf(name); op != Op::Count)
        return {b.value(op, type, {args[0].reg, args[1].reg}, range), type};
    if (name == "neg") return {b.value(Op::Neg, type, {args[0].reg}, range), type};
    if (name == "dot") return {dot(args[0], args[1], range), floatType()};
    if (name == "normalize") {
        Reg length = floatMath(MathFn::Sqrt, {dot(args[0], args[0], range)}, range);
        return {b.value(Op::Div, type, {args[0].reg, length}, range), type};
    }
    if (name == "sqrtDist") {
        Typed difference{b.value(Op::Sub, type, {args[0].reg, args[1].reg}, range), type};
        return {floatMath(MathFn::Sqrt, {dot(difference, difference, range)}, range), floatType()};
    }
    if (name == "cross") return cross(args[0], args[1], range);
    if (name == "floor") return byPart(MathFn::Floor, args, range);
    if (name == "min") return byPart(MathFn::Min, args, range);
    if (name == "max") return byPart(MathFn::Max, args, range);
    if (name == "greaterThan") return compareParts(Op::Gt, false, args, range);
    if (name == "lessThan") return compareParts(Op::Lt, false, args, range);
    if (name == "equals") return compareParts(Op::Eq, true, args, range);
    STRC_UNREACHABLE("no such vector function");
}

Typed BodyLowerer::byPart(MathFn fn, const std::vector<Typed>& args, SourceRange range) {
    const Type* type = args[0].type;
    std::vector<Reg> parts;
    for (int k = 0; k < type->components(); ++k) {
        std::vector<Reg> operands;
        for (const Typed& arg : args)
            operands.push_back(part(arg, static_cast<std::uint32_t>(k), range));
        parts.push_back(floatMath(fn, std::move(operands), range));
    }
    return {b.value(Op::Make, type, std::move(parts), range), type};
}

/// True if the comparison holds for any part, or for all.
Typed BodyLowerer::compareParts(Op op, bool all, const std::vector<Typed>& args,
                                SourceRange range) {
    const Type* boolean = m.types.boolean();
    Reg result = kNone;
    for (int k = 0; k < args[0].type->components(); ++k) {
        Reg x = part(args[0], static_cast<std::uint32_t>(k), range);
        Reg y = part(args[1], static_cast<std::uint32_t>(k), range);
        Reg holds = b.compare(op, floatType(), x, y, range);
        result = result == kNone ? holds
                                 : b.value(all ? Op::And : Op::Or, boolean, {result, holds}, range);
    }
    return {result, boolean};
}

Typed BodyLowerer::cross(Typed left, Typed right, SourceRange range) {
    std::vector<Reg> parts;
    for (std::uint32_t k = 0; k < 3; ++k) {
        std::uint32_t i = (k + 1) % 3;
        std::uint32_t j = (k + 2) % 3;
        Reg plus =
            b.value(Op::Mul, floatType(), {part(left, i, range), part(right, j, range)}, range);
        Reg minus =
            b.value(Op::Mul, floatType(), {part(left, j, range), part(right, i, range)}, range);
        parts.push_back(b.value(Op::Sub, floatType(), {plus, minus}, range));
    }
    return {b.value(Op::Make, left.type, std::move(parts), range), left.type};
}

}  // namespace strc::lower::detail
