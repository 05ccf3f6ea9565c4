/// Types of staged values, and what C++ types stand for them.
#ifndef STRC_DSL_TYPES_H
#define STRC_DSL_TYPES_H

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <strc/dsl/record.h>
#include <type_traits>

namespace strc {

using Complex = std::complex<float>;

/// `bit`: an item of one byte, 0 or 1.
struct Bit {
    std::uint8_t value = 0;
};

/// `tensor`, whose shape is inferred.
template <typename Element = float>
struct Tensor {};

/// `String`: texts for `print`.
struct String {};

/// An array whose extent is known when the graph is built; as an item type its extents are given by `arrayOf`.
template <typename T>
class Array;

namespace detail {

/// Structures that STRC_STRUCT has made known.
template <typename T>
struct StructOf {
    static constexpr bool isKnown = false;
};

inline NodeRef named(const char* name) { return node(STRC_NODE_TYPE, name); }

template <typename T>
struct TypeOf {
    static NodeRef make() {
        static_assert(StructOf<T>::isKnown,
                      "the language has no such type: use float, int, bool, strc::Bit, "
                      "strc::Complex, std::array, strc::Tensor, "
                      "or make a struct known by STRC_STRUCT");
        return StructOf<T>::type();
    }
};
template <>
struct TypeOf<void> {
    static NodeRef make() { return named("void"); }
};
template <>
struct TypeOf<float> {
    static NodeRef make() { return named("float"); }
};
template <>
struct TypeOf<int> {
    static NodeRef make() { return named("int"); }
};
template <>
struct TypeOf<bool> {
    static NodeRef make() { return named("boolean"); }
};
template <>
struct TypeOf<Bit> {
    static NodeRef make() { return named("bit"); }
};
template <>
struct TypeOf<Complex> {
    static NodeRef make() { return named("complex"); }
};
template <>
struct TypeOf<String> {
    static NodeRef make() { return named("String"); }
};
template <typename Element>
struct TypeOf<Tensor<Element>> {
    static NodeRef make() { return named("tensor"); }
};

inline NodeRef integer(std::int64_t value) {
    NodeRef made = node(STRC_NODE_INT);
    made->integer = value;
    return made;
}
inline NodeRef arrayType(NodeRef element, NodeRef extent) {
    return node(STRC_NODE_ARRAY_TYPE, {std::move(element), std::move(extent)});
}
template <typename T, std::size_t Count>
struct TypeOf<std::array<T, Count>> {
    static NodeRef make() { return arrayType(TypeOf<T>::make(), integer(Count)); }
};

/// `float[n][m]` for Array<Array<float>> with the extents {n, m}.
template <typename T>
struct ArrayType {
    static NodeRef make(const std::size_t*, const std::size_t*) { return TypeOf<T>::make(); }
    static constexpr std::size_t rank = 0;
};
template <typename T>
struct ArrayType<Array<T>> {
    static NodeRef make(const std::size_t* next, const std::size_t* end) {
        return arrayType(ArrayType<T>::make(next + 1, end),
                         integer(next < end ? static_cast<std::int64_t>(*next) : 0));
    }
    static constexpr std::size_t rank = ArrayType<T>::rank + 1;
};

}  // namespace detail

/// The type of items, where C++'s does not say all of it.
template <typename T>
struct ItemType {
    ItemType() : node(detail::TypeOf<T>::make()) {}
    explicit ItemType(detail::NodeRef type) : node(std::move(type)) {}
    detail::NodeRef node;
};
template <typename T>
struct ItemType<Array<T>> {
    explicit ItemType(detail::NodeRef type) : node(std::move(type)) {}
    detail::NodeRef node;
};

/// `arrayOf<float>(8, 4)`: items that are `float[8][4]`, of the C++ type Array<Array<float>>.
template <typename T>
ItemType<Array<T>> arrayOf(std::size_t extent) {
    return ItemType<Array<T>>(detail::ArrayType<Array<T>>::make(&extent, &extent + 1));
}
template <typename T>
ItemType<Array<Array<T>>> arrayOf(std::size_t rows, std::size_t columns) {
    const std::size_t extents[] = {rows, columns};
    return ItemType<Array<Array<T>>>(
        detail::ArrayType<Array<Array<T>>>::make(extents, extents + 2));
}
/// `tensorOf<float>({2, 8})`: items that are `tensor<float>[2, 8]`.
template <typename T>
ItemType<Tensor<T>> tensorOf(std::initializer_list<int> dims) {
    const detail::NodeRef made = detail::node(STRC_NODE_TENSOR_TYPE, {detail::TypeOf<T>::make()});
    for (const int extent : dims) made->children.push_back(detail::integer(extent));
    made->integer = dims.size() == 0;
    return ItemType<Tensor<T>>(made);
}

}  // namespace strc

#endif
