// Groups, headers and blocks of formatted texts.

#include "ast/detail/format_printer.h"

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

}  // namespace strc::ast
