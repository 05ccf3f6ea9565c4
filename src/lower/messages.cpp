// Messages to portals.

#include "lower/detail/messages.h"

#include <algorithm>

#include "lower/detail/aggregates.h"
#include "lower/detail/calls.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::Expr;

namespace {

/// The maximum counts, and `[a:]` means (a, a); the minimum is evaluated for its effects alone.
std::optional<Reg> latency(BodyScope& in, const ast::MessageStmt& s) {
    if (!s.hasLatency || s.bestEffort) return std::nullopt;
    std::optional<Reg> result;
    if (s.minLatency && (!s.maxLatency || hasEffects(*s.minLatency)))
        result = valueAs(in, *s.minLatency, in.intType());
    if (s.maxLatency) result = valueAs(in, *s.maxLatency, in.intType());
    return result;
}

void send(BodyScope& in, const ast::MessageStmt& s, const FunctionInfo& handler) {
    ir::Send entry;
    entry.handler = handler.name.str();
    entry.bestEffort = s.bestEffort;
    const Symbol& portal = *in.m.program.portalOf(s);
    VarRef var = in.variable(portal);
    Reg to = in.b.load(var, in.variableType(var), s.portal.range);
    std::vector<Reg> args;
    for (std::size_t k = 0; k < s.args.size(); ++k) {
        const Expr& e = *s.args[k];
        const Type* param = handler.params[k]->type;
        if (param->isAggregate()) {
            bool changes =
                std::any_of(s.args.begin() + static_cast<std::ptrdiff_t>(k) + 1, s.args.end(),
                            [](const Expr* later) { return hasEffects(*later); });
            Aggregate value = changes ? privateCopy(in, e) : aggregate(in, e);
            entry.argTypes.push_back(value.type);
            appendAggregate(in, args, value, e.range);
        } else {
            entry.argTypes.push_back(param);
            args.push_back(valueAs(in, e, param));
        }
    }
    std::vector<Reg> operands{to};
    if (std::optional<Reg> max = latency(in, s)) {
        entry.hasLatency = true;
        operands.push_back(*max);
    }
    operands.insert(operands.end(), args.begin(), args.end());
    in.b.emit(Op::Send, nullptr, std::move(operands), s.range).index =
        static_cast<std::uint32_t>(in.b.body.sends.size());
    in.b.body.sends.push_back(std::move(entry));
}

}  // namespace

void message(BodyScope& in, const ast::MessageStmt& s) {
    if (const FunctionInfo* handler = in.m.program.messageOf(s))
        send(in, s, *handler);
    else
        call(in, s.id, s.args, s.range);
}

}  // namespace strc::lower::detail
