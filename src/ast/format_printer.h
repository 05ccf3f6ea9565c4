#pragma once
/// The style of `strc fmt`, construct by construct: walks the tree and sends its tokens through a
/// TokenPrinter, with the groups and breaks around them.

#include <cstdint>
#include <span>
#include <vector>

#include "ast/format_layout.h"
#include "ast/format_tokens.h"
#include "ast/nodes.h"

namespace strc::ast {

class FormatPrinter {
public:
    FormatPrinter(const Unit& tree, const base::SourceManager& sources, Layout& to)
        : unit(tree), tokens(tree, sources, to), layout(to) {}

    void print();

private:
    static constexpr int kIndent = 4;
    static constexpr std::size_t kContinued = 4;        ///< further lines of a statement
    static constexpr std::size_t kHeaderContinued = 8;  ///< of what a block follows

    // format_expressions.cpp
    void type(const TypeExpr& type);
    void shape(std::span<const TypeExpr* const> dimensions);
    void expr(const Expr& expr);
    void prefixed(const Expr& expr);
    void suffixed(const Expr& expr);
    void suffix(const Expr& expr);
    void binary(const BinaryExpr& expr);
    void conditional(const ConditionalExpr& expr);
    void arrayLiteral(const ArrayLiteral& table);
    void arguments(std::span<const Expr* const> args);
    void separator(bool isFirst);

    // format_statements.cpp
    void statement(const Stmt& stmt);
    void statements(std::span<const Stmt* const> list, BreakKind kind);
    void simple(const Stmt& stmt);
    void expression(const char* keyword, const Expr* value);
    void variables(const VariablesStmt& stmt);
    void assign(const AssignStmt& stmt);
    void message(const MessageStmt& stmt);
    void create(const CreateStmt& stmt);
    void creation(const CreateStmt& stmt);
    void portals(std::span<const Ident> names);
    void split(const SplitterStmt& stmt);
    void ifChain(const IfStmt& first);
    void condition(const Expr& expr);
    void whileLoop(const WhileStmt& stmt);
    void doLoop(const DoWhileStmt& stmt);
    void forLoop(const ForStmt& stmt);
    void body(const Stmt& stmt);
    void block(const BlockStmt& block);
    void bodyBlock(const BlockStmt& block);
    /// `;` that mean nothing, before offset `until`; the optional one of an anonymous stream stays.
    void strayTokens(const Stmt* before, std::uint32_t until);

    // format_declarations.cpp
    void declaration(const Decl& decl);
    void initDecl(const InitDecl& decl);
    void members(std::span<const Decl* const> list, std::uint32_t end);
    void structDecl(const StructDecl& decl);
    void package(const char* keyword, Ident name, std::span<const FunctionDecl* const> functions,
                 std::uint32_t end);
    void function(const FunctionDecl& decl);
    void handler(const HandlerDecl& decl);
    void work(const WorkDecl& decl);
    void stream(const StreamDecl& decl);
    void streamHeader(const StreamDecl& decl);
    void parameters(std::span<const Parameter> params);
    void rates(std::span<const RateClause> clauses);
    void rate(const RateClause& clause);
    void dynamicRate(const RateClause& clause);
    void rateBound(const Expr* bound);

    void begin(GroupMode mode);
    void begin(GroupMode mode, std::size_t indent);
    /// A header is what a block follows; its further lines are indented more than the block.
    void beginHeader();
    void endHeader();
    /// `{ … }` in the present group. What is inside stays on one line if in the source all of it,
    /// up to offset `end`, was on one line, and if it fits. Soft: there is nothing inside.
    BreakKind openBlock(std::uint32_t end, bool isEmpty);
    void closeBlock(BreakKind kind);

    const Unit& unit;
    TokenPrinter tokens;
    Layout& layout;
    std::size_t continued = kContinued;
};

}  // namespace strc::ast
