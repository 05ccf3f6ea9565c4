#pragma once
/// Makes syntax nodes of recorded ones: what bodies, types and streams have in common.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"
#include "dsl/detail/names.h"
#include "dsl/detail/places.h"
#include "dsl/tree.h"

namespace strc::dsl {

/// What literals and portals are called in a declaration, if they are its parameters.
using Bindings = std::map<NodeNumber, std::string>;

class Maker {
public:
    Maker(base::Context& context, const Tree& tree)
        : context(context), tree(tree), places(context, tree) {}

    ast::NodeId nextId() { return {context.nextNodeId++}; }
    template <typename T, typename... Rest>
    T* expr(base::SourceRange where, Rest... rest) {
        return make<T>(ast::Expr{T::kKind, nextId(), where}, rest...);
    }
    template <typename T, typename... Rest>
    T* stmt(base::SourceRange where, Rest... rest) {
        return make<T>(ast::Stmt{T::kKind, nextId(), where}, rest...);
    }
    template <typename T, typename... Rest>
    T* decl(base::SourceRange where, Rest... rest) {
        return make<T>(ast::Decl{T::kKind, nextId(), where}, rest...);
    }
    template <typename T>
    std::span<const T> copy(const std::vector<T>& items) {
        return context.arena.copy(items);
    }
    ast::Ident ident(std::string_view name, base::SourceRange where) {
        return {context.names.intern(name), where};
    }
    /// A name that cannot be another one: it is reported if it is no name at all.
    ast::Ident givenName(std::string_view name, base::SourceRange where);
    std::string_view keep(std::string_view text);
    const ast::Expr* name(std::string_view name, base::SourceRange where) {
        return expr<ast::NameRef>(where, context.names.intern(name));
    }

    /// A literal, a parameter that stands for it, a table.
    const ast::Expr* literal(NodeNumber, const Bindings&, base::SourceRange around);
    const ast::TypeExpr* type(NodeNumber, const Bindings&, base::SourceRange around);
    const ast::TypeExpr* primitive(ast::Primitive, base::SourceRange where);
    /// The type of a parameter that stands for such a constant; `receiver`: the name of a portal's stream.
    const ast::TypeExpr* typeOf(NodeNumber constant, std::string_view receiver,
                                base::SourceRange where);
    ast::Parameter parameter(const ast::TypeExpr* type, std::string_view name,
                             base::SourceRange where);
    const ast::BlockStmt* block(const std::vector<const ast::Stmt*>& statements,
                                base::SourceRange where);

    base::Context& context;
    const Tree& tree;
    Places places;
    std::map<NodeNumber, std::string> structs;  ///< their names

private:
    template <typename T, typename Base, typename... Rest>
    T* make(Base base, Rest... rest) {
        if constexpr (sizeof...(rest) > 0) return context.arena.make<T>(base, rest...);
        T empty{};
        static_cast<Base&>(empty) = base;
        return context.arena.make<T>(empty);
    }
    const ast::Expr* real(float value, base::SourceRange where);
    const ast::Expr* imaginary(float value, base::SourceRange where);
    const ast::Expr* integer(std::int64_t value, base::SourceRange where);
    const ast::TypeExpr* array(const ast::TypeExpr* element, const ast::Expr* bound,
                               base::SourceRange where);
};

/// Is that a name of the language, and no keyword?
bool isName(std::string_view);

}  // namespace strc::dsl
