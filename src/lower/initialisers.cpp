// `{1, 2, {3}}` and init_array_1D_*. The constant elements of an initialiser become one table, however
// many there are; recursion follows the nesting of the braces alone.

#include "lower/detail/initialisers.h"

#include <algorithm>
#include <functional>

#include "base/assert.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/constants.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/lvalues.h"

namespace strc::lower::detail {

using ast::ArrayLiteral;
using ast::as;
using ast::Expr;

namespace {

/// The first element that is no row of further elements, or null.
const Expr* firstLeaf(const ArrayLiteral& literal) {
    const Expr* e = &literal;
    while (auto* row = ast::tryAs<ArrayLiteral>(e))
        e = row->elements.empty() ? nullptr : ast::withoutParens(row->elements.front());
    return e;
}

}  // namespace

/// The target's type with the lengths that the initialiser has.
const Type* literalType(BodyScope& in, const ArrayLiteral& literal, const Type* target) {
    STRC_ASSERT(target->is(types::TypeKind::Array),
                "an initialiser of something else than an array");
    const Type* element = target->element;
    if (!literal.elements.empty()) {
        const Expr* first = ast::withoutParens(literal.elements.front());
        if (auto* row = ast::tryAs<ArrayLiteral>(first))
            element = literalType(in, *row, element);
        else if (element->isAggregate())
            element = form(in, *first).type;
    }
    return in.m.types.array(element, static_cast<std::int64_t>(literal.elements.size()));
}

/// All extents of an initialiser whose elements are arrays of dynamic extents. Where there are no
/// elements these are 0.
std::vector<Reg> literalExtents(BodyScope& in, const ArrayLiteral& literal, const Type* type) {
    std::vector<Reg> regs;
    if (isConcrete(type)) return regs;
    const Expr* leaf = firstLeaf(literal);
    if (!leaf) {
        for (; type->is(types::TypeKind::Array); type = type->element)
            regs.push_back(in.b.integer(std::max<std::int64_t>(type->extent, 0), literal.range));
        return regs;
    }
    std::vector<Reg> inner = extents(in, form(in, *leaf), leaf->range);
    std::size_t rows = static_cast<std::size_t>(rank(type)) - inner.size();
    for (; rows--; type = type->element) regs.push_back(in.b.integer(type->extent, literal.range));
    regs.insert(regs.end(), inner.begin(), inner.end());
    return regs;
}

namespace {

/// Elements that are not constant, with their way into the array.
struct Rest {
    const Expr* expression;
    std::vector<std::int64_t> indices;
};

/// Sorts the elements of an initialiser into a table of constants and the rest.
class Table {
public:
    using Constant = std::function<std::optional<Value>(const Expr&, const Type*)>;

    Table(const Type* type, Constant constant)
        : constant(std::move(constant)), bytes(Value::zero(type).bytes) {}

    void add(const ArrayLiteral& literal, const Type* type, std::int64_t offset) {
        std::int64_t stride = sizeOf(type->element);
        std::vector<std::int64_t> here = indices;
        indices.push_back(0);
        for (std::size_t k = 0; k < literal.elements.size(); ++k) {
            indices.back() = static_cast<std::int64_t>(k);
            const Expr& element = *literal.elements[k];
            std::int64_t at = offset + static_cast<std::int64_t>(k) * stride;
            if (auto* row = ast::tryAs<ArrayLiteral>(ast::withoutParens(&element)))
                add(*row, type->element, at);
            else
                addElement(element, type->element, at);
        }
        indices = std::move(here);
    }

    Constant constant;
    std::string bytes;
    bool anyConstant = false;
    std::vector<Rest> rest;

private:
    void addElement(const Expr& element, const Type* type, std::int64_t at) {
        std::optional<Value> value;
        if (type->isScalar()) value = constant(element, type);
        if (!value) return rest.push_back({&element, indices});
        anyConstant = true;
        bytes.replace(static_cast<std::size_t>(at), value->bytes.size(), value->bytes);
    }

    std::vector<std::int64_t> indices;
};

void initialiseElement(BodyScope& in, const LValue& at, const Expr& e) {
    if (at.type->isAggregate()) return into(in, at.aggregate(), e, false);
    store(in, at, valueAs(in, e, at.type), e.range);
}

/// The elements are arrays of dynamic extents.
void initialiseRows(BodyScope& in, const Aggregate& to, const ArrayLiteral& literal) {
    for (std::size_t k = 0; k < literal.elements.size(); ++k) {
        const Expr& row = *literal.elements[k];
        LValue array;
        array.ref = to.ref;
        array.type = to.type;
        array.shape = to.shape;
        initialiseElement(
            in,
            element(in, array, in.b.integer(static_cast<std::int64_t>(k), row.range), row.range),
            row);
    }
}

}  // namespace

void writeLiteral(BodyScope& in, const Aggregate& to, const ArrayLiteral& literal) {
    const Type* type = literalType(in, literal, to.type);
    checkExtents(in, {kNone, type, {}}, to.type, to.shape, literal.range);
    if (in.m.failed) return;
    if (!isConcrete(type)) return initialiseRows(in, to, literal);
    Table table(type, [&in](const Expr& e, const Type* t) { return constantAs(in, e, t); });
    table.add(literal, type, 0);
    if (table.anyConstant) {
        Reg from = in.b.constant({type, std::move(table.bytes)}, literal.range);
        in.b.emit(Op::Copy, type, {to.ref, from}, literal.range);
    }
    for (const Rest& item : table.rest) {
        LValue at;
        at.ref = to.ref;
        at.type = to.type;
        at.shape = to.shape;
        for (std::int64_t index : item.indices)
            at = element(in, at, in.b.integer(index, item.expression->range),
                         item.expression->range);
        initialiseElement(in, at, *item.expression);
    }
}

/// A table, if all elements are constant.
Aggregate literalValue(BodyScope& in, const ArrayLiteral& literal, const Type* target) {
    const Type* type = literalType(in, literal, target);
    if (isConcrete(type)) {
        Table table(type, [&in](const Expr& e, const Type* t) { return constantAs(in, e, t); });
        table.add(literal, type, 0);
        if (table.rest.empty())
            return {in.b.constant({type, std::move(table.bytes)}, literal.range), type, {}};
    }
    Aggregate value = temporary(in, type, literalExtents(in, literal, type), literal.range);
    writeLiteral(in, value, literal);
    return value;
}

/// A scalar where an array of open length is wanted.
Aggregate listOf(BodyScope& in, const Expr& e, const Type* target) {
    const Type* type = in.m.types.array(target->element, 1);
    if (std::optional<Value> value = constantAs(in, e, type->element))
        return {in.b.constant({type, value->bytes}, e.range), type, {}};
    Aggregate list = temporary(in, type, {}, e.range);
    LValue at;
    at.ref = list.ref;
    at.type = type;
    store(in, element(in, at, in.b.integer(0, e.range), e.range), valueAs(in, e, type->element),
          e.range);
    return list;
}

void readArray(BodyScope& in, const Aggregate& to, const ast::CallExpr& e) {
    Reg file = valueAs(in, *e.args[0], in.m.types.string());
    Reg count = valueAs(in, *e.args[1], in.intType());
    checkExtent(in, count, extentOf(in, to.type, to.shape, 0, e.range), 0, e.range);
    in.b.emit(Op::ReadArray, to.type->element, {to.ref, file, count}, e.range);
}

}  // namespace strc::lower::detail
