#include "lower/detail/reach.h"

#include <unordered_set>

#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::Expr;
using ast::ExprKind;
using sema::FunctionInfo;

namespace {

class ReachFinder {
public:
    explicit ReachFinder(const sema::Program& program) : program(program) {}

    void look(const Expr& root) {
        forEachExpr(root, [this](const Expr& e) {
            if (e.kind == ExprKind::Call || e.kind == ExprKind::PackageCall) add(e.id);
        });
    }
    void look(const ast::Stmt& root) {
        forEachExpr(
            root,
            [this](const Expr& e) {
                if (e.kind == ExprKind::Call || e.kind == ExprKind::PackageCall) add(e.id);
            },
            [this](const ast::Stmt& s) {
                if (s.kind == ast::StmtKind::Message) add(s.id);
            });
    }
    std::vector<const FunctionInfo*> follow() {
        for (std::size_t k = 0; k < found.size(); ++k)
            if (const ast::BlockStmt* code = codeOf(*found[k])) look(*code);
        return std::move(found);
    }

private:
    void add(ast::NodeId id) {
        const sema::CallTarget* target = program.callOf(id);
        if (target && target->function && seen.insert(target->function).second)
            found.push_back(target->function);
    }

    const sema::Program& program;
    std::vector<const FunctionInfo*> found;
    std::unordered_set<const FunctionInfo*> seen;
};

}  // namespace

const ast::BlockStmt* codeOf(const FunctionInfo& function) {
    if (auto* handler = ast::tryAs<ast::HandlerDecl>(function.decl)) return handler->body;
    return ast::as<ast::FunctionDecl>(*function.decl).body;
}

std::vector<const FunctionInfo*> calledFrom(const sema::Program& program, const Expr& e) {
    ReachFinder search(program);
    search.look(e);
    return search.follow();
}

std::vector<const FunctionInfo*> calledFrom(const sema::Program& program, const ast::Stmt& s) {
    ReachFinder search(program);
    search.look(s);
    return search.follow();
}

}  // namespace strc::lower::detail
