// Arrays and structs: where they lie, and copying them. Copies are of equal types, so two operands
// are the same memory or disjoint.

#include "base/assert.h"
#include "lower/detail/lowerer.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using ir::Space;

Aggregate BodyLowerer::temporary(const Type* type, const std::vector<Reg>& extents,
                                 SourceRange range) {
    VarRef var{Space::Local, b.addLocal("", type, range)};
    if (!isConcrete(type)) {
        Instr& declare = b.emit(Op::Declare, nullptr, extents, range);
        declare.var = var;
        declare.flag = true;
    }
    return {b.address(var, type, range), type, {var, 0}};
}

const ast::CallExpr* BodyLowerer::fileArray(const Expr& e) const {
    const bool isFile =
        e.kind == ExprKind::Call && m.program.callOf(e.id)->kind == sema::CallKind::FileArray;
    return isFile ? &as<ast::CallExpr>(e) : nullptr;
}

BodyLowerer::Form BodyLowerer::form(const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::NameRef: {
            VarRef var = variable(*m.program.symbolOf(e));
            return {variableType(var), {var, 0}};
        }
        case ExprKind::Index: {
            Form array = form(*as<ast::IndexExpr>(e).object);
            array.type = array.type->element;
            ++array.shape.first;
            return array;
        }
        case ExprKind::Member: {
            const auto& access = as<ast::MemberExpr>(e);
            const types::StructInfo* info = form(*access.object).type->structure;
            return {info->fields[static_cast<std::size_t>(info->find(access.member.name))].type,
                    {}};
        }
        case ExprKind::Pop:
        case ExprKind::Peek: return {stream->code.input, {{Space::Input, 0}, 0}};
        case ExprKind::Conditional: return form(*as<ast::ConditionalExpr>(e).thenValue);
        case ExprKind::Call:
            if (const ast::CallExpr* file = fileArray(e))
                return {m.program.typeOf(e), {}, nullptr, file};
            [[fallthrough]];
        case ExprKind::PackageCall: {
            const auto& decl = as<ast::FunctionDecl>(*functionOf(e)->decl);
            return {resolve(*decl.result), {}, decl.result};
        }
        default: STRC_UNREACHABLE("not an aggregate expression");
    }
}

std::vector<Reg> BodyLowerer::extents(const Form& form, SourceRange range) {
    if (isConcrete(form.type)) return {};
    if (form.file) return {fileLength(*form.file)};
    return form.written ? extents(form.type, *form.written) : extents(form.type, form.shape, range);
}

Aggregate BodyLowerer::aggregate(const Expr& e) {
    if (isLValue(e)) return lvalue(e).aggregate();
    const Expr* inner = ast::withoutParens(&e);
    switch (inner->kind) {
        case ExprKind::Index:
        case ExprKind::Member: return lvalue(*inner).aggregate();
        case ExprKind::Call:
            if (fileArray(*inner)) return privateCopy(*inner);
            return callAggregate(*functionOf(*inner), as<ast::CallExpr>(*inner).args, e.range);
        case ExprKind::PackageCall:
            return callAggregate(*functionOf(*inner), as<ast::PackageCallExpr>(*inner).args,
                                 e.range);
        default: return privateCopy(e);
    }
}

Aggregate BodyLowerer::callAggregate(const FunctionInfo& function,
                                     std::span<const Expr* const> args, SourceRange range) {
    const ast::TypeExpr& written = *as<ast::FunctionDecl>(*function.decl).result;
    const Type* type = resolve(written);
    Aggregate result = temporary(type, extents({type, {}, &written}, range), range);
    callFunction(function, args, result.ref, range);
    return result;
}

Aggregate BodyLowerer::privateCopy(const Expr& e) {
    const Expr* inner = ast::withoutParens(&e);
    const bool isCall = inner->kind == ExprKind::Call || inner->kind == ExprKind::PackageCall;
    if (isCall && !fileArray(*inner)) return aggregate(*inner);
    Form like = form(e);
    Aggregate to = temporary(like.type, extents(like, e.range), e.range);
    if (!like.file) to.shape = like.shape;  // equal, and known to be
    into(to, e, true);
    return to;
}

void BodyLowerer::callInto(const Aggregate& to, const Expr& e, std::span<const Expr* const> args) {
    Form like = form(e);
    if (like.type->is(types::TypeKind::Array)) checkExtents(to, like.type, *like.written, e.range);
    callFunction(*functionOf(e), args, to.ref, e.range);
}

void BodyLowerer::copy(const Aggregate& to, const Aggregate& from, SourceRange range) {
    checkExtents(from.type, from.shape, to.type, to.shape, range);
    const Aggregate& known = isConcrete(from.type) ? from : to;
    std::vector<Reg> operands{to.ref, from.ref};
    appendBytes(operands, known.type, known.shape, range);
    b.emit(Op::Copy, known.type, std::move(operands), range);
}

void BodyLowerer::into(const Aggregate& to, const Expr& expr, bool fresh) {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::ArrayLiteral: return initialise(to, as<ast::ArrayLiteral>(e));
        case ExprKind::Pop:
            checkExtents(stream->code.input, {{Space::Input, 0}, 0}, to.type, to.shape, e.range);
            b.emit(Op::PopInto, stream->code.input, {to.ref}, e.range);
            return;
        case ExprKind::Peek: {
            Reg offset = valueAs(*as<ast::PeekExpr>(e).offset, intType());
            checkExtents(stream->code.input, {{Space::Input, 0}, 0}, to.type, to.shape, e.range);
            b.emit(Op::PeekInto, stream->code.input, {to.ref, offset}, e.range);
            return;
        }
        case ExprKind::Conditional: {
            const auto& choice = as<ast::ConditionalExpr>(e);
            Reg test = condition(*choice.condition);
            BlockId blocks[2] = {b.newBlock(), b.newBlock()};
            b.emit(Op::If, nullptr, {test}, e.range).blocks = {blocks[0], blocks[1], kNone};
            const Expr* values[2] = {choice.thenValue, choice.elseValue};
            for (int k = 0; k < 2; ++k) {
                Builder::Outside outside = b.enter(blocks[k]);
                into(to, *values[k], fresh);
                b.leave(outside);
            }
            return;
        }
        case ExprKind::Call:
            if (m.program.callOf(e.id)->kind == sema::CallKind::InitArray)
                return readArray(to, as<ast::CallExpr>(e));
            if (const ast::CallExpr* file = fileArray(e)) return readItems(to, *file);
            if (fresh) return callInto(to, e, as<ast::CallExpr>(e).args);
            break;
        case ExprKind::PackageCall:
            if (fresh) return callInto(to, e, as<ast::PackageCallExpr>(e).args);
            break;
        default: break;
    }
    copy(to, aggregate(e), e.range);
}

}  // namespace strc::lower::detail
