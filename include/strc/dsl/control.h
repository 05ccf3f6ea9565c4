/// Staged control: branches and loops that are part of the body. What is ordinary C++ runs while the body is recorded.
#ifndef STRC_DSL_CONTROL_H
#define STRC_DSL_CONTROL_H

#include <strc/dsl/value.h>

namespace strc {

/// An `If` that may be followed by `.ElseIf(condition, body)` and `.Else(body)`. The condition is then a function, since it
/// is computed only if none before it held.
class Branch {
public:
    explicit Branch(detail::NodeRef branch) : branch(std::move(branch)) {}

    template <typename Body>
    void Else(Body&& body) {
        branch->children.push_back(detail::record(std::forward<Body>(body)));
    }
    template <typename Condition, typename Body>
    Branch ElseIf(Condition&& condition, Body&& body, Where where = Where::current());

private:
    detail::NodeRef branch;
};

template <typename Body>
Branch If(Operand<bool> condition, Body&& body) {
    const detail::NodeRef branch =
        detail::at(detail::node(STRC_NODE_IF, {condition.node}), condition.where);
    branch->children.push_back(detail::record(std::forward<Body>(body)));
    detail::addStatement(branch, "If");
    return Branch(branch);
}
template <typename Body, typename Other>
void If(Operand<bool> condition, Body&& body, Other&& other) {
    If(condition, std::forward<Body>(body)).Else(std::forward<Other>(other));
}

template <typename Condition, typename Body>
Branch Branch::ElseIf(Condition&& condition, Body&& body, Where where) {
    detail::NodeRef inner;
    Else([&] {
        inner =
            detail::at(detail::node(STRC_NODE_IF, {Operand<bool>(condition(), where).node}), where);
        inner->children.push_back(detail::record(std::forward<Body>(body)));
        detail::addStatement(inner, "If");
    });
    return Branch(inner);
}

/// `For(0, n, [&](Value<int> i) { ... })`: i from the first number up to the second, which is not included.
template <typename Body>
void For(Operand<int> first, Operand<int> end, Body&& body) {
    For(first, end, 1, std::forward<Body>(body));
}
/// With a step, which is known when the graph is built; below zero the loop counts down, to what is greater than `end`.
template <typename Body>
void For(Operand<int> first, Operand<int> end, int step, Body&& body) {
    const detail::NodeRef type = detail::TypeOf<int>::make();
    const detail::NodeRef counter =
        detail::at(detail::node(STRC_NODE_VARIABLE, "i", {type, first.node}), first.where);
    const detail::NodeRef block = detail::record([&] { body(Value<int>(counter, type)); });
    const detail::NodeRef loop = detail::node(STRC_NODE_FOR, step < 0 ? ">" : "<",
                                              {counter, end.node, detail::integer(step), block});
    detail::addStatement(detail::at(loop, first.where), "For");
}

/// `While([&] { return x > 0; }, [&] { ... })`: the condition is computed before each round.
template <typename Condition, typename Body>
void While(Condition&& condition, Body&& body, Where where = Where::current()) {
    detail::NodeRef value;
    const detail::NodeRef before =
        detail::record([&] { value = Operand<bool>(condition(), where).node; });
    const detail::NodeRef block = detail::record(std::forward<Body>(body));
    detail::addStatement(detail::at(detail::node(STRC_NODE_WHILE, {before, value, block}), where),
                         "While");
}
/// Rounds without an end, until `Break()`.
template <typename Body>
void Loop(Body&& body, Where where = Where::current()) {
    While([] { return true; }, std::forward<Body>(body), where);
}

inline void Break(Where where = Where::current()) {
    detail::addStatement(detail::at(detail::node(STRC_NODE_BREAK), where), "Break");
}
inline void Continue(Where where = Where::current()) {
    detail::addStatement(detail::at(detail::node(STRC_NODE_CONTINUE), where), "Continue");
}
/// Leaves work, a handler or a function that gives nothing.
inline void Return(Where where = Where::current()) {
    detail::addStatement(detail::at(detail::node(STRC_NODE_RETURN), where), "Return");
}
/// Leaves a function with a result.
template <detail::Staged U>
void Return(const U& value, Where where = Where::current()) {
    detail::addStatement(detail::at(detail::node(STRC_NODE_RETURN, {value.read(where)}), where),
                         "Return");
}

/// `condition ? a : b`. What has no effect, and is written right there, is computed only if it is chosen.
template <detail::Staged A>
auto select(Operand<bool> condition, const A& a, Operand<detail::StagedType<A>> b) {
    using T = detail::StagedType<A>;
    const detail::NodeRef made = detail::at(
        detail::node(STRC_NODE_CONDITIONAL, {condition.node, a.read(condition.where), b.node}),
        condition.where);
    return Value<T>(detail::computed(a.type, made, condition.where), a.type);
}
template <detail::Scalar A, typename B>
auto select(Operand<bool> condition, const A& a, const B& b, Where where = Where::current()) {
    using T = std::conditional_t<
        std::same_as<detail::PlainOf<A>, bool>, bool,
        std::conditional_t<std::is_floating_point_v<detail::PlainOf<A>>, float, int>>;
    const detail::NodeRef type = detail::TypeOf<T>::make();
    const detail::NodeRef made = detail::at(
        detail::node(STRC_NODE_CONDITIONAL,
                     {condition.node, Operand<T>(a, where).node, Operand<T>(b, where).node}),
        where);
    return Value<T>(detail::computed(type, made, where), type);
}

}  // namespace strc

#endif
