#include "sema/detail/statements.h"

namespace strc::sema {
namespace {

/// Whether control can come to a statement's end, as Java defines it: conditions count only where
/// they are constant and true. Code after a place that is never left is not looked at.
class Completion {
public:
    explicit Completion(const Body& b) : body(b) {}

    bool canComplete(const ast::Stmt* stmt) {
        if (!stmt) return true;
        switch (stmt->kind) {
            case ast::StmtKind::Error:
            case ast::StmtKind::Return: return false;
            case ast::StmtKind::Break: hasBreak = true; return false;
            case ast::StmtKind::Continue: return false;
            case ast::StmtKind::Block: return ofList(ast::as<ast::BlockStmt>(*stmt).statements);
            case ast::StmtKind::If: return ofIf(ast::as<ast::IfStmt>(*stmt));
            case ast::StmtKind::While: {
                const auto& loop = ast::as<ast::WhileStmt>(*stmt);
                return ofLoop(loop.body, isTrue(loop.condition));
            }
            case ast::StmtKind::DoWhile: return ofDoWhile(ast::as<ast::DoWhileStmt>(*stmt));
            case ast::StmtKind::For: {
                const auto& loop = ast::as<ast::ForStmt>(*stmt);
                return ofLoop(loop.body, !loop.condition || isTrue(loop.condition));
            }
            default: return true;
        }
    }

    bool ofList(std::span<const ast::Stmt* const> statements) {
        for (const ast::Stmt* each : statements)
            if (!canComplete(each)) return false;
        return true;
    }

private:
    bool isTrue(const ast::Expr* condition) const {
        return body.alwaysTrue.contains(condition->id.index);
    }

    bool ofIf(const ast::IfStmt& first) {
        bool completes = false;
        const ast::Stmt* stmt = &first;
        while (auto* branch = ast::tryAs<ast::IfStmt>(stmt)) {
            completes |= canComplete(branch->thenBranch);
            stmt = branch->elseBranch;
        }
        return canComplete(stmt) || completes;  // a missing `else` completes
    }

    /// Is the loop left by `break`? Those inside belong to it alone.
    bool breaks(const ast::Stmt* loopBody, bool* completes = nullptr) {
        bool before = hasBreak;
        hasBreak = false;
        bool bodyCompletes = canComplete(loopBody);
        if (completes) *completes = bodyCompletes;
        bool result = hasBreak;
        hasBreak = before;
        return result;
    }

    bool ofLoop(const ast::Stmt* loopBody, bool isEndless) {
        return breaks(loopBody) || !isEndless;
    }

    bool ofDoWhile(const ast::DoWhileStmt& loop) {
        bool completes = false;
        if (breaks(loop.body, &completes)) return true;
        return (completes || continues(loop.body)) && !isTrue(loop.condition);
    }

    /// A `continue` somewhere reaches the condition.
    static bool continues(const ast::Stmt* stmt);

    const Body& body;
    bool hasBreak = false;
};

bool Completion::continues(const ast::Stmt* stmt) {
    if (!stmt) return false;
    switch (stmt->kind) {
        case ast::StmtKind::Continue: return true;
        case ast::StmtKind::Block:
            for (const ast::Stmt* each : ast::as<ast::BlockStmt>(*stmt).statements)
                if (continues(each)) return true;
            return false;
        case ast::StmtKind::If: {
            while (auto* branch = ast::tryAs<ast::IfStmt>(stmt)) {
                if (continues(branch->thenBranch)) return true;
                stmt = branch->elseBranch;
            }
            return continues(stmt);
        }
        default: return false;  // of inner loops: theirs
    }
}

}  // namespace

void checkReturns(Checker& c, const Body& body, const ast::FunctionDecl& function) {
    if (!body.result || body.result->is(types::TypeKind::Void) || body.result->isError() ||
        body.anyError)
        return;
    Completion completion(body);
    if (completion.ofList(function.body->statements))
        c.error(Diag::MissingReturn, function.name.range) << function.name.name;
}

}  // namespace strc::sema
