#pragma once
/// Bodies of filters: work, init, functions, handlers.
///
/// A VALUE is computed where it was recorded. In the text it is a part of the expression that uses it, if nobody can tell
/// the difference: it is used once, in the same block, before the next statement, and nothing that it is moved over has to do
/// with what it does. Else it is a local variable. (Davidson and Fraser's combining of adjacent instructions, in reverse
/// of how compilers name intermediate results.)

#include <map>
#include <string>
#include <vector>

#include "dsl/detail/maker.h"

namespace strc::dsl {

/// What is declared outside of a body and visible in it.
struct Surroundings {
    const Bindings* bindings;
    const Names* names;
    std::map<NodeNumber, std::string> declared;  ///< fields and functions
};

class Body {
public:
    Body(Maker& maker, const Surroundings& around)
        : m(maker), around(around), names(around.names), visible(around.declared) {}

    std::span<const ast::Parameter> parameters(std::span<const NodeNumber> variables,
                                               base::SourceRange where);
    const ast::BlockStmt* whole(NodeNumber block, base::SourceRange where);
    /// An expression outside of blocks: the initial value of a field, a rate.
    const ast::Expr* constant(NodeNumber expr, base::SourceRange where) {
        return expression(expr, where);
    }

private:
    /// What computing an expression does beside giving a value.
    struct Effects {
        bool reads = false;  ///< variables that calls may change
        bool peeks = false, moves = false;  ///< the tape
        bool isAnything = false;  ///< a call

        bool isPure() const { return !moves && !isAnything; }
        void operator|=(const Effects&);
        bool commutesWith(const Effects&) const;
    };
    /// A value that has been computed, but stands nowhere yet.
    struct Pending {
        NodeNumber value;
        const ast::Expr* expr;
        Effects effects;
        int depth;
    };
    /// A value that an expression uses.
    struct Operand {
        std::size_t pending;
        bool isConditional;  ///< it may not be needed
    };
    /// A block: its statements so far, and what is declared in it.
    struct Frame {
        explicit Frame(const Names* around) : names(around) {}
        Names names;
        std::vector<Pending> pending;
        std::vector<const ast::Stmt*> statements;
        std::vector<NodeNumber> declared;
    };
    struct Inlined {
        const ast::Expr* expr;
        Effects effects;
        int depth;
    };

    void count(NodeNumber node, bool isDeclared);
    const ast::BlockStmt* block(NodeNumber, base::SourceRange around);
    void statements(NodeNumber block, base::SourceRange where);
    void statement(NodeNumber, base::SourceRange around);
    void value(NodeNumber, base::SourceRange where);
    void variable(NodeNumber, base::SourceRange where);
    void assign(const Node&, base::SourceRange where);
    void choice(const Node&, base::SourceRange where);
    void whileLoop(const Node&, base::SourceRange where);
    void forLoop(const Node&, base::SourceRange where);
    void send(const Node&, base::SourceRange where);
    void evaluate(NodeNumber expr, base::SourceRange where);
    void add(const ast::Stmt* stmt) { frame->statements.push_back(stmt); }
    /// All that is pending becomes statements.
    void flush();
    /// Decides what of the pending values becomes part of those expressions, which are evaluated in that order.
    void fold(std::initializer_list<NodeNumber> exprs);
    void foldAll(std::span<const NodeNumber> exprs);
    void operandsOf(NodeNumber expr, bool isConditional, std::vector<Operand>& found,
                    Effects& between, bool isRoot);
    bool mayMove(const Operand&, std::size_t place, const std::vector<Operand>& all,
                 const Effects& between) const;
    Effects ownEffects(NodeNumber expr) const;
    bool mayChange(NodeNumber variable) const;
    Effects effectsOf(NodeNumber expr) const;
    int depthOf(NodeNumber expr) const;
    bool isConstantHere(NodeNumber) const;

    const ast::Expr* expression(NodeNumber, base::SourceRange around);
    const ast::Expr* used(NodeNumber, base::SourceRange where);
    const ast::Expr* operation(NodeNumber, base::SourceRange where);
    const ast::Expr* called(const Node&, base::SourceRange where);
    std::span<const ast::Expr* const> expressions(std::span<const NodeNumber>,
                                                  base::SourceRange where);
    const ast::Stmt* local(NodeNumber node, std::string_view name, const ast::Expr* value,
                           base::SourceRange where);
    const std::string& declare(NodeNumber node);

    Maker& m;
    const Surroundings& around;
    Names names;
    std::map<NodeNumber, std::string> visible;
    std::map<NodeNumber, int> uses;
    std::map<NodeNumber, Inlined> inlined;
    Frame* frame = nullptr;
};

}  // namespace strc::dsl
