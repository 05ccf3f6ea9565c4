// Variables, elements, fields and parts; the extents of arrays.

#include "base/assert.h"
#include "lower/detail/lowerer.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using ir::Space;
using sema::SymbolKind;
using types::TypeKind;

VarRef BodyLowerer::variable(const Symbol& symbol) const {
    switch (symbol.kind) {
        case SymbolKind::Local:
        case SymbolKind::Param: {
            auto found = slots.find(&symbol);
            STRC_ASSERT(found != slots.end(), "a variable of another body");
            return {Space::Local, found->second};
        }
        case SymbolKind::Field: return {Space::Field, symbol.index};
        case SymbolKind::StreamParam:
        case SymbolKind::Captured: return {Space::Constant, symbol.index};
        case SymbolKind::Global:
            if (stream && stream->code.kind == ir::StreamKind::Filter &&
                symbol.type->is(TypeKind::Tensor))
                return {Space::Field, fieldOf(symbol)};
            return {Space::Global, symbol.index};
    }
    return {};
}

std::uint32_t BodyLowerer::fieldOf(const Symbol& global) const {
    ir::StreamCode& code = stream->code;
    const auto next = static_cast<std::uint32_t>(code.fields.size());
    auto [found, isNew] = stream->staticTensors.try_emplace(global.index, next);
    if (isNew) code.fields.push_back(m.module.globals[global.index]);
    return found->second;
}

const Type* BodyLowerer::variableType(VarRef var) const {
    switch (var.space) {
        case Space::Local: return b.body.locals[var.index].type;
        case Space::Field: return stream->code.fields[var.index].type;
        case Space::Constant: return stream->code.constants[var.index].type;
        case Space::Global: return m.module.globals[var.index].type;
        case Space::Input: return stream->code.input;
        case Space::Output: return stream->code.output;
        case Space::Stored: break;  // only elaboration makes these
    }
    return nullptr;
}

/// Does it lie in a variable, rather than being computed?
bool BodyLowerer::isLValue(const Expr& expr) const {
    const ast::NameRef* root = rootOf(expr);
    if (!root) return false;
    const Symbol* symbol = m.program.symbolOf(*root);
    bool literal = m.globalsAreFinal && symbol && isScalarGlobal(*symbol);
    return symbol && !literal;
}

LValue BodyLowerer::lvalueOf(const Symbol& symbol, SourceRange range) {
    LValue lvalue;
    lvalue.var = variable(symbol);
    lvalue.type = variableType(lvalue.var);
    if (!lvalue.type->isAggregate()) return lvalue;
    lvalue.ref = b.address(lvalue.var, lvalue.type, range);
    lvalue.shape = {lvalue.var, 0};
    return lvalue;
}

LValue BodyLowerer::lvalue(const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::NameRef: return lvalueOf(*m.program.symbolOf(e), e.range);
        case ExprKind::Member: {
            const auto& access = as<ast::MemberExpr>(e);
            return member(lvalue(*access.object), access);
        }
        case ExprKind::Index: {
            const auto& access = as<ast::IndexExpr>(e);
            LValue array = lvalue(*access.object);
            return element(array, valueAs(*access.index, intType()), access.index->range);
        }
        default: {
            // An element or field of a value that lies nowhere yet.
            Aggregate value = aggregate(e);
            LValue lvalue;
            lvalue.ref = value.ref;
            lvalue.type = value.type;
            lvalue.shape = value.shape;
            return lvalue;
        }
    }
}

LValue BodyLowerer::element(const LValue& array, Reg index, SourceRange range) {
    LValue lvalue;
    lvalue.type = array.type->element;
    lvalue.shape = {array.shape.var, array.shape.first + 1};
    std::vector<Reg> operands{array.ref, index, extentOf(array.type, array.shape, 0, range)};
    appendBytes(operands, lvalue.type, lvalue.shape, range);
    lvalue.ref = b.ref(Op::Elem, lvalue.type, std::move(operands), range);
    return lvalue;
}

std::uint32_t BodyLowerer::partIndex(std::string_view name) {
    constexpr std::string_view parts[] = {"x", "y", "z", "w"};
    if (name == "real") return 0;
    if (name == "imag") return 1;
    for (std::uint32_t i = 0; i < 4; ++i)
        if (name == parts[i]) return i;
    STRC_UNREACHABLE("no such part");
}

LValue BodyLowerer::member(const LValue& object, const ast::MemberExpr& access) {
    LValue lvalue = object;
    if (!object.type->is(TypeKind::Struct)) {
        lvalue.part = partIndex(access.member.name.text());
        return lvalue;
    }
    int index = object.type->structure->find(access.member.name);
    STRC_ASSERT(index >= 0, "no such field");
    lvalue.type = object.type->structure->fields[static_cast<std::size_t>(index)].type;
    lvalue.ref = b.ref(Op::Member, lvalue.type, {object.ref}, access.range,
                       static_cast<std::uint32_t>(index));
    return lvalue;
}

const Type* BodyLowerer::valueType(const LValue& lvalue) const {
    return lvalue.part == kNone ? lvalue.type : floatType();
}

Reg BodyLowerer::load(const LValue& lvalue, SourceRange range) {
    Reg whole = lvalue.ref == kNone ? b.load(lvalue.var, lvalue.type, range)
                                    : b.value(Op::LoadAt, lvalue.type, {lvalue.ref}, range);
    return lvalue.part == kNone ? whole : part({whole, lvalue.type}, lvalue.part, range);
}

void BodyLowerer::store(const LValue& lvalue, Reg value, SourceRange range) {
    if (lvalue.part != kNone) {
        LValue whole = lvalue;
        whole.part = kNone;
        Instr& with = b.emit(Op::WithPart, lvalue.type, {load(whole, range), value}, range);
        with.index = lvalue.part;
        with.result = static_cast<Reg>(b.body.regs.size());
        b.body.regs.push_back({lvalue.type, false});
        return store(whole, with.result, range);
    }
    if (lvalue.ref == kNone)
        b.store(lvalue.var, lvalue.type, value, range);
    else
        b.emit(Op::StoreAt, lvalue.type, {lvalue.ref, value}, range);
}

// ---------------------------------------------------------------- extents

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

}  // namespace

Reg BodyLowerer::extentOf(const Type* type, Shape shape, std::uint32_t k, SourceRange range) {
    std::int64_t extent = dimension(type, k)->extent;
    if (extent != types::kDynamic) return b.integer(extent, range);
    return b.extent(shape.var, shape.first + k, range);
}

std::vector<Reg> BodyLowerer::extents(const Type* type, Shape shape, SourceRange range) {
    std::vector<Reg> regs;
    for (int k = 0; k < rank(type); ++k)
        regs.push_back(extentOf(type, shape, static_cast<std::uint32_t>(k), range));
    return regs;
}

std::vector<Reg> BodyLowerer::extents(const Type* type, const ast::TypeExpr& written) {
    std::vector<Reg> regs;
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(rank(type)); ++k) {
        const Expr* bound = writtenBound(written, k);
        if (!bound) {  // `_`
            regs.push_back(b.integer(ir::kOpenExtent, written.range));
            continue;
        }
        const Expr& e = *bound;
        std::int64_t extent =
            type->is(TypeKind::Tensor) ? type->dims[k] : dimension(type, k)->extent;
        regs.push_back(extent == types::kDynamic ? this->bound(e) : b.integer(extent, e.range));
    }
    return regs;
}

// What setup alone can know becomes the second extent of a hidden field (ir::StreamCode).
Reg BodyLowerer::bound(const Expr& e) {
    bool inSetup = b.body.kind == ir::BodyKind::Setup || b.body.kind == ir::BodyKind::Composite;
    if (!stream || inSetup || stream->code.kind != ir::StreamKind::Filter)
        return valueAs(e, intType());
    Uses uses = usesOf(m.program, e);
    if (!uses.beyondConstants && !uses.calls) return valueAs(e, intType());
    auto field = [&]() -> std::uint32_t {
        for (const StreamScope::Bound& known : stream->bounds)
            if (known.expression == &e) return known.field;
        auto index = static_cast<std::uint32_t>(stream->code.fields.size());
        const Type* row = m.types.array(m.types.bit(), types::kDynamic);
        stream->code.fields.push_back({"", m.types.array(row, 0), e.range});
        auto written = static_cast<std::uint32_t>(stream->info.fields.size());
        stream->bounds.push_back({&e, index, uses.calls ? written : uses.fields});
        return index;
    };
    return b.extent({Space::Field, field()}, 1, e.range);
}

/// The size of a type with dynamic extents; nothing for others.
void BodyLowerer::appendBytes(std::vector<Reg>& operands, const Type* type, Shape shape,
                              SourceRange range) {
    if (isConcrete(type)) return;
    std::uint64_t known = 1;
    Reg product = kNone;
    for (std::uint32_t k = 0; type->is(TypeKind::Array); type = type->element, ++k) {
        if (type->extent != types::kDynamic) {
            known *= static_cast<std::uint64_t>(type->extent);
            continue;
        }
        Reg extent = b.extent(shape.var, shape.first + k, range);
        product = product == kNone ? extent : b.value(Op::Mul, intType(), {product, extent}, range);
    }
    known *= static_cast<std::uint64_t>(sizeOf(type));
    if (known != 1)
        product = b.value(Op::Mul, intType(),
                          {product, b.integer(static_cast<std::int64_t>(known), range)}, range);
    operands.push_back(product);
}

void BodyLowerer::appendAggregate(std::vector<Reg>& operands, const Aggregate& value,
                                  SourceRange range) {
    operands.push_back(value.ref);
    if (isConcrete(value.type)) return;
    for (Reg extent : extents(value.type, value.shape, range)) operands.push_back(extent);
}

/// Two lengths that no instance can make equal.
void BodyLowerer::reportLength(std::int64_t given, std::int64_t needed, SourceRange range) {
    m.context.diags.add(Diag::ArrayLength, range) << "the array" << given << needed;
    m.failed = true;
}

void BodyLowerer::checkExtent(Reg given, Reg needed, std::uint32_t k, SourceRange range) {
    b.emit(Op::CheckExtent, nullptr, {given, needed}, range).index = k;
}

/// Dynamic extents of a type without a variable are not looked at: its rows are checked one by one.
void BodyLowerer::checkExtents(const Type* given, Shape shape, const Type* needed,
                               Shape neededShape, SourceRange range) {
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(rank(given)); ++k) {
        std::int64_t have = dimension(given, k)->extent;
        std::int64_t want = dimension(needed, k)->extent;
        if (have == types::kDynamic && shape.var.index == kNone) continue;
        bool known = have != types::kDynamic && want != types::kDynamic;
        bool same =
            have == want && shape.var == neededShape.var && shape.first == neededShape.first;
        if (known && have != want) reportLength(have, want, range);
        if (known || same) continue;
        Reg first = extentOf(given, shape, k, range);
        checkExtent(first, extentOf(needed, neededShape, k, range), k, range);
    }
}

void BodyLowerer::checkExtents(const Aggregate& given, const Type* needed,
                               const ast::TypeExpr& written, SourceRange range) {
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(rank(needed)); ++k) {
        std::int64_t have = dimension(given.type, k)->extent;
        std::int64_t want = dimension(needed, k)->extent;
        bool known = have != types::kDynamic && want != types::kDynamic;
        if (known && have != want) reportLength(have, want, range);
        if (known) continue;
        Reg first = extentOf(given.type, given.shape, k, range);
        Reg second =
            want == types::kDynamic ? bound(*writtenBound(written, k)) : b.integer(want, range);
        checkExtent(first, second, k, range);
    }
}

}  // namespace strc::lower::detail
