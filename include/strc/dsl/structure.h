/// Structs of C++ as structs of the language.
///
///     struct Peak { float height; int index; };
///     STRC_STRUCT(Peak, height, index)
///
/// stands at namespace scope, names all fields in their order, and makes `Peak` a type of items, variables and fields;
/// `peak[&Peak::height]` is a field of a staged one. Items lie in memory as the C++ struct does if it has no padding.
#ifndef STRC_DSL_STRUCTURE_H
#define STRC_DSL_STRUCTURE_H

#include <strc/dsl/value.h>
#include <tuple>

namespace strc::detail {

template <typename S, typename Member>
struct FieldOf {
    const char* name;
    Member S::* pointer;
};
template <typename S, typename Member>
FieldOf(const char*, Member S::*) -> FieldOf<S, Member>;

/// The name of the field at that pointer.
template <typename Fields, typename S, typename Member>
std::string nameOfField(const Fields& fields, Member S::* wanted) {
    std::string found;
    std::apply(
        [&](const auto&... each) {
            auto look = [&](const auto& field) {
                if constexpr (std::same_as<decltype(field.pointer), Member S::*>)
                    if (field.pointer == wanted) found = field.name;
            };
            (look(each), ...);
        },
        fields);
    return found;
}

template <typename S, typename Member>
NodeRef fieldNode(const FieldOf<S, Member>& field) {
    return node(STRC_NODE_VARIABLE, field.name, {TypeOf<Member>::make()});
}

template <typename Fields>
NodeRef structNode(const char* name, const Fields& fields) {
    NodeRef made = node(STRC_NODE_STRUCT, name);
    std::apply([&](const auto&... each) { (made->children.push_back(fieldNode(each)), ...); },
               fields);
    return made;
}

}  // namespace strc::detail

#define STRC_DSL_EXPAND(...) STRC_DSL_EXPAND3(STRC_DSL_EXPAND3(STRC_DSL_EXPAND3(__VA_ARGS__)))
#define STRC_DSL_EXPAND3(...) STRC_DSL_EXPAND2(STRC_DSL_EXPAND2(STRC_DSL_EXPAND2(__VA_ARGS__)))
#define STRC_DSL_EXPAND2(...) STRC_DSL_EXPAND1(STRC_DSL_EXPAND1(STRC_DSL_EXPAND1(__VA_ARGS__)))
#define STRC_DSL_EXPAND1(...) __VA_ARGS__
#define STRC_DSL_PARENTHESES ()
#define STRC_DSL_FIELDS(Name, field, ...) \
    ::strc::detail::FieldOf{              \
        #field, &Name::field} __VA_OPT__(, STRC_DSL_AGAIN STRC_DSL_PARENTHESES(Name, __VA_ARGS__))
#define STRC_DSL_AGAIN() STRC_DSL_FIELDS

#define STRC_STRUCT(Name, ...)                                                      \
    template <>                                                                     \
    struct strc::detail::StructOf<Name> {                                           \
        static constexpr bool isKnown = true;                                       \
        static auto fields() {                                                      \
            return std::tuple{STRC_DSL_EXPAND(STRC_DSL_FIELDS(Name, __VA_ARGS__))}; \
        }                                                                           \
        static NodeRef type() {                                                     \
            static const NodeRef made = structNode(#Name, fields());                \
            return made;                                                            \
        }                                                                           \
        template <typename Member>                                                  \
        static std::string nameOf(Member Name::* field) {                           \
            return nameOfField(fields(), field);                                    \
        }                                                                           \
    };

#endif
