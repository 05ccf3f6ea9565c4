// The style of statements.

#include "ast/detail/format_statements.h"

#include "ast/detail/format_declarations.h"
#include "ast/detail/format_expressions.h"

namespace strc::ast {

namespace {

void statements(FormatPrinter& p, std::span<const Stmt* const> list, BreakKind kind) {
    const Stmt* before = nullptr;
    for (const Stmt* each : list) {
        p.strayTokens(before, each->range.begin);
        if (before) p.tokens.lineBreak(kind);
        statement(p, *each);
        before = each;
    }
    p.strayTokens(before, UINT32_MAX);
}

}  // namespace

void block(FormatPrinter& p, const BlockStmt& block) {
    BreakKind kind = p.openBlock(block.range.end, block.statements.empty());
    statements(p, block.statements, kind);
    p.closeBlock(kind);
}

void bodyBlock(FormatPrinter& p, const BlockStmt& body) {
    p.tokens.space();
    p.begin(GroupMode::All);
    block(p, body);
    p.layout.end();
}

namespace {

void simple(FormatPrinter& p, const Stmt& stmt);

/// The body of an `if` or loop. A single statement stays on the line of its header if it was there
/// and fits.
void body(FormatPrinter& p, const Stmt& stmt) {
    if (stmt.kind == StmtKind::Empty) return p.tokens.token(";");
    if (auto* inner = tryAs<BlockStmt>(&stmt)) {
        p.tokens.space();
        return block(p, *inner);
    }
    p.layout.begin(GroupMode::All);  // comments ahead belong into it
    p.layout.indent(FormatPrinter::kIndent);
    p.tokens.lineBreak(p.tokens.nextIsOnNewLine() ? BreakKind::Hard : BreakKind::Line);
    statement(p, stmt);
    p.layout.indent(-FormatPrinter::kIndent);
    p.layout.end();
}

void condition(FormatPrinter& p, const Expr& expression) {
    p.tokens.token("(");
    expr(p, expression);
    p.tokens.token(")");
}

/// One group for the whole chain: either all of its blocks stay on the line or none.
void ifChain(FormatPrinter& p, const IfStmt& first) {
    p.begin(GroupMode::All);
    const IfStmt* each = &first;
    while (true) {
        p.beginHeader();
        p.tokens.token("if");
        p.tokens.space();
        condition(p, *each->condition);
        p.endHeader();
        body(p, *each->thenBranch);
        if (!each->elseBranch) break;
        p.strayTokens(each->thenBranch, UINT32_MAX);
        if (each->thenBranch->kind == StmtKind::Block)
            p.tokens.space();
        else
            p.tokens.lineBreak(p.tokens.nextIsOnNewLine() ? BreakKind::Hard : BreakKind::Line);
        p.tokens.token("else");
        auto* next = tryAs<IfStmt>(each->elseBranch);
        if (!next) {
            body(p, *each->elseBranch);
            break;
        }
        p.tokens.space();
        each = next;
    }
    p.layout.end();
}

void whileLoop(FormatPrinter& p, const WhileStmt& stmt) {
    p.begin(GroupMode::All);
    p.beginHeader();
    p.tokens.token("while");
    p.tokens.space();
    condition(p, *stmt.condition);
    p.endHeader();
    body(p, *stmt.body);
    p.layout.end();
}

void doLoop(FormatPrinter& p, const DoWhileStmt& stmt) {
    p.begin(GroupMode::All);
    p.tokens.token("do");
    body(p, *stmt.body);
    p.strayTokens(stmt.body, UINT32_MAX);
    if (stmt.body->kind == StmtKind::Block)
        p.tokens.space();
    else
        p.tokens.lineBreak(p.tokens.nextIsOnNewLine() ? BreakKind::Hard : BreakKind::Line);
    p.tokens.token("while");
    p.tokens.space();
    condition(p, *stmt.condition);
    p.tokens.token(";");
    p.layout.end();
}

void forLoop(FormatPrinter& p, const ForStmt& stmt) {
    p.begin(GroupMode::All);
    p.beginHeader();
    p.tokens.token("for");
    p.tokens.space();
    p.tokens.token("(");
    if (stmt.init) simple(p, *stmt.init);
    p.tokens.token(";");
    if (stmt.condition) {
        p.tokens.lineBreak(BreakKind::Line);
        expr(p, *stmt.condition);
    }
    p.tokens.token(";");
    if (stmt.step) {
        p.tokens.lineBreak(BreakKind::Line);
        simple(p, *stmt.step);
    }
    p.tokens.token(")");
    p.endHeader();
    body(p, *stmt.body);
    p.layout.end();
}

void expression(FormatPrinter& p, const char* keyword, const Expr* value) {
    p.tokens.token(keyword);
    if (!value) return;
    p.tokens.space();
    expr(p, *value);
}

}  // namespace

void variables(FormatPrinter& p, const VariablesStmt& stmt) {
    p.begin(GroupMode::Fill, p.continued);
    type(p, *stmt.type);
    p.tokens.space();
    for (std::size_t i = 0; i < stmt.variables.size(); ++i) {
        const Declarator& variable = stmt.variables[i];
        separator(p, i == 0);
        p.tokens.token(variable.name.range);
        if (!variable.initialiser) continue;
        p.tokens.space();
        p.tokens.token("=");
        p.tokens.space();
        expr(p, *variable.initialiser);
    }
    p.layout.end();
}

namespace {

void assign(FormatPrinter& p, const AssignStmt& stmt) {
    expr(p, *stmt.target);
    p.tokens.space();
    p.tokens.token(stmt.opRange);
    p.tokens.space();
    expr(p, *stmt.value);
}

void message(FormatPrinter& p, const MessageStmt& stmt) {
    p.tokens.token(stmt.portal.range);
    p.tokens.token(".");
    p.tokens.token(stmt.handler.range);
    arguments(p, stmt.args);
    if (!stmt.hasLatency) return;
    p.tokens.space();
    p.tokens.token("[");
    if (stmt.bestEffort) {
        p.tokens.token("*");
    } else {
        if (stmt.minLatency) expr(p, *stmt.minLatency);
        p.tokens.token(":");
        if (stmt.maxLatency) expr(p, *stmt.maxLatency);
    }
    p.tokens.token("]");
}

void split(FormatPrinter& p, const SplitterStmt& stmt) {
    p.tokens.space();
    p.tokens.token(stmt.duplicate ? "duplicate" : "roundrobin");
    if (p.tokens.nextIs("(")) arguments(p, stmt.weights);
}

void portals(FormatPrinter& p, std::span<const Ident> names) {
    if (names.empty()) return;
    p.tokens.space();
    p.begin(GroupMode::Fill, p.continued);
    p.tokens.token("to");
    p.tokens.space();
    for (std::size_t i = 0; i < names.size(); ++i) {
        separator(p, i == 0);
        p.tokens.token(names[i].range);
    }
    p.layout.end();
}

void creation(FormatPrinter& p, const CreateStmt& stmt) {
    p.tokens.token(stmt.target.range);
    if (stmt.typeArgument) {
        p.tokens.token("<");
        type(p, *stmt.typeArgument);
        p.tokens.token(">");
    }
    if (!p.tokens.nextIs("(")) return;
    p.tokens.token("(");
    p.begin(GroupMode::Fill, p.continued);
    for (std::size_t i = 0; i < stmt.args.size(); ++i) {
        separator(p, i == 0);
        if (stmt.args[i].name.name) {
            p.tokens.token(stmt.args[i].name.range);
            p.tokens.space();
            p.tokens.token("=");
            p.tokens.space();
        }
        expr(p, *stmt.args[i].value);
    }
    p.layout.end();
    p.tokens.token(")");
}

void create(FormatPrinter& p, const CreateStmt& stmt) {
    switch (stmt.role) {
        case CreateRole::Add: p.tokens.token("add"); break;
        case CreateRole::Body: p.tokens.token("body"); break;
        case CreateRole::Loop: p.tokens.token("loop"); break;
    }
    p.tokens.space();
    if (stmt.anonymous)
        stream(p, *stmt.anonymous);
    else
        creation(p, stmt);
    portals(p, stmt.portals);
    if (!stmt.anonymous || !stmt.portals.empty()) p.tokens.token(";");
}

/// A statement without its `;`.
void simple(FormatPrinter& p, const Stmt& stmt) {
    switch (stmt.kind) {
        case StmtKind::Empty: return;
        case StmtKind::Variables: return variables(p, as<VariablesStmt>(stmt));
        case StmtKind::Assign: return assign(p, as<AssignStmt>(stmt));
        case StmtKind::Expression: return expr(p, *as<ExpressionStmt>(stmt).expression);
        case StmtKind::Break: return p.tokens.token("break");
        case StmtKind::Continue: return p.tokens.token("continue");
        case StmtKind::Return: return expression(p, "return", as<ReturnStmt>(stmt).value);
        case StmtKind::Push:
            p.tokens.token("push");
            return arguments(p, {&as<PushStmt>(stmt).value, 1});
        case StmtKind::Message: return message(p, as<MessageStmt>(stmt));
        case StmtKind::Split: p.tokens.token("split"); return split(p, as<SplitStmt>(stmt));
        case StmtKind::Join: p.tokens.token("join"); return split(p, as<JoinStmt>(stmt));
        case StmtKind::Enqueue: return expression(p, "enqueue", as<EnqueueStmt>(stmt).value);
        case StmtKind::Error:
        case StmtKind::Block:
        case StmtKind::If:
        case StmtKind::While:
        case StmtKind::DoWhile:
        case StmtKind::For:
        case StmtKind::Create: break;
    }
    STRC_UNREACHABLE("a statement that cannot stand in the head of a loop");
}

}  // namespace

void statement(FormatPrinter& p, const Stmt& stmt) {
    switch (stmt.kind) {
        case StmtKind::Error: STRC_UNREACHABLE("formatting a text that is not the language");
        case StmtKind::Block:
            p.begin(GroupMode::All);
            block(p, as<BlockStmt>(stmt));
            return p.layout.end();
        case StmtKind::If: return ifChain(p, as<IfStmt>(stmt));
        case StmtKind::While: return whileLoop(p, as<WhileStmt>(stmt));
        case StmtKind::DoWhile: return doLoop(p, as<DoWhileStmt>(stmt));
        case StmtKind::For: return forLoop(p, as<ForStmt>(stmt));
        case StmtKind::Create: return create(p, as<CreateStmt>(stmt));
        case StmtKind::Empty:
        case StmtKind::Variables:
        case StmtKind::Assign:
        case StmtKind::Expression:
        case StmtKind::Break:
        case StmtKind::Continue:
        case StmtKind::Return:
        case StmtKind::Push:
        case StmtKind::Message:
        case StmtKind::Split:
        case StmtKind::Join:
        case StmtKind::Enqueue: simple(p, stmt); return p.tokens.token(";");
    }
}

}  // namespace strc::ast
