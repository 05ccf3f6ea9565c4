// What composites do: create streams, say how items are split and joined.

#include <algorithm>

#include "base/assert.h"
#include "lower/detail/lowerer.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using types::TypeKind;

void BodyLowerer::create(const ast::CreateStmt& s) {
    const sema::CreateTarget& target = *m.program.createOf(s);
    const StreamInfo& info = *target.stream;
    ir::Create entry;
    entry.role = static_cast<ir::CreateRole>(s.role);
    entry.builtin = info.builtin;
    std::vector<Reg> operands;
    if (info.builtin == sema::Builtin::None) {
        entry.stream = info.index;
    } else if (s.typeArgument) {
        entry.typeArgument = resolve(*s.typeArgument);
        if (!isConcrete(entry.typeArgument))
            operands = extents(entry.typeArgument, *s.typeArgument);
        entry.typeExtents = static_cast<std::uint32_t>(operands.size());
    }
    arguments(operands, entry, s, target);
    for (std::size_t k = target.args.size(); k < info.constants.size(); ++k) {
        entry.args.push_back(static_cast<std::uint32_t>(operands.size()));
        capture(operands, *info.constants[k], s.range);
    }
    for (std::size_t k = 0; k < s.portals.size(); ++k) {
        VarRef portal = variable(*m.program.portalOf(s, k));
        entry.portals.push_back(static_cast<std::uint32_t>(operands.size()));
        operands.push_back(b.load(portal, variableType(portal), s.portals[k].range));
    }
    b.emit(Op::Create, nullptr, std::move(operands), s.range).index =
        static_cast<std::uint32_t>(b.body.creates.size());
    b.body.creates.push_back(std::move(entry));
}

/// In the order in which they are written; `entry.args` has them by parameter.
void BodyLowerer::arguments(std::vector<Reg>& operands, ir::Create& entry, const ast::CreateStmt& s,
                            const sema::CreateTarget& target) {
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
        argument(operands, e, parameterType(*target.stream, k), changes);
    }
}

const Type* BodyLowerer::parameterType(const StreamInfo& info, std::size_t k) const {
    if (info.builtin == sema::Builtin::None) return info.constants[k]->type;
    return types::info(info.builtin).parameters[k].isString ? m.types.string() : intType();
}

/// `copies`: the value is taken now, although a later argument may change the variable.
void BodyLowerer::argument(std::vector<Reg>& operands, const Expr& e, const Type* type,
                           bool copies) {
    if (!type->isAggregate()) return operands.push_back(valueAs(e, type));
    if (auto* literal = ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(&e)))
        return appendAggregate(operands, literalValue(*literal, type), e.range);
    if (!typeOf(e)->isAggregate()) return appendAggregate(operands, listOf(e, type), e.range);
    appendAggregate(operands, copies ? privateCopy(e) : aggregate(e), e.range);
}

/// The present value of a variable of this body, for an anonymous stream in it.
void BodyLowerer::capture(std::vector<Reg>& operands, const Symbol& captured, SourceRange range) {
    LValue origin = lvalueOf(*captured.origin, range);
    if (origin.type->isAggregate())
        appendAggregate(operands, origin.aggregate(), range);
    else
        operands.push_back(load(origin, range));
}

void BodyLowerer::splitter(const ast::SplitterStmt& s, Op op) {
    std::vector<Reg> weights;
    for (const Expr* e : s.weights) weights.push_back(valueAs(*e, intType()));
    ir::SplitForm form = weights.empty()       ? ir::SplitForm::None
                         : weights.size() == 1 ? ir::SplitForm::Uniform
                                               : ir::SplitForm::List;
    Instr& instr = b.emit(op, nullptr, std::move(weights), s.range);
    instr.flag = s.duplicate;
    instr.index = static_cast<std::uint32_t>(form);
}

void BodyLowerer::enqueue(const ast::EnqueueStmt& s) {
    std::vector<Reg> operands;
    const Type* type = typeOf(*s.value);
    if (type->isAggregate()) {
        Aggregate value = aggregate(*s.value);
        type = value.type;
        appendAggregate(operands, value, s.value->range);
    } else {
        operands.push_back(value(*s.value).reg);
    }
    b.emit(Op::Enqueue, type, std::move(operands), s.range);
}

}  // namespace strc::lower::detail
