// Which values become part of the expressions that use them.

#include <algorithm>

#include "dsl/detail/body.h"
#include "dsl/detail/shapes.h"

namespace strc::dsl {

namespace {

constexpr int kMostDepth = 100;  ///< of an expression that values are put into

bool isStateful(const Node& node) {
    return node.kind == STRC_NODE_CALL ||
           (node.kind == STRC_NODE_BUILTIN && node.name.starts_with("random"));
}

/// From which operand on the others are not always evaluated.
std::size_t firstConditional(const Node& node) {
    if (node.kind == STRC_NODE_CONDITIONAL) return 1;
    const bool isShort = node.kind == STRC_NODE_BINARY && (node.name == "&&" || node.name == "||");
    return isShort ? 1 : SIZE_MAX;
}

}  // namespace

void Body::Effects::operator|=(const Effects& other) {
    reads |= other.reads;
    peeks |= other.peeks;
    moves |= other.moves;
    isAnything |= other.isAnything;
}

bool Body::Effects::commutesWith(const Effects& other) const {
    auto touches = [](const Effects& e) { return e.reads || e.peeks || e.moves || e.isAnything; };
    if (isAnything) return !touches(other);
    if (other.isAnything) return !touches(*this);
    return !(moves && (other.moves || other.peeks)) && !(other.moves && peeks);
}

/// A call changes fields, and arrays, which are handed on by reference; other variables are the body's own.
bool Body::mayChange(NodeNumber variable) const {
    return around.declared.contains(variable) ||
           m.tree[m.tree[variable].children[0]].kind == STRC_NODE_ARRAY_TYPE;
}

Body::Effects Body::ownEffects(NodeNumber expr) const {
    const Node& node = m.tree[expr];
    Effects own;
    own.reads = node.kind == STRC_NODE_VARIABLE && mayChange(expr);
    own.peeks = node.kind == STRC_NODE_PEEK;
    own.moves = node.kind == STRC_NODE_POP;
    own.isAnything = isStateful(node);
    return own;
}

Body::Effects Body::effectsOf(NodeNumber expr) const {
    const Node& node = m.tree[expr];
    if (node.kind == STRC_NODE_VALUE) {
        const auto found = inlined.find(expr);
        return found == inlined.end() ? Effects() : found->second.effects;
    }
    Effects all = ownEffects(expr);
    if (node.kind == STRC_NODE_VARIABLE || isConstant(m.tree, expr)) return all;
    for (const NodeNumber child : node.children) all |= effectsOf(child);
    return all;
}

int Body::depthOf(NodeNumber expr) const {
    const Node& node = m.tree[expr];
    if (node.kind == STRC_NODE_VALUE) {
        const auto found = inlined.find(expr);
        return found == inlined.end() ? 1 : found->second.depth;
    }
    int most = 0;
    if (node.kind != STRC_NODE_VARIABLE && !isConstant(m.tree, expr))
        for (const NodeNumber child : node.children) most = std::max(most, depthOf(child));
    return most + 1;
}

void Body::count(NodeNumber number, bool isDeclared) {
    const Node& node = m.tree[number];
    if (node.kind == STRC_NODE_VALUE || node.kind == STRC_NODE_VARIABLE) {
        if (!isDeclared) {
            ++uses[number];
            return;
        }
    }
    if (isConstant(m.tree, number)) return;
    for (std::size_t k = 0; k < node.children.size(); ++k)
        count(node.children[k],
              node.kind == STRC_NODE_BLOCK || (node.kind == STRC_NODE_FOR && k == 0));
}

/// `between`: what the expressions do themselves before the last of them is complete.
void Body::operandsOf(NodeNumber expr, bool isConditional, std::vector<Operand>& found,
                      Effects& between, bool isRoot) {
    const Node& node = m.tree[expr];
    if (node.kind == STRC_NODE_VALUE) {
        for (std::size_t k = 0; k < frame->pending.size(); ++k)
            if (frame->pending[k].value == expr && uses[expr] == 1 && !visible.contains(expr))
                found.push_back({k, isConditional});
        return;
    }
    if (!isRoot) between |= ownEffects(expr);
    if (node.kind == STRC_NODE_VARIABLE || isConstant(m.tree, expr)) return;
    for (std::size_t k = 0; k < node.children.size(); ++k)
        operandsOf(node.children[k], isConditional || k >= firstConditional(node), found, between,
                   false);
}

/// May operand `place` be computed where the expression uses it, instead of where it was recorded?
bool Body::mayMove(const Operand& operand, std::size_t place, const std::vector<Operand>& all,
                   const Effects& between) const {
    const Pending& moved = frame->pending[operand.pending];
    if (operand.isConditional && !moved.effects.isPure()) return false;
    if (moved.depth >= kMostDepth || !moved.effects.commutesWith(between)) return false;
    for (std::size_t k = operand.pending + 1; k < frame->pending.size(); ++k) {
        const auto other = std::find_if(all.begin(), all.end(),
                                        [k](const Operand& each) { return each.pending == k; });
        const bool comesLater =
            other != all.end() && static_cast<std::size_t>(other - all.begin()) > place;
        if (!comesLater && !moved.effects.commutesWith(frame->pending[k].effects)) return false;
    }
    return true;
}

void Body::fold(std::initializer_list<NodeNumber> exprs) { foldAll({exprs.begin(), exprs.size()}); }

void Body::foldAll(std::span<const NodeNumber> exprs) {
    std::vector<Operand> operands;
    Effects between;
    for (const NodeNumber expr : exprs)
        operandsOf(expr, false, operands, between, exprs.size() == 1);
    for (bool isStable = false; !isStable;) {
        isStable = true;
        for (std::size_t k = operands.size(); k-- > 0 && isStable;)
            if (!mayMove(operands[k], k, operands, between)) {
                operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(k));
                isStable = false;
            }
    }
    std::vector<std::size_t> gone;
    for (const Operand& operand : operands) {
        const Pending& moved = frame->pending[operand.pending];
        inlined[moved.value] = {moved.expr, moved.effects, moved.depth};
        gone.push_back(operand.pending);
    }
    std::sort(gone.begin(), gone.end());
    for (std::size_t k = gone.size(); k-- > 0;)
        frame->pending.erase(frame->pending.begin() + static_cast<std::ptrdiff_t>(gone[k]));
}

void Body::value(NodeNumber number, base::SourceRange where) {
    const NodeNumber expr = m.tree[number].children[1];
    fold({expr});
    const Effects effects = effectsOf(expr);
    const int depth = depthOf(expr);
    frame->pending.push_back({number, expression(expr, where), effects, depth});
    if (frame->pending.size() > kMostDepth) flush();  // so that the search stays short
}

/// What nobody uses is done for what it does.
void Body::flush() {
    std::vector<Pending> all = std::move(frame->pending);
    frame->pending.clear();
    for (const Pending& each : all) {
        const base::SourceRange where = each.expr->range;
        if (uses[each.value] > 0) {
            add(local(each.value, declare(each.value), each.expr, where));
        } else if (!each.effects.isPure()) {
            const bool standsAlone = each.expr->kind == ast::ExprKind::Pop ||
                                     each.expr->kind == ast::ExprKind::Call ||
                                     each.expr->kind == ast::ExprKind::PackageCall;
            if (standsAlone)
                add(m.stmt<ast::ExpressionStmt>(where, each.expr));
            else
                add(local(each.value, declare(each.value), each.expr, where));
        }
    }
}

}  // namespace strc::dsl
