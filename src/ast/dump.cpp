#include <string>
#include <vector>

#include <fmt/format.h>

#include "ast/print.h"
#include "ast/spelling.h"

namespace strc::ast {

namespace {

std::string_view spelling(CreateRole role) {
    switch (role) {
        case CreateRole::Add: return "Add";
        case CreateRole::Body: return "Body";
        case CreateRole::Loop: return "Loop";
    }
    return {};
}

/// On one line, whatever the bytes.
std::string quoted(std::string_view text, char quote) {
    std::string result(1, quote);
    for (char c : text) {
        unsigned char byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\')
            result += {'\\', c};
        else if (byte < 0x20 || byte >= 0x7F)
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result += quote;
}

/// Chains that may be long (operators of one level, suffixes, `else if`, conditions) are shown as
/// lists: the depth of a dump is that of the brackets in the text.
class Dumper {
public:
    void unit(const Unit& unit);
    void expr(const Expr& expr);
    std::string take() { return std::move(out); }

private:
    /// A line, and what lies inside of it until the end of the scope.
    class Inside {
    public:
        explicit Inside(Dumper& of) : dumper(of) { ++dumper.depth; }
        ~Inside() { --dumper.depth; }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        Dumper& dumper;
    };

    void line(std::string_view text) {
        out.append(2 * depth, ' ');
        out += text;
        out += '\n';
    }
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        line(std::string_view(fmt::format(format, std::forward<Args>(args)...)));
    }

    void type(std::string_view label, const TypeExpr& type);
    void labelled(std::string_view label, const Expr* expr);
    void exprs(std::string_view label, std::span<const Expr* const> list);
    void chain(const BinaryExpr& expr);
    void suffixes(const Expr& expr);
    void conditions(const ConditionalExpr& expr);
    void compound(const Expr& expr);

    void labelled(std::string_view label, const Stmt* stmt);
    void stmt(const Stmt& stmt);
    void simple(const Stmt& stmt);
    void ifChain(const IfStmt& stmt);
    void forLoop(const ForStmt& stmt);
    void variables(std::string_view label, const VariablesStmt& stmt);
    void message(const MessageStmt& stmt);
    void create(const CreateStmt& stmt);
    void splitter(std::string_view label, const SplitterStmt& stmt);
    void block(const BlockStmt* block);

    void decl(const Decl& decl);
    void parameters(std::span<const Parameter> params);
    void rates(std::span<const RateClause> clauses);
    void bound(std::string_view label, const Expr* bound);
    void position(const IndexExpr& index);
    void function(const FunctionDecl& decl);
    void functions(std::span<const FunctionDecl* const> list);
    void structDecl(const StructDecl& decl);
    void stream(const StreamDecl& decl);

    std::string out;
    std::size_t depth = 0;
};

// ---------------------------------------------------------------- types

void Dumper::type(std::string_view label, const TypeExpr& whole) {
    std::string dimensions;
    const TypeExpr* inner = &whole;
    for (; inner->kind == TypeExprKind::Array; inner = inner->element) dimensions += "[]";
    switch (inner->kind) {
        case TypeExprKind::Primitive:
            line("{} {}{}", label, spelling(inner->primitive), dimensions);
            break;
        case TypeExprKind::Named:
            line("{} {}{}", label, inner->name.name.text(), dimensions);
            break;
        case TypeExprKind::Portal:
            line("{} portal<{}>{}", label, inner->name.name.text(), dimensions);
            break;
        case TypeExprKind::Tensor:
            line("{} tensor<{}>{}{}", label,
                 inner->element->kind == TypeExprKind::Primitive
                     ? spelling(inner->element->primitive)
                     : inner->element->name.name.text(),
                 dimensions, inner->hasNoDimensions ? " without dimensions" : "");
            break;
        case TypeExprKind::Array:
        case TypeExprKind::Error: line("{} Error{}", label, dimensions); break;
    }
    Inside inside(*this);
    for (const TypeExpr* each = &whole; each != inner; each = each->element)
        if (each->bound)
            expr(*each->bound);
        else
            line("Missing");
}

// ---------------------------------------------------------------- expressions

void Dumper::labelled(std::string_view label, const Expr* value) {
    if (!value) return;
    line(label);
    Inside inside(*this);
    expr(*value);
}

void Dumper::exprs(std::string_view label, std::span<const Expr* const> list) {
    line(label);
    Inside inside(*this);
    for (const Expr* each : list) expr(*each);
}

void Dumper::expr(const Expr& value) {
    switch (value.kind) {
        case ExprKind::Error: return line("Error");
        case ExprKind::IntLiteral: return line("Int {}", as<IntLiteral>(value).value);
        case ExprKind::RealLiteral: {
            auto& real = as<RealLiteral>(value);
            return line("Real {}{}", real.value, real.fromInteger ? " from an integer" : "");
        }
        case ExprKind::ImaginaryLiteral:
            return line("Imaginary {}", as<ImaginaryLiteral>(value).value);
        case ExprKind::BooleanLiteral: return line("Boolean {}", as<BooleanLiteral>(value).value);
        case ExprKind::StringLiteral:
            return line("String {}", quoted(as<StringLiteral>(value).value, '"'));
        case ExprKind::CharLiteral:
            return line("Char {}", quoted({&as<CharLiteral>(value).value, 1}, '\''));
        case ExprKind::Pi: return line("Pi");
        case ExprKind::NameRef: return line("Name {}", as<NameRef>(value).name.text());
        case ExprKind::Pop: return line("Pop");
        case ExprKind::Iter: return line("Iter");
        case ExprKind::Member:
        case ExprKind::Index: return suffixes(value);
        case ExprKind::Binary: return chain(as<BinaryExpr>(value));
        case ExprKind::Conditional: return conditions(as<ConditionalExpr>(value));
        case ExprKind::Call:
        case ExprKind::PackageCall:
        case ExprKind::Peek:
        case ExprKind::Unary:
        case ExprKind::Cast:
        case ExprKind::Increment:
        case ExprKind::VectorLiteral:
        case ExprKind::ArrayLiteral:
        case ExprKind::Paren: return compound(value);
    }
}

void Dumper::compound(const Expr& value) {
    if (auto* call = tryAs<CallExpr>(&value))
        return exprs(fmt::format("Call {}", call->callee.name.text()), call->args);
    if (auto* call = tryAs<PackageCallExpr>(&value))
        return exprs(fmt::format("Call {}.{}", call->package.name.text(), call->callee.name.text()),
                     call->args);
    if (auto* peek = tryAs<PeekExpr>(&value)) return labelled("Peek", peek->offset);
    if (auto* unary = tryAs<UnaryExpr>(&value))
        return labelled(fmt::format("Unary {}", spelling(unary->op)), unary->operand);
    if (auto* cast = tryAs<CastExpr>(&value)) {
        type("Cast", *cast->target);
        Inside inside(*this);
        return expr(*cast->operand);
    }
    if (auto* step = tryAs<IncrementExpr>(&value)) {
        std::string_view op = step->decrement ? "--" : "++";
        std::string label =
            step->prefix ? fmt::format("Increment {}x", op) : fmt::format("Increment x{}", op);
        return labelled(label, step->target);
    }
    if (auto* vector = tryAs<VectorLiteral>(&value))
        return exprs(fmt::format("Vector {}", spelling(vector->type)), vector->components);
    if (auto* table = tryAs<ArrayLiteral>(&value)) return exprs("Array", table->elements);
    labelled("Paren", as<ParenExpr>(value).inner);
}

/// `a + b * c - d` as: a, then `+` with b * c, then `-` with d.
void Dumper::chain(const BinaryExpr& outermost) {
    std::vector<const BinaryExpr*> operators;
    const Expr* first = &outermost;
    while (auto* each = tryAs<BinaryExpr>(first)) {
        operators.push_back(each);
        first = each->left;
    }
    line("Binary");
    Inside inside(*this);
    expr(*first);
    for (std::size_t i = operators.size(); i-- > 0;)
        labelled(spelling(operators[i]->op), operators[i]->right);
}

void Dumper::suffixes(const Expr& outermost) {
    std::vector<const Expr*> chain;
    const Expr* first = &outermost;
    while (true) {
        if (auto* member = tryAs<MemberExpr>(first))
            chain.push_back(first), first = member->object;
        else if (auto* index = tryAs<IndexExpr>(first))
            chain.push_back(first), first = index->object;
        else
            break;
    }
    line("Element");
    Inside inside(*this);
    expr(*first);
    for (std::size_t i = chain.size(); i-- > 0;) {
        if (auto* member = tryAs<MemberExpr>(chain[i]))
            line(".{}", member->member.name.text());
        else
            position(as<IndexExpr>(*chain[i]));
    }
}

void Dumper::position(const IndexExpr& index) {
    bound("[]", index.index);
    for (const Expr* more : index.more) bound(",", more);
}

void Dumper::conditions(const ConditionalExpr& first) {
    line("Conditional");
    Inside inside(*this);
    const Expr* rest = &first;
    while (auto* each = tryAs<ConditionalExpr>(rest)) {
        labelled("If", each->condition);
        labelled("Then", each->thenValue);
        rest = each->elseValue;
    }
    labelled("Else", rest);
}

// ---------------------------------------------------------------- statements

void Dumper::labelled(std::string_view label, const Stmt* inner) {
    if (!inner) return;
    line(label);
    Inside inside(*this);
    stmt(*inner);
}

void Dumper::block(const BlockStmt* list) {
    if (!list) return;
    Inside inside(*this);
    for (const Stmt* each : list->statements) stmt(*each);
}

void Dumper::stmt(const Stmt& statement) {
    switch (statement.kind) {
        case StmtKind::Block: line("Block"); return block(&as<BlockStmt>(statement));
        case StmtKind::Variables: return variables("Variables", as<VariablesStmt>(statement));
        case StmtKind::If: return ifChain(as<IfStmt>(statement));
        case StmtKind::For: return forLoop(as<ForStmt>(statement));
        case StmtKind::While: {
            line("While");
            Inside inside(*this);
            labelled("Condition", as<WhileStmt>(statement).condition);
            return stmt(*as<WhileStmt>(statement).body);
        }
        case StmtKind::DoWhile: {
            line("Do");
            Inside inside(*this);
            stmt(*as<DoWhileStmt>(statement).body);
            return labelled("Condition", as<DoWhileStmt>(statement).condition);
        }
        case StmtKind::Message: return message(as<MessageStmt>(statement));
        case StmtKind::Create: return create(as<CreateStmt>(statement));
        case StmtKind::Split: return splitter("Split", as<SplitStmt>(statement));
        case StmtKind::Join: return splitter("Join", as<JoinStmt>(statement));
        case StmtKind::Error:
        case StmtKind::Empty:
        case StmtKind::Assign:
        case StmtKind::Expression:
        case StmtKind::Break:
        case StmtKind::Continue:
        case StmtKind::Return:
        case StmtKind::Push:
        case StmtKind::Enqueue: return simple(statement);
    }
}

void Dumper::simple(const Stmt& statement) {
    if (statement.kind == StmtKind::Empty) return line("Empty");
    if (statement.kind == StmtKind::Break) return line("Break");
    if (statement.kind == StmtKind::Continue) return line("Continue");
    if (auto* evaluated = tryAs<ExpressionStmt>(&statement))
        return labelled("Expression", evaluated->expression);
    if (auto* pushed = tryAs<PushStmt>(&statement)) return labelled("Push", pushed->value);
    if (auto* queued = tryAs<EnqueueStmt>(&statement)) return labelled("Enqueue", queued->value);
    if (auto* left = tryAs<ReturnStmt>(&statement)) {
        line("Return");
        Inside inside(*this);
        if (left->value) expr(*left->value);
        return;
    }
    if (auto* assigned = tryAs<AssignStmt>(&statement)) {
        line("Assign {}", spelling(assigned->op));
        Inside inside(*this);
        expr(*assigned->target);
        return expr(*assigned->value);
    }
    line("Error");
}

void Dumper::ifChain(const IfStmt& first) {
    line("If");
    const Stmt* rest = &first;
    while (auto* each = tryAs<IfStmt>(rest)) {
        if (each != &first) line("Else If");
        Inside inside(*this);
        labelled("Condition", each->condition);
        stmt(*each->thenBranch);
        rest = each->elseBranch;
    }
    labelled("Else", rest);
}

void Dumper::forLoop(const ForStmt& loop) {
    line("For");
    Inside inside(*this);
    labelled("Init", loop.init);
    labelled("Condition", loop.condition);
    labelled("Step", loop.step);
    stmt(*loop.body);
}

void Dumper::variables(std::string_view label, const VariablesStmt& declared) {
    type(label, *declared.type);
    Inside inside(*this);
    for (const Declarator& each : declared.variables) {
        line("Variable {}", each.name.name.text());
        Inside initialiser(*this);
        if (each.initialiser) expr(*each.initialiser);
    }
}

void Dumper::message(const MessageStmt& sent) {
    exprs(fmt::format("Message {}.{}", sent.portal.name.text(), sent.handler.name.text()),
          sent.args);
    if (!sent.hasLatency) return;
    Inside inside(*this);
    if (sent.bestEffort) return line("Latency *");
    bound("Earliest", sent.minLatency);
    bound("Latest", sent.maxLatency);
}

void Dumper::create(const CreateStmt& made) {
    std::string heading(spelling(made.role));
    for (std::size_t i = 0; i < made.portals.size(); ++i)
        heading += fmt::format("{}{}", i == 0 ? " to " : ", ", made.portals[i].name.text());
    line(heading);
    Inside inside(*this);
    if (made.anonymous) return stream(*made.anonymous);
    line("Named {}", made.target.name.text());
    Inside arguments(*this);
    if (made.typeArgument) type("Type", *made.typeArgument);
    for (const Argument& each : made.args) {
        if (each.name.name)
            labelled(fmt::format("{} =", each.name.name.text()), each.value);
        else
            expr(*each.value);
    }
}

void Dumper::splitter(std::string_view label, const SplitterStmt& way) {
    std::string_view kind = way.duplicate    ? "duplicate"
                            : way.hasWeights ? "roundrobin with weights"
                                             : "roundrobin";
    exprs(fmt::format("{} {}", label, kind), way.weights);
}

// ---------------------------------------------------------------- declarations

void Dumper::unit(const Unit& whole) {
    line("Unit");
    Inside inside(*this);
    for (const Decl* each : whole.decls) decl(*each);
}

void Dumper::parameters(std::span<const Parameter> params) {
    for (const Parameter& each : params) {
        type(fmt::format("Parameter {}:", each.name.name.text()), *each.type);
        Inside inside(*this);
        labelled("Default", each.defaultValue);
    }
}

void Dumper::bound(std::string_view label, const Expr* limit) {
    if (!limit) return line("{} *", label);
    labelled(label, limit);
}

void Dumper::rates(std::span<const RateClause> clauses) {
    for (const RateClause& each : clauses) {
        if (!each.dynamic) {
            labelled(fmt::format("Rate {}", spelling(each.kind)), each.value);
            continue;
        }
        line("Dynamic rate {}", spelling(each.kind));
        Inside inside(*this);
        bound("Least", each.min);
        labelled("Average", each.average);
        bound("Most", each.max);
    }
}

void Dumper::function(const FunctionDecl& made) {
    line("Function {}", made.name.name.text());
    Inside inside(*this);
    type("Result", *made.result);
    parameters(made.params);
    rates(made.rates);
    line(made.body ? "Do" : "Prototype");
    block(made.body);
}

void Dumper::functions(std::span<const FunctionDecl* const> list) {
    Inside inside(*this);
    for (const FunctionDecl* each : list) function(*each);
}

void Dumper::structDecl(const StructDecl& made) {
    line("Struct {}", made.name.name.text());
    Inside inside(*this);
    for (const StructField& each : made.fields)
        type(fmt::format("Field {}:", each.name.name.text()), *each.type);
}

void Dumper::stream(const StreamDecl& made) {
    line("Stream {}{}{}{}", made.stateful ? "stateful " : "", spelling(made.stream),
         made.name.name ? " " : "", made.name.name.text());
    Inside inside(*this);
    if (made.input) type("Input", *made.input);
    if (made.output) type("Output", *made.output);
    parameters(made.params);
    for (const Decl* each : made.members) decl(*each);
    if (made.body) line("Do");
    block(made.body);
}

void Dumper::decl(const Decl& made) {
    switch (made.kind) {
        case DeclKind::Error: return line("Error");
        case DeclKind::Struct: return structDecl(as<StructDecl>(made));
        case DeclKind::Stream: return stream(as<StreamDecl>(made));
        case DeclKind::Function: return function(as<FunctionDecl>(made));
        case DeclKind::Fields: return variables("Fields", *as<FieldsDecl>(made).variables);
        case DeclKind::Native:
            line("Native {}", as<NativeDecl>(made).name.name.text());
            return functions(as<NativeDecl>(made).functions);
        case DeclKind::Helper:
            line("Helper {}", as<HelperDecl>(made).name.name.text());
            return functions(as<HelperDecl>(made).functions);
        case DeclKind::Init: line("Init"); return block(as<InitDecl>(made).body);
        case DeclKind::Static: {
            line("Static");
            Inside inside(*this);
            for (const Decl* each : as<StaticDecl>(made).members) decl(*each);
            return;
        }
        case DeclKind::Handler: {
            line("Handler {}", as<HandlerDecl>(made).name.name.text());
            Inside inside(*this);
            parameters(as<HandlerDecl>(made).params);
            line("Do");
            return block(as<HandlerDecl>(made).body);
        }
        case DeclKind::Work: {
            line(as<WorkDecl>(made).prework ? "Prework" : "Work");
            Inside inside(*this);
            rates(as<WorkDecl>(made).rates);
            line("Do");
            return block(as<WorkDecl>(made).body);
        }
    }
}

}  // namespace

std::string dump(const Unit& unit) {
    Dumper dumper;
    dumper.unit(unit);
    return dumper.take();
}

std::string dump(const Expr& expr) {
    Dumper dumper;
    dumper.expr(expr);
    return dumper.take();
}

}  // namespace strc::ast
