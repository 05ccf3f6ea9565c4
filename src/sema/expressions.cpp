#include "sema/detail/expressions.h"

#include <cmath>

#include "base/spelling.h"
#include "sema/detail/calls.h"
#include "sema/detail/effects.h"
#include "sema/detail/scopes.h"
#include "sema/detail/tapes.h"
#include "sema/detail/tensors.h"
#include "sema/detail/types.h"

namespace strc::sema {
namespace {

using ast::ExprKind;
using types::TypeKind;

Typed intConstant(Checker& c, std::int32_t value) {
    return {c.types.intType(), Constant::of(value), value == 0 || value == 1};
}

Typed checkName(Checker& c, const ast::NameRef& ref) {
    Symbol* symbol = useVariable(c, {ref.name, ref.range});
    if (!symbol) return failed(c);
    c.setSymbol(ref.id, symbol);
    const bool isGlobalTensor =
        symbol->kind == SymbolKind::Global && symbol->type->is(TypeKind::Tensor);
    if (isGlobalTensor && reportOutsideFilter(c, ref.range)) return failed(c);
    return {symbol->type, {}, symbol->type->is(TypeKind::Bit)};
}

// ---------------------------------------------------------------- .member and [index]

Typed unknownField(Checker& c, const Type* type, const ast::Ident& member,
                   std::span<const std::string_view> fields) {
    Diagnostic& diag = c.error(Diag::UnknownField, member.range)
                       << types::toString(type) << member.name;
    if (!c.maySuggest()) return failed(c);
    base::SpellingSearch search(member.name.text());
    for (std::string_view each : fields) search.consider(each);
    c.suggest(diag, member.range, search.best());
    return failed(c);
}

Typed checkStructMember(Checker& c, const Type* type, const ast::Ident& member) {
    const types::StructInfo& info = *type->structure;
    if (int index = info.find(member.name); index >= 0)
        return {info.fields[static_cast<std::size_t>(index)].type, {}, false};
    std::vector<std::string_view> names;
    for (const types::StructField& field : info.fields) names.push_back(field.name.text());
    return unknownField(c, type, member, names);
}

Typed lengthOf(Checker& c, const Type* array) {
    Typed length{c.types.intType(), {}, false};
    if (array->extent != types::kDynamic && array->extent <= INT32_MAX)
        length.constant = Constant::of(static_cast<std::int32_t>(array->extent));
    return length;
}

Typed checkMember(Checker& c, const Typed& object, const ast::Ident& member) {
    const Type* type = object.type;
    if (type->isError()) return failed(c);
    if (type->is(TypeKind::Struct)) return checkStructMember(c, type, member);
    std::string_view name = member.name.text();
    if (type->is(TypeKind::Array) && name == "length") return lengthOf(c, type);
    if (type->is(TypeKind::Complex)) {
        static constexpr std::string_view parts[] = {"real", "imag"};
        if (name == "real" || name == "imag") return {c.types.floatType(), {}, false};
        return unknownField(c, type, member, parts);
    }
    if (type->isFloatN()) {
        std::size_t part =
            name.size() == 1 ? std::string_view("xyzw").find(name) : std::string_view::npos;
        if (part < static_cast<std::size_t>(type->components()))
            return {c.types.floatType(), {}, false};
        c.error(Diag::VectorComponent, member.range) << types::toString(type) << name;
        return failed(c);
    }
    c.error(Diag::FieldOfNonStruct, member.range) << types::toString(type) << name;
    return failed(c);
}

Typed checkElement(Checker& c, const Typed& object, const ast::IndexExpr& expr) {
    if (!expr.index) return failed(c);  // reported by the parser
    if (object.type->is(TypeKind::Tensor)) return checkTensorElement(c, object.type, expr);
    if (!expr.more.empty()) {
        for (const ast::Expr* each : expr.more) checkValue(c, *each);
        c.error(Diag::ListInBrackets, expr.range) << "indices";
        return failed(c);
    }
    Typed index = checkIndex(c, *expr.index, "an array index");
    const Type* type = object.type;
    if (type->isError()) return failed(c);
    if (!type->is(TypeKind::Array)) {
        c.error(Diag::IndexOfNonArray, expr.range) << types::toString(type);
        return failed(c);
    }
    std::int64_t at = index.constant.integer;
    bool isOutside = at < 0 || (type->extent != types::kDynamic && at >= type->extent);
    if (index.constant.isInteger() && isOutside) {
        // A negative index into an array whose length is not known yet is wrong all the same.
        std::string length =
            type->extent == types::kDynamic ? "not known yet" : std::to_string(type->extent);
        c.error(Diag::ConstantIndex, expr.index->range) << at << length;
    }
    return {type->element, {}, type->element->is(TypeKind::Bit)};
}

/// Bounds and rates may use it: it is known before the items are.
bool isLengthOfField(Checker& c, const ast::Expr& expr) {
    auto* member = ast::tryAs<ast::MemberExpr>(&expr);
    if (!member || member->member.name.text() != "length") return false;
    auto* name = ast::tryAs<ast::NameRef>(member->object);
    const Symbol* symbol = name ? findVariable(c, name->name) : nullptr;
    return symbol && symbol->kind == SymbolKind::Field && symbol->type->is(TypeKind::Array);
}

/// `a[i].x[j]…`: from the variable outwards, without recursion.
Typed checkPath(Checker& c, const ast::Expr& expr) {
    std::vector<const ast::Expr*> path;
    const ast::Expr* base = &expr;
    while (true) {
        if (auto* member = ast::tryAs<ast::MemberExpr>(base)) {
            path.push_back(base);
            base = member->object;
        } else if (auto* index = ast::tryAs<ast::IndexExpr>(base)) {
            path.push_back(base);
            base = index->object;
        } else {
            break;
        }
    }
    Needs needs = c.body->needs;
    if (path.size() == 1 && isLengthOfField(c, expr)) c.body->needs = Needs::Nothing;
    Typed value = checkValue(c, *base);
    c.body->needs = needs;
    for (std::size_t i = path.size(); i-- > 0;) {
        if (auto* member = ast::tryAs<ast::MemberExpr>(path[i]))
            value = checkMember(c, value, member->member);
        else
            value = checkElement(c, value, ast::as<ast::IndexExpr>(*path[i]));
        value.bitLike = value.type->is(TypeKind::Bit);
        c.setType(path[i]->id, value.type);
    }
    return value;
}

// ---------------------------------------------------------------- the rest

/// `a + b + c…` is a tree that leans left: its spine is walked without recursion.
Typed checkBinarySpine(Checker& c, const ast::BinaryExpr& top) {
    std::vector<const ast::BinaryExpr*> spine;
    const ast::Expr* expr = &top;
    while (auto* binary = ast::tryAs<ast::BinaryExpr>(expr)) {
        spine.push_back(binary);
        expr = binary->left;
    }
    Typed left = checkValue(c, *expr);
    for (std::size_t i = spine.size(); i-- > 0;) {
        Typed right = checkValue(c, *spine[i]->right);
        left = checkBinary(c, *spine[i], left, right);
        c.setType(spine[i]->id, left.type);
    }
    return left;
}

Typed checkPeek(Checker& c, const ast::PeekExpr& expr) {
    const Type* items = checkTape(c, TapeOp::Peek, expr.range);
    Typed offset = checkIndex(c, *expr.offset, "the offset of 'peek'");
    if (offset.constant.isInteger() && offset.constant.integer < 0)
        c.error(Diag::NegativePeek, expr.offset->range) << std::int64_t{offset.constant.integer};
    return {items, {}, items->is(TypeKind::Bit)};
}

Typed checkIncrement(Checker& c, const ast::IncrementExpr& expr) {
    Typed target = checkTarget(c, *expr.target);
    if (target.type->isError()) return failed(c);
    if (!target.type->isReal()) {
        c.error(Diag::ArithmeticOperand, expr.range)
            << (expr.decrement ? "--" : "++") << types::toString(target.type);
        return failed(c);
    }
    reportNotFixed(c, expr.range, expr.decrement ? "--" : "++");
    return {target.type, {}, target.type->is(TypeKind::Bit)};
}

Typed checkVector(Checker& c, const ast::VectorLiteral& expr) {
    for (const ast::Expr* component : expr.components) {
        Target target;
        target.type = c.types.floatType();
        target.site = Site::Component;
        checkInto(c, *component, target);
    }
    switch (expr.type) {
        case ast::Primitive::Float2: return {c.types.scalar(TypeKind::Float2), {}, false};
        case ast::Primitive::Float3: return {c.types.scalar(TypeKind::Float3), {}, false};
        case ast::Primitive::Float4: return {c.types.scalar(TypeKind::Float4), {}, false};
        default: return failed(c);
    }
}

/// Not where an array of a known type is wanted: its elements say what it is. Without any they are ints.
Typed checkLooseArray(Checker& c, const ast::ArrayLiteral& expr) {
    const Type* element = expr.elements.empty() ? c.types.intType() : nullptr;
    for (const ast::Expr* each : expr.elements) {
        const Type* type = checkValue(c, *each).type;
        element = element ? commonType(element, type) : type;
        if (!element) element = c.types.error();
    }
    return {c.types.array(element, static_cast<std::int64_t>(expr.elements.size())), {}, false};
}

Typed checkReal(Checker& c, const ast::RealLiteral& literal) {
    if (std::isinf(literal.value))
        c.warn(Diag::LargeReal, literal.range) << c.ctx.sources.text(literal.range);
    else if (literal.fromInteger)
        c.warn(Diag::LargeInteger, literal.range) << c.ctx.sources.text(literal.range);
    return {c.types.floatType(), Constant::ofReal(literal.value), false};
}

Typed dispatch(Checker& c, const ast::Expr& expr) {
    switch (expr.kind) {
        case ExprKind::Error: return failed(c);
        case ExprKind::IntLiteral: return intConstant(c, ast::as<ast::IntLiteral>(expr).value);
        case ExprKind::RealLiteral: return checkReal(c, ast::as<ast::RealLiteral>(expr));
        case ExprKind::ImaginaryLiteral: return {c.types.complex(), {}, false};
        case ExprKind::BooleanLiteral:
            return {c.types.boolean(),
                    Constant::ofBoolean(ast::as<ast::BooleanLiteral>(expr).value), false};
        case ExprKind::StringLiteral: return {c.types.string(), {}, false};
        case ExprKind::CharLiteral: return {c.types.scalar(TypeKind::Char), {}, false};
        case ExprKind::Pi:
            return {c.types.floatType(), Constant::ofReal(3.14159274101257324), false};
        case ExprKind::NameRef: return checkName(c, ast::as<ast::NameRef>(expr));
        case ExprKind::Member:
        case ExprKind::Index: return checkPath(c, expr);
        case ExprKind::Call: return checkCall(c, ast::as<ast::CallExpr>(expr));
        case ExprKind::PackageCall: return checkPackageCall(c, ast::as<ast::PackageCallExpr>(expr));
        case ExprKind::Pop: {
            const Type* items = checkTape(c, TapeOp::Pop, expr.range);
            return {items, {}, items->is(TypeKind::Bit)};
        }
        case ExprKind::Peek: return checkPeek(c, ast::as<ast::PeekExpr>(expr));
        case ExprKind::Iter: checkIter(c, expr.range); return {c.types.intType(), {}, false};
        case ExprKind::Unary: return checkUnary(c, ast::as<ast::UnaryExpr>(expr));
        case ExprKind::Binary: return checkBinarySpine(c, ast::as<ast::BinaryExpr>(expr));
        case ExprKind::Conditional: return checkConditional(c, ast::as<ast::ConditionalExpr>(expr));
        case ExprKind::Cast: return checkCast(c, ast::as<ast::CastExpr>(expr));
        case ExprKind::Increment: return checkIncrement(c, ast::as<ast::IncrementExpr>(expr));
        case ExprKind::VectorLiteral: return checkVector(c, ast::as<ast::VectorLiteral>(expr));
        case ExprKind::ArrayLiteral: return checkLooseArray(c, ast::as<ast::ArrayLiteral>(expr));
        case ExprKind::Paren: return checkExpr(c, *ast::as<ast::ParenExpr>(expr).inner);
    }
    STRC_UNREACHABLE("kind of expression");
}

std::string calleeName(const ast::Expr& expr) {
    const ast::Expr* inner = ast::withoutParens(&expr);
    if (auto* call = ast::tryAs<ast::CallExpr>(inner)) return std::string(call->callee.name.text());
    if (auto* call = ast::tryAs<ast::PackageCallExpr>(inner))
        return std::string(call->package.name.text()) + "." + std::string(call->callee.name.text());
    return "void";
}

}  // namespace

Typed checkExpr(Checker& c, const ast::Expr& expr) {
    Typed result = dispatch(c, expr);
    c.setType(expr.id, result.type);
    return result;
}

Typed checkValue(Checker& c, const ast::Expr& expr) {
    return requireValue(c, expr, checkExpr(c, expr));
}

Typed requireValue(Checker& c, const ast::Expr& expr, const Typed& value) {
    if (value.type->is(TypeKind::Void)) {
        c.error(Diag::VoidValue, expr.range) << calleeName(expr);
        return failed(c);
    }
    if (value.type->is(TypeKind::Portal)) {
        const Symbol* symbol = c.program.symbolOf(*ast::withoutParens(&expr));
        c.error(Diag::PortalAsValue, expr.range) << (symbol ? symbol->name.text() : "");
        return failed(c);
    }
    return value;
}

void checkCondition(Checker& c, const ast::Expr& expr) {
    Typed value = checkValue(c, expr);
    if (value.constant.isTrue()) c.body->alwaysTrue.insert(expr.id.index);
    const Type* type = value.type;
    if (type->isError() || type->is(TypeKind::Boolean) || type->is(TypeKind::Bit)) return;
    Diagnostic& diag = c.error(Diag::ConditionType, expr.range) << types::toString(type);
    if (type->isReal()) adviseSuffix(diag, Diag::UseComparison, expr, "!= 0");
}

Typed checkIndex(Checker& c, const ast::Expr& expr, std::string_view what) {
    Typed value = checkValue(c, expr);
    const Type* type = value.type;
    if (type->isError() || type->is(TypeKind::Int) || type->is(TypeKind::Bit)) return value;
    Diagnostic& diag = c.error(Diag::IndexType, expr.range) << what << types::toString(type);
    if (type->isReal()) adviseCast(diag, expr, c.types.intType());
    return failed(c);
}

Symbol* rootVariable(Checker& c, const ast::Expr& expr) {
    const ast::Expr* base = ast::withoutParens(&expr);
    while (true) {
        if (auto* member = ast::tryAs<ast::MemberExpr>(base))
            base = ast::withoutParens(member->object);
        else if (auto* index = ast::tryAs<ast::IndexExpr>(base))
            base = ast::withoutParens(index->object);
        else
            break;
    }
    if (!base || base->kind != ExprKind::NameRef) return nullptr;
    return const_cast<Symbol*>(c.program.symbolOf(*base));
}

bool checkWritable(Checker& c, Symbol& symbol, SourceRange range) {
    Diag id = Diag::Count;
    if (symbol.kind == SymbolKind::StreamParam) id = Diag::AssignToParameter;
    if (symbol.kind == SymbolKind::Captured) id = Diag::AssignToCaptured;
    if (symbol.kind == SymbolKind::Global && c.body->place != CodeKind::Static)
        id = Diag::AssignToGlobal;
    if (id == Diag::Count) return true;
    c.error(id, range).operator<<(symbol.name).note(Diag::DeclaredHere, symbol.range)
        << symbol.name;
    return false;
}

/// `a.length`, of an array.
static bool isLength(Checker& c, const ast::Expr& expr) {
    auto* member = ast::tryAs<ast::MemberExpr>(ast::withoutParens(&expr));
    return member && c.program.typeOf(*member->object)->is(TypeKind::Array);
}

/// The element of a tensor that a place is in, or null.
static const ast::IndexExpr* tensorElementIn(Checker& c, const ast::Expr& expr) {
    const ast::Expr* base = ast::withoutParens(&expr);
    while (base) {
        if (auto* member = ast::tryAs<ast::MemberExpr>(base)) {
            base = ast::withoutParens(member->object);
            continue;
        }
        auto* index = ast::tryAs<ast::IndexExpr>(base);
        if (!index) return nullptr;
        if (c.program.typeOf(*index->object)->is(TypeKind::Tensor)) return index;
        base = ast::withoutParens(index->object);
    }
    return nullptr;
}

Typed checkTarget(Checker& c, const ast::Expr& expr) {
    Typed target = checkValue(c, expr);
    if (auto* element = tensorElementIn(c, expr)) {
        c.error(Diag::TensorImmutable, element->range);
        return failed(c);
    }
    Symbol* root = rootVariable(c, expr);
    if (!root) return failed(c);
    if (!target.type->isError() && isLength(c, expr)) {
        c.error(Diag::NotAssignable, expr.range);
        return failed(c);
    }
    if (checkWritable(c, *root, expr.range)) noteChange(c, *root);
    target.constant = {};
    return target;
}

Typed failed(Checker& c) { return {c.types.error(), {}, false}; }

}  // namespace strc::sema
