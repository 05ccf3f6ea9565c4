// Variables, elements, fields and parts.

#include "lower/detail/lvalues.h"

#include "base/assert.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/vectors.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using types::TypeKind;

/// Does it lie in a variable, rather than being computed?
bool isLValue(const BodyScope& in, const Expr& expr) {
    const ast::NameRef* root = rootOf(expr);
    if (!root) return false;
    const Symbol* symbol = in.m.program.symbolOf(*root);
    bool literal = in.m.globalsAreFinal && symbol && isScalarGlobal(*symbol);
    return symbol && !literal;
}

LValue lvalueOf(BodyScope& in, const Symbol& symbol, SourceRange range) {
    LValue lvalue;
    lvalue.var = in.variable(symbol);
    lvalue.type = in.variableType(lvalue.var);
    if (!lvalue.type->isAggregate()) return lvalue;
    lvalue.ref = in.b.address(lvalue.var, lvalue.type, range);
    lvalue.shape = {lvalue.var, 0};
    return lvalue;
}

LValue element(BodyScope& in, const LValue& array, Reg index, SourceRange range) {
    LValue lvalue;
    lvalue.type = array.type->element;
    lvalue.shape = {array.shape.var, array.shape.first + 1};
    std::vector<Reg> operands{array.ref, index, extentOf(in, array.type, array.shape, 0, range)};
    appendBytes(in, operands, lvalue.type, lvalue.shape, range);
    lvalue.ref = in.b.ref(Op::Elem, lvalue.type, std::move(operands), range);
    return lvalue;
}

std::uint32_t partIndex(std::string_view name) {
    constexpr std::string_view parts[] = {"x", "y", "z", "w"};
    if (name == "real") return 0;
    if (name == "imag") return 1;
    for (std::uint32_t i = 0; i < 4; ++i)
        if (name == parts[i]) return i;
    STRC_UNREACHABLE("no such part");
}

namespace {

LValue member(BodyScope& in, const LValue& object, const ast::MemberExpr& access) {
    LValue lvalue = object;
    if (!object.type->is(TypeKind::Struct)) {
        lvalue.part = partIndex(access.member.name.text());
        return lvalue;
    }
    int index = object.type->structure->find(access.member.name);
    STRC_ASSERT(index >= 0, "no such field");
    lvalue.type = object.type->structure->fields[static_cast<std::size_t>(index)].type;
    lvalue.ref = in.b.ref(Op::Member, lvalue.type, {object.ref}, access.range,
                          static_cast<std::uint32_t>(index));
    return lvalue;
}

}  // namespace

LValue lvalue(BodyScope& in, const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::NameRef: return lvalueOf(in, *in.m.program.symbolOf(e), e.range);
        case ExprKind::Member: {
            const auto& access = as<ast::MemberExpr>(e);
            return member(in, lvalue(in, *access.object), access);
        }
        case ExprKind::Index: {
            const auto& access = as<ast::IndexExpr>(e);
            LValue array = lvalue(in, *access.object);
            return element(in, array, valueAs(in, *access.index, in.intType()),
                           access.index->range);
        }
        default: {
            // An element or field of a value that lies nowhere yet.
            Aggregate value = aggregate(in, e);
            LValue lvalue;
            lvalue.ref = value.ref;
            lvalue.type = value.type;
            lvalue.shape = value.shape;
            return lvalue;
        }
    }
}

const Type* valueType(const BodyScope& in, const LValue& lvalue) {
    return lvalue.part == kNone ? lvalue.type : in.floatType();
}

Reg load(BodyScope& in, const LValue& lvalue, SourceRange range) {
    Reg whole = lvalue.ref == kNone ? in.b.load(lvalue.var, lvalue.type, range)
                                    : in.b.value(Op::LoadAt, lvalue.type, {lvalue.ref}, range);
    return lvalue.part == kNone ? whole : part(in, {whole, lvalue.type}, lvalue.part, range);
}

void store(BodyScope& in, const LValue& lvalue, Reg value, SourceRange range) {
    if (lvalue.part != kNone) {
        LValue whole = lvalue;
        whole.part = kNone;
        Instr& with = in.b.emit(Op::WithPart, lvalue.type, {load(in, whole, range), value}, range);
        with.index = lvalue.part;
        with.result = static_cast<Reg>(in.b.body.regs.size());
        in.b.body.regs.push_back({lvalue.type, false});
        return store(in, whole, with.result, range);
    }
    if (lvalue.ref == kNone)
        in.b.store(lvalue.var, lvalue.type, value, range);
    else
        in.b.emit(Op::StoreAt, lvalue.type, {lvalue.ref, value}, range);
}

}  // namespace strc::lower::detail
