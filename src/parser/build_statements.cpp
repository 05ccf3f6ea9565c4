// Statements, with the creation of streams.

#include "parser/detail/build_statements.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/spelling.h"
#include "parser/detail/build_declarations.h"
#include "parser/detail/build_expressions.h"
#include "parser/detail/build_types.h"

namespace strc::parser {

using base::Diag;
using base::SourceRange;

namespace {

ast::AssignOp assignOperator(const Token* token) {
    using enum ast::AssignOp;
    switch (token->getType()) {
        case Grammar::ASSIGN: return Plain;
        case Grammar::PLUS_ASSIGN: return Add;
        case Grammar::MINUS_ASSIGN: return Subtract;
        case Grammar::STAR_ASSIGN: return Multiply;
        case Grammar::SLASH_ASSIGN: return Divide;
        case Grammar::LEFT_ASSIGN: return ShiftLeft;
        case Grammar::RIGHT_ASSIGN: return ShiftRight;
        case Grammar::PERCENT_ASSIGN: return Remainder;
        case Grammar::AND_ASSIGN: return And;
        case Grammar::OR_ASSIGN: return Or;
        case Grammar::XOR_ASSIGN: return Xor;
        default: break;
    }
    STRC_ASSERT(false, "not an assignment operator");
    return Plain;
}

/// `;` that follow what could stand before `else`, but do not belong to it. An anonymous stream may
/// have one.
std::size_t strayBeforeElse(Grammar::SubstatementContext* c) {
    while (true) {
        if (c->empty) return c->extra.size();
        auto* statement = c->item;
        if (!statement || statement->exception) return 0;
        auto* plain = statement->plain;
        if (auto* branch = statement->branch) {
            if (branch->empty) return branch->extra.size();
            plain = branch->otherwise;
            if (!plain) {
                c = branch->heads.back()->body;
                continue;
            }
        }
        const auto keyword = plain->start->getType();
        if (keyword == Grammar::WHILE || keyword == Grammar::FOR) {
            c = plain->body;
            continue;
        }
        const bool ownSemicolon =
            plain->child && plain->child->anonymous && !plain->child->anonymous->receivers;
        return plain->extra.size() - (ownSemicolon && !plain->extra.empty() ? 1 : 0);
    }
}

/// A name alone may be a statement of one word, mistyped.
void suggestKeyword(base::Diagnostic& fault, const ast::Expr& value) {
    auto* alone = ast::tryAs<ast::NameRef>(&value);
    if (!alone) return;
    base::SpellingSearch search(alone->name.text());
    for (std::string_view word : {"return", "break", "continue", "else"}) search.consider(word);
    if (!search.best().empty()) fault.note(Diag::DidYouMean) << search.best();
}

/// Who writes `=` where a value is needed means to compare, so that is what the tree says.
const ast::Expr* condition(Builder& b, Grammar::ConditionContext* c) {
    if (!c || c->exception) return b.errorExpr(b.range(c));
    const auto* left = expression(b, c->value);
    if (!c->assigned) return left;
    const auto where = b.range(c->assigned);
    const auto* right = expression(b, c->other);
    (b.report(Diag::ExpectedToken, where) << "')'" << "'='").fix(where, "==");
    return b.expr<ast::BinaryExpr>(left->range.to(right->range), ast::BinaryOp::Equal, where, left,
                                   right);
}

void checkElse(Builder& b, const Token* elseToken, Grammar::SubstatementContext* before) {
    if (strayBeforeElse(before) > 0) b.reportUnexpected(elseToken, "a ';' too many ends the 'if'");
}

const ast::Stmt* assignment(Builder& b, Grammar::SimpleStatementContext* c, SourceRange where) {
    Levels levels(b, c->target->suffixes.size(), c->start);
    if (!levels.fits) return b.stmt<ast::ErrorStmt>(where);
    const auto* target =
        suffixed(b, headOf(b, c->target), c->target->suffixes, c->target->suffixes.size());
    const auto* value = expression(b, c->value);
    if (!isPlace(target)) {
        b.report(Diag::NotAssignable, target->range);
        return b.stmt<ast::ErrorStmt>(where);
    }
    return b.stmt<ast::AssignStmt>(where, assignOperator(c->op), b.range(c->op), target, value);
}

void latency(Builder& b, ast::MessageStmt& message, Grammar::SuffixContext* c) {
    message.latencyRange = b.range(c);
    message.hasLatency = true;
    if (!c->close) {  // `.f` or `++`
        b.reportUnexpected(c->start, "only a latency can follow a message");
    } else if (c->star) {
        message.bestEffort = true;
    } else if (!c->colon) {
        b.report(Diag::ExpectedToken, b.range(c->close)) << "':'" << "']'";
    }
    if (c->low) message.minLatency = expression(b, c->low);
    if (c->high) message.maxLatency = expression(b, c->high);
}

/// `p.h(args) [a:b]`; without a latency it may be the call of a package's function.
const ast::Stmt* message(Builder& b, Grammar::PlaceContext* c, SourceRange where) {
    auto* call = c->suffixes[0];
    auto* node = b.stmt<ast::MessageStmt>(where);
    node->portal = b.ident(c->name);
    node->handler = b.ident(call->field);
    node->args = values(b, call->call);
    if (c->suffixes.size() == 2) latency(b, *node, c->suffixes[1]);
    return node;
}

/// A call, a message, `pop()`, `x++`.
const ast::Stmt* standAlone(Builder& b, Grammar::PlaceContext* c, SourceRange where) {
    Levels levels(b, c->suffixes.size(), c->start);
    if (!levels.fits) return b.stmt<ast::ErrorStmt>(where);
    const bool dotted = c->name && !c->call && !c->suffixes.empty() && c->suffixes[0]->call;
    if (dotted && c->suffixes.size() <= 2) return message(b, c, where);
    const auto* value = suffixed(b, headOf(b, c), c->suffixes, c->suffixes.size());
    switch (value->kind) {
        case ast::ExprKind::Call:
        case ast::ExprKind::PackageCall:
        case ast::ExprKind::Pop:
        case ast::ExprKind::Peek:
        case ast::ExprKind::Iter:
        case ast::ExprKind::Increment: return b.stmt<ast::ExpressionStmt>(where, value);
        case ast::ExprKind::Error: break;
        default: suggestKeyword(b.report(Diag::ExpressionAsStatement, value->range), *value); break;
    }
    return b.stmt<ast::ErrorStmt>(where);
}

const ast::Stmt* variables(Builder& b, Grammar::SimpleStatementContext* c, SourceRange where) {
    const auto* declared = c->builtin ? type(b, c->builtin) : type(b, c->target);
    if (c->typeArgument && declared && c->target->suffixes.empty())
        return b.stmt<ast::VariablesStmt>(
            where, generic(b, c->target->name, c->typeArgument, c->close, c->bounds),
            declarators(b, c->others));
    if (c->typeArgument) {
        b.reportUnexpected(c->typeArgument->start,
                           "only a declaration has a type between '<' and '>'");
        return b.stmt<ast::ErrorStmt>(where);
    }
    if (!declared) {
        const auto before = b.range(c->target).atEnd();
        (b.report(Diag::ExpectedToken, before)
         << "';'" << fmt::format("'{}'", b.text(c->items[0]->start)))
            .fix(before, ";");
        return b.stmt<ast::ErrorStmt>(where);
    }
    return b.stmt<ast::VariablesStmt>(where, declared, declarators(b, c->items));
}

/// `end` is the `;`, or null in the head of a `for`.
const ast::Stmt* simple(Builder& b, Grammar::SimpleStatementContext* c, const Token* end) {
    const auto where = end ? b.range(c->start, end) : b.range(c);
    if (!c->items.empty() || c->typeArgument) return variables(b, c, where);
    if (c->op) return assignment(b, c, where);
    if (c->step) {
        const auto* target =
            suffixed(b, headOf(b, c->target), c->target->suffixes, c->target->suffixes.size());
        const auto value = b.range(c->step).to(target->range);
        return b.stmt<ast::ExpressionStmt>(where, increment(b, value, c->step, true, target));
    }
    return standAlone(b, c->target, where);
}

const ast::Stmt* loop(Builder& b, Grammar::PlainStatementContext* c) {
    if (c->start->getType() == Grammar::WHILE) {
        const auto* test = condition(b, c->test);
        const auto* body = substatement(b, c->body);
        return b.stmt<ast::WhileStmt>(b.range(c->start).to(body->range), test, body);
    }
    const auto* first = c->first ? simple(b, c->first, nullptr) : nullptr;
    const auto* condition = c->value ? expression(b, c->value) : nullptr;
    const ast::Stmt* step = c->step ? simple(b, c->step, nullptr) : nullptr;
    if (step && step->kind == ast::StmtKind::Variables) {
        b.report(Diag::UnexpectedToken, step->range) << "a declaration";
    }
    const auto* body = substatement(b, c->body);
    return b.stmt<ast::ForStmt>(b.range(c->start).to(body->range), first, condition, step, body);
}

/// A name, or a keyword if `(` follows. The grammar reads a type here.
ast::Ident creatorName(Builder& b, Grammar::CreatorContext* c, const Token* open) {
    const Token* name = c->start;
    if (c->input) {
        auto* builtin = c->input->builtin;
        const bool bounds = builtin ? !builtin->bounds.empty() : !c->input->bounds.empty();
        if (bounds || (builtin && builtin->portal)) {
            b.report(Diag::ExpectedToken, b.range(c->named->start))
                << "'->'" << fmt::format("'{}'", b.text(c->named->start));
            return b.ident(name);
        }
    }
    if (name->getType() != Grammar::ID && !open) {
        (b.report(Diag::KeywordAsName, b.range(name)) << b.text(name)).note(Diag::Hint)
            << fmt::format("'{0}()' would create a stream named '{0}'", b.text(name));
    }
    return b.ident(name);
}

const ast::Stmt* namedCreation(Builder& b, Grammar::CreatorContext* c, ast::CreateRole role,
                               SourceRange where) {
    auto* creation = c->named;
    auto* node = b.stmt<ast::CreateStmt>(where);
    node->role = role;
    node->target = creatorName(b, c, creation->call ? creation->call->start : nullptr);
    auto* argument = c->input ? c->input->typeArgument : c->typeArgument;
    if (argument) node->typeArgument = type(b, argument);
    if (creation->call) node->args = creatorArguments(b, creation->call);
    if (creation->receivers) {
        std::vector<ast::Ident> portals;
        for (const auto* name : creation->receivers->names) portals.push_back(b.ident(name));
        node->portals = b.copy(portals);
    }
    return node;
}

const ast::Stmt* create(Builder& b, Grammar::PlainStatementContext* c) {
    auto* child = c->child;
    auto role = ast::CreateRole::Add;
    if (c->start->getType() == Grammar::BODY) role = ast::CreateRole::Body;
    if (c->start->getType() == Grammar::LOOP) role = ast::CreateRole::Loop;
    const auto where = b.range(c->start, child->stop);
    if (child->named) return namedCreation(b, child, role, where);

    auto* node = b.stmt<ast::CreateStmt>(where);
    node->role = role;
    node->anonymous = anonymous(b, child);
    if (auto* receivers = child->anonymous->receivers) {
        std::vector<ast::Ident> portals;
        for (const auto* name : receivers->names) portals.push_back(b.ident(name));
        node->portals = b.copy(portals);
    }
    return node;
}

const ast::Stmt* splitOrJoin(Builder& b, Grammar::PlainStatementContext* c) {
    const auto where = b.range(c->start, c->end);
    const bool duplicate = c->distribution->start->getType() == Grammar::DUPLICATE;
    auto* arguments = c->distribution->weights;
    const Exprs weights = arguments ? values(b, arguments) : Exprs();
    if (c->start->getType() == Grammar::SPLIT) {
        const ast::Stmt base{ast::StmtKind::Split, b.nextId(), where};
        return b.context.arena.make<ast::SplitStmt>(
            ast::SplitterStmt{base, duplicate, !weights.empty(), weights});
    }
    const ast::Stmt base{ast::StmtKind::Join, b.nextId(), where};
    return b.context.arena.make<ast::JoinStmt>(
        ast::SplitterStmt{base, duplicate, !weights.empty(), weights});
}

/// `init`, `work` or a handler where only statements may stand.
const ast::Stmt* misplacedPart(Builder& b, Grammar::PlainStatementContext* c) {
    b.report(Diag::FilterPartInComposite, b.range(c->start)) << b.text(c->start) << b.inside;
    return b.stmt<ast::ErrorStmt>(b.range(c->start, c->stop));
}

const ast::Stmt* plain(Builder& b, Grammar::PlainStatementContext* c) {
    const auto where = c->end ? b.range(c->start, c->end) : b.range(c->start);
    switch (c->start->getType()) {
        case Grammar::LEFT_BRACE: return block(b, c->nested, b.inside);
        case Grammar::PUSH: return b.stmt<ast::PushStmt>(where, expression(b, c->value));
        case Grammar::BREAK: return b.stmt<ast::BreakStmt>(where);
        case Grammar::CONTINUE: return b.stmt<ast::ContinueStmt>(where);
        case Grammar::RETURN:
            return b.stmt<ast::ReturnStmt>(where, c->value ? expression(b, c->value) : nullptr);
        case Grammar::ENQUEUE: return b.stmt<ast::EnqueueStmt>(where, expression(b, c->value));
        case Grammar::DO: {
            const auto* body = substatement(b, c->body);
            return b.stmt<ast::DoWhileStmt>(where, body, condition(b, c->test));
        }
        case Grammar::WHILE:
        case Grammar::FOR: return loop(b, c);
        case Grammar::ADD:
        case Grammar::BODY:
        case Grammar::LOOP: return create(b, c);
        case Grammar::SPLIT:
        case Grammar::JOIN: return splitOrJoin(b, c);
        case Grammar::INIT:
        case Grammar::WORK:
        case Grammar::PREWORK:
        case Grammar::HANDLER: return misplacedPart(b, c);
        default: return simple(b, c->simple, c->end);
    }
}

/// The chain of `else if` becomes nested statements, made from the last one.
const ast::Stmt* ifStatement(Builder& b, Grammar::IfStatementContext* c) {
    Levels levels(b, c->heads.size(), c->start);
    if (!levels.fits) return b.stmt<ast::ErrorStmt>(b.range(c));
    for (std::size_t i = 0; i < c->elses.size(); i++) checkElse(b, c->elses[i], c->heads[i]->body);

    struct Head {
        const ast::Expr* condition;
        const ast::Stmt* body;
    };
    std::vector<Head> heads;
    for (auto* head : c->heads) {
        const auto* test = condition(b, head->test);
        heads.push_back({test, substatement(b, head->body)});
    }
    const ast::Stmt* otherwise = nullptr;
    if (c->otherwise)
        otherwise = plain(b, c->otherwise);
    else if (c->empty)
        otherwise = b.stmt<ast::EmptyStmt>(b.range(c->empty));
    for (std::size_t i = heads.size(); i-- > 0;) {
        const auto last = otherwise ? otherwise->range : heads[i].body->range;
        otherwise = b.stmt<ast::IfStmt>(b.range(c->heads[i]->start).to(last), heads[i].condition,
                                        heads[i].body, otherwise);
    }
    return otherwise;
}

}  // namespace

const ast::Stmt* statement(Builder& b, Grammar::StatementContext* c) {
    if (!c || c->exception) return b.stmt<ast::ErrorStmt>(b.range(c));
    Levels levels(b, 1, c->start);
    if (!levels.fits) return b.stmt<ast::ErrorStmt>(b.range(c));
    return c->branch ? ifStatement(b, c->branch) : plain(b, c->plain);
}

const ast::Stmt* substatement(Builder& b, Grammar::SubstatementContext* c) {
    if (!c || c->exception) return b.stmt<ast::ErrorStmt>(b.range(c));
    if (c->empty) return b.stmt<ast::EmptyStmt>(b.range(c->empty));
    return statement(b, c->item);
}

const ast::BlockStmt* block(Builder& b, Grammar::BlockContext* c, std::string_view owner) {
    const auto outer = std::exchange(b.inside, owner);
    std::vector<const ast::Stmt*> statements;
    statements.reserve(c->statements.size());
    for (auto* item : c->statements) statements.push_back(statement(b, item));
    b.inside = outer;
    return b.stmt<ast::BlockStmt>(b.range(c), b.copy(statements));
}

}  // namespace strc::parser
