#include "support.h"

#include <sstream>

namespace strc::parser::test {

std::vector<std::string> Parsed::faults() const {
    std::vector<std::string> list;
    for (const auto& fault : context->diags.all()) {
        std::string line(base::info(fault.id).name);
        if (fault.range.begin == fault.range.end) {
            const auto begin = fault.range.begin - std::min(fault.range.begin, 8u);
            const std::string_view before = slice({buffer, begin, fault.range.begin});
            line += " after '" + std::string(before.substr(before.find('\n') + 1)) + "'";
        } else {
            line += " '" + std::string(slice(fault.range)) + "'";
        }
        list.push_back(line);
    }
    return list;
}

std::string Parsed::rendered() const {
    std::string text;
    for (const auto& fault : context->diags.all()) {
        text += base::renderText(fault, context->sources);
    }
    return text;
}

Parsed unit(std::string_view text, base::Limits limits) {
    Parsed result(text, false, limits);
    result.unit = &parse(*result.context, result.buffer);
    return result;
}

Parsed declaration(std::string_view text) {
    Parsed result(text);
    result.decl = parseDeclaration(*result.context, result.buffer);
    return result;
}

Parsed statement(std::string_view text) {
    Parsed result(text);
    result.stmt = parseStatement(*result.context, result.buffer);
    return result;
}

Parsed expression(std::string_view text) {
    Parsed result(text);
    result.expr = parseExpression(*result.context, result.buffer);
    return result;
}

std::string inWork(std::string_view body) {
    return "void->int filter A { int x;\nwork push 1 {\n" + std::string(body) +
           "\npush(7);\n}\n}\n";
}

std::string inFilter(std::string_view members) {
    return "void->int filter A {\n" + std::string(members) + "\nwork push 1 { push(1); }\n}\n";
}

std::string inPipeline(std::string_view body) {
    return "void->void pipeline A {\n" + std::string(body) + "\nadd Zzz;\n}\n";
}

// ---------------------------------------------------------------- trees

namespace {

using namespace ast;

constexpr const char* kUnary[] = {"!", "-", "~"};
constexpr const char* kBinary[] = {"||", "&&", "|", "&", "^", "==", "!=", "<",  "<=",
                                   ">",  ">=", "+", "-", "*", "/",  "%",  "<<", ">>"};
constexpr const char* kAssign[] = {
    "=", "+=", "-=", "*=", "/=", "<<=", ">>=", "%=", "&=", "|=", "^="};
constexpr const char* kPrimitive[] = {"void",    "boolean", "bit",    "int",    "float", "double",
                                      "complex", "float2",  "float3", "float4", "String"};

template <typename List>
std::string joined(const List& items) {
    std::string text;
    for (const auto* item : items) text += (text.empty() ? "" : ", ") + structure(item);
    return text;
}

std::string named(const Ident& name) { return std::string(name.name.text()); }

std::string real(float value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

std::string creation(const CreateStmt& node) {
    constexpr const char* roles[] = {"add", "body", "loop"};
    std::string text = std::string(roles[int(node.role)]) + " ";
    text += node.anonymous ? "anonymous" : named(node.target);
    if (node.typeArgument) text += "<" + structure(node.typeArgument) + ">";
    std::string args;
    for (const auto& arg : node.args) {
        if (!args.empty()) args += ", ";
        if (arg.name.name) args += named(arg.name) + " = ";
        args += structure(arg.value);
    }
    text += "(" + args + ")";
    for (const auto& portal : node.portals) text += " to " + named(portal);
    return text;
}

std::string distribution(const char* word, const SplitterStmt& node) {
    if (node.duplicate) return std::string(word) + " duplicate";
    std::string text = std::string(word) + " roundrobin";
    return node.hasWeights ? text + "(" + joined(node.weights) + ")" : text;
}

std::string latency(const MessageStmt& node) {
    if (!node.hasLatency) return "";
    if (node.bestEffort) return " [*]";
    const auto side = [](const Expr* e) { return e ? structure(e) : std::string(); };
    return " [" + side(node.minLatency) + ":" + side(node.maxLatency) + "]";
}

}  // namespace

std::string structure(std::string_view text) {
    const Parsed parsed = expression(text);
    for (const auto& fault : parsed.faults()) return fault;
    return structure(parsed.expr);
}

std::string structure(const TypeExpr* t) {
    switch (t->kind) {
        case TypeExprKind::Primitive: return kPrimitive[int(t->primitive)];
        case TypeExprKind::Named: return named(t->name);
        case TypeExprKind::Portal: return "portal<" + named(t->name) + ">";
        case TypeExprKind::Array:
            return "[" + (t->bound ? structure(t->bound) : "") + " of " + structure(t->element) +
                   "]";
        case TypeExprKind::Tensor: return "tensor<" + structure(t->element) + ">";
        case TypeExprKind::Error: return "ERROR";
    }
    return "?";
}

std::string structure(const Expr* e) {
    switch (e->kind) {
        case ExprKind::Error: return "ERROR";
        case ExprKind::IntLiteral: return std::to_string(as<IntLiteral>(*e).value);
        case ExprKind::RealLiteral: {
            const auto& n = as<RealLiteral>(*e);
            return real(n.value) + (n.fromInteger ? "F" : "f");
        }
        case ExprKind::ImaginaryLiteral: return real(as<ImaginaryLiteral>(*e).value) + "i";
        case ExprKind::BooleanLiteral: return as<BooleanLiteral>(*e).value ? "true" : "false";
        case ExprKind::StringLiteral: return '"' + std::string(as<StringLiteral>(*e).value) + '"';
        case ExprKind::CharLiteral: return std::string("'") + as<CharLiteral>(*e).value + "'";
        case ExprKind::Pi: return "pi";
        case ExprKind::NameRef: return std::string(as<NameRef>(*e).name.text());
        case ExprKind::Member: {
            const auto& n = as<MemberExpr>(*e);
            return structure(n.object) + "." + named(n.member);
        }
        case ExprKind::Index: {
            const auto& n = as<IndexExpr>(*e);
            return structure(n.object) + "[" + (n.index ? structure(n.index) : "") + "]";
        }
        case ExprKind::Call: {
            const auto& n = as<CallExpr>(*e);
            return named(n.callee) + "(" + joined(n.args) + ")";
        }
        case ExprKind::PackageCall: {
            const auto& n = as<PackageCallExpr>(*e);
            return named(n.package) + "." + named(n.callee) + "(" + joined(n.args) + ")";
        }
        case ExprKind::Pop: return "pop()";
        case ExprKind::Peek: return "peek(" + structure(as<PeekExpr>(*e).offset) + ")";
        case ExprKind::Iter: return "iter()";
        case ExprKind::Unary: {
            const auto& n = as<UnaryExpr>(*e);
            return "(" + std::string(kUnary[int(n.op)]) + structure(n.operand) + ")";
        }
        case ExprKind::Binary: {
            const auto& n = as<BinaryExpr>(*e);
            return "(" + structure(n.left) + " " + kBinary[int(n.op)] + " " + structure(n.right) +
                   ")";
        }
        case ExprKind::Conditional: {
            const auto& n = as<ConditionalExpr>(*e);
            return "(" + structure(n.condition) + " ? " + structure(n.thenValue) + " : " +
                   structure(n.elseValue) + ")";
        }
        case ExprKind::Cast: {
            const auto& n = as<CastExpr>(*e);
            return "((" + structure(n.target) + ")" + structure(n.operand) + ")";
        }
        case ExprKind::Increment: {
            const auto& n = as<IncrementExpr>(*e);
            const std::string op = n.decrement ? "--" : "++";
            return n.prefix ? "(" + op + structure(n.target) + ")"
                            : "(" + structure(n.target) + op + ")";
        }
        case ExprKind::VectorLiteral: {
            const auto& n = as<VectorLiteral>(*e);
            return std::string(kPrimitive[int(n.type)]) + "(" + joined(n.components) + ")";
        }
        case ExprKind::ArrayLiteral: return "{" + joined(as<ArrayLiteral>(*e).elements) + "}";
        case ExprKind::Paren: return "<" + structure(as<ParenExpr>(*e).inner) + ">";
    }
    return "?";
}

std::string structure(const Stmt* s) {
    if (!s) return "-";
    switch (s->kind) {
        case StmtKind::Error: return "ERROR";
        case StmtKind::Block: {
            std::string text = "{ ";
            for (const auto* item : as<BlockStmt>(*s).statements) text += structure(item) + "; ";
            return text + "}";
        }
        case StmtKind::Empty: return "empty";
        case StmtKind::Variables: {
            const auto& n = as<VariablesStmt>(*s);
            std::string text = structure(n.type);
            for (const auto& v : n.variables) {
                text += " " + named(v.name);
                if (v.initialiser) text += "=" + structure(v.initialiser);
            }
            return text;
        }
        case StmtKind::Assign: {
            const auto& n = as<AssignStmt>(*s);
            return structure(n.target) + " " + kAssign[int(n.op)] + " " + structure(n.value);
        }
        case StmtKind::Expression: return structure(as<ExpressionStmt>(*s).expression);
        case StmtKind::If: {
            const auto& n = as<IfStmt>(*s);
            std::string text = "if " + structure(n.condition) + " then " + structure(n.thenBranch);
            return n.elseBranch ? text + " else (" + structure(n.elseBranch) + ")" : text;
        }
        case StmtKind::While: {
            const auto& n = as<WhileStmt>(*s);
            return "while " + structure(n.condition) + " " + structure(n.body);
        }
        case StmtKind::DoWhile: {
            const auto& n = as<DoWhileStmt>(*s);
            return "do " + structure(n.body) + " while " + structure(n.condition);
        }
        case StmtKind::For: {
            const auto& n = as<ForStmt>(*s);
            return "for (" + structure(n.init) + "; " +
                   (n.condition ? structure(n.condition) : "-") + "; " + structure(n.step) + ") " +
                   structure(n.body);
        }
        case StmtKind::Break: return "break";
        case StmtKind::Continue: return "continue";
        case StmtKind::Return: {
            const auto* value = as<ReturnStmt>(*s).value;
            return value ? "return " + structure(value) : "return";
        }
        case StmtKind::Push: return "push " + structure(as<PushStmt>(*s).value);
        case StmtKind::Message: {
            const auto& n = as<MessageStmt>(*s);
            return named(n.portal) + "." + named(n.handler) + "(" + joined(n.args) + ")" +
                   latency(n);
        }
        case StmtKind::Create: return creation(as<CreateStmt>(*s));
        case StmtKind::Split: return distribution("split", as<SplitStmt>(*s));
        case StmtKind::Join: return distribution("join", as<JoinStmt>(*s));
        case StmtKind::Enqueue: return "enqueue " + structure(as<EnqueueStmt>(*s).value);
    }
    return "?";
}

}  // namespace strc::parser::test
