// The extents of arrays and tensors, and the checks of them.

#include "lower/detail/extents.h"

#include "lower/detail/expressions.h"

namespace strc::lower::detail {

using ast::Expr;
using ir::Space;
using types::TypeKind;

namespace {

const Type* dimension(const Type* type, std::uint32_t k) {
    while (k--) type = type->element;
    return type;
}

/// The bound of dimension `k` of a type as written, or null.
const Expr* writtenBound(const ast::TypeExpr& type, std::uint32_t k) {
    const ast::TypeExpr* t = &type;
    while (k--) t = t->element;
    return t->bound;
}

// What setup alone can know becomes the second extent of a hidden field (ir::StreamCode).
Reg bound(BodyScope& in, const Expr& e) {
    bool inSetup =
        in.b.body.kind == ir::BodyKind::Setup || in.b.body.kind == ir::BodyKind::Composite;
    if (!in.stream || inSetup || in.stream->code.kind != ir::StreamKind::Filter)
        return valueAs(in, e, in.intType());
    Uses uses = usesOf(in.m.program, e);
    if (!uses.beyondConstants && !uses.calls) return valueAs(in, e, in.intType());
    auto field = [&]() -> std::uint32_t {
        for (const StreamScope::Bound& known : in.stream->bounds)
            if (known.expression == &e) return known.field;
        auto index = static_cast<std::uint32_t>(in.stream->code.fields.size());
        const Type* row = in.m.types.array(in.m.types.bit(), types::kDynamic);
        in.stream->code.fields.push_back({"", in.m.types.array(row, 0), e.range});
        auto written = static_cast<std::uint32_t>(in.stream->info.fields.size());
        in.stream->bounds.push_back({&e, index, uses.calls ? written : uses.fields});
        return index;
    };
    return in.b.extent({Space::Field, field()}, 1, e.range);
}

/// Two lengths that no instance can make equal.
void reportLength(BodyScope& in, std::int64_t given, std::int64_t needed, SourceRange range) {
    in.m.context.diags.add(Diag::ArrayLength, range) << "the array" << given << needed;
    in.m.failed = true;
}

}  // namespace

Reg extentOf(BodyScope& in, const Type* type, Shape shape, std::uint32_t k, SourceRange range) {
    std::int64_t extent = dimension(type, k)->extent;
    if (extent != types::kDynamic) return in.b.integer(extent, range);
    return in.b.extent(shape.var, shape.first + k, range);
}

std::vector<Reg> extents(BodyScope& in, const Type* type, Shape shape, SourceRange range) {
    std::vector<Reg> regs;
    for (int k = 0; k < rank(type); ++k)
        regs.push_back(extentOf(in, type, shape, static_cast<std::uint32_t>(k), range));
    return regs;
}

std::vector<Reg> extents(BodyScope& in, const Type* type, const ast::TypeExpr& written) {
    std::vector<Reg> regs;
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(rank(type)); ++k) {
        const Expr* bound = writtenBound(written, k);
        if (!bound) {  // `_`
            regs.push_back(in.b.integer(ir::kOpenExtent, written.range));
            continue;
        }
        const Expr& e = *bound;
        std::int64_t extent =
            type->is(TypeKind::Tensor) ? type->dims[k] : dimension(type, k)->extent;
        regs.push_back(extent == types::kDynamic ? detail::bound(in, e)
                                                 : in.b.integer(extent, e.range));
    }
    return regs;
}

void appendBytes(BodyScope& in, std::vector<Reg>& operands, const Type* type, Shape shape,
                 SourceRange range) {
    if (isConcrete(type)) return;
    std::uint64_t known = 1;
    Reg product = kNone;
    for (std::uint32_t k = 0; type->is(TypeKind::Array); type = type->element, ++k) {
        if (type->extent != types::kDynamic) {
            known *= static_cast<std::uint64_t>(type->extent);
            continue;
        }
        Reg extent = in.b.extent(shape.var, shape.first + k, range);
        product =
            product == kNone ? extent : in.b.value(Op::Mul, in.intType(), {product, extent}, range);
    }
    known *= static_cast<std::uint64_t>(sizeOf(type));
    if (known != 1)
        product =
            in.b.value(Op::Mul, in.intType(),
                       {product, in.b.integer(static_cast<std::int64_t>(known), range)}, range);
    operands.push_back(product);
}

void appendAggregate(BodyScope& in, std::vector<Reg>& operands, const Aggregate& value,
                     SourceRange range) {
    operands.push_back(value.ref);
    if (isConcrete(value.type)) return;
    for (Reg extent : extents(in, value.type, value.shape, range)) operands.push_back(extent);
}

void checkExtent(BodyScope& in, Reg given, Reg needed, std::uint32_t k, SourceRange range) {
    in.b.emit(Op::CheckExtent, nullptr, {given, needed}, range).index = k;
}

void checkExtents(BodyScope& in, const Aggregate& given, const Type* needed, Shape neededShape,
                  SourceRange range) {
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(rank(needed)); ++k) {
        std::int64_t have = dimension(given.type, k)->extent;
        std::int64_t want = dimension(needed, k)->extent;
        if (have == types::kDynamic && given.shape.var.index == kNone) continue;
        bool known = have != types::kDynamic && want != types::kDynamic;
        bool same = have == want && given.shape.var == neededShape.var &&
                    given.shape.first == neededShape.first;
        if (known && have != want) reportLength(in, have, want, range);
        if (known || same) continue;
        Reg first = extentOf(in, given.type, given.shape, k, range);
        checkExtent(in, first, extentOf(in, needed, neededShape, k, range), k, range);
    }
}

void checkExtents(BodyScope& in, const Aggregate& given, const Type* needed,
                  const ast::TypeExpr& written, SourceRange range) {
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(rank(needed)); ++k) {
        std::int64_t have = dimension(given.type, k)->extent;
        std::int64_t want = dimension(needed, k)->extent;
        bool known = have != types::kDynamic && want != types::kDynamic;
        if (known && have != want) reportLength(in, have, want, range);
        if (known) continue;
        Reg first = extentOf(in, given.type, given.shape, k, range);
        Reg second = want == types::kDynamic ? bound(in, *writtenBound(written, k))
                                             : in.b.integer(want, range);
        checkExtent(in, first, second, k, range);
    }
}

}  // namespace strc::lower::detail
