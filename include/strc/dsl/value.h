/// Staged values, variables and arrays, and the operators on them.
///
/// `Value<T>` has been computed: it does not change any more. `Var<T>` is a variable: copying one declares another.
/// Operators take both, and ordinary C++ values, which become literals.
#ifndef STRC_DSL_VALUE_H
#define STRC_DSL_VALUE_H

#include <strc/dsl/types.h>
#include <vector>

namespace strc {

template <typename T>
class Expr;
template <typename T>
class Value;
template <typename T>
class Place;
template <typename T>
class Var;

/// A value of C++ that the text of the program calls by a name: a parameter of the streams that it stands in, and of
/// the program, where it can be set (`Options::keep`).
template <typename T>
class Param {
public:
    Param(std::string name, T value) : name(std::move(name)), value(value) {}
    operator T() const { return value; }
    std::string name;
    T value;
};

namespace detail {

template <typename T>
struct IsParam : std::false_type {};
template <typename T>
struct IsParam<Param<T>> : std::true_type {
    using Type = T;
};

template <typename U>
concept Scalar = std::is_arithmetic_v<U> || IsParam<U>::value;

template <typename U>
struct Plain {
    using Type = U;
};
template <typename U>
struct Plain<Param<U>> {
    using Type = U;
};
template <typename U>
using PlainOf = typename Plain<U>::Type;

template <typename T>
inline constexpr bool isTensor = false;
template <typename E>
inline constexpr bool isTensor<Tensor<E>> = true;
template <typename T>
inline constexpr bool isArray = false;
template <typename T>
inline constexpr bool isArray<Array<T>> = true;

/// The two ways to say an array, of elements that are alike; the compiler compares their extents.
template <typename L, typename T>
inline constexpr bool areAlike = std::same_as<L, T>;
template <typename L, typename T, std::size_t Count>
inline constexpr bool areAlike<Array<L>, std::array<T, Count>> = areAlike<L, T>;
template <typename L, typename T, std::size_t Count>
inline constexpr bool areAlike<std::array<L, Count>, Array<T>> = areAlike<L, T>;

/// Is an L taken where a T is wanted, as another type?
template <typename L, typename T>
inline constexpr bool promotes =
    areAlike<L, T> || (std::same_as<L, Bit> && (std::same_as<T, int> || std::same_as<T, float>)) ||
    (std::same_as<L, int> && (std::same_as<T, float> || std::same_as<T, Complex> || isTensor<T>)) ||
    (std::same_as<L, float> && (std::same_as<T, Complex> || isTensor<T>)) ||
    (isArray<L> && isTensor<T>);

template <typename A, typename T>
inline constexpr bool takesScalar =
    std::same_as<A, bool>
        ? std::same_as<T, bool>
        : (std::is_floating_point_v<A>
               ? (std::same_as<T, float> || std::same_as<T, Complex> || isTensor<T>)
               : std::is_integral_v<A> && !std::same_as<T, bool>);

/// A number of C++ as a literal of type T.
template <typename T, typename A>
NodeRef literal(A value) {
    if constexpr (IsParam<A>::value) {
        NodeRef made = literal<T>(value.value);
        made->name = value.name;
        return made;
    } else if constexpr (std::same_as<A, bool>) {
        NodeRef made = node(STRC_NODE_BOOLEAN);
        made->integer = value;
        return made;
    } else if constexpr (std::is_floating_point_v<A> || std::same_as<T, float>) {
        NodeRef made = node(STRC_NODE_REAL);
        made->number = static_cast<double>(value);
        return made;
    } else {
        return integer(static_cast<std::int64_t>(value));
    }
}

template <typename T>
NodeRef complexLiteral(const T& value) {
    NodeRef imaginary = node(STRC_NODE_IMAGINARY);
    imaginary->number = value.imag();
    return node(STRC_NODE_BINARY, "+", {literal<float>(value.real()), imaginary});
}

}  // namespace detail

namespace detail {

template <typename T>
inline constexpr bool isNumber = std::same_as<T, int> || std::same_as<T, float> ||
                                 std::same_as<T, Bit> || std::same_as<T, Complex> || isTensor<T>;
template <typename T>
inline constexpr bool isWhole = std::same_as<T, int> || std::same_as<T, Bit>;
template <typename T>
inline constexpr bool isOrdered = isNumber<T> && !std::same_as<T, Complex>;
template <typename T>
inline constexpr bool isBitwise = isWhole<T> || std::same_as<T, bool>;
template <typename T>
inline constexpr bool isBoolean = std::same_as<T, bool>;
template <typename T>
inline constexpr bool isComparable = isNumber<T> || isBoolean<T>;

/// What arithmetic gives, what comparing gives, and the same type.
template <typename T>
struct Arithmetic {
    using Type = T;
};
template <>
struct Arithmetic<Bit> {
    using Type = int;
};
template <typename T>
struct Compared {
    using Type = bool;
};
template <typename E>
struct Compared<Tensor<E>> {
    using Type = Tensor<bool>;
};
template <typename T>
struct Same {
    using Type = T;
};

/// The type in which a number of C++ meets a T.
template <typename A, typename T>
using Common = std::conditional_t<std::is_floating_point_v<PlainOf<A>> && isWhole<T>, float, T>;

template <typename T>
Value<T> binary(const char* op, NodeRef left, NodeRef right, const Where& where);
template <typename T>
Value<T> unary(const char* op, NodeRef operand, const Where& where);

}  // namespace detail

/// A right side where a T is wanted, and where that is written.
template <typename T>
class Operand {
public:
    template <typename L>
        requires detail::promotes<L, T>
    Operand(const Expr<L>& value, Where where = Where::current())
        : node(value.read(where)), where(where) {}
    template <detail::Scalar A>
        requires detail::takesScalar<detail::PlainOf<A>, T>
    Operand(const A& value, Where where = Where::current())
        : node(detail::at(detail::literal<T>(value), where)), where(where) {}
    Operand(const Complex& value, Where where = Where::current())
        requires std::same_as<T, Complex>
        : node(detail::computed(detail::named("complex"), detail::complexLiteral(value), where)),
          where(where) {}
    Operand(const char* text, Where where = Where::current())
        requires std::same_as<T, String>
        : node(detail::node(STRC_NODE_STRING)), where(where) {
        node->text = text;
    }

    detail::NodeRef node;
    Where where;
};

// Both sides are taken as T; a whole number meets a real one of C++ as a float.
#define STRC_DSL_BINARY(op, needs, Result)                                                     \
    friend auto operator op(Operand<T> a, Operand<T> b)                                        \
        requires detail::needs<T>                                                              \
    {                                                                                          \
        return detail::binary<typename detail::Result<T>::Type>(#op, a.node, b.node, b.where); \
    }                                                                                          \
    template <std::floating_point A>                                                           \
        requires detail::isWhole<T> && detail::needs<float>                                    \
    friend auto operator op(const Expr& a, const A& b) {                                       \
        const Where nowhere;                                                                   \
        return detail::binary<typename detail::Result<float>::Type>(                           \
            #op, a.read(nowhere), detail::literal<float>(b), nowhere);                         \
    }                                                                                          \
    template <std::floating_point A>                                                           \
        requires detail::isWhole<T> && detail::needs<float>                                    \
    friend auto operator op(const A& a, const Expr& b) {                                       \
        const Where nowhere;                                                                   \
        return detail::binary<typename detail::Result<float>::Type>(                           \
            #op, detail::literal<float>(a), b.read(nowhere), nowhere);                         \
    }

/// What values and places have in common. There is no way to a bool of C++: a staged value is not known while the graph is
/// built; If, While and select take it.
template <typename T>
class Expr {
public:
    Expr(detail::NodeRef node, detail::NodeRef type, bool isPlace)
        : node(std::move(node)), type(std::move(type)), isPlace(isPlace) {}

    /// Its value now.
    detail::NodeRef read(const Where& where) const {
        return isPlace ? detail::computed(type, node, where) : node;
    }

    STRC_DSL_BINARY(+, isNumber, Arithmetic)
    STRC_DSL_BINARY(-, isNumber, Arithmetic)
    STRC_DSL_BINARY(*, isNumber, Arithmetic)
    STRC_DSL_BINARY(/, isNumber, Arithmetic)
    STRC_DSL_BINARY(%, isWhole, Arithmetic)
    STRC_DSL_BINARY(<<, isWhole, Arithmetic)
    STRC_DSL_BINARY(>>, isWhole, Arithmetic)
    STRC_DSL_BINARY(&, isBitwise, Same)
    STRC_DSL_BINARY(|, isBitwise, Same)
    STRC_DSL_BINARY(^, isBitwise, Same)
    STRC_DSL_BINARY(<, isOrdered, Compared)
    STRC_DSL_BINARY(<=, isOrdered, Compared)
    STRC_DSL_BINARY(>, isOrdered, Compared)
    STRC_DSL_BINARY(>=, isOrdered, Compared)
    STRC_DSL_BINARY(==, isComparable, Compared)
    STRC_DSL_BINARY(!=, isComparable, Compared)
    STRC_DSL_BINARY(&&, isBoolean, Same)
    STRC_DSL_BINARY(||, isBoolean, Same)

    friend auto operator-(Operand<T> a)
        requires detail::isNumber<T>
    {
        return detail::unary<typename detail::Arithmetic<T>::Type>("-", a.node, a.where);
    }
    friend auto operator~(Operand<T> a)
        requires detail::isWhole<T>
    {
        return detail::unary<T>("~", a.node, a.where);
    }
    friend auto operator!(Operand<T> a)
        requires(detail::isBoolean<T> || detail::isTensor<T>)
    {
        return detail::unary<T>("!", a.node, a.where);
    }

    detail::NodeRef node, type;
    bool isPlace;
};
#undef STRC_DSL_BINARY

namespace detail {

template <typename L>
L typeIn(const Expr<L>&);
/// What U stages; there is no such type if U is no staged value.
template <typename U>
using StagedType = decltype(typeIn(std::declval<const U&>()));
template <typename U>
concept Staged = requires { typename StagedType<U>; };

/// The type of elements of an array.
template <typename T>
struct ElementOf;
template <typename T>
struct ElementOf<Array<T>> {
    using Type = T;
};
template <typename T, std::size_t Count>
struct ElementOf<std::array<T, Count>> {
    using Type = T;
};

template <typename T, typename Member>
NodeRef member(const Expr<T>& of, Member T::* field) {
    return node(STRC_NODE_MEMBER, StructOf<T>::nameOf(field), {of.node});
}
template <typename T>
NodeRef element(const Expr<T>& of, const Operand<int>& index) {
    return at(node(STRC_NODE_INDEX, {of.node, index.node}), index.where);
}

}  // namespace detail

/// A value that has been computed.
template <typename T>
class Value : public Expr<T> {
public:
    Value(detail::NodeRef node, detail::NodeRef type)
        : Expr<T>(std::move(node), std::move(type), false) {}
    /// A number of C++, or what a variable holds now.
    template <typename U>
        requires std::constructible_from<Operand<T>, const U&, Where> &&
                 (!std::same_as<U, Value>) && (!std::same_as<U, detail::NodeRef>)
    Value(const U& value, Where where = Where::current())
        : Expr<T>(Operand<T>(value, where).node, detail::TypeOf<T>::make(), false) {}
    Value(const Value&) = default;
    Value& operator=(const Value&) = delete;

    /// An element of an array.
    template <typename A = T>
    Value<typename detail::ElementOf<A>::Type> operator[](Operand<int> index) const {
        const detail::NodeRef type = this->type->children[0];
        return {detail::computed(type, detail::element(*this, index), index.where), type};
    }
    /// A field of a struct, by its name in C++: `item[&Item::x]`.
    template <typename Member, typename S = T>
    Value<Member> operator[](Member S::* field) const {
        const detail::NodeRef type = detail::TypeOf<Member>::make();
        return {detail::computed(type, detail::member(*this, field), Where()), type};
    }
};

/// What can be assigned: a variable, an element of an array, a field of a struct.
template <typename T>
class Place : public Expr<T> {
public:
    Place(detail::NodeRef node, detail::NodeRef type)
        : Expr<T>(std::move(node), std::move(type), true) {}
    Place(const Place&) = default;

    template <typename U>
        requires std::constructible_from<Operand<T>, const U&, Where>
    Place& operator=(const U& value) {
        return assign("=", Operand<T>(value, Where()));
    }
    Place& operator=(const Place& other) { return assign("=", Operand<T>(other, Where())); }
    Place& operator+=(Operand<T> value) { return assign("+=", value); }
    Place& operator-=(Operand<T> value) { return assign("-=", value); }
    Place& operator*=(Operand<T> value) { return assign("*=", value); }
    Place& operator/=(Operand<T> value) { return assign("/=", value); }
    Place& operator%=(Operand<T> value) { return assign("%=", value); }
    Place& operator<<=(Operand<T> value) { return assign("<<=", value); }
    Place& operator>>=(Operand<T> value) { return assign(">>=", value); }
    Place& operator&=(Operand<T> value) { return assign("&=", value); }
    Place& operator|=(Operand<T> value) { return assign("|=", value); }
    Place& operator^=(Operand<T> value) { return assign("^=", value); }
    Place& operator++() { return assign("+=", Operand<T>(1, Where())); }
    Place& operator--() { return assign("-=", Operand<T>(1, Where())); }
    /// The value before.
    Value<T> operator++(int) { return step("+="); }
    Value<T> operator--(int) { return step("-="); }

    template <typename A = T>
    Place<typename detail::ElementOf<A>::Type> operator[](Operand<int> index) const {
        return {detail::element(*this, index), this->type->children[0]};
    }
    template <typename Member, typename S = T>
    Place<Member> operator[](Member S::* field) const {
        return {detail::member(*this, field), detail::TypeOf<Member>::make()};
    }

private:
    Place& assign(const char* op, const Operand<T>& value) {
        detail::NodeRef made = detail::node(STRC_NODE_ASSIGN, op, {this->node, value.node});
        detail::at(made, value.where);
        if (made->line == 0) detail::at(made, *value.node);
        detail::addStatement(made, op);
        return *this;
    }
    Value<T> step(const char* op) {
        const Value<T> before(this->read(Where()), this->type);
        assign(op, Operand<T>(1, Where()));
        return before;
    }
};

namespace detail {

/// A variable that is declared here.
inline NodeRef declared(const char* name, NodeRef type, NodeRef initial, const Where& where) {
    NodeRef made = node(STRC_NODE_VARIABLE, name, {std::move(type)});
    if (initial) made->children.push_back(std::move(initial));
    addStatement(at(made, where), "a variable");
    return made;
}

template <typename T>
Value<T> binary(const char* op, NodeRef left, NodeRef right, const Where& where) {
    NodeRef type = TypeOf<T>::make();
    NodeRef made = at(node(STRC_NODE_BINARY, op, {std::move(left), std::move(right)}), where);
    return Value<T>(computed(type, std::move(made), where), type);
}
template <typename T>
Value<T> unary(const char* op, NodeRef operand, const Where& where) {
    NodeRef type = TypeOf<T>::make();
    NodeRef made = at(node(STRC_NODE_UNARY, op, {std::move(operand)}), where);
    return Value<T>(computed(type, std::move(made), where), type);
}

}  // namespace detail

/// A variable. Without an initial value it begins as zero. A copy is another variable, which begins with its value.
template <typename T>
class Var : public Place<T> {
public:
    explicit Var(Where where = Where::current())
        : Var(detail::declared("", detail::TypeOf<T>::make(), nullptr, where),
              detail::TypeOf<T>::make()) {}
    template <typename U>
        requires std::constructible_from<Operand<T>, const U&, Where>
    Var(const U& initial, Where where = Where::current()) : Var("", initial, where) {}
    /// `Var<float> sum("sum", 0)`: what the text calls it.
    template <typename U>
        requires std::constructible_from<Operand<T>, const U&, Where>
    Var(const char* name, const U& initial, Where where = Where::current())
        : Var(detail::declared(name, detail::TypeOf<T>::make(), Operand<T>(initial, where).node,
                               where),
              detail::TypeOf<T>::make()) {}
    Var(const Var& other, Where where = Where::current())
        : Var(detail::declared("", other.type, other.read(where), where), other.type) {}
    /// For the library: a variable that has been declared.
    Var(detail::NodeRef node, detail::NodeRef type) : Place<T>(std::move(node), std::move(type)) {}

    using Place<T>::operator=;
    Var& operator=(const Var& other) {
        Place<T>::operator=(static_cast<const Place<T>&>(other));
        return *this;
    }
};

/// `Array<float> a(8)`, `Array<Array<float>> m(4, 8)`: a local array of zeros.
template <typename T>
class Array : public Place<Array<T>> {
public:
    explicit Array(std::size_t extent, Where where = Where::current())
        : Array("", {extent}, where) {}
    Array(std::size_t rows, std::size_t columns, Where where = Where::current())
        : Array("", {rows, columns}, where) {}
    Array(const char* name, std::initializer_list<std::size_t> extents,
          Where where = Where::current())
        : Array(nullptr, detail::ArrayType<Array>::make(extents.begin(), extents.end())) {
        this->node = detail::declared(name, this->type, nullptr, where);
    }
    /// For the library: an array that has been declared.
    Array(detail::NodeRef node, detail::NodeRef type)
        : Place<Array>(std::move(node), std::move(type)) {}
    Array(const Array&) = default;

    using Place<Array>::operator=;
    Array& operator=(const Array& other) {
        Place<Array>::operator=(static_cast<const Place<Array>&>(other));
        return *this;
    }
};

}  // namespace strc

#endif
