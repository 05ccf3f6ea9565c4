#pragma once
/// ANTLR's tree to the AST, from the labels of the grammar alone. Functions do this in headers by subject: build_types.h,
/// build_expressions.h, build_statements.h and build_declarations.h. They report texts that the grammar lets through
/// although the language does not (marked (*) there).
///
/// A context is complete, absent (null), or carries an exception: then the error strategy has
/// reported a fault in it, and an Error node takes its place. Recursion follows the nesting, which
/// the parser has bounded; chains that the grammar reads in a loop but that make deep trees
/// (operators, suffixes, `else if`) count against Limits::treeDepth.

#include <span>
#include <string_view>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"
#include "parser/detail/antlr.h"

namespace strc::parser {

using Exprs = std::span<const ast::Expr* const>;
using ExprList = std::vector<const ast::Expr*>;

/// Makes the nodes of a buffer's tree: their ranges, names and numbers, and reports about them.
class Builder {
public:
    Builder(base::Context& context, base::BufferId buffer) : context(context), buffer(buffer) {}

    template <typename T>
    std::span<const T> copy(const std::vector<T>& items) {
        return context.arena.copy(items);
    }

    base::SourceRange range(const Token* token) const;
    base::SourceRange range(const Token* first, const Token* last) const;
    base::SourceRange range(const antlr4::ParserRuleContext*) const;
    std::string_view text(const Token* token) const { return context.sources.text(range(token)); }
    ast::Ident ident(const Token*);
    ast::NodeId nextId() { return {context.nextNodeId++}; }
    /// A node with all its fields; or with none, to be filled in.
    template <typename T, typename Base, typename... Rest>
    T* node(Base base, Rest... rest) {
        if constexpr (sizeof...(rest) > 0) return context.arena.make<T>(base, rest...);
        T empty{};
        static_cast<Base&>(empty) = base;
        return context.arena.make<T>(empty);
    }
    template <typename T, typename... Rest>
    T* expr(base::SourceRange where, Rest... rest) {
        return node<T>(ast::Expr{T::kKind, nextId(), where}, rest...);
    }
    template <typename T, typename... Rest>
    T* stmt(base::SourceRange where, Rest... rest) {
        return node<T>(ast::Stmt{T::kKind, nextId(), where}, rest...);
    }
    template <typename T, typename... Rest>
    T* decl(base::SourceRange where, Rest... rest) {
        return node<T>(ast::Decl{T::kKind, nextId(), where}, rest...);
    }
    base::Diagnostic& report(base::Diag id, base::SourceRange where) {
        return context.diags.add(id, where);
    }
    void reportUnexpected(const Token*, std::string_view hint);

    const ast::Expr* errorExpr(base::SourceRange where) { return expr<ast::ErrorExpr>(where); }

    base::Context& context;
    base::BufferId buffer;
    std::size_t depth = 0;
    std::string_view inside;  ///< the owner of the present block, for messages
};

/// Counts levels of the tree while it lives; `fits` is false, and that reported, where there are too many.
class Levels {
public:
    Levels(Builder& builder, std::size_t count, const Token* where);
    ~Levels() { builder.depth -= count; }
    Levels(const Levels&) = delete;
    bool fits;

private:
    Builder& builder;
    std::size_t count;
};

}  // namespace strc::parser
