// Arrays and structs: where they lie, and copying them. Copies are of equal types, so two operands
// are the same memory or disjoint.

#include "lower/detail/aggregates.h"

#include "base/assert.h"
#include "lower/detail/calls.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/files.h"
#include "lower/detail/initialisers.h"
#include "lower/detail/lvalues.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using ir::Space;

namespace {

const ast::CallExpr* fileArray(const BodyScope& in, const Expr& e) {
    const bool isFile =
        e.kind == ExprKind::Call && in.m.program.callOf(e.id)->kind == sema::CallKind::FileArray;
    return isFile ? &as<ast::CallExpr>(e) : nullptr;
}

}  // namespace

Aggregate temporary(BodyScope& in, const Type* type, const std::vector<Reg>& extents,
                    SourceRange range) {
    VarRef var{Space::Local, in.b.addLocal("", type, range)};
    if (!isConcrete(type)) {
        Instr& declare = in.b.emit(Op::Declare, nullptr, extents, range);
        declare.var = var;
        declare.flag = true;
    }
    return {in.b.address(var, type, range), type, {var, 0}};
}

Form form(BodyScope& in, const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::NameRef: {
            VarRef var = in.variable(*in.m.program.symbolOf(e));
            return {in.variableType(var), {var, 0}};
        }
        case ExprKind::Index: {
            Form array = form(in, *as<ast::IndexExpr>(e).object);
            array.type = array.type->element;
            ++array.shape.first;
            return array;
        }
        case ExprKind::Member: {
            const auto& access = as<ast::MemberExpr>(e);
            const types::StructInfo* info = form(in, *access.object).type->structure;
            return {info->fields[static_cast<std::size_t>(info->find(access.member.name))].type,
                    {}};
        }
        case ExprKind::Pop:
        case ExprKind::Peek: return {in.stream->code.input, {{Space::Input, 0}, 0}};
        case ExprKind::Conditional: return form(in, *as<ast::ConditionalExpr>(e).thenValue);
        case ExprKind::Call:
            if (const ast::CallExpr* file = fileArray(in, e))
                return {in.m.program.typeOf(e), {}, nullptr, file};
            [[fallthrough]];
        case ExprKind::PackageCall: {
            const auto& decl = as<ast::FunctionDecl>(*functionOf(in, e)->decl);
            return {in.resolve(*decl.result), {}, decl.result};
        }
        default: STRC_UNREACHABLE("not an aggregate expression");
    }
}

std::vector<Reg> extents(BodyScope& in, const Form& form, SourceRange range) {
    if (isConcrete(form.type)) return {};
    if (form.file) return {fileLength(in, *form.file)};
    return form.written ? extents(in, form.type, *form.written)
                        : extents(in, form.type, form.shape, range);
}

Aggregate aggregate(BodyScope& in, const Expr& e) {
    if (isLValue(in, e)) return lvalue(in, e).aggregate();
    const Expr* inner = ast::withoutParens(&e);
    switch (inner->kind) {
        case ExprKind::Index:
        case ExprKind::Member: return lvalue(in, *inner).aggregate();
        case ExprKind::Call:
            if (fileArray(in, *inner)) return privateCopy(in, *inner);
            return callAggregate(in, *functionOf(in, *inner), as<ast::CallExpr>(*inner).args,
                                 e.range);
        case ExprKind::PackageCall:
            return callAggregate(in, *functionOf(in, *inner), as<ast::PackageCallExpr>(*inner).args,
                                 e.range);
        default: return privateCopy(in, e);
    }
}

Aggregate callAggregate(BodyScope& in, const FunctionInfo& function,
                        std::span<const Expr* const> args, SourceRange range) {
    const ast::TypeExpr& written = *as<ast::FunctionDecl>(*function.decl).result;
    const Type* type = in.resolve(written);
    Aggregate result = temporary(in, type, extents(in, {type, {}, &written}, range), range);
    callFunction(in, function, args, result.ref, range);
    return result;
}

Aggregate privateCopy(BodyScope& in, const Expr& e) {
    const Expr* inner = ast::withoutParens(&e);
    const bool isCall = inner->kind == ExprKind::Call || inner->kind == ExprKind::PackageCall;
    if (isCall && !fileArray(in, *inner)) return aggregate(in, *inner);
    Form like = form(in, e);
    Aggregate to = temporary(in, like.type, extents(in, like, e.range), e.range);
    if (!like.file) to.shape = like.shape;  // equal, and known to be
    into(in, to, e, true);
    return to;
}

namespace {

void callInto(BodyScope& in, const Aggregate& to, const Expr& e,
              std::span<const Expr* const> args) {
    Form like = form(in, e);
    if (like.type->is(types::TypeKind::Array))
        checkExtents(in, to, like.type, *like.written, e.range);
    callFunction(in, *functionOf(in, e), args, to.ref, e.range);
}

/// Compares the extents of an item of the input with those of its target.
void checkItem(BodyScope& in, const Aggregate& to, SourceRange range) {
    const Aggregate item{kNone, in.stream->code.input, {{Space::Input, 0}, 0}};
    checkExtents(in, item, to.type, to.shape, range);
}

void copy(BodyScope& in, const Aggregate& to, const Aggregate& from, SourceRange range) {
    checkExtents(in, from, to.type, to.shape, range);
    const Aggregate& known = isConcrete(from.type) ? from : to;
    std::vector<Reg> operands{to.ref, from.ref};
    appendBytes(in, operands, known.type, known.shape, range);
    in.b.emit(Op::Copy, known.type, std::move(operands), range);
}

}  // namespace

void into(BodyScope& in, const Aggregate& to, const Expr& expr, bool fresh) {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::ArrayLiteral: return writeLiteral(in, to, as<ast::ArrayLiteral>(e));
        case ExprKind::Pop:
            checkItem(in, to, e.range);
            in.b.emit(Op::PopInto, in.stream->code.input, {to.ref}, e.range);
            return;
        case ExprKind::Peek: {
            Reg offset = valueAs(in, *as<ast::PeekExpr>(e).offset, in.intType());
            checkItem(in, to, e.range);
            in.b.emit(Op::PeekInto, in.stream->code.input, {to.ref, offset}, e.range);
            return;
        }
        case ExprKind::Conditional: {
            const auto& choice = as<ast::ConditionalExpr>(e);
            Reg test = condition(in, *choice.condition);
            BlockId blocks[2] = {in.b.newBlock(), in.b.newBlock()};
            in.b.emit(Op::If, nullptr, {test}, e.range).blocks = {blocks[0], blocks[1], kNone};
            const Expr* values[2] = {choice.thenValue, choice.elseValue};
            for (int k = 0; k < 2; ++k) {
                Builder::Outside outside = in.b.enter(blocks[k]);
                into(in, to, *values[k], fresh);
                in.b.leave(outside);
            }
            return;
        }
        case ExprKind::Call:
            if (in.m.program.callOf(e.id)->kind == sema::CallKind::InitArray)
                return readArray(in, to, as<ast::CallExpr>(e));
            if (const ast::CallExpr* file = fileArray(in, e)) return readItems(in, to, *file);
            if (fresh) return callInto(in, to, e, as<ast::CallExpr>(e).args);
            break;
        case ExprKind::PackageCall:
            if (fresh) return callInto(in, to, e, as<ast::PackageCallExpr>(e).args);
            break;
        default: break;
    }
    copy(in, to, aggregate(in, e), e.range);
}

}  // namespace strc::lower::detail
