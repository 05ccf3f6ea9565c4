#include "sema/detail/created.h"

#include <unordered_map>
#include <vector>

namespace strc::sema {
namespace {

using ast::StmtKind;

/// Collects the names that statements create, also in anonymous streams among them.
class CreatedNames {
public:
    void visit(const ast::Stmt* stmt) {
        if (!stmt) return;
        switch (stmt->kind) {
            case StmtKind::Block:
                for (const ast::Stmt* each : ast::as<ast::BlockStmt>(*stmt).statements) visit(each);
                return;
            case StmtKind::If:
                visit(ast::as<ast::IfStmt>(*stmt).thenBranch);
                return visit(ast::as<ast::IfStmt>(*stmt).elseBranch);
            case StmtKind::While: return visit(ast::as<ast::WhileStmt>(*stmt).body);
            case StmtKind::DoWhile: return visit(ast::as<ast::DoWhileStmt>(*stmt).body);
            case StmtKind::For: return visit(ast::as<ast::ForStmt>(*stmt).body);
            case StmtKind::Create: return add(ast::as<ast::CreateStmt>(*stmt));
            default: return;
        }
    }

    std::vector<Name> names;

private:
    void add(const ast::CreateStmt& create) {
        if (create.anonymous)
            visit(create.anonymous->body);
        else
            names.push_back(create.target.name);
    }
};

}  // namespace

std::unordered_set<Name> creatorsOf(Checker& c, Name to) {
    std::unordered_map<Name, std::vector<Name>> creators;
    for (auto& [name, stream] : c.tables.own.streams) {
        if (!stream->decl) continue;
        CreatedNames created;
        created.visit(stream->decl->body);
        for (Name each : created.names) creators[each].push_back(name);
    }
    std::unordered_set<Name> found{to};
    std::vector<Name> left{to};
    while (!left.empty()) {
        const Name name = left.back();
        left.pop_back();
        for (Name each : creators[name])
            if (found.insert(each).second) left.push_back(each);
    }
    return found;
}

}  // namespace strc::sema
