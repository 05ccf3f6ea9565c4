#pragma once
/// ANTLR's tree to the AST, from the labels of the grammar alone. What the grammar lets through
/// although the language does not (marked (*) there) is reported here.
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

/// A variable, or a field or element of one.
bool isPlace(const ast::Expr*);

class Builder {
public:
    Builder(base::Context& context, base::BufferId buffer)
        : context(context), buffer(buffer), source(context.sources.text(buffer)) {}

    const ast::Decl* declaration(Grammar::DeclarationContext*);
    const ast::Stmt* substatement(Grammar::SubstatementContext*);
    const ast::Expr* expression(Grammar::ExpressionContext*);

    template <typename T>
    std::span<const T> copy(const std::vector<T>& items) {
        return context.arena.copy(items);
    }

private:
    using Exprs = std::span<const ast::Expr* const>;
    using ExprList = std::vector<const ast::Expr*>;
    struct Bound {
        const ast::Expr* value;
        base::SourceRange range;
    };

    // Ranges, names, nodes
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

    /// Counts levels of the tree while it lives; `fits` is false, and that reported, where there
    /// are too many.
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

    // Expressions
    const ast::Expr* errorExpr(base::SourceRange where) { return expr<ast::ErrorExpr>(where); }
    const ast::Expr* binaryChain(Grammar::OperandContext* first,
                                 std::span<Grammar::LinkContext* const>);
    const ast::Expr* operand(Grammar::OperandContext*);
    const ast::Expr* primary(Grammar::OperandContext*);
    const ast::Expr* literal(const Token*);
    const ast::Expr* vectorLiteral(const Token*, Grammar::ArgumentsContext*);
    const ast::Expr* tape(const Token* keyword, Grammar::ExpressionContext* offset,
                          const Token* close);
    const ast::Expr* nameOrCall(const Token* name, Grammar::ArgumentsContext*);
    template <typename Context>
    const ast::Expr* headOf(Context*);
    const ast::Expr* suffixed(const ast::Expr*, const std::vector<Grammar::SuffixContext*>&,
                              std::size_t count);
    const ast::Expr* suffix(const ast::Expr*, Grammar::SuffixContext*);
    const ast::Expr* index(const ast::Expr*, Grammar::SuffixContext*);
    Exprs positions(Grammar::SuffixContext*);
    const ast::Expr* prefixed(const Token* prefix, const ast::Expr*);
    const ast::Expr* increment(base::SourceRange, const Token* op, bool prefix, const ast::Expr*);
    const ast::Expr* initialiser(Grammar::InitialiserContext*);
    Exprs values(Grammar::ArgumentsContext*);
    std::span<const ast::Argument> creatorArguments(Grammar::ArgumentsContext*);
    ast::Ident argumentName(Grammar::ArgumentContext*);

    // Types and variables
    const ast::TypeExpr* typeNode(ast::TypeExpr);
    const ast::TypeExpr* errorType(base::SourceRange);
    const ast::TypeExpr* primitiveType(const Token*);
    const ast::TypeExpr* namedType(const Token*);
    const ast::TypeExpr* arrayType(const ast::TypeExpr* item, const std::vector<Bound>&);
    const ast::TypeExpr* type(Grammar::TypeContext*);
    const ast::TypeExpr* type(Grammar::BuiltinTypeContext*);
    const ast::TypeExpr* type(Grammar::PlaceContext*);
    const ast::TypeExpr* bounded(const ast::TypeExpr*, const std::vector<Grammar::BoundContext*>&);
    const ast::TypeExpr* generic(const Token* name, Grammar::TypeContext* argument,
                                 const Token* close, const std::vector<Grammar::BoundContext*>&);
    const ast::TypeExpr* shaped(const ast::TypeExpr* tensor, Grammar::BoundContext*);
    const ast::Expr* boundValue(Grammar::ExpressionContext*, base::SourceRange brackets);
    ast::Declarator declarator(const Token* name, Grammar::InitialiserContext*);
    std::span<const ast::Declarator> declarators(const std::vector<Grammar::DeclaratorContext*>&);

    // Statements
    const ast::BlockStmt* block(Grammar::BlockContext*, std::string_view inside);
    const ast::Stmt* statement(Grammar::StatementContext*);
    const ast::Stmt* plain(Grammar::PlainStatementContext*);
    const ast::Stmt* loop(Grammar::PlainStatementContext*);
    const ast::Expr* condition(Grammar::ConditionContext*);
    const ast::Stmt* ifStatement(Grammar::IfStatementContext*);
    const ast::Stmt* simple(Grammar::SimpleStatementContext*, const Token* end);
    const ast::Stmt* assignment(Grammar::SimpleStatementContext*, base::SourceRange);
    const ast::Stmt* standAlone(Grammar::PlaceContext*, base::SourceRange);
    const ast::Stmt* message(Grammar::PlaceContext*, base::SourceRange);
    void latency(ast::MessageStmt&, Grammar::SuffixContext*);
    const ast::Stmt* variables(Grammar::SimpleStatementContext*, base::SourceRange);
    const ast::Stmt* create(Grammar::PlainStatementContext*);
    const ast::Stmt* namedCreation(Grammar::CreatorContext*, ast::CreateRole, base::SourceRange);
    ast::Ident creatorName(Grammar::CreatorContext*, const Token* keyword);
    const ast::StreamDecl* anonymous(Grammar::CreatorContext*);
    void checkStateful(const Token* stateful, const Token* kind);
    const ast::Stmt* splitOrJoin(Grammar::PlainStatementContext*);
    const ast::Stmt* misplacedPart(Grammar::PlainStatementContext*);
    void checkElse(const Token* elseToken, Grammar::SubstatementContext* before);

    // Declarations
    const ast::Decl* structDecl(Grammar::StructDeclarationContext*);
    const ast::Decl* streamDecl(Grammar::StreamDeclarationContext*);
    const ast::Decl* staticDecl(Grammar::StaticBlockContext*);
    const ast::Decl* staticMember(Grammar::StatementContext*);
    const ast::Decl* nativeDecl(Grammar::NativeDeclarationContext*);
    const ast::Decl* helperDecl(Grammar::HelperDeclarationContext*);
    const ast::FunctionDecl* function(Grammar::FunctionContext*);
    std::span<const ast::Decl* const> members(Grammar::FilterBodyContext*);
    const ast::Decl* member(Grammar::MemberContext*);
    const ast::Decl* work(Grammar::WorkDeclarationContext*);
    const ast::Decl* handler(Grammar::HandlerDeclarationContext*, base::SourceRange);
    const ast::Decl* init(Grammar::InitBlockContext*);
    std::span<const ast::RateClause> rates(const std::vector<Grammar::RateClauseContext*>&);
    ast::RateClause rate(Grammar::RateClauseContext*);
    std::span<const ast::Parameter> parameters(Grammar::FormalsContext*, bool defaults);

    base::Context& context;
    base::BufferId buffer;
    std::string_view source;
    std::size_t depth = 0;
    std::string_view inside;  ///< what the present block belongs to, for messages
};

}  // namespace strc::parser
