#include "lower/detail/walk.h"

#include <vector>

namespace strc::lower::detail {
namespace {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

using Work = std::vector<const Expr*>;

void pushAll(Work& work, std::span<const Expr* const> list) {
    for (auto it = list.rbegin(); it != list.rend(); ++it)
        if (*it) work.push_back(*it);
}

/// Parts of an expression, last one first.
void pushParts(Work& work, const Expr& e) {
    auto push = [&](const Expr* part) {
        if (part) work.push_back(part);
    };
    switch (e.kind) {
        case ExprKind::Member: return push(as<ast::MemberExpr>(e).object);
        case ExprKind::Index:
            pushAll(work, as<ast::IndexExpr>(e).more);
            push(as<ast::IndexExpr>(e).index);
            return push(as<ast::IndexExpr>(e).object);
        case ExprKind::Call: return pushAll(work, as<ast::CallExpr>(e).args);
        case ExprKind::PackageCall: return pushAll(work, as<ast::PackageCallExpr>(e).args);
        case ExprKind::Peek: return push(as<ast::PeekExpr>(e).offset);
        case ExprKind::Unary: return push(as<ast::UnaryExpr>(e).operand);
        case ExprKind::Binary:
            push(as<ast::BinaryExpr>(e).right);
            return push(as<ast::BinaryExpr>(e).left);
        case ExprKind::Conditional:
            push(as<ast::ConditionalExpr>(e).elseValue);
            push(as<ast::ConditionalExpr>(e).thenValue);
            return push(as<ast::ConditionalExpr>(e).condition);
        case ExprKind::Cast: return push(as<ast::CastExpr>(e).operand);
        case ExprKind::Increment: return push(as<ast::IncrementExpr>(e).target);
        case ExprKind::VectorLiteral: return pushAll(work, as<ast::VectorLiteral>(e).components);
        case ExprKind::ArrayLiteral: return pushAll(work, as<ast::ArrayLiteral>(e).elements);
        case ExprKind::Paren: return push(as<ast::ParenExpr>(e).inner);
        case ExprKind::Error:
        case ExprKind::IntLiteral:
        case ExprKind::RealLiteral:
        case ExprKind::ImaginaryLiteral:
        case ExprKind::BooleanLiteral:
        case ExprKind::StringLiteral:
        case ExprKind::CharLiteral:
        case ExprKind::Pi:
        case ExprKind::NameRef:
        case ExprKind::Pop:
        case ExprKind::Iter: return;
    }
}

/// Statements and expressions directly in a statement.
struct Parts {
    std::vector<const Stmt*> statements;
    Work expressions;

    void add(const Expr* e) {
        if (e) expressions.push_back(e);
    }
    void add(const Stmt* s) {
        if (s) statements.push_back(s);
    }
    void addBounds(const ast::TypeExpr* type) {
        for (; type && type->kind == ast::TypeExprKind::Array; type = type->element)
            add(type->bound);
    }
    void addAll(std::span<const Expr* const> list) {
        for (const Expr* e : list) add(e);
    }
};

void addControl(Parts& parts, const Stmt& s) {
    if (auto* branch = ast::tryAs<ast::IfStmt>(&s)) {
        parts.add(branch->condition);
        parts.add(branch->thenBranch);
        parts.add(branch->elseBranch);
    } else if (auto* loop = ast::tryAs<ast::WhileStmt>(&s)) {
        parts.add(loop->condition);
        parts.add(loop->body);
    } else if (auto* until = ast::tryAs<ast::DoWhileStmt>(&s)) {
        parts.add(until->body);
        parts.add(until->condition);
    } else if (auto* count = ast::tryAs<ast::ForStmt>(&s)) {
        parts.add(count->init);
        parts.add(count->condition);
        parts.add(count->body);
        parts.add(count->step);
    }
}

Parts partsOf(const Stmt& s) {
    Parts parts;
    switch (s.kind) {
        case StmtKind::Block:
            for (const Stmt* inner : as<ast::BlockStmt>(s).statements) parts.add(inner);
            break;
        case StmtKind::Variables:
            parts.addBounds(as<ast::VariablesStmt>(s).type);
            for (const ast::Declarator& d : as<ast::VariablesStmt>(s).variables)
                parts.add(d.initialiser);
            break;
        case StmtKind::Assign:
            parts.add(as<ast::AssignStmt>(s).target);
            parts.add(as<ast::AssignStmt>(s).value);
            break;
        case StmtKind::Expression: parts.add(as<ast::ExpressionStmt>(s).expression); break;
        case StmtKind::If:
        case StmtKind::While:
        case StmtKind::DoWhile:
        case StmtKind::For: addControl(parts, s); break;
        case StmtKind::Return: parts.add(as<ast::ReturnStmt>(s).value); break;
        case StmtKind::Push: parts.add(as<ast::PushStmt>(s).value); break;
        case StmtKind::Message:
            parts.addAll(as<ast::MessageStmt>(s).args);
            parts.add(as<ast::MessageStmt>(s).minLatency);
            parts.add(as<ast::MessageStmt>(s).maxLatency);
            break;
        case StmtKind::Create:
            for (const ast::Argument& arg : as<ast::CreateStmt>(s).args) parts.add(arg.value);
            break;
        case StmtKind::Split: parts.addAll(as<ast::SplitStmt>(s).weights); break;
        case StmtKind::Join: parts.addAll(as<ast::JoinStmt>(s).weights); break;
        case StmtKind::Enqueue: parts.add(as<ast::EnqueueStmt>(s).value); break;
        case StmtKind::Error:
        case StmtKind::Empty:
        case StmtKind::Break:
        case StmtKind::Continue: break;
    }
    return parts;
}

}  // namespace

void forEachExpr(const Expr& root, const std::function<void(const Expr&)>& visit) {
    Work work{&root};
    while (!work.empty()) {
        const Expr& e = *work.back();
        work.pop_back();
        visit(e);
        pushParts(work, e);
    }
}

void forEachExpr(const Stmt& root, const std::function<void(const Expr&)>& visit,
                 const std::function<void(const Stmt&)>& statement) {
    std::vector<const Stmt*> work{&root};
    while (!work.empty()) {
        const Stmt& s = *work.back();
        work.pop_back();
        statement(s);
        Parts parts = partsOf(s);
        for (const Expr* e : parts.expressions) forEachExpr(*e, visit);
        work.insert(work.end(), parts.statements.rbegin(), parts.statements.rend());
    }
}

bool hasEffects(const Expr& root) {
    bool found = false;
    forEachExpr(root, [&](const Expr& e) {
        found = found || e.kind == ExprKind::Call || e.kind == ExprKind::PackageCall ||
                e.kind == ExprKind::Pop || e.kind == ExprKind::Increment;
    });
    return found;
}

const ast::NameRef* rootOf(const Expr& expr) {
    const Expr* e = &expr;
    while (true) {
        e = ast::withoutParens(e);
        if (auto* member = ast::tryAs<ast::MemberExpr>(e))
            e = member->object;
        else if (auto* index = ast::tryAs<ast::IndexExpr>(e))
            e = index->object;
        else
            return ast::tryAs<ast::NameRef>(e);
    }
}

}  // namespace strc::lower::detail
