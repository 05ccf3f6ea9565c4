// Statements as text.

#include "ast/detail/writer.h"
#include "ast/spelling.h"

namespace strc::ast {

namespace {

void variables(Writer& w, const VariablesStmt& stmt) {
    write(w, *stmt.type);
    for (std::size_t k = 0; k < stmt.variables.size(); ++k) {
        w.text(k == 0 ? " " : ", ");
        w.text(stmt.variables[k].name.name.text());
        if (!stmt.variables[k].initialiser) continue;
        w.text(" = ");
        write(w, *stmt.variables[k].initialiser);
    }
}

void assignment(Writer& w, const AssignStmt& stmt) {
    write(w, *stmt.target);
    w.text(" ");
    w.text(spelling(stmt.op));
    w.text(" ");
    write(w, *stmt.value);
}

void message(Writer& w, const MessageStmt& stmt) {
    w.text(stmt.portal.name.text());
    w.text(".");
    w.text(stmt.handler.name.text());
    w.text("(");
    writeList(w, stmt.args);
    w.text(")");
    if (!stmt.hasLatency) return;
    w.text(" [");
    if (stmt.bestEffort) w.text("*");
    if (stmt.minLatency) write(w, *stmt.minLatency);
    if (!stmt.bestEffort) w.text(":");
    if (stmt.maxLatency) write(w, *stmt.maxLatency);
    w.text("]");
}

/// What may stand in the head of a `for`.
void simple(Writer& w, const Stmt& stmt) {
    switch (stmt.kind) {
        case StmtKind::Variables: return variables(w, as<VariablesStmt>(stmt));
        case StmtKind::Assign: return assignment(w, as<AssignStmt>(stmt));
        case StmtKind::Message: return message(w, as<MessageStmt>(stmt));
        case StmtKind::Expression: return write(w, *as<ExpressionStmt>(stmt).expression);
        default: STRC_UNREACHABLE("not a simple statement");
    }
}

void forLoop(Writer& w, const ForStmt& stmt) {
    w.text("for (");
    if (stmt.init) simple(w, *stmt.init);
    w.text("; ");
    if (stmt.condition) write(w, *stmt.condition);
    w.text("; ");
    if (stmt.step) simple(w, *stmt.step);
    w.text(") ");
    write(w, *stmt.body);
}

/// Braces keep an `else` with its `if`.
void branch(Writer& w, const Stmt& stmt) {
    if (stmt.kind == StmtKind::Block) return write(w, stmt);
    w.line("{");
    write(w, stmt);
    w.close();
}

void choice(Writer& w, const IfStmt& stmt) {
    const IfStmt* link = &stmt;
    while (true) {
        w.text("if (");
        write(w, *link->condition);
        w.text(") ");
        branch(w, *link->thenBranch);
        if (!link->elseBranch) return;
        w.text("else ");
        if (link->elseBranch->kind != StmtKind::If) return branch(w, *link->elseBranch);
        link = &as<IfStmt>(*link->elseBranch);
    }
}

/// Streams may be called like keywords; parentheses tell them apart.
bool mayBeKeyword(const CreateStmt& stmt) {
    const std::string_view name = stmt.target.name.text();
    return !stmt.anonymous && !stmt.typeArgument &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

void create(Writer& w, const CreateStmt& stmt) {
    static constexpr std::string_view kRoles[] = {"add ", "body ", "loop "};
    w.text(kRoles[static_cast<std::size_t>(stmt.role)]);
    if (stmt.anonymous) {
        writeStream(w, *stmt.anonymous);
    } else {
        w.text(stmt.target.name.text());
        if (stmt.typeArgument) {
            w.text("<");
            write(w, *stmt.typeArgument);
            w.text(">");
        }
    }
    const bool hasArguments = !stmt.args.empty() || mayBeKeyword(stmt);
    if (hasArguments) w.text("(");
    for (std::size_t k = 0; k < stmt.args.size(); ++k) {
        if (k > 0) w.text(", ");
        if (stmt.args[k].name.name) {
            w.text(stmt.args[k].name.name.text());
            w.text(" = ");
        }
        write(w, *stmt.args[k].value);
    }
    if (hasArguments) w.text(")");
    for (std::size_t k = 0; k < stmt.portals.size(); ++k) {
        w.text(k == 0 ? " to " : ", ");
        w.text(stmt.portals[k].name.text());
    }
    if (!stmt.anonymous || !stmt.portals.empty()) w.line(";");
}

void splitter(Writer& w, std::string_view keyword, const SplitterStmt& stmt) {
    w.text(keyword);
    w.text(stmt.duplicate ? " duplicate" : " roundrobin");
    if (stmt.hasWeights) {
        w.text("(");
        writeList(w, stmt.weights);
        w.text(")");
    }
    w.line(";");
}

/// A keyword and a value that may be missing.
void keyword(Writer& w, std::string_view word, const Expr* value) {
    w.text(word);
    if (value) {
        w.text(" ");
        write(w, *value);
    }
    w.line(";");
}

void loop(Writer& w, const Stmt& stmt) {
    if (const auto* doWhile = tryAs<DoWhileStmt>(&stmt)) {
        w.text("do ");
        branch(w, *doWhile->body);
        w.text("while (");
        write(w, *doWhile->condition);
        return w.line(");");
    }
    const auto& whileLoop = as<WhileStmt>(stmt);
    w.text("while (");
    write(w, *whileLoop.condition);
    w.text(") ");
    write(w, *whileLoop.body);
}

}  // namespace

void write(Writer& w, const Stmt& stmt) {
    switch (stmt.kind) {
        case StmtKind::Error: STRC_UNREACHABLE("writing a text that is not the language");
        case StmtKind::Block:
            w.line("{");
            for (const Stmt* each : as<BlockStmt>(stmt).statements) write(w, *each);
            return w.close();
        case StmtKind::Empty: return w.line(";");
        case StmtKind::Variables:
        case StmtKind::Assign:
        case StmtKind::Message:
        case StmtKind::Expression: simple(w, stmt); return w.line(";");
        case StmtKind::If: return choice(w, as<IfStmt>(stmt));
        case StmtKind::While:
        case StmtKind::DoWhile: return loop(w, stmt);
        case StmtKind::For: return forLoop(w, as<ForStmt>(stmt));
        case StmtKind::Break: return w.line("break;");
        case StmtKind::Continue: return w.line("continue;");
        case StmtKind::Return: return keyword(w, "return", as<ReturnStmt>(stmt).value);
        case StmtKind::Push:
            w.text("push(");
            write(w, *as<PushStmt>(stmt).value);
            return w.line(");");
        case StmtKind::Create: return create(w, as<CreateStmt>(stmt));
        case StmtKind::Split: return splitter(w, "split", as<SplitStmt>(stmt));
        case StmtKind::Join: return splitter(w, "join", as<JoinStmt>(stmt));
        case StmtKind::Enqueue: return keyword(w, "enqueue", as<EnqueueStmt>(stmt).value);
    }
}

}  // namespace strc::ast
