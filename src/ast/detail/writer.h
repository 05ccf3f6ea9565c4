#pragma once
/// Text that grows piece by piece, and what is written in several files: types and expressions, statements, declarations.

#include <string>
#include <string_view>

#include "ast/nodes.h"

namespace strc::ast {

class Writer {
public:
    void text(std::string_view piece) { out += piece; }
    void line(std::string_view end) {
        out += end;
        out += '\n';
    }
    void open() { line(" {"); }
    void close() { line("}"); }
    std::string take() { return std::move(out); }

private:
    std::string out;
};

void write(Writer&, const TypeExpr&);
/// A whole value: of a statement, an argument, between brackets.
void write(Writer&, const Expr&);
void write(Writer&, const Stmt&);
void writeStream(Writer&, const StreamDecl&);

/// Expressions with commas between them.
void writeList(Writer&, std::span<const Expr* const>);

}  // namespace strc::ast
