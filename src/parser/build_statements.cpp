// Statements, with the creation of streams.

#include <string>

#include <fmt/format.h>

#include "base/spelling.h"
#include "parser/detail/builder.h"

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

}  // namespace

const ast::BlockStmt* Builder::block(Grammar::BlockContext* c, std::string_view owner) {
    const auto outer = std::exchange(inside, owner);
    std::vector<const ast::Stmt*> statements;
    statements.reserve(c->statements.size());
    for (auto* item : c->statements) statements.push_back(statement(item));
    inside = outer;
    return stmt<ast::BlockStmt>(range(c), copy(statements));
}

const ast::Stmt* Builder::substatement(Grammar::SubstatementContext* c) {
    if (!c || c->exception) return stmt<ast::ErrorStmt>(range(c));
    if (c->empty) return stmt<ast::EmptyStmt>(range(c->empty));
    return statement(c->item);
}

const ast::Stmt* Builder::statement(Grammar::StatementContext* c) {
    if (!c || c->exception) return stmt<ast::ErrorStmt>(range(c));
    Levels levels(*this, 1, c->start);
    if (!levels.fits) return stmt<ast::ErrorStmt>(range(c));
    return c->branch ? ifStatement(c->branch) : plain(c->plain);
}

const ast::Stmt* Builder::plain(Grammar::PlainStatementContext* c) {
    const auto where = c->end ? range(c->start, c->end) : range(c->start);
    switch (c->start->getType()) {
        case Grammar::LEFT_BRACE: return block(c->nested, inside);
        case Grammar::PUSH: return stmt<ast::PushStmt>(where, expression(c->value));
        case Grammar::BREAK: return stmt<ast::BreakStmt>(where);
        case Grammar::CONTINUE: return stmt<ast::ContinueStmt>(where);
        case Grammar::RETURN:
            return stmt<ast::ReturnStmt>(where, c->value ? expression(c->value) : nullptr);
        case Grammar::ENQUEUE: return stmt<ast::EnqueueStmt>(where, expression(c->value));
        case Grammar::DO: {
            const auto* body = substatement(c->body);
            return stmt<ast::DoWhileStmt>(where, body, condition(c->test));
        }
        case Grammar::WHILE:
        case Grammar::FOR: return loop(c);
        case Grammar::ADD:
        case Grammar::BODY:
        case Grammar::LOOP: return create(c);
        case Grammar::SPLIT:
        case Grammar::JOIN: return splitOrJoin(c);
        case Grammar::INIT:
        case Grammar::WORK:
        case Grammar::PREWORK:
        case Grammar::HANDLER: return misplacedPart(c);
        default: return simple(c->simple, c->end);
    }
}

const ast::Stmt* Builder::loop(Grammar::PlainStatementContext* c) {
    if (c->start->getType() == Grammar::WHILE) {
        const auto* test = condition(c->test);
        const auto* body = substatement(c->body);
        return stmt<ast::WhileStmt>(range(c->start).to(body->range), test, body);
    }
    const auto* first = c->first ? simple(c->first, nullptr) : nullptr;
    const auto* condition = c->value ? expression(c->value) : nullptr;
    const ast::Stmt* step = c->step ? simple(c->step, nullptr) : nullptr;
    if (step && step->kind == ast::StmtKind::Variables) {
        report(Diag::UnexpectedToken, step->range) << "a declaration";
    }
    const auto* body = substatement(c->body);
    return stmt<ast::ForStmt>(range(c->start).to(body->range), first, condition, step, body);
}

/// Who writes `=` where a value is needed means to compare, so that is what the tree says.
const ast::Expr* Builder::condition(Grammar::ConditionContext* c) {
    if (!c || c->exception) return errorExpr(range(c));
    const auto* left = expression(c->value);
    if (!c->assigned) return left;
    const auto where = range(c->assigned);
    const auto* right = expression(c->other);
    (report(Diag::ExpectedToken, where) << "')'" << "'='").fix(where, "==");
    return expr<ast::BinaryExpr>(left->range.to(right->range), ast::BinaryOp::Equal, where, left,
                                 right);
}

/// The chain of `else if` becomes nested statements, made from the last one.
const ast::Stmt* Builder::ifStatement(Grammar::IfStatementContext* c) {
    Levels levels(*this, c->heads.size(), c->start);
    if (!levels.fits) return stmt<ast::ErrorStmt>(range(c));
    for (std::size_t i = 0; i < c->elses.size(); i++) checkElse(c->elses[i], c->heads[i]->body);

    struct Head {
        const ast::Expr* condition;
        const ast::Stmt* body;
    };
    std::vector<Head> heads;
    for (auto* head : c->heads) {
        const auto* test = condition(head->test);
        heads.push_back({test, substatement(head->body)});
    }
    const ast::Stmt* otherwise = nullptr;
    if (c->otherwise)
        otherwise = plain(c->otherwise);
    else if (c->empty)
        otherwise = stmt<ast::EmptyStmt>(range(c->empty));
    for (std::size_t i = heads.size(); i-- > 0;) {
        const auto last = otherwise ? otherwise->range : heads[i].body->range;
        otherwise = stmt<ast::IfStmt>(range(c->heads[i]->start).to(last), heads[i].condition,
                                      heads[i].body, otherwise);
    }
    return otherwise;
}

void Builder::checkElse(const Token* elseToken, Grammar::SubstatementContext* before) {
    if (strayBeforeElse(before) > 0) reportUnexpected(elseToken, "a ';' too many ends the 'if'");
}

/// `end` is the `;`, or null in the head of a `for`.
const ast::Stmt* Builder::simple(Grammar::SimpleStatementContext* c, const Token* end) {
    const auto where = end ? range(c->start, end) : range(c);
    if (!c->items.empty() || c->typeArgument) return variables(c, where);
    if (c->op) return assignment(c, where);
    if (c->step) {
        const auto* target =
            suffixed(headOf(c->target), c->target->suffixes, c->target->suffixes.size());
        const auto value = range(c->step).to(target->range);
        return stmt<ast::ExpressionStmt>(where, increment(value, c->step, true, target));
    }
    return standAlone(c->target, where);
}

const ast::Stmt* Builder::assignment(Grammar::SimpleStatementContext* c, SourceRange where) {
    Levels levels(*this, c->target->suffixes.size(), c->start);
    if (!levels.fits) return stmt<ast::ErrorStmt>(where);
    const auto* target =
        suffixed(headOf(c->target), c->target->suffixes, c->target->suffixes.size());
    const auto* value = expression(c->value);
    if (!isPlace(target)) {
        report(Diag::NotAssignable, target->range);
        return stmt<ast::ErrorStmt>(where);
    }
    return stmt<ast::AssignStmt>(where, assignOperator(c->op), range(c->op), target, value);
}

/// A call, a message, `pop()`, `x++`.
const ast::Stmt* Builder::standAlone(Grammar::PlaceContext* c, SourceRange where) {
    Levels levels(*this, c->suffixes.size(), c->start);
    if (!levels.fits) return stmt<ast::ErrorStmt>(where);
    const bool dotted = c->name && !c->call && !c->suffixes.empty() && c->suffixes[0]->call;
    if (dotted && c->suffixes.size() <= 2) return message(c, where);
    const auto* value = suffixed(headOf(c), c->suffixes, c->suffixes.size());
    switch (value->kind) {
        case ast::ExprKind::Call:
        case ast::ExprKind::PackageCall:
        case ast::ExprKind::Pop:
        case ast::ExprKind::Peek:
        case ast::ExprKind::Iter:
        case ast::ExprKind::Increment: return stmt<ast::ExpressionStmt>(where, value);
        case ast::ExprKind::Error: break;
        default: suggestKeyword(report(Diag::ExpressionAsStatement, value->range), *value); break;
    }
    return stmt<ast::ErrorStmt>(where);
}

/// `p.h(args) [a:b]`; without a latency it may be the call of a package's function.
const ast::Stmt* Builder::message(Grammar::PlaceContext* c, SourceRange where) {
    auto* call = c->suffixes[0];
    auto* node = stmt<ast::MessageStmt>(where);
    node->portal = ident(c->name);
    node->handler = ident(call->field);
    node->args = values(call->call);
    if (c->suffixes.size() == 2) latency(*node, c->suffixes[1]);
    return node;
}

void Builder::latency(ast::MessageStmt& message, Grammar::SuffixContext* c) {
    message.latencyRange = range(c);
    message.hasLatency = true;
    if (!c->close) {  // `.f` or `++`
        reportUnexpected(c->start, "only a latency can follow a message");
    } else if (c->star) {
        message.bestEffort = true;
    } else if (!c->colon) {
        report(Diag::ExpectedToken, range(c->close)) << "':'" << "']'";
    }
    if (c->low) message.minLatency = expression(c->low);
    if (c->high) message.maxLatency = expression(c->high);
}

const ast::Stmt* Builder::variables(Grammar::SimpleStatementContext* c, SourceRange where) {
    const auto* declared = c->builtin ? type(c->builtin) : type(c->target);
    if (c->typeArgument && declared && c->target->suffixes.empty())
        return stmt<ast::VariablesStmt>(
            where, generic(c->target->name, c->typeArgument, c->close, c->bounds),
            declarators(c->others));
    if (c->typeArgument) {
        reportUnexpected(c->typeArgument->start,
                         "only a declaration has a type between '<' and '>'");
        return stmt<ast::ErrorStmt>(where);
    }
    if (!declared) {
        const auto before = range(c->target).atEnd();
        (report(Diag::ExpectedToken, before)
         << "';'" << fmt::format("'{}'", text(c->items[0]->start)))
            .fix(before, ";");
        return stmt<ast::ErrorStmt>(where);
    }
    return stmt<ast::VariablesStmt>(where, declared, declarators(c->items));
}

const ast::Stmt* Builder::create(Grammar::PlainStatementContext* c) {
    auto* child = c->child;
    auto role = ast::CreateRole::Add;
    if (c->start->getType() == Grammar::BODY) role = ast::CreateRole::Body;
    if (c->start->getType() == Grammar::LOOP) role = ast::CreateRole::Loop;
    const auto where = range(c->start, child->stop);
    if (child->named) return namedCreation(child, role, where);

    auto* node = stmt<ast::CreateStmt>(where);
    node->role = role;
    node->anonymous = anonymous(child);
    if (auto* receivers = child->anonymous->receivers) {
        std::vector<ast::Ident> portals;
        for (const auto* name : receivers->names) portals.push_back(ident(name));
        node->portals = copy(portals);
    }
    return node;
}

const ast::Stmt* Builder::namedCreation(Grammar::CreatorContext* c, ast::CreateRole role,
                                        SourceRange where) {
    auto* creation = c->named;
    auto* node = stmt<ast::CreateStmt>(where);
    node->role = role;
    node->target = creatorName(c, creation->call ? creation->call->start : nullptr);
    auto* argument = c->input ? c->input->typeArgument : c->typeArgument;
    if (argument) node->typeArgument = type(argument);
    if (creation->call) node->args = creatorArguments(creation->call);
    if (creation->receivers) {
        std::vector<ast::Ident> portals;
        for (const auto* name : creation->receivers->names) portals.push_back(ident(name));
        node->portals = copy(portals);
    }
    return node;
}

/// A name, or a keyword if `(` follows. The grammar reads a type here.
ast::Ident Builder::creatorName(Grammar::CreatorContext* c, const Token* open) {
    const Token* name = c->start;
    if (c->input) {
        auto* builtin = c->input->builtin;
        const bool bounds = builtin ? !builtin->bounds.empty() : !c->input->bounds.empty();
        if (bounds || (builtin && builtin->portal)) {
            report(Diag::ExpectedToken, range(c->named->start))
                << "'->'" << fmt::format("'{}'", text(c->named->start));
            return ident(name);
        }
    }
    if (name->getType() != Grammar::ID && !open) {
        (report(Diag::KeywordAsName, range(name)) << text(name)).note(Diag::Hint)
            << fmt::format("'{0}()' would create a stream named '{0}'", text(name));
    }
    return ident(name);
}

const ast::Stmt* Builder::splitOrJoin(Grammar::PlainStatementContext* c) {
    const auto where = range(c->start, c->end);
    const bool duplicate = c->distribution->start->getType() == Grammar::DUPLICATE;
    auto* arguments = c->distribution->weights;
    const Exprs weights = arguments ? values(arguments) : Exprs();
    if (c->start->getType() == Grammar::SPLIT) {
        const ast::Stmt base{ast::StmtKind::Split, nextId(), where};
        return context.arena.make<ast::SplitStmt>(
            ast::SplitterStmt{base, duplicate, !weights.empty(), weights});
    }
    const ast::Stmt base{ast::StmtKind::Join, nextId(), where};
    return context.arena.make<ast::JoinStmt>(
        ast::SplitterStmt{base, duplicate, !weights.empty(), weights});
}

/// `init`, `work` or a handler where only statements may stand.
const ast::Stmt* Builder::misplacedPart(Grammar::PlainStatementContext* c) {
    report(Diag::FilterPartInComposite, range(c->start)) << text(c->start) << inside;
    return stmt<ast::ErrorStmt>(range(c->start, c->stop));
}

}  // namespace strc::parser
