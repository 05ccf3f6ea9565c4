#include "ast/format_printer.h"

namespace strc::ast {

namespace {

/// Whether the text may go on with the `;` that is optional behind an anonymous stream.
bool endsWithAnonymousStream(const Stmt* stmt) {
    while (stmt) {
        switch (stmt->kind) {
            case StmtKind::If: {
                auto& branch = as<IfStmt>(*stmt);
                stmt = branch.elseBranch ? branch.elseBranch : branch.thenBranch;
                continue;
            }
            case StmtKind::While: stmt = as<WhileStmt>(*stmt).body; continue;
            case StmtKind::For: stmt = as<ForStmt>(*stmt).body; continue;
            case StmtKind::Create: {
                auto& create = as<CreateStmt>(*stmt);
                return create.anonymous && create.portals.empty();
            }
            default: return false;
        }
    }
    return false;
}

}  // namespace

// ---------------------------------------------------------------- blocks

void FormatPrinter::begin(GroupMode mode) {
    tokens.flush();
    layout.begin(mode);
}

void FormatPrinter::begin(GroupMode mode, std::size_t indent) {
    tokens.flush();
    layout.begin(mode, indent);
}

void FormatPrinter::beginHeader() {
    begin(GroupMode::Fill, kHeaderContinued);
    continued = kHeaderContinued;
}

void FormatPrinter::endHeader() {
    layout.end();
    continued = kContinued;
}

BreakKind FormatPrinter::openBlock(std::uint32_t end, bool isEmpty) {
    std::uint32_t line = tokens.lineOf(tokens.nextOffset());
    tokens.token("{");
    if (isEmpty) strayTokens(nullptr, end);
    if (isEmpty && !tokens.commentIsNext()) return BreakKind::Soft;
    BreakKind kind = line == tokens.lineOf(end - 1) ? BreakKind::Line : BreakKind::Hard;
    layout.indent(kIndent);
    tokens.lineBreak(kind);
    return kind;
}

void FormatPrinter::closeBlock(BreakKind kind) {
    if (kind == BreakKind::Soft)
        tokens.token("}");
    else
        tokens.close("}", kind, kIndent);
}

void FormatPrinter::strayTokens(const Stmt* before, std::uint32_t until) {
    bool keepsOne = endsWithAnonymousStream(before);
    while (tokens.nextOffset() < until && tokens.nextIs(";")) {
        if (keepsOne)
            tokens.token(";");
        else
            tokens.drop(";");
        keepsOne = false;
    }
}

void FormatPrinter::statements(std::span<const Stmt* const> list, BreakKind kind) {
    const Stmt* before = nullptr;
    for (const Stmt* each : list) {
        strayTokens(before, each->range.begin);
        if (before) tokens.lineBreak(kind);
        statement(*each);
        before = each;
    }
    strayTokens(before, UINT32_MAX);
}

void FormatPrinter::block(const BlockStmt& block) {
    BreakKind kind = openBlock(block.range.end, block.statements.empty());
    statements(block.statements, kind);
    closeBlock(kind);
}

void FormatPrinter::bodyBlock(const BlockStmt& body) {
    tokens.space();
    begin(GroupMode::All);
    block(body);
    layout.end();
}

/// The body of an `if` or loop. A single statement stays on the line of its header if it was there
/// and fits.
void FormatPrinter::body(const Stmt& stmt) {
    if (stmt.kind == StmtKind::Empty) return tokens.token(";");
    if (auto* inner = tryAs<BlockStmt>(&stmt)) {
        tokens.space();
        return block(*inner);
    }
    layout.begin(GroupMode::All);  // comments ahead belong into it
    layout.indent(kIndent);
    tokens.lineBreak(tokens.nextIsOnNewLine() ? BreakKind::Hard : BreakKind::Line);
    statement(stmt);
    layout.indent(-kIndent);
    layout.end();
}

// ---------------------------------------------------------------- control flow

void FormatPrinter::statement(const Stmt& stmt) {
    switch (stmt.kind) {
        case StmtKind::Error: STRC_UNREACHABLE("formatting a text that is not the language");
        case StmtKind::Block:
            begin(GroupMode::All);
            block(as<BlockStmt>(stmt));
            return layout.end();
        case StmtKind::If: return ifChain(as<IfStmt>(stmt));
        case StmtKind::While: return whileLoop(as<WhileStmt>(stmt));
        case StmtKind::DoWhile: return doLoop(as<DoWhileStmt>(stmt));
        case StmtKind::For: return forLoop(as<ForStmt>(stmt));
        case StmtKind::Create: return create(as<CreateStmt>(stmt));
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
        case StmtKind::Enqueue: simple(stmt); return tokens.token(";");
    }
}

void FormatPrinter::condition(const Expr& expression) {
    tokens.token("(");
    expr(expression);
    tokens.token(")");
}

/// One group for the whole chain: either all of its blocks stay on the line or none.
void FormatPrinter::ifChain(const IfStmt& first) {
    begin(GroupMode::All);
    const IfStmt* each = &first;
    while (true) {
        beginHeader();
        tokens.token("if");
        tokens.space();
        condition(*each->condition);
        endHeader();
        body(*each->thenBranch);
        if (!each->elseBranch) break;
        strayTokens(each->thenBranch, UINT32_MAX);
        if (each->thenBranch->kind == StmtKind::Block)
            tokens.space();
        else
            tokens.lineBreak(tokens.nextIsOnNewLine() ? BreakKind::Hard : BreakKind::Line);
        tokens.token("else");
        auto* next = tryAs<IfStmt>(each->elseBranch);
        if (!next) {
            body(*each->elseBranch);
            break;
        }
        tokens.space();
        each = next;
    }
    layout.end();
}

void FormatPrinter::whileLoop(const WhileStmt& stmt) {
    begin(GroupMode::All);
    beginHeader();
    tokens.token("while");
    tokens.space();
    condition(*stmt.condition);
    endHeader();
    body(*stmt.body);
    layout.end();
}

void FormatPrinter::doLoop(const DoWhileStmt& stmt) {
    begin(GroupMode::All);
    tokens.token("do");
    body(*stmt.body);
    strayTokens(stmt.body, UINT32_MAX);
    if (stmt.body->kind == StmtKind::Block)
        tokens.space();
    else
        tokens.lineBreak(tokens.nextIsOnNewLine() ? BreakKind::Hard : BreakKind::Line);
    tokens.token("while");
    tokens.space();
    condition(*stmt.condition);
    tokens.token(";");
    layout.end();
}

void FormatPrinter::forLoop(const ForStmt& stmt) {
    begin(GroupMode::All);
    beginHeader();
    tokens.token("for");
    tokens.space();
    tokens.token("(");
    if (stmt.init) simple(*stmt.init);
    tokens.token(";");
    if (stmt.condition) {
        tokens.lineBreak(BreakKind::Line);
        expr(*stmt.condition);
    }
    tokens.token(";");
    if (stmt.step) {
        tokens.lineBreak(BreakKind::Line);
        simple(*stmt.step);
    }
    tokens.token(")");
    endHeader();
    body(*stmt.body);
    layout.end();
}

// ---------------------------------------------------------------- one line each

void FormatPrinter::expression(const char* keyword, const Expr* value) {
    tokens.token(keyword);
    if (!value) return;
    tokens.space();
    expr(*value);
}

/// A statement without its `;`.
void FormatPrinter::simple(const Stmt& stmt) {
    switch (stmt.kind) {
        case StmtKind::Empty: return;
        case StmtKind::Variables: return variables(as<VariablesStmt>(stmt));
        case StmtKind::Assign: return assign(as<AssignStmt>(stmt));
        case StmtKind::Expression: return expr(*as<ExpressionStmt>(stmt).expression);
        case StmtKind::Break: return tokens.token("break");
        case StmtKind::Continue: return tokens.token("continue");
        case StmtKind::Return: return expression("return", as<ReturnStmt>(stmt).value);
        case StmtKind::Push: tokens.token("push"); return arguments({&as<PushStmt>(stmt).value, 1});
        case StmtKind::Message: return message(as<MessageStmt>(stmt));
        case StmtKind::Split: tokens.token("split"); return split(as<SplitStmt>(stmt));
        case StmtKind::Join: tokens.token("join"); return split(as<JoinStmt>(stmt));
        case StmtKind::Enqueue: return expression("enqueue", as<EnqueueStmt>(stmt).value);
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

void FormatPrinter::variables(const VariablesStmt& stmt) {
    begin(GroupMode::Fill, continued);
    type(*stmt.type);
    tokens.space();
    for (std::size_t i = 0; i < stmt.variables.size(); ++i) {
        const Declarator& variable = stmt.variables[i];
        separator(i == 0);
        tokens.token(variable.name.range);
        if (!variable.initialiser) continue;
        tokens.space();
        tokens.token("=");
        tokens.space();
        expr(*variable.initialiser);
    }
    layout.end();
}

void FormatPrinter::assign(const AssignStmt& stmt) {
    expr(*stmt.target);
    tokens.space();
    tokens.token(stmt.opRange);
    tokens.space();
    expr(*stmt.value);
}

void FormatPrinter::message(const MessageStmt& stmt) {
    tokens.token(stmt.portal.range);
    tokens.token(".");
    tokens.token(stmt.handler.range);
    arguments(stmt.args);
    if (!stmt.hasLatency) return;
    tokens.space();
    tokens.token("[");
    if (stmt.bestEffort) {
        tokens.token("*");
    } else {
        if (stmt.minLatency) expr(*stmt.minLatency);
        tokens.token(":");
        if (stmt.maxLatency) expr(*stmt.maxLatency);
    }
    tokens.token("]");
}

void FormatPrinter::split(const SplitterStmt& stmt) {
    tokens.space();
    tokens.token(stmt.duplicate ? "duplicate" : "roundrobin");
    if (tokens.nextIs("(")) arguments(stmt.weights);
}

// ---------------------------------------------------------------- creating streams

void FormatPrinter::create(const CreateStmt& stmt) {
    switch (stmt.role) {
        case CreateRole::Add: tokens.token("add"); break;
        case CreateRole::Body: tokens.token("body"); break;
        case CreateRole::Loop: tokens.token("loop"); break;
    }
    tokens.space();
    if (stmt.anonymous)
        stream(*stmt.anonymous);
    else
        creation(stmt);
    portals(stmt.portals);
    if (!stmt.anonymous || !stmt.portals.empty()) tokens.token(";");
}

void FormatPrinter::creation(const CreateStmt& stmt) {
    tokens.token(stmt.target.range);
    if (stmt.typeArgument) {
        tokens.token("<");
        type(*stmt.typeArgument);
        tokens.token(">");
    }
    if (!tokens.nextIs("(")) return;
    tokens.token("(");
    begin(GroupMode::Fill, continued);
    for (std::size_t i = 0; i < stmt.args.size(); ++i) {
        separator(i == 0);
        if (stmt.args[i].name.name) {
            tokens.token(stmt.args[i].name.range);
            tokens.space();
            tokens.token("=");
            tokens.space();
        }
        expr(*stmt.args[i].value);
    }
    layout.end();
    tokens.token(")");
}

void FormatPrinter::portals(std::span<const Ident> names) {
    if (names.empty()) return;
    tokens.space();
    begin(GroupMode::Fill, continued);
    tokens.token("to");
    tokens.space();
    for (std::size_t i = 0; i < names.size(); ++i) {
        separator(i == 0);
        tokens.token(names[i].range);
    }
    layout.end();
}

}  // namespace strc::ast
