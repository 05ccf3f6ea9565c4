/// Functions of the language on staged values.
#ifndef STRC_DSL_FUNCTIONS_H
#define STRC_DSL_FUNCTIONS_H

#include <strc/dsl/value.h>

namespace strc {

/// What a function of the language makes while the graph is built: `made("zeros", 3, 4)`, an item that is enqueued.
class Made {
public:
    explicit Made(detail::NodeRef call) : node(std::move(call)) {}
    detail::NodeRef node;
};

namespace detail {

template <typename R>
Value<R> builtin(const char* name, std::vector<NodeRef> args, const Where& where) {
    const NodeRef type = TypeOf<R>::make();
    return Value<R>(
        computed(type, at(node(STRC_NODE_BUILTIN, name, std::move(args)), where), where), type);
}

inline void evaluated(const char* name, std::vector<NodeRef> args, const Where& where) {
    const NodeRef call = at(node(STRC_NODE_BUILTIN, name, std::move(args)), where);
    addStatement(at(node(STRC_NODE_EVALUATE, {call}), where), name);
}

/// What functions on real numbers give: ints are taken as floats.
template <typename T>
using Real = std::conditional_t<isWhole<T>, float, T>;

/// Any operand of a function of the language, as a node.
template <typename U>
NodeRef argument(const U& value, const Where& where) {
    if constexpr (Staged<U>) {
        return value.read(where);
    } else if constexpr (std::is_convertible_v<const U&, const char*>) {
        NodeRef made = node(STRC_NODE_STRING);
        made->text = value;
        return made;
    } else if constexpr (std::same_as<U, std::string>) {
        return argument(value.c_str(), where);
    } else if constexpr (std::same_as<U, Made>) {
        return value.node;
    } else if constexpr (std::same_as<U, Complex>) {
        return at(complexLiteral(value), where);
    } else {
        using P = PlainOf<U>;
        using T = std::conditional_t<std::same_as<P, bool>, bool,
                                     std::conditional_t<std::is_floating_point_v<P>, float, int>>;
        return at(literal<T>(value), where);
    }
}

inline NodeRef part(const char* name, const NodeRef& of, const Where& where) {
    return at(node(STRC_NODE_MEMBER, name, {of}), where);
}

}  // namespace detail

#define STRC_DSL_UNARY(name)                                                                \
    template <detail::Staged A>                                                             \
    auto name(const A& x, Where where = Where::current()) {                                 \
        return detail::builtin<detail::Real<detail::StagedType<A>>>(#name, {x.read(where)}, \
                                                                    where);                 \
    }
STRC_DSL_UNARY(sin)
STRC_DSL_UNARY(cos)
STRC_DSL_UNARY(tan)
STRC_DSL_UNARY(asin)
STRC_DSL_UNARY(acos)
STRC_DSL_UNARY(atan)
STRC_DSL_UNARY(sinh)
STRC_DSL_UNARY(cosh)
STRC_DSL_UNARY(tanh)
STRC_DSL_UNARY(exp)
STRC_DSL_UNARY(log)
STRC_DSL_UNARY(log10)
STRC_DSL_UNARY(erf)
STRC_DSL_UNARY(sqrt)
STRC_DSL_UNARY(floor)
STRC_DSL_UNARY(ceil)
STRC_DSL_UNARY(round)
STRC_DSL_UNARY(rint)
STRC_DSL_UNARY(relu)
STRC_DSL_UNARY(sigmoid)
STRC_DSL_UNARY(gelu)
STRC_DSL_UNARY(silu)
STRC_DSL_UNARY(mish)
#undef STRC_DSL_UNARY

/// The size of a number; of a complex one its distance from 0.
template <detail::Staged A>
auto abs(const A& x, Where where = Where::current()) {
    using T = detail::StagedType<A>;
    using R =
        std::conditional_t<std::same_as<T, Complex>, float, typename detail::Arithmetic<T>::Type>;
    return detail::builtin<R>("abs", {x.read(where)}, where);
}
/// The angle of a complex number.
template <detail::Staged A>
auto arg(const A& x, Where where = Where::current()) {
    return detail::builtin<float>("arg", {x.read(where)}, where);
}

#define STRC_DSL_TWO(name, Result)                                                            \
    template <detail::Staged A, typename B>                                                   \
    auto name(const A& x, const B& y, Where where = Where::current()) {                       \
        using T = detail::StagedType<A>;                                                      \
        return detail::builtin<Result<T>>(#name, {x.read(where), detail::argument(y, where)}, \
                                          where);                                             \
    }                                                                                         \
    template <detail::Scalar A, detail::Staged B>                                             \
    auto name(const A& x, const B& y, Where where = Where::current()) {                       \
        using T = detail::Common<A, detail::StagedType<B>>;                                   \
        return detail::builtin<Result<T>>(#name, {detail::argument(x, where), y.read(where)}, \
                                          where);                                             \
    }
template <typename T>
using SameType = T;
STRC_DSL_TWO(atan2, detail::Real)
STRC_DSL_TWO(pow, detail::Real)
STRC_DSL_TWO(min, SameType)
STRC_DSL_TWO(max, SameType)
#undef STRC_DSL_TWO

/// The next of the program's random numbers, from 0 up to 1.
inline Value<float> random(Where where = Where::current()) {
    return detail::builtin<float>("random", {}, where);
}

/// `(T)x` of the language.
template <typename T, detail::Staged A>
Value<T> cast(const A& x, Where where = Where::current()) {
    const detail::NodeRef type = detail::TypeOf<T>::make();
    const detail::NodeRef made =
        detail::at(detail::node(STRC_NODE_CAST, {type, x.read(where)}), where);
    return Value<T>(detail::computed(type, made, where), type);
}

/// `re + im * i`
template <typename A, typename B>
Value<Complex> complex(const A& re, const B& im, Where where = Where::current()) {
    const detail::NodeRef type = detail::TypeOf<Complex>::make();
    detail::NodeRef i = detail::node(STRC_NODE_IMAGINARY);
    i->number = 1;
    const detail::NodeRef turned = detail::computed(
        type, detail::node(STRC_NODE_BINARY, "*", {detail::argument(im, where), i}), where);
    const detail::NodeRef sum =
        detail::node(STRC_NODE_BINARY, "+", {detail::argument(re, where), turned});
    return Value<Complex>(detail::computed(type, detail::at(sum, where), where), type);
}
/// The parts of a complex number; of a variable they can be assigned.
inline Value<float> real(const Value<Complex>& z, Where where = Where::current()) {
    const detail::NodeRef type = detail::TypeOf<float>::make();
    return {detail::computed(type, detail::part("real", z.node, where), where), type};
}
inline Value<float> imag(const Value<Complex>& z, Where where = Where::current()) {
    const detail::NodeRef type = detail::TypeOf<float>::make();
    return {detail::computed(type, detail::part("imag", z.node, where), where), type};
}
inline Place<float> real(const Place<Complex>& z, Where where = Where::current()) {
    return {detail::part("real", z.node, where), detail::TypeOf<float>::make()};
}
inline Place<float> imag(const Place<Complex>& z, Where where = Where::current()) {
    return {detail::part("imag", z.node, where), detail::TypeOf<float>::make()};
}

namespace detail {
/// A name, and where it was written.
struct Named {
    Named(const char* name, Where where = Where::current()) : name(name), where(where) {}
    const char* name;
    Where where;
};
}  // namespace detail

/// A function of the language by its name, which gives an R: `call<Tensor<>>("matmul", a, b)`. Operands are staged values,
/// numbers, texts.
template <typename R, typename... Args>
Value<R> call(detail::Named function, const Args&... args) {
    return detail::builtin<R>(function.name, {detail::argument(args, function.where)...},
                              function.where);
}

template <typename... Args>
Made made(detail::Named function, const Args&... args) {
    return Made(detail::at(
        detail::node(STRC_NODE_BUILTIN, function.name, {detail::argument(args, function.where)...}),
        function.where));
}

/// `require(condition, text)`: what a filter asks of tensors.
inline void require(Operand<bool> condition, const char* text) {
    detail::evaluated("require", {condition.node, detail::argument(text, condition.where)},
                      condition.where);
}

/// Prints a value, or a text.
template <typename U>
void print(const U& value, Where where = Where::current()) {
    detail::evaluated("print", {detail::argument(value, where)}, where);
}
template <typename U>
void println(const U& value, Where where = Where::current()) {
    detail::evaluated("println", {detail::argument(value, where)}, where);
}

// Tensors: operators and the functions above work element by element; these are the most common others, and `call`
// has all (docs/tensors.md).
template <detail::Staged A, detail::Staged B>
Value<Tensor<>> matmul(const A& a, const B& b, Where where = Where::current()) {
    return detail::builtin<Tensor<>>("matmul", {a.read(where), b.read(where)}, where);
}
template <detail::Staged A>
Value<Tensor<>> softmax(const A& x, int dim = -1, Where where = Where::current()) {
    return detail::builtin<Tensor<>>("softmax", {x.read(where), detail::integer(dim)}, where);
}
template <detail::Staged A>
Value<Tensor<>> sum(const A& x, Where where = Where::current()) {
    return detail::builtin<Tensor<>>("sum", {x.read(where)}, where);
}
template <detail::Staged A>
Value<Tensor<>> reshape(const A& x, std::initializer_list<int> dims,
                        Where where = Where::current()) {
    std::vector<detail::NodeRef> args{x.read(where)};
    for (const int extent : dims) args.push_back(detail::integer(extent));
    return detail::builtin<Tensor<>>("reshape", std::move(args), where);
}
/// The only element of a tensor.
template <detail::Staged A>
Value<float> item(const A& x, Where where = Where::current()) {
    return detail::builtin<float>("item", {x.read(where)}, where);
}
/// An element of a tensor: `element(x, i, j)`.
template <detail::Staged A, typename... Index>
Value<float> element(const A& x, const Index&... index) {
    const Where nowhere;
    const detail::NodeRef type = detail::TypeOf<float>::make();
    return {detail::computed(type,
                             detail::node(STRC_NODE_INDEX,
                                          {x.read(nowhere), detail::argument(index, nowhere)...}),
                             nowhere),
            type};
}

}  // namespace strc

#endif
