// The parts of the setup of a stream.

#include "lower/detail/setup.h"

#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"

namespace strc::lower::detail {

using ir::Space;

void checkParameter(BodyScope& in, std::uint32_t index, const ast::TypeExpr& written) {
    VarRef var{Space::Constant, index};
    const Type* type = in.variableType(var);
    const ast::TypeExpr* t = &written;
    for (std::uint32_t k = 0; type->is(types::TypeKind::Array);
         type = type->element, t = t->element, ++k) {
        if (type->extent != types::kDynamic || in.m.program.isOpenLength(*t->bound)) continue;
        Reg given = in.b.extent(var, k, t->bound->range);
        checkExtent(in, given, valueAs(in, *t->bound, in.intType()), k, t->bound->range);
    }
}

void itemType(BodyScope& in, std::uint32_t side, const Type* type, const ast::TypeExpr& written) {
    if (type->is(types::TypeKind::Void) || isConcrete(type)) return;
    if (type->is(types::TypeKind::Tensor) && !type->isRanked) return;
    in.b.emit(Op::ItemType, nullptr, extents(in, type, written), written.range).index = side;
}

void hiddenBound(BodyScope& in, const StreamScope::Bound& bound) {
    SourceRange range = bound.expression->range;
    std::vector<Reg> extents{in.b.integer(0, range), valueAs(in, *bound.expression, in.intType())};
    in.b.emit(Op::Declare, nullptr, std::move(extents), range).var = {Space::Field, bound.field};
}

void rate(BodyScope& in, const ast::RateClause& clause, bool prework) {
    ir::RateClause entry;
    entry.kind = static_cast<ir::RateKind>(clause.kind);
    entry.prework = prework;
    entry.dynamic = clause.dynamic;
    entry.hasMin = clause.min;
    entry.hasAverage = clause.average;
    entry.hasMax = clause.max;
    std::vector<Reg> operands;
    for (const ast::Expr* e : {clause.value, clause.min, clause.average, clause.max})
        if (e) operands.push_back(valueAs(in, *e, in.intType()));
    in.b.emit(Op::Rate, nullptr, std::move(operands), clause.range).index =
        static_cast<std::uint32_t>(in.b.body.rates.size());
    in.b.body.rates.push_back(entry);
}

}  // namespace strc::lower::detail
