/// Filters: what they take and give, and the members that a C++ function makes.
#ifndef STRC_DSL_FILTER_H
#define STRC_DSL_FILTER_H

#include <functional>
#include <optional>
#include <strc/dsl/functions.h>
#include <strc/dsl/stream.h>

namespace strc {

/// How many items: a number, a parameter, a field of the filter, `any`, or `between(1, 4)`.
class Rate {
public:
    Rate() = default;
    template <detail::Scalar A>
    Rate(const A& items, Where where = Where::current())
        : least(detail::at(detail::literal<int>(items), where)), where(where) {}
    Rate(const Expr<int>& items, Where where = Where::current())
        : least(items.node), where(where) {}
    static Rate dynamic(detail::NodeRef least, detail::NodeRef most, const Where& where) {
        Rate made;
        made.least = std::move(least);
        made.most = std::move(most);
        made.where = where;
        return made;
    }
    /// Nothing if it was not given.
    void addTo(std::vector<detail::NodeRef>& clauses, const char* name) const {
        if (!least) return;
        const detail::NodeRef clause =
            most ? detail::node(STRC_NODE_DYNAMIC_RATE, name, {least, most})
                 : detail::node(STRC_NODE_RATE, name, {least});
        clauses.push_back(detail::at(clause, where));
    }

private:
    detail::NodeRef least, most;
    Where where;
};

/// Dynamic rates: any number of items; from the first number to the second.
inline Rate any(Where where = Where::current()) {
    return Rate::dynamic(detail::nothing(), detail::nothing(), where);
}
inline Rate between(int least, int most, Where where = Where::current()) {
    return Rate::dynamic(detail::integer(least), detail::integer(most), where);
}
inline Rate atLeast(int least, Where where = Where::current()) {
    return Rate::dynamic(detail::integer(least), detail::nothing(), where);
}

/// `{.pop = 1, .push = 1, .peek = 64}`: what is not given is not declared.
struct Rates {
    Rate pop = {}, push = {}, peek = {};

    std::vector<detail::NodeRef> clauses() const {
        std::vector<detail::NodeRef> made;
        push.addTo(made, "push");
        pop.addTo(made, "pop");
        peek.addTo(made, "peek");
        return made;
    }
};

/// When a message arrives, in firings of the receiver's information: `[first:last]` of the language; none: as soon as it can be.
struct Latency {
    std::optional<int> first = {}, last = {};
};

/// A function of a filter: call it where its bodies are recorded.
template <typename Signature>
class Function;
template <typename R, typename... Params>
class Function<R(Params...)> {
public:
    explicit Function(detail::NodeRef name) : name(std::move(name)) {}
    auto operator()(const Operand<Params>&... args) const {
        Where where;
        ((where = args.where), ...);
        const detail::NodeRef call =
            detail::at(detail::node(STRC_NODE_CALL, {name, args.node...}), where);
        if constexpr (std::is_void_v<R>) {
            detail::addStatement(detail::at(detail::node(STRC_NODE_EVALUATE, {call}), where),
                                 "a call");
        } else {
            const detail::NodeRef type = detail::TypeOf<R>::make();
            return Value<R>(detail::computed(type, call, where), type);
        }
    }

private:
    detail::NodeRef name;
};

/// The filter being made. Its members are made in the order of the calls.
template <typename In, typename Out>
class Filter {
public:
    Filter(detail::NodeRef filter, detail::NodeRef in, detail::NodeRef out)
        : node(std::move(filter)), in(std::move(in)), out(std::move(out)) {}

    // ---- in bodies
    auto pop(Where where = Where::current()) {
        static_assert(!std::is_void_v<In>, "a filter without an input pops nothing");
        return taken(detail::node(STRC_NODE_POP), where);
    }
    auto peek(Operand<int> offset) {
        static_assert(!std::is_void_v<In>, "a filter without an input peeks nothing");
        return taken(detail::node(STRC_NODE_PEEK, {offset.node}), offset.where);
    }
    void push(Operand<Out> item) {
        detail::addStatement(detail::at(detail::node(STRC_NODE_PUSH, {item.node}), item.where),
                             "push");
    }
    /// How often the filter has fired.
    Value<int> iter(Where where = Where::current()) {
        const detail::NodeRef type = detail::TypeOf<int>::make();
        return {detail::computed(type, detail::at(detail::node(STRC_NODE_ITER), where), where),
                type};
    }
    /// A message to a portal: the handler's name, when it arrives, its arguments.
    template <typename... Args>
    void send(const Portal& portal, detail::Named handler, const Latency& latency,
              const Args&... args) {
        auto bound = [](std::optional<int> value) {
            return value ? detail::integer(*value) : detail::nothing();
        };
        const detail::NodeRef made =
            detail::node(STRC_NODE_SEND, handler.name,
                         {portal.node, bound(latency.first), bound(latency.last),
                          detail::argument(args, handler.where)...});
        detail::addStatement(detail::at(made, handler.where), "send");
    }

    // ---- members
    /// A variable of the filter, which keeps its value from firing to firing.
    template <typename T>
    Var<T> field(const char* name, Where where = Where::current()) {
        return Var<T>(addField(name, detail::TypeOf<T>::make(), nullptr, where),
                      detail::TypeOf<T>::make());
    }
    template <typename T, typename U>
        requires std::constructible_from<Operand<T>, const U&, Where>
    Var<T> field(const char* name, const U& initial, Where where = Where::current()) {
        return Var<T>(
            addField(name, detail::TypeOf<T>::make(), detail::argument(initial, where), where),
            detail::TypeOf<T>::make());
    }
    /// A tensor that a function of the language makes: `f.tensor("w", "zeros", 2, 3)`, `f.tensor("w", "stored", "", "w", 2, 3)`.
    template <typename... Args>
    Var<Tensor<>> tensor(const char* name, detail::Named maker, const Args&... args) {
        const detail::NodeRef made = detail::at(
            detail::node(STRC_NODE_BUILTIN, maker.name, {detail::argument(args, maker.where)...}),
            maker.where);
        return Var<Tensor<>>(addField(name, detail::named("tensor"), made, maker.where),
                             detail::named("tensor"));
    }
    /// A tensor of numbers that C++ has computed: rows of one length.
    Var<Tensor<>> tensor(const char* name, const std::vector<std::vector<float>>& rows,
                         Where where = Where::current()) {
        return Var<Tensor<>>(
            addField(name, detail::named("tensor"), detail::constant(rows, where), where),
            detail::named("tensor"));
    }
    Var<Tensor<>> tensor(const char* name, const std::vector<float>& row,
                         Where where = Where::current()) {
        return Var<Tensor<>>(
            addField(name, detail::named("tensor"), detail::constant(row, where), where),
            detail::named("tensor"));
    }
    /// An array of the filter, of zeros: `f.array<float>("line", 64)`, `f.array<float>("m", 4, 8)`.
    template <typename T>
    Array<T> array(const char* name, std::size_t extent, Where where = Where::current()) {
        return Array<T>(addField(name, arrayOf<T>(extent).node, nullptr, where),
                        arrayOf<T>(extent).node);
    }
    template <typename T>
    Array<Array<T>> array(const char* name, std::size_t rows, std::size_t columns,
                          Where where = Where::current()) {
        const detail::NodeRef type = arrayOf<T>(rows, columns).node;
        return Array<Array<T>>(addField(name, type, nullptr, where), type);
    }
    /// An array that begins with values that C++ has computed: a vector, or a vector of vectors of one length.
    template <typename T>
    Array<T> table(const char* name, const std::vector<T>& values, Where where = Where::current()) {
        const detail::NodeRef type = arrayOf<T>(values.size()).node;
        return Array<T>(addField(name, type, detail::constant(values, where), where), type);
    }
    template <typename T>
    Array<Array<T>> table(const char* name, const std::vector<std::vector<T>>& rows,
                          Where where = Where::current()) {
        const detail::NodeRef type =
            arrayOf<T>(rows.size(), rows.empty() ? 0 : rows[0].size()).node;
        return Array<Array<T>>(addField(name, type, detail::constant(rows, where), where), type);
    }

    template <typename Body>
    void work(const Rates& rates, Body&& body, Where where = Where::current()) {
        addWork(STRC_NODE_WORK, rates, std::forward<Body>(body), where);
    }
    /// The first firing, if it is another one.
    template <typename Body>
    void prework(const Rates& rates, Body&& body, Where where = Where::current()) {
        addWork(STRC_NODE_PREWORK, rates, std::forward<Body>(body), where);
    }
    /// What is done before the first firing.
    template <typename Body>
    void init(Body&& body, Where where = Where::current()) {
        add(detail::node(STRC_NODE_INIT, {detail::record(std::forward<Body>(body))}), where);
    }
    /// What a message does: `f.handler<float>("gain", [&](Var<float> value) { ... })`.
    template <typename... Params, typename Body>
    void handler(const char* name, Body&& body, Where where = Where::current()) {
        const detail::NodeRef made = detail::node(STRC_NODE_HANDLER, name);
        withParameters<Params...>(*made, std::forward<Body>(body));
        add(made, where);
    }
    /// A function: `auto clip = f.function<float(float)>("clip", [&](Var<float> x) { return select(x > 1, 1.0f, x); })`. It may
    /// also leave by `Return`.
    template <typename Signature, typename Body>
    Function<Signature> function(const char* name, Body&& body, Where where = Where::current()) {
        return function<Signature>(name, Rates(), std::forward<Body>(body), where);
    }
    /// A function that uses the tape.
    template <typename Signature, typename Body>
    Function<Signature> function(const char* name, const Rates& rates, Body&& body,
                                 Where where = Where::current()) {
        const detail::NodeRef declared =
            detail::at(detail::node(STRC_NODE_FUNCTION_NAME, name), where);
        addFunction(static_cast<Signature*>(nullptr), declared, rates, std::forward<Body>(body),
                    where);
        return Function<Signature>(declared);
    }

private:
    auto taken(detail::NodeRef expression, const Where& where) {
        return Value<In>(detail::computed(in, detail::at(std::move(expression), where), where), in);
    }
    void add(detail::NodeRef member, const Where& where) {
        node->children.push_back(detail::at(std::move(member), where));
    }
    detail::NodeRef addField(const char* name, detail::NodeRef type, detail::NodeRef initial,
                             const Where& where) {
        detail::NodeRef made = detail::node(STRC_NODE_VARIABLE, name, {std::move(type)});
        if (initial) made->children.push_back(std::move(initial));
        add(made, where);
        return made;
    }
    template <typename Body>
    void addWork(strc_node_kind kind, const Rates& rates, Body&& body, const Where& where) {
        const detail::NodeRef made = detail::node(kind, rates.clauses());
        made->children.push_back(detail::record(std::forward<Body>(body)));
        add(made, where);
    }
    template <typename P>
    static detail::NodeRef parameter() {
        return detail::node(STRC_NODE_VARIABLE, "x", {detail::TypeOf<P>::make()});
    }
    /// Parameters and the block that `body` records with them.
    template <typename... Params, typename Body>
    void withParameters(detail::Node& owner, Body&& body) {
        const std::vector<detail::NodeRef> params{parameter<Params>()...};
        for (const detail::NodeRef& each : params) owner.children.push_back(each);
        owner.children.push_back(detail::record([&] {
            [&]<std::size_t... K>(std::index_sequence<K...>) {
                body(Var<Params>(params[K], params[K]->children[0])...);
            }(std::index_sequence_for<Params...>());
        }));
    }
    template <typename R, typename... Params, typename Body>
    void addFunction(R (*)(Params...), const detail::NodeRef& name, const Rates& rates, Body&& body,
                     const Where& where) {
        const detail::NodeRef made =
            detail::node(STRC_NODE_FUNCTION, {name, detail::TypeOf<R>::make()});
        withParameters<Params...>(*made, [&](auto&&... params) {
            if constexpr (std::is_void_v<decltype(body(params...))>) {
                body(params...);
            } else {
                const Operand<R> result(body(params...), where);
                detail::addStatement(
                    detail::at(detail::node(STRC_NODE_RETURN, {result.node}), where), "Return");
            }
        });
        const std::vector<detail::NodeRef> clauses = rates.clauses();
        made->children.insert(made->children.end() - 1, clauses.begin(), clauses.end());
        add(made, where);
    }

    detail::NodeRef node, in, out;
};

/// A filter whose members `make` makes: `filter<float, float>("Gain", [&](auto& f) { f.work({.pop = 1, .push = 1}, [&] { ... }); })`.
template <typename In, typename Out, typename Make>
Stream filter(const ItemType<In>& in, const ItemType<Out>& out, const std::string& name,
              Make&& make, Where where = Where::current()) {
    detail::FreshRecorder fresh;
    const detail::NodeRef made =
        detail::at(detail::node(STRC_NODE_FILTER, name, {in.node, out.node}), where);
    Filter<In, Out> members(made, in.node, out.node);
    make(members);
    for (detail::NodeRef& stray : fresh.takeStrays()) made->children.push_back(std::move(stray));
    return Stream(made);
}
template <typename In, typename Out, typename Make>
Stream filter(const std::string& name, Make&& make, Where where = Where::current()) {
    return filter<In, Out>(ItemType<In>(), ItemType<Out>(), name, std::forward<Make>(make), where);
}
/// A filter that has `work` alone: `filter<float, float>("Twice", {.pop = 1, .push = 1}, [](auto& f) { f.push(2 * f.pop()); })`.
template <typename In, typename Out, typename Body>
Stream filter(const std::string& name, const Rates& rates, Body&& body,
              Where where = Where::current()) {
    return filter<In, Out>(
        name, [&](Filter<In, Out>& f) { f.work(rates, [&] { body(f); }, where); }, where);
}

/// A function of this program that filters call: `auto hypot3 = native("geometry", "hypot3", &hypot3_of)`. Numbers are passed as
/// C has them, arrays as pointers to their first elements.
template <typename R, typename... Params>
Function<R(Params...)> native(const std::string& package, const std::string& name,
                              R (*function)(Params...), Where where = Where::current()) {
    const detail::NodeRef made =
        detail::at(detail::node(STRC_NODE_NATIVE, name, {detail::TypeOf<R>::make()}), where);
    (made->children.push_back(
         detail::node(STRC_NODE_VARIABLE, "x", {detail::TypeOf<Params>::make()})),
     ...);
    made->text = package;
    made->function = reinterpret_cast<void (*)()>(function);
    return Function<R(Params...)>(made);
}

}  // namespace strc

#endif
