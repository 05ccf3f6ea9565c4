// Ranges and ids of nodes: exact for the forms, and sound for every program of the tree.

#include <set>

#include <gmock/gmock.h>

#include "support.h"
#include "support/programs.h"

namespace strc::parser::test {
namespace {

using namespace ast;
using base::SourceRange;
using testing::IsEmpty;

/// Visits every node with the range of its parent.
class Walk {
public:
    explicit Walk(const Parsed& parsed) : parsed(parsed) {}

    void run() {
        const auto whole = SourceRange{
            parsed.buffer, 0, std::uint32_t(parsed.context->sources.text(parsed.buffer).size())};
        std::uint32_t last = 0;
        for (const Decl* item : parsed.unit->decls) {
            EXPECT_GE(item->range.begin, last);
            last = item->range.end;
            decl(*item, whole);
        }
        EXPECT_LE(ids.size(), parsed.context->nextNodeId);
    }

private:
    void node(NodeId id, SourceRange range, SourceRange parent) {
        ASSERT_TRUE(ids.insert(id.index).second) << "an id twice";
        ASSERT_LT(id.index, parsed.context->nextNodeId);
        inside(range, parent);
    }
    void inside(SourceRange range, SourceRange parent) {
        ASSERT_EQ(range.buffer, parsed.buffer);
        ASSERT_LT(range.begin, range.end);
        ASSERT_LE(parent.begin, range.begin) << parsed.slice(parent);
        ASSERT_LE(range.end, parent.end) << parsed.slice(parent);
        // No blanks at either end.
        const auto text = parsed.slice(range);
        ASSERT_EQ(std::string_view(" \t\n\r").find(text.front()), std::string_view::npos) << text;
        ASSERT_EQ(std::string_view(" \t\n\r").find(text.back()), std::string_view::npos) << text;
    }
    void name(const Ident& ident, SourceRange parent) {
        inside(ident.range, parent);
        ASSERT_EQ(parsed.slice(ident.range), ident.name.text());
    }
    void type(const TypeExpr* t, SourceRange parent) {
        if (!t) return;
        node(t->id, t->range, parent);
        if (t->kind == TypeExprKind::Named || t->kind == TypeExprKind::Portal)
            name(t->name, t->range);
        if (t->kind != TypeExprKind::Array) return;
        type(t->element, t->range);
        expr(t->bound, t->range);
    }
    void exprs(std::span<const Expr* const> list, SourceRange parent) {
        std::uint32_t last = 0;
        for (const Expr* item : list) {
            ASSERT_GE(item->range.begin, last);
            last = item->range.end;
            expr(item, parent);
        }
    }
    void expr(const Expr* e, SourceRange parent);
    void stmt(const Stmt* s, SourceRange parent);
    void decl(const Decl& d, SourceRange parent);
    void variables(const VariablesStmt& n) {
        type(n.type, n.range);
        for (const auto& v : n.variables) {
            name(v.name, n.range);
            expr(v.initialiser, n.range);
        }
    }
    void create(const CreateStmt& n);
    void rates(std::span<const RateClause> list, SourceRange parent) {
        for (const auto& clause : list) {
            inside(clause.range, parent);
            for (const Expr* e : {clause.value, clause.min, clause.average, clause.max}) {
                expr(e, clause.range);
            }
        }
    }
    void params(std::span<const Parameter> list, SourceRange parent) {
        for (const auto& p : list) {
            type(p.type, parent);
            name(p.name, parent);
            expr(p.defaultValue, parent);
        }
    }
    void stream(const StreamDecl& n);
    void function(const FunctionDecl& n) {
        type(n.result, n.range);
        name(n.name, n.range);
        params(n.params, n.range);
        rates(n.rates, n.range);
        stmt(n.body, n.range);
    }

    const Parsed& parsed;
    std::set<std::uint32_t> ids;
};

void Walk::expr(const Expr* e, SourceRange parent) {
    if (!e) return;
    node(e->id, e->range, parent);
    const auto in = e->range;
    if (const auto* n = tryAs<MemberExpr>(e)) {
        expr(n->object, in);
        name(n->member, in);
    }
    if (const auto* n = tryAs<IndexExpr>(e)) {
        expr(n->object, in);
        expr(n->index, in);
    }
    if (const auto* n = tryAs<CallExpr>(e)) {
        name(n->callee, in);
        exprs(n->args, in);
    }
    if (const auto* n = tryAs<PackageCallExpr>(e)) {
        name(n->package, in);
        name(n->callee, in);
        exprs(n->args, in);
    }
    if (const auto* n = tryAs<PeekExpr>(e)) {
        expr(n->offset, in);
    }
    if (const auto* n = tryAs<UnaryExpr>(e)) {
        expr(n->operand, in);
    }
    if (const auto* n = tryAs<BinaryExpr>(e)) {
        expr(n->left, {in.buffer, in.begin, n->opRange.begin});
        inside(n->opRange, in);
        expr(n->right, {in.buffer, n->opRange.end, in.end});
    }
    if (const auto* n = tryAs<ConditionalExpr>(e)) {
        expr(n->condition, in);
        expr(n->thenValue, {in.buffer, n->condition->range.end, in.end});
        expr(n->elseValue, {in.buffer, n->thenValue->range.end, in.end});
    }
    if (const auto* n = tryAs<CastExpr>(e)) {
        type(n->target, in);
        expr(n->operand, in);
    }
    if (const auto* n = tryAs<IncrementExpr>(e)) {
        expr(n->target, in);
    }
    if (const auto* n = tryAs<VectorLiteral>(e)) {
        exprs(n->components, in);
    }
    if (const auto* n = tryAs<ArrayLiteral>(e)) {
        exprs(n->elements, in);
    }
    if (const auto* n = tryAs<ParenExpr>(e)) {
        expr(n->inner, {in.buffer, in.begin + 1, in.end - 1});
    }
}

void Walk::stmt(const Stmt* s, SourceRange parent) {
    if (!s) return;
    node(s->id, s->range, parent);
    const auto in = s->range;
    if (const auto* n = tryAs<BlockStmt>(s)) {
        std::uint32_t last = 0;
        for (const Stmt* item : n->statements) {
            ASSERT_GE(item->range.begin, last);
            last = item->range.end;
            stmt(item, in);
        }
    }
    if (const auto* n = tryAs<VariablesStmt>(s)) {
        variables(*n);
    }
    if (const auto* n = tryAs<AssignStmt>(s)) {
        expr(n->target, {in.buffer, in.begin, n->opRange.begin});
        expr(n->value, {in.buffer, n->opRange.end, in.end});
    }
    if (const auto* n = tryAs<ExpressionStmt>(s)) {
        expr(n->expression, in);
    }
    if (const auto* n = tryAs<IfStmt>(s)) {
        expr(n->condition, in);
        stmt(n->thenBranch, in);
        stmt(n->elseBranch, in);
    }
    if (const auto* n = tryAs<WhileStmt>(s)) {
        expr(n->condition, in);
        stmt(n->body, in);
    }
    if (const auto* n = tryAs<DoWhileStmt>(s)) {
        stmt(n->body, in);
        expr(n->condition, in);
    }
    if (const auto* n = tryAs<ForStmt>(s)) {
        stmt(n->init, in);
        expr(n->condition, in);
        stmt(n->step, in);
        stmt(n->body, in);
    }
    if (const auto* n = tryAs<ReturnStmt>(s)) {
        expr(n->value, in);
    }
    if (const auto* n = tryAs<PushStmt>(s)) {
        expr(n->value, in);
    }
    if (const auto* n = tryAs<EnqueueStmt>(s)) {
        expr(n->value, in);
    }
    if (const auto* n = tryAs<MessageStmt>(s)) {
        name(n->portal, in);
        name(n->handler, in);
        exprs(n->args, in);
        if (n->hasLatency) inside(n->latencyRange, in);
        expr(n->minLatency, n->latencyRange);
        expr(n->maxLatency, n->latencyRange);
    }
    if (const auto* n = tryAs<CreateStmt>(s)) {
        create(*n);
    } else if (s->kind == StmtKind::Split || s->kind == StmtKind::Join) {
        exprs(static_cast<const SplitterStmt*>(s)->weights, in);
    }
}

void Walk::create(const CreateStmt& n) {
    if (n.target.name) name(n.target, n.range);
    type(n.typeArgument, n.range);
    for (const auto& arg : n.args) {
        if (arg.name.name) name(arg.name, n.range);
        expr(arg.value, n.range);
    }
    for (const auto& portal : n.portals) name(portal, n.range);
    if (n.anonymous) decl(*n.anonymous, n.range);
}

void Walk::decl(const Decl& d, SourceRange parent) {
    node(d.id, d.range, parent);
    if (const auto* n = tryAs<StructDecl>(&d)) {
        name(n->name, n->range);
        for (const auto& field : n->fields) {
            type(field.type, n->range);
            name(field.name, n->range);
        }
    }
    if (const auto* n = tryAs<StreamDecl>(&d)) {
        stream(*n);
    }
    if (const auto* n = tryAs<FunctionDecl>(&d)) {
        function(*n);
    }
    if (const auto* n = tryAs<HandlerDecl>(&d)) {
        name(n->name, n->range);
        params(n->params, n->range);
        stmt(n->body, n->range);
    }
    if (const auto* n = tryAs<WorkDecl>(&d)) {
        inside(n->header, n->range);
        rates(n->rates, n->header);
        stmt(n->body, n->range);
    }
    if (const auto* n = tryAs<InitDecl>(&d)) {
        stmt(n->body, n->range);
    }
    if (const auto* n = tryAs<FieldsDecl>(&d)) {
        ASSERT_EQ(n->variables->range, n->range);
        variables(*n->variables);
    }
    if (const auto* n = tryAs<StaticDecl>(&d)) {
        for (const Decl* member : n->members) decl(*member, n->range);
    }
    if (const auto* n = tryAs<NativeDecl>(&d)) {
        for (const auto* f : n->functions) decl(*f, n->range);
    }
    if (const auto* n = tryAs<HelperDecl>(&d)) {
        for (const auto* f : n->functions) decl(*f, n->range);
    }
}

void Walk::stream(const StreamDecl& n) {
    inside(n.header, n.range);
    type(n.input, n.header);
    type(n.output, n.header);
    if (n.name.name) name(n.name, n.header);
    params(n.params, n.header);
    for (const Decl* member : n.members) decl(*member, n.range);
    stmt(n.body, n.range);
}

TEST(Ranges, OfEveryProgramOfTheTree) {
    std::size_t count = 0;
    for (const char* folder : {"tests/conformance/programs", "stdlib", "examples", "benchmarks"}) {
        for (const auto& path : strc::test::programsUnder(folder)) {
            if (path.parent_path().filename() == "invalid") continue;
            Parsed parsed(strc::test::read(path), true);
            parsed.unit = &parse(*parsed.context, parsed.buffer);
            EXPECT_THAT(parsed.faults(), IsEmpty()) << path << "\n" << parsed.rendered();
            SCOPED_TRACE(path.string());
            Walk(parsed).run();
            ++count;
        }
    }
    EXPECT_GT(count, 150u);
}

template <typename T>
std::string_view slice(const Parsed& parsed, const T& node) {
    return parsed.slice(node.range);
}

TEST(Ranges, OfExpressions) {
    const auto whole = [](std::string_view text) {
        const Parsed parsed = expression(" /**/ " + std::string(text) + " // end");
        return std::string(slice(parsed, *parsed.expr));
    };
    for (const char* text :
         {"a",       "12",           "\"s\"",        "'c'",       "a.b",
          "a[1]",    "f(x, y)",      "G.f()",        "pop()",     "peek(1)",
          "iter()",  "-a",           "a + b",        "a ? b : c", "(int)x",
          "x++",     "--x",          "float2(1, 2)", "(a)",       "(a) [ 1 ] . b ++",
          "- ~ ! a", "(int) (bit) a"}) {
        EXPECT_EQ(whole(text), text);
    }
    const Parsed parsed = expression("a * b + c << d");
    const auto& sum = as<BinaryExpr>(*parsed.expr);
    EXPECT_EQ(slice(parsed, *sum.left), "a * b");
    EXPECT_EQ(parsed.slice(sum.opRange), "+");
    EXPECT_EQ(slice(parsed, *sum.right), "c << d");
}

TEST(Ranges, OfStatements) {
    for (const char* text : {"int a, b = 2;",
                             "x = 3;",
                             "f(1);",
                             "p.h() [0:1];",
                             "{ a(); }",
                             ";",
                             "while (a) b();",
                             "do a(); while (b);",
                             "for (;;) a();",
                             "for (int i = 0; i < 3; i++) { }",
                             "if (a) b();",
                             "if (a) b(); else c();",
                             "if (a) b(); else if (c) d(); else { }",
                             "break;",
                             "continue;",
                             "return 1;",
                             "push(1);",
                             "add A;",
                             "add A(1) to p;",
                             "body pipeline { }",
                             "add int->int filter { } to p;",
                             "split duplicate;",
                             "join roundrobin(1, 2);",
                             "enqueue 3;"}) {
        const Parsed parsed = statement(" " + std::string(text) + " ;; ");
        if (std::string_view(text) != ";") {
            EXPECT_THAT(parsed.faults(), IsEmpty()) << text;
        }
        EXPECT_EQ(slice(parsed, *parsed.stmt), text);
    }
}

/// The `;` that are left out of the tree are left out of ranges as well.
TEST(Ranges, OfALoopWithStrayDelimiters) {
    const Parsed parsed = statement("for (i = 0; ; x.f(2)) add pipeline { add A ; };;");
    const auto& loop = as<ForStmt>(*parsed.stmt);
    EXPECT_EQ(slice(parsed, *loop.init), "i = 0");
    EXPECT_EQ(slice(parsed, *loop.step), "x.f(2)");
    EXPECT_EQ(slice(parsed, *loop.body), "add pipeline { add A ; }");
    EXPECT_EQ(slice(parsed, *parsed.stmt), "for (i = 0; ; x.f(2)) add pipeline { add A ; }");
}

TEST(Ranges, OfDeclarations) {
    for (const char* text :
         {"struct S { int a; }", "static { int a; }", "global { }", "native N { int f(int a); }",
          "helper H { int f() { } }", "int->int filter F { work { } }",
          "void->void pipeline P(int n) { }"}) {
        const Parsed parsed = declaration("/* before */ " + std::string(text) + " ; // behind");
        EXPECT_THAT(parsed.faults(), IsEmpty()) << text;
        EXPECT_EQ(slice(parsed, *parsed.decl), text);
    }
}

TEST(Ranges, OfTypes) {
    const Parsed parsed = statement("float [2] [n + 1] a;");
    const auto* type = as<VariablesStmt>(*parsed.stmt).type;
    EXPECT_EQ(slice(parsed, *type), "float [2] [n + 1]");
    EXPECT_EQ(slice(parsed, *type->element), "float [2] [n + 1]");
    EXPECT_EQ(slice(parsed, *type->element->element), "float");
    EXPECT_EQ(slice(parsed, *type->bound), "2");
}

/// Positions are bytes, whatever characters stand before.
TEST(Ranges, CountBytes) {
    const Parsed parsed =
        unit("/* \xC3\xA9\xE2\x82\xAC */ struct S { int a; } // \xF0\x9F\x98\x80");
    EXPECT_EQ(slice(parsed, *parsed.unit->decls[0]), "struct S { int a; }");
    EXPECT_EQ(parsed.unit->comments[1].range.end,
              parsed.context->sources.text(parsed.buffer).size());
}

}  // namespace
}  // namespace strc::parser::test
