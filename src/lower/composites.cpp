// Statements of composites: they create streams, and say how items are split and joined.

#include "lower/detail/composites.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/assert.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/initialisers.h"
#include "lower/detail/lvalues.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::Expr;

namespace {

const Type* parameterType(const BodyScope& in, const StreamInfo& info, std::size_t k) {
    if (info.builtin == sema::Builtin::None) return info.constants[k]->type;
    return types::info(info.builtin).parameters[k].isString ? in.m.types.string() : in.intType();
}

/// `copies`: the value is taken now, although a later argument may change the variable.
void argument(BodyScope& in, std::vector<Reg>& operands, const Expr& e, const Type* type,
              bool copies) {
    if (!type->isAggregate()) return operands.push_back(valueAs(in, e, type));
    if (auto* literal = ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(&e)))
        return appendAggregate(in, operands, literalValue(in, *literal, type), e.range);
    if (!in.typeOf(e)->isAggregate())
        return appendAggregate(in, operands, listOf(in, e, type), e.range);
    appendAggregate(in, operands, copies ? privateCopy(in, e) : aggregate(in, e), e.range);
}

/// In the order in which they are written; `entry.args` has them by parameter.
void arguments(BodyScope& in, std::vector<Reg>& operands, ir::Create& entry,
               const ast::CreateStmt& s, const sema::CreateTarget& target) {
    entry.args.assign(target.args.size(), kNone);
    for (std::size_t at = 0; at < s.args.size(); ++at) {
        const Expr& e = *s.args[at].value;
        auto found = std::find(target.args.begin(), target.args.end(), &e);
        STRC_ASSERT(found != target.args.end(), "an argument for no parameter");
        auto k = static_cast<std::size_t>(found - target.args.begin());
        bool changes =
            std::any_of(s.args.begin() + static_cast<std::ptrdiff_t>(at) + 1, s.args.end(),
                        [](const ast::Argument& later) { return hasEffects(*later.value); });
        entry.args[k] = static_cast<std::uint32_t>(operands.size());
        argument(in, operands, e, parameterType(in, *target.stream, k), changes);
    }
}

/// The present value of a variable of this body, for an anonymous stream in it.
void capture(BodyScope& in, std::vector<Reg>& operands, const Symbol& captured, SourceRange range) {
    LValue origin = lvalueOf(in, *captured.origin, range);
    if (origin.type->isAggregate())
        appendAggregate(in, operands, origin.aggregate(), range);
    else
        operands.push_back(load(in, origin, range));
}

bool isNumber(const Type* type) {
    return type->isScalar() && !type->is(types::TypeKind::Portal) &&
           !type->is(types::TypeKind::String);
}

/// What somebody who looks for the origin of the stream wants to know.
void see(BodyScope& in, std::vector<Reg>& operands, ir::Create& entry, SourceRange range) {
    std::set<std::string> inner;
    for (std::size_t k = in.visible.size(); k-- > 0;) {
        const ir::Variable& local = in.b.body.locals[in.visible[k]];
        const Type* type = local.type;
        if (!isNumber(type) || !inner.insert(local.name).second) continue;
        entry.seen.push_back({local.name, static_cast<std::uint32_t>(operands.size())});
        operands.push_back(in.b.load({ir::Space::Local, in.visible[k]}, type, range));
    }
    std::reverse(entry.seen.begin(), entry.seen.end());
}

}  // namespace

void create(BodyScope& in, const ast::CreateStmt& s) {
    const sema::CreateTarget& target = *in.m.program.createOf(s);
    const StreamInfo& info = *target.stream;
    ir::Create entry;
    entry.role = static_cast<ir::CreateRole>(s.role);
    entry.builtin = info.builtin;
    std::vector<Reg> operands;
    if (info.builtin == sema::Builtin::None) {
        entry.stream = info.index;
    } else if (s.typeArgument) {
        entry.typeArgument = in.resolve(*s.typeArgument);
        if (!isConcrete(entry.typeArgument))
            operands = extents(in, entry.typeArgument, *s.typeArgument);
        entry.typeExtents = static_cast<std::uint32_t>(operands.size());
    }
    arguments(in, operands, entry, s, target);
    for (std::size_t k = target.args.size(); k < info.constants.size(); ++k) {
        entry.args.push_back(static_cast<std::uint32_t>(operands.size()));
        capture(in, operands, *info.constants[k], s.range);
    }
    for (std::size_t k = 0; k < s.portals.size(); ++k) {
        VarRef portal = in.variable(*in.m.program.portalOf(s, k));
        entry.portals.push_back(static_cast<std::uint32_t>(operands.size()));
        operands.push_back(in.b.load(portal, in.variableType(portal), s.portals[k].range));
    }
    if (in.m.context.keepsStages) see(in, operands, entry, s.range);
    in.b.emit(Op::Create, nullptr, std::move(operands), s.range).index =
        static_cast<std::uint32_t>(in.b.body.creates.size());
    in.b.body.creates.push_back(std::move(entry));
}

void splitter(BodyScope& in, const ast::SplitterStmt& s, Op op) {
    std::vector<Reg> weights;
    for (const Expr* e : s.weights) weights.push_back(valueAs(in, *e, in.intType()));
    ir::SplitForm form = weights.empty()       ? ir::SplitForm::None
                         : weights.size() == 1 ? ir::SplitForm::Uniform
                                               : ir::SplitForm::List;
    Instr& instr = in.b.emit(op, nullptr, std::move(weights), s.range);
    instr.flag = s.duplicate;
    instr.index = static_cast<std::uint32_t>(form);
}

void enqueue(BodyScope& in, const ast::EnqueueStmt& s) {
    std::vector<Reg> operands;
    const Type* type = in.typeOf(*s.value);
    if (type->isAggregate()) {
        Aggregate value = aggregate(in, *s.value);
        type = value.type;
        appendAggregate(in, operands, value, s.value->range);
    } else {
        operands.push_back(value(in, *s.value).reg);
    }
    in.b.emit(Op::Enqueue, type, std::move(operands), s.range);
}

}  // namespace strc::lower::detail
