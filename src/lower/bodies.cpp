// Bodies as wholes: parameters, results, and the parts of setup.

#include "ir/specialize.h"
#include "lower/detail/lowerer.h"

namespace strc::lower::detail {

using ir::Space;

BodyLowerer::BodyLowerer(ModuleScope& scope, StreamScope* stream, std::string name,
                         ir::BodyKind kind, SourceRange range)
    : m(scope), stream(stream), b(scope.types, std::move(name), kind, range) {}

void BodyLowerer::setResult(const Type* type, SourceRange range) {
    b.body.result = type;
    if (!type->isAggregate()) return;
    b.addLocal("result", type, range);
    b.body.params = 1;
}

void BodyLowerer::setFunction(const FunctionInfo& function) {
    auto* decl = ast::tryAs<ast::FunctionDecl>(function.decl);
    if (decl) setResult(resolve(*decl->result), decl->result->range);
    for (const Symbol* param : function.params)
        slots[param] = b.addLocal(param->name.str(), resolve(*param->typeExpr), param->range);
    b.body.params = static_cast<std::uint32_t>(b.body.locals.size());
    if (m.failed) return;
    auto declareParameter = [&](std::uint32_t index, const ast::TypeExpr& written) {
        const Type* type = b.body.locals[index].type;
        if (type->isScalar() || isConcrete(type)) return;
        b.emit(Op::Declare, nullptr, extents(type, written), written.range).var = {Space::Local,
                                                                                   index};
    };
    if (decl && b.body.result->isAggregate()) declareParameter(0, *decl->result);
    for (const Symbol* param : function.params) declareParameter(slots[param], *param->typeExpr);
}

void BodyLowerer::setDefault(const ast::Expr& e, const Type* type) {
    std::vector<Reg> extents;
    if (auto* literal = ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(&e))) {
        type = literalType(*literal, type);
        extents = literalExtents(*literal, type);
    } else if (type->isAggregate()) {
        Form like = form(e);
        type = like.type;
        extents = this->extents(like, e.range);
    }
    setResult(type, e.range);
    if (!extents.empty())
        b.emit(Op::Declare, nullptr, std::move(extents), e.range).var = {Space::Local, 0};
    returnValue(e, e.range);
}

std::optional<std::int64_t> BodyLowerer::constantInt(ModuleScope& scope, const ast::Expr& e) {
    BodyLowerer scratch(scope, nullptr, "bound", ir::BodyKind::Static, e.range);
    Reg value = scratch.valueAs(e, scope.types.intType());
    scratch.b.end(Op::Return, {value}, e.range);
    ir::Body body = scratch.finish();
    ir::fold(body);
    const std::vector<Instr>& instrs = body.blocks[body.entry].instrs;
    for (const Instr& instr : instrs)
        if (instr.result == instrs.back().operands[0] && instr.op == Op::Const)
            return instr.value.toInt();
    return std::nullopt;
}

void BodyLowerer::storeInt(VarRef var, const ast::Expr& e) {
    b.store(var, intType(), valueAs(e, intType()), e.range);
}

// ---------------------------------------------------------------- setup

void BodyLowerer::checkParameter(std::uint32_t index, const ast::TypeExpr& written) {
    VarRef var{Space::Constant, index};
    const Type* type = variableType(var);
    const ast::TypeExpr* t = &written;
    for (std::uint32_t k = 0; type->is(types::TypeKind::Array);
         type = type->element, t = t->element, ++k) {
        if (type->extent != types::kDynamic || m.program.isOpenLength(*t->bound)) continue;
        Reg given = b.extent(var, k, t->bound->range);
        checkExtent(given, valueAs(*t->bound, intType()), k, t->bound->range);
    }
}

void BodyLowerer::itemType(std::uint32_t side, const Type* type, const ast::TypeExpr& written) {
    if (type->is(types::TypeKind::Void) || isConcrete(type)) return;
    if (type->is(types::TypeKind::Tensor) && !type->isRanked) return;
    b.emit(Op::ItemType, nullptr, extents(type, written), written.range).index = side;
}

void BodyLowerer::hiddenBound(const StreamScope::Bound& bound) {
    SourceRange range = bound.expression->range;
    std::vector<Reg> extents{b.integer(0, range), valueAs(*bound.expression, intType())};
    b.emit(Op::Declare, nullptr, std::move(extents), range).var = {Space::Field, bound.field};
}

void BodyLowerer::rate(const ast::RateClause& clause, bool prework) {
    ir::RateClause entry;
    entry.kind = static_cast<ir::RateKind>(clause.kind);
    entry.prework = prework;
    entry.dynamic = clause.dynamic;
    entry.hasMin = clause.min;
    entry.hasAverage = clause.average;
    entry.hasMax = clause.max;
    std::vector<Reg> operands;
    for (const ast::Expr* e : {clause.value, clause.min, clause.average, clause.max})
        if (e) operands.push_back(valueAs(*e, intType()));
    b.emit(Op::Rate, nullptr, std::move(operands), clause.range).index =
        static_cast<std::uint32_t>(b.body.rates.size());
    b.body.rates.push_back(entry);
}

}  // namespace strc::lower::detail
