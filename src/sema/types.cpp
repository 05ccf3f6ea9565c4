#include "sema/detail/types.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"
#include "sema/detail/tensors.h"

namespace strc::sema {
namespace {

using types::TypeKind;

TypeKind kindOf(ast::Primitive primitive) {
    switch (primitive) {
        case ast::Primitive::Void: return TypeKind::Void;
        case ast::Primitive::Boolean: return TypeKind::Boolean;
        case ast::Primitive::Bit: return TypeKind::Bit;
        case ast::Primitive::Int: return TypeKind::Int;
        case ast::Primitive::Float: return TypeKind::Float;
        case ast::Primitive::Double: return TypeKind::Double;
        case ast::Primitive::Complex: return TypeKind::Complex;
        case ast::Primitive::Float2: return TypeKind::Float2;
        case ast::Primitive::Float3: return TypeKind::Float3;
        case ast::Primitive::Float4: return TypeKind::Float4;
        case ast::Primitive::String: return TypeKind::String;
    }
    STRC_UNREACHABLE("primitive type");
}

/// A plain `tensor` is one unless the program has a struct of that name.
bool isTensorWord(const ast::TypeExpr& type) { return type.name.name.text() == "tensor"; }

const Type* namedType(Checker& c, const ast::TypeExpr& type) {
    if (const Type* found = findStruct(c, type.name.name)) return found;
    if (isTensorWord(type)) return c.types.tensor();
    Diagnostic& diag = c.error(Diag::UnknownType, type.name.range) << type.name.name;
    if (c.maySuggest()) c.suggest(diag, type.name.range, similarType(c, type.name.name.text()));
    return c.types.error();
}

const Type* portalType(Checker& c, const ast::TypeExpr& type) {
    StreamInfo* stream = findStream(c, type.name.name);
    if (stream && stream->decl && stream->decl->stream == ast::StreamKind::Filter)
        return c.types.portal(type.name.name);
    Diagnostic& diag = c.error(Diag::PortalClass, type.name.range)
                       << type.name.name << type.name.name;
    if (!stream && c.maySuggest())
        c.suggest(diag, type.name.range, similarStream(c, type.name.name.text()));
    else if (stream && stream->decl)
        diag.note(Diag::DeclaredHere, stream->decl->name.range) << type.name.name;
    return c.types.error();
}

std::string_view whatIs(TypeUse use) {
    switch (use) {
        case TypeUse::Local:
        case TypeUse::CompositeLocal: return "variable";
        case TypeUse::Field:
        case TypeUse::StructField: return "field";
        case TypeUse::Global: return "global";
        case TypeUse::StreamParam:
        case TypeUse::FunctionParam:
        case TypeUse::NativeParam: return "parameter";
        case TypeUse::Result: return "result of";
        case TypeUse::StreamSide:
        case TypeUse::TypeArgument: return "item of";
        case TypeUse::Cast: return "value";
    }
    STRC_UNREACHABLE("use of a type");
}

bool mayBePortal(TypeUse use) {
    return use == TypeUse::StreamParam || use == TypeUse::CompositeLocal;
}

/// The words that mean an element type between `<` and `>` alone.
TypeKind elementKind(std::string_view name) {
    if (name == "int8") return TypeKind::Int8;
    if (name == "long") return TypeKind::Long;
    if (name == "half") return TypeKind::Half;
    return name == "bfloat16" ? TypeKind::BFloat16 : TypeKind::Error;
}

/// Of `tensor<…>`; the error type if it cannot be that.
const Type* tensorElement(Checker& c, const ast::TypeExpr& written) {
    const Type* type = c.types.error();
    if (written.kind == ast::TypeExprKind::Primitive)
        type = c.types.scalar(kindOf(written.primitive));
    if (written.kind == ast::TypeExprKind::Named)
        type = c.types.scalar(elementKind(written.name.name.text()));
    c.setType(written.id, type);
    return types::isTensorElement(type) ? type : c.types.error();
}

const Type* tensorType(Checker& c, const ast::TypeExpr& written) {
    const Type* element = tensorElement(c, *written.element);
    if (!element->isError() && written.hasNoDimensions)
        return c.types.tensor(element, std::vector<std::int64_t>{});
    if (!element->isError()) return c.types.tensor(element);
    c.error(Diag::TensorElement, written.element->range)
        << c.ctx.sources.text(written.element->range);
    return element;
}

bool isNative(const Checker& c) {
    return c.body->function && c.body->function->kind == FunctionKind::Native;
}

bool mayBeTensor(const Checker& c, TypeUse use) {
    const Body* body = c.body;
    switch (use) {
        case TypeUse::FunctionParam:
        case TypeUse::Result:  // of functions of filters, and of native ones
            return isNative(c) || (body->scope && body->function->kind == FunctionKind::Function);
        case TypeUse::NativeParam:
        case TypeUse::Local:
        case TypeUse::Field:
        case TypeUse::Global:
        case TypeUse::StreamSide:
        case TypeUse::TypeArgument: return true;
        default: return false;
    }
}

/// Calls bring tensors of any shape, but the code of native functions is made for what they say.
bool mayHaveShape(const Checker& c, TypeUse use) {
    return isNative(c) || (use != TypeUse::FunctionParam && use != TypeUse::Result);
}

std::string_view tensorPlace(TypeUse use, bool isElement) {
    if (isElement) return "an element of an array";
    switch (use) {
        case TypeUse::CompositeLocal: return "a variable of a composite";
        case TypeUse::StreamParam: return "a parameter of a stream";
        case TypeUse::FunctionParam: return "a parameter of a function outside of filters";
        case TypeUse::Result: return "the result of a function outside of filters";
        case TypeUse::StructField: return "a field of a struct";
        default: return "used here";
    }
}

std::string_view portalPlace(TypeUse use, bool isElement) {
    if (isElement) return "an element of an array";
    switch (use) {
        case TypeUse::Local: return "a variable of a filter";
        case TypeUse::Field: return "a field of a filter";
        case TypeUse::Global: return "a global";
        case TypeUse::FunctionParam:
        case TypeUse::NativeParam: return "a parameter of a function";
        case TypeUse::Result: return "the result of a function";
        case TypeUse::StreamSide:
        case TypeUse::TypeArgument: return "an item of a stream";
        case TypeUse::StructField: return "a field of a struct";
        default: return "used here";
    }
}

/// Void, portals and strings are not for everybody. Also arrays of them.
bool isUsable(Checker& c, const ast::TypeExpr& written, const Type* element, bool isArray,
              TypeUse use, Name what) {
    if (element->is(TypeKind::Void)) {
        bool mayBeVoid =
            use == TypeUse::Result || use == TypeUse::StreamSide || use == TypeUse::Cast;
        if (mayBeVoid && !isArray) return true;
        std::string_view kind = isArray ? "element of" : whatIs(use);
        c.error(Diag::VoidVariable, written.range) << kind << what;
        return false;
    }
    if (element->is(TypeKind::Portal)) {
        if (mayBePortal(use) && !isArray) return true;
        c.error(Diag::PortalPlacement, written.range) << portalPlace(use, isArray);
        return false;
    }
    if (element->is(TypeKind::Tensor)) {
        bool isLocal = use == TypeUse::Local;
        if (isLocal && !isArray && reportOutsideFilter(c, written.range)) return false;
        if (mayBeTensor(c, use) && !isArray) return true;
        c.error(Diag::TensorPlace, written.range) << tensorPlace(use, isArray);
        return false;
    }
    if (element->is(TypeKind::String)) {
        bool isParam = use == TypeUse::StreamParam || use == TypeUse::FunctionParam ||
                       use == TypeUse::NativeParam;
        if (isParam && !isArray) return true;
        c.error(Diag::StringType, written.range);
        return false;
    }
    return true;
}

std::string_view openPlace(TypeUse use) {
    switch (use) {
        case TypeUse::CompositeLocal:
        case TypeUse::Local: return "a variable without one";
        case TypeUse::Field: return "a field without one";
        case TypeUse::Global: return "a static variable without one";
        default: return portalPlace(use, false);
    }
}

/// `_`, unless the program has a variable of that name.
bool isOpenLength(Checker& c, const ast::Expr& bound) {
    auto* name = ast::tryAs<ast::NameRef>(&bound);
    return name && name->name.text() == "_" && !findVariable(c, name->name);
}

/// Extent of one dimension: kDynamic if the bound is not a literal constant. -2 after a report.
constexpr std::int64_t kBadBound = -2;

std::int64_t checkBound(Checker& c, const ast::Expr* bound, TypeUse use, bool isInitialised) {
    if (!bound) return kBadBound;  // reported by the parser
    if (isOpenLength(c, *bound)) {
        if (use == TypeUse::StreamParam || isInitialised) return types::kDynamic;
        c.error(Diag::OpenLength, bound->range) << openPlace(use);
        return kBadBound;
    }
    Body& body = *c.body;
    Needs before = body.needs;
    bool reportedBefore = body.needsReported;
    body.needs = Needs::Bound;
    body.needsReported = false;
    Typed value = checkValue(c, *bound);
    bool isReported = body.needsReported;
    body.needs = before;
    body.needsReported = reportedBefore;
    if (value.type->isError() || isReported) return kBadBound;
    if (!value.type->is(TypeKind::Int) && !value.type->is(TypeKind::Bit)) {
        Diagnostic& diag = c.error(Diag::BoundNotInt, bound->range) << types::toString(value.type);
        if (value.type->isReal()) adviseCast(diag, *bound, c.types.intType());
        return kBadBound;
    }
    if (!value.constant.isInteger()) return types::kDynamic;
    if (value.constant.integer >= 0) return value.constant.integer;
    c.error(Diag::BoundNegative, bound->range) << std::int64_t{value.constant.integer};
    return kBadBound;
}

const Type* elementType(Checker& c, const ast::TypeExpr& type) {
    switch (type.kind) {
        case ast::TypeExprKind::Primitive: return c.types.scalar(kindOf(type.primitive));
        case ast::TypeExprKind::Named: return namedType(c, type);
        case ast::TypeExprKind::Portal: return portalType(c, type);
        case ast::TypeExprKind::Tensor: return tensorType(c, type);
        case ast::TypeExprKind::Array:
        case ast::TypeExprKind::Error: break;
    }
    return c.types.error();
}

}  // namespace

const Type* checkType(Checker& c, const ast::TypeExpr& written, TypeUse use, Name what,
                      bool isInitialised) {
    std::vector<const ast::TypeExpr*> dimensions;  // outermost first
    const ast::TypeExpr* inner = &written;
    for (; inner->kind == ast::TypeExprKind::Array; inner = inner->element)
        dimensions.push_back(inner);
    const Type* type = elementType(c, *inner);
    bool isShaped = inner->kind == ast::TypeExprKind::Tensor;
    bool isArray = !dimensions.empty() && !isShaped;
    const bool saysShape = isShaped && (!dimensions.empty() || inner->hasNoDimensions);
    if (saysShape && !mayHaveShape(c, use)) {
        c.error(Diag::TensorPlace, written.range)
            << "a parameter or the result of a function with a shape of its own";
        type = c.types.error();
    }
    if (!type->isError() && !isUsable(c, written, type, isArray, use, what)) type = c.types.error();
    c.setType(inner->id, type);
    std::vector<std::int64_t> extents;
    for (const ast::TypeExpr* dimension : dimensions) {
        bool isOpen = isShaped && !dimension->bound;
        extents.push_back(isOpen ? types::kDynamic
                                 : checkBound(c, dimension->bound, use, isInitialised));
    }
    if (isShaped && !dimensions.empty()) {
        bool isBad = std::find(extents.begin(), extents.end(), kBadBound) != extents.end();
        type = isBad || type->isError() ? c.types.error()
                                        : c.types.tensor(type->element, std::move(extents));
        return c.setType(written.id, type);
    }
    for (std::size_t i = dimensions.size(); i-- > 0;) {
        type = extents[i] == kBadBound ? c.types.error() : c.types.array(type, extents[i]);
        c.setType(dimensions[i]->id, type);
    }
    return type;
}

const Type* typeShape(Checker& c, const ast::TypeExpr& written) {
    std::size_t rank = 0;
    const ast::TypeExpr* inner = &written;
    for (; inner->kind == ast::TypeExprKind::Array; inner = inner->element) ++rank;
    const Type* type = c.types.error();
    if (inner->kind == ast::TypeExprKind::Primitive)
        type = c.types.scalar(kindOf(inner->primitive));
    if (inner->kind == ast::TypeExprKind::Portal) type = c.types.portal(inner->name.name);
    if (inner->kind == ast::TypeExprKind::Named)
        if (const Type* found = findStruct(c, inner->name.name)) type = found;
    if (inner->kind == ast::TypeExprKind::Named && type->isError() && isTensorWord(*inner))
        type = c.types.tensor();
    if (inner->kind == ast::TypeExprKind::Tensor) {
        type = c.types.tensor(tensorElement(c, *inner->element));
        if (type->isError()) return type;
        if (inner->hasNoDimensions)
            return c.types.tensor(type->element, std::vector<std::int64_t>{});
        if (rank == 0) return type;
        return c.types.tensor(type->element, std::vector<std::int64_t>(rank, types::kDynamic));
    }
    while (rank--) type = c.types.array(type, types::kDynamic);
    return type;
}

// ---------------------------------------------------------------- structs

namespace {

void checkFields(Checker& c, DeclRecord& record) {
    const auto& decl = ast::as<ast::StructDecl>(*record.decl);
    types::StructInfo& info = *record.structure->structure;
    std::unordered_map<Name, SourceRange> seen;
    for (const ast::StructField& field : decl.fields) {
        const Type* type = checkType(c, *field.type, TypeUse::StructField, field.name.name);
        auto [first, isNew] = seen.emplace(field.name.name, field.name.range);
        if (!isNew) {
            Diagnostic& diag = c.error(Diag::DuplicateStructField, field.name.range)
                               << decl.name.name << field.name.name;
            diag.note(Diag::DeclaredHere, first->second) << field.name.name;
            continue;
        }
        info.fields.push_back({field.name.name, type, 0, field.name.range});
    }
}

/// Depth-first over the structs inside structs, with a stack of its own: chains may be long.
class RecursionFinder {
public:
    explicit RecursionFinder(Checker& checker) : c(checker) {}

    void visit(types::StructInfo* start) {
        if (state[start] != State::New) return;
        enter(start);
        while (!stack.empty()) {
            auto& [info, next] = stack.back();
            if (next == info->fields.size()) {
                state[info] = State::Done;
                stack.pop_back();
                continue;
            }
            types::StructField& field = info->fields[next++];
            const Type* inner = types::innermost(field.type);
            if (!inner->is(TypeKind::Struct)) continue;
            if (state[inner->structure] == State::New)
                enter(inner->structure);
            else if (state[inner->structure] == State::Open)
                report(*info, field);
        }
    }

private:
    enum class State : std::uint8_t { New, Open, Done };

    void enter(types::StructInfo* info) {
        state[info] = State::Open;
        stack.emplace_back(info, 0);
    }

    void report(const types::StructInfo& info, types::StructField& field) {
        const types::StructInfo& whole = *types::innermost(field.type)->structure;
        Diagnostic& diag = c.error(Diag::RecursiveStruct, field.range) << whole.name;
        if (&whole != &info) diag.note(Diag::DeclaredHere, whole.range) << whole.name;
        field.type = c.types.error();
    }

    Checker& c;
    std::unordered_map<types::StructInfo*, State> state;
    std::vector<std::pair<types::StructInfo*, std::size_t>> stack;
};

}  // namespace

void checkStructs(Checker& c, std::span<DeclRecord* const> records) {
    for (DeclRecord* record : records) {
        Body body;
        body.place = CodeKind::Struct;
        Enter enter(c, body);
        c.record = record;
        c.isLibrary = record->isLibrary;
        c.inSignature = true;
        checkFields(c, *record);
        c.inSignature = false;
    }
    RecursionFinder search(c);
    for (DeclRecord* record : records) search.visit(record->structure->structure);
}

}  // namespace strc::sema
