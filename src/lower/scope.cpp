// Types with their bounds, and what lowering asks of expressions.

#include "lower/detail/scope.h"

#include <algorithm>

#include "base/assert.h"
#include "lower/detail/bodies.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using sema::CallKind;
using sema::SymbolKind;
using types::TypeKind;

bool isScalarGlobal(const Symbol& symbol) {
    return symbol.kind == SymbolKind::Global && symbol.type->isScalar() &&
           !symbol.type->is(TypeKind::Tensor);
}

Uses usesOf(const sema::Program& program, const Expr& root) {
    Uses uses;
    auto variable = [&](const Symbol& symbol) {
        switch (symbol.kind) {
            case SymbolKind::Global:
                if (!uses.lastGlobal || uses.lastGlobal->index < symbol.index)
                    uses.lastGlobal = &symbol;
                return;
            case SymbolKind::StreamParam:
            case SymbolKind::Captured: uses.onlyGlobals = false; return;
            case SymbolKind::Field:
                uses.fields = std::max(uses.fields, symbol.index + 1);
                [[fallthrough]];
            case SymbolKind::Local:
            case SymbolKind::Param: uses.onlyGlobals = false; uses.beyondConstants = true;
        }
    };
    forEachExpr(root, [&](const Expr& e) {
        switch (e.kind) {
            case ExprKind::NameRef:  // `_` is none
                if (const Symbol* symbol = program.symbolOf(e)) variable(*symbol);
                return;
            case ExprKind::Call:
            case ExprKind::PackageCall: {
                CallKind kind = program.callOf(e.id)->kind;
                uses.calls = uses.calls || kind == CallKind::Function;
                uses.beyondConstants = uses.beyondConstants || kind == CallKind::Random;
                return;
            }
            case ExprKind::Member: {
                const Expr& object = *as<ast::MemberExpr>(e).object;
                bool isLength = program.typeOf(object)->is(TypeKind::Array);
                uses.beyondConstants = uses.beyondConstants || !isLength;
                return;
            }
            case ExprKind::Index:
            case ExprKind::Pop:
            case ExprKind::Peek:
            case ExprKind::Iter:
            case ExprKind::Increment: uses.beyondConstants = true; return;
            default: return;
        }
    });
    return uses;
}

const Value& ModuleScope::globalValue(const Symbol& symbol) const {
    return module.globalValues[symbol.index];
}

// ---------------------------------------------------------------- types

const Type* ModuleScope::resolve(const ast::TypeExpr& written, bool mayUseGlobals) {
    const Type* type = program.typeOf(written);
    const Type* inner = innermost(type);
    if (inner->is(TypeKind::Struct) && !inner->structure->isComplete) {
        const Symbol* culprit = nullptr;
        if (!complete(*inner->structure, culprit) && !failed) {
            context.diags.add(Diag::BoundNotConstant, written.range) << culprit->name;
            failed = true;
        }
        if (failed) return type;
    }
    std::vector<std::int64_t> extents;
    bool isCertain = true;  // whatever failed before
    const ast::TypeExpr* t = &written;
    for (; type->is(TypeKind::Array); type = type->element, t = t->element) {
        isCertain = isCertain && type->extent != types::kDynamic;
        extents.push_back(type->extent != types::kDynamic ? type->extent
                                                          : extentOf(*t->bound, mayUseGlobals));
    }
    for (auto it = extents.rbegin(); it != extents.rend(); ++it) type = types.array(type, *it);
    if ((isCertain || !failed) && !fits(type, written.range)) failed = true;
    return type;
}

const Type* ModuleScope::resolveHanded(const ast::TypeExpr& written) {
    const Type* type = program.typeOf(written);
    if (!type->is(TypeKind::Tensor) || !type->isRanked) return resolve(written, true);
    std::vector<std::int64_t> extents = type->dims;
    const ast::TypeExpr* t = &written;
    for (std::int64_t& extent : extents) {
        if (extent == types::kDynamic && t->bound) extent = extentOf(*t->bound, true);
        t = t->element;
    }
    return types.tensor(type->element, std::move(extents));
}

const Type* ModuleScope::resolve(const Symbol& symbol, bool mayUseGlobals) {
    const Symbol* s = &symbol;
    while (s->kind == SymbolKind::Captured && s->origin) s = s->origin;
    return s->typeExpr ? resolve(*s->typeExpr, mayUseGlobals) : s->type;
}

/// No single value may be larger than the limit.
bool ModuleScope::fits(const Type* type, SourceRange range) {
    std::int64_t size = sizeOf(type);
    if (size == types::kDynamic || static_cast<std::uint64_t>(size) <= context.limits.arrayBytes)
        return true;
    std::int64_t count = 1;
    const Type* item = type;
    for (; item->is(TypeKind::Array); item = item->element)
        if (__builtin_mul_overflow(count, item->extent, &count)) count = INT64_MAX;
    std::int64_t most = static_cast<std::int64_t>(context.limits.arrayBytes) /
                        std::max<std::int64_t>(sizeOf(item), 1);
    context.diags.add(Diag::ArrayTooLarge, range) << count << most;
    return false;
}

std::int64_t ModuleScope::extentOf(const Expr& bound, bool mayUseGlobals) {
    if (program.isOpenLength(bound)) return types::kDynamic;
    Uses uses = usesOf(program, bound);
    if (!uses.onlyGlobals || (uses.lastGlobal && !mayUseGlobals)) return types::kDynamic;
    std::optional<std::int64_t> value;
    if (!uses.calls && !uses.beyondConstants) {
        bool before = globalsAreFinal;
        globalsAreFinal = mayUseGlobals;
        value = constantInt(*this, bound);
        globalsAreFinal = before;
    }
    // What has to be run is left to the code itself, unless the type is needed at once.
    if (!value && (globalsAreFinal || !mayUseGlobals)) return types::kDynamic;
    std::int64_t extent = value ? *value : evaluate(bound);
    if (extent < 0 && !failed) {
        context.diags.add(Diag::BoundNegative, bound.range) << extent;
        failed = true;
    }
    return std::max<std::int64_t>(extent, 0);
}

/// Runs the expression as a static item of its own.
std::int64_t ModuleScope::evaluate(const Expr& bound) {
    auto index = static_cast<std::uint32_t>(module.globals.size());
    module.globals.push_back({"", types.intType(), bound.range});
    module.globalValues.push_back(Value::zero(types.intType()));
    BodyScope body(*this, nullptr, "bound", ir::BodyKind::Static, bound.range);
    storeInt(body, {ir::Space::Global, index}, bound);
    if (!failed && !runItem(body.finish())) failed = true;
    std::int64_t value = module.globalValues[index].toInt();
    module.globals.pop_back();
    module.globalValues.pop_back();
    return value;
}

// ---------------------------------------------------------------- structs

const Symbol* ModuleScope::unknownGlobal(const ast::StructDecl& decl) const {
    if (globalsAreFinal) return nullptr;
    for (const ast::StructField& field : decl.fields)
        for (const ast::TypeExpr* t = field.type; t->kind == ast::TypeExprKind::Array;
             t = t->element) {
            const Symbol* last = usesOf(program, *t->bound).lastGlobal;
            if (last && last->index >= globalsKnown) return last;
        }
    return nullptr;
}

bool ModuleScope::complete(types::StructInfo& info, const Symbol*& culprit) {
    if (info.isComplete) return true;
    const ast::StructDecl& decl = *program.structDecls.at(&info);
    culprit = unknownGlobal(decl);
    if (culprit) return false;
    for (const types::StructField& field : info.fields) {
        const Type* inner = innermost(field.type);
        if (inner->is(TypeKind::Struct) && !complete(*inner->structure, culprit)) return false;
    }
    layOut(info, decl);
    return !failed;
}

void ModuleScope::layOut(types::StructInfo& info, const ast::StructDecl& decl) {
    std::uint64_t total = 0;
    for (std::size_t k = 0; k < info.fields.size(); ++k) {
        info.fields[k].type = resolve(*decl.fields[k].type, true);
        if (failed) return;
        total += static_cast<std::uint64_t>(sizeOf(info.fields[k].type)) + 8;
        if (total <= context.limits.arrayBytes) continue;
        context.diags.add(Diag::LimitExceeded, decl.name.range)
            << "the size of struct '" + decl.name.name.str() + "'"
            << static_cast<std::int64_t>(context.limits.arrayBytes);
        failed = true;
        return;
    }
    types.complete(info);
}

}  // namespace strc::lower::detail
