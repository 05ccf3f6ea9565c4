// Large texts, deep texts, several readers.

#include <chrono>
#include <functional>
#include <thread>

#include <gmock/gmock.h>

#include "ast/print.h"
#include "support.h"

namespace strc::parser::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string repeat(std::string_view text, std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; i++) result += text;
    return result;
}

/// `text` repeated `count` times with `middle` and as many `close` behind.
std::string nest(std::string_view open, std::size_t count, std::string_view middle,
                 std::string_view close = "") {
    return repeat(open, count) + std::string(middle) + repeat(close, count);
}

constexpr std::size_t kHuge = 20'000;

TEST(Limits, NestingIsBounded) {
    for (const std::string& text : {
             inWork("x = " + nest("(", kHuge, "1", ")") + ";"),
             inWork("x = " + nest("(", kHuge, "")),
             inWork("x = " + nest("f(", kHuge, "1", ")") + ";"),
             inWork("x" + nest("[a", kHuge, "", "]") + " = 1;"),
             inWork("x = " + nest("(int)", kHuge, "1;")),
             inWork("x = " + nest("x ? ", kHuge, "2", " : 1") + ";"),
             inWork(nest("{", kHuge, "", "}")),
             inWork(nest("if (x) ", kHuge, ";")),
             inWork(nest("if (x) ; else while (x) ", kHuge, ";")),
             inWork(nest("while (x) ", kHuge, ";")),
             inWork(nest("for (;;) ", kHuge, ";")),
             inWork(nest("do ", kHuge, ";", "while (x);")),
             inFilter("int x = " + nest("{", kHuge, "1", "}") + ";"),
             inFilter("int" + nest("[x", kHuge, "", "]") + " y;"),
             inPipeline(nest("add pipeline {", kHuge, "", "}")),
             inPipeline(nest("add int->int filter { init {", kHuge, "", "} }")),
         }) {
        const Parsed parsed = unit(text);
        ASSERT_EQ(parsed.context->diags.all().size(), 1u) << text.substr(0, 80);
        const auto& fault = parsed.context->diags.all()[0];
        EXPECT_EQ(fault.id, base::Diag::NestingTooDeep) << text.substr(0, 80);
        EXPECT_LT(fault.range.begin, fault.range.end);
    }
}

/// These are lists for the parser, but deep in the tree.
TEST(Limits, TheDepthOfTheTreeIsBounded) {
    for (const std::string& text : {
             inWork("x = " + nest("1 + ", kHuge, "2;")),
             inWork("x = " + nest("x ? 1 : ", kHuge, "2;")),
             inWork("x = " + nest("- ", kHuge, "2;")),
             inWork("x = x" + nest("[0]", kHuge, ";")),
             inWork("x" + nest(".a", kHuge, " = 1;")),
             inWork("x" + nest(".a", kHuge, "++;")),
             inWork("int" + nest("[1]", kHuge, " y;")),
             inWork("Foo" + nest("[1]", kHuge, " y;")),
             inWork("if (x) ; " + nest("else if (x) ; ", kHuge, "")),
         }) {
        const Parsed parsed = unit(text);
        EXPECT_EQ(parsed.context->diags.all().size(), 1u) << text.substr(0, 80);
        EXPECT_EQ(parsed.context->diags.all()[0].id, base::Diag::NestingTooDeep);
    }
}

TEST(Limits, WhatFitsIsRead) {
    for (const std::string& text : {
             inWork("x = " + nest("(", 900, "1", ")") + ";"),
             inWork("x = " + nest("f(", 900, "1", ")") + ";"),
             inWork(nest("{", 900, "", "}")),
             inWork(nest("if (x) ", 900, ";")),
             inWork("x = " + nest("1 + ", 2000, "2;")),
             inWork("if (x) ; " + nest("else if (x) ; ", 2000, "")),
             inFilter("int x = " + nest("{", 900, "1", "}") + ";"),
             inPipeline(nest("add pipeline {", 900, "", "}")),
         }) {
        EXPECT_THAT(unit(text).faults(), IsEmpty()) << text.substr(0, 80);
    }
}

TEST(Limits, AreThoseOfTheContext) {
    base::Limits limits;
    limits.nesting = 10;
    EXPECT_THAT(unit(inWork("x = ((((1))));"), limits).faults(), IsEmpty());
    EXPECT_EQ(unit(inWork("x = " + nest("(", 10, "1", ")") + ";"), limits).faults().size(), 1u);
    limits.nesting = 1000;
    limits.treeDepth = 10;
    EXPECT_THAT(unit(inWork("x = 1 + 1 + 1;"), limits).faults(), IsEmpty());
    EXPECT_THAT(unit(inWork("x = " + nest("1+", 10, "1") + ";"), limits).faults(),
                ElementsAre("nesting-too-deep '1'"));
}

TEST(Limits, NoMoreErrorsThanAreShown) {
    base::Limits limits;
    for (const char* item : {"x = ;", "@", "\"\\q\"", "}", "x\n", "push((((("}) {
        const Parsed parsed = unit(inWork(repeat(item, 10'000)), limits);
        EXPECT_LE(parsed.context->diags.all().size(), 2u * limits.errors + 2) << item;
        EXPECT_GE(parsed.context->diags.all().size(), 1u) << item;
    }
}

TEST(Large, EightyThousandStatementsInABlock) {
    std::string text;
    for (int i = 0; i < 20'000; i++) {
        const std::string n = std::to_string(i);
        text += "t[" + n + "][3] = " + n + ";\nx = x * 0.5 + t[0][" + n + "];\n";
        text += "if (x > " + n + ") x = 2; else x += 1;\nset(x, " + n + ");\n";
    }
    const Parsed parsed = unit(inWork(text));
    ASSERT_THAT(parsed.faults(), IsEmpty());
    const auto& filter = ast::as<ast::StreamDecl>(*parsed.unit->decls[0]);
    EXPECT_EQ(ast::as<ast::WorkDecl>(*filter.members[1]).body->statements.size(), 80'001u);
}

TEST(Large, TablesOfTenDimensions) {
    std::string table = "7";
    for (int i = 0; i < 10; i++) table = "{" + table + ", " + table + ", " + table + "}";
    const Parsed parsed = unit(inFilter("int" + repeat("[3]", 10) + " t = " + table + ";"));
    ASSERT_THAT(parsed.faults(), IsEmpty());
    const auto& filter = ast::as<ast::StreamDecl>(*parsed.unit->decls[0]);
    const auto& fields = *ast::as<ast::FieldsDecl>(*filter.members[0]).variables;
    const ast::Expr* value = fields.variables[0].initialiser;
    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(ast::as<ast::ArrayLiteral>(*value).elements.size(), 3u);
        value = ast::as<ast::ArrayLiteral>(*value).elements[2];
    }
    EXPECT_EQ(structure(value), "7");
}

TEST(Large, ListsOfAllKinds) {
    for (const std::string& text : {
             inFilter("int[9] t = {" + repeat("1, ", kHuge) + "2};"),
             inWork("f(" + repeat("1, ", kHuge) + "2);"),
             inWork("int " + repeat("a, ", kHuge) + "b;"),
             inFilter(repeat("int a;", kHuge)),
             inFilter("void f(" + repeat("int a, ", kHuge) + "int b) { }"),
             inPipeline(repeat("add A;", kHuge)),
             "struct S { " + repeat("int a; ", kHuge) + "}",
             repeat("struct S { } ", kHuge),
             repeat(";", kHuge) + repeat("/**/", kHuge),
             inWork("println(\"" + repeat("abc", kHuge) + "\");"),
         }) {
        EXPECT_THAT(unit(text).faults(), IsEmpty()) << text.substr(0, 80);
    }
}

/// Twice the text takes about twice the time: what is quadratic takes four times as much.
TEST(Large, TimeIsLinearAlsoWithErrors) {
    const auto seconds = [](const std::string& text) {
        const auto start = std::chrono::steady_clock::now();
        unit(text);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (const char* item : {"x = a[i] + 1;", "x = ;", "if (a) if (b) c(); else ", "push((1);"}) {
        seconds(inWork(repeat(item, 1000)));  // what ANTLR learns once
        const double once = seconds(inWork(repeat(item, 500) + "f();"));
        const double more = seconds(inWork(repeat(item, 4000) + "f();"));
        EXPECT_LT(more, 8 * 4 * once + 0.05) << item;
    }
}

// ---------------------------------------------------------------- several readers

TEST(Readers, DoNotDisturbOneAnother) {
    const std::string good = inWork("x = (int)a + b * c; if (x) f(); else g();");
    const std::string bad = inWork("x = (int + ; if (x f(); else;");
    const auto expected = unit(bad).faults();
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; i++) {
                if (unit(good).faults().empty() && unit(bad).faults() == expected) right++;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(right, 200);
}

TEST(Readers, SeveralBuffersOfOneContext) {
    base::Context context;
    const auto first = context.sources.add("a.str", "struct A { int x; }");
    const auto second = context.sources.add("b.str", "struct B { int x; } struct");
    const ast::Unit& a = parse(context, first);
    EXPECT_FALSE(context.diags.hasErrors());
    const ast::Unit& b = parse(context, second);
    EXPECT_EQ(context.diags.all()[0].range.buffer, second);
    EXPECT_EQ(a.decls[0]->range.buffer, first);
    EXPECT_EQ(ast::as<ast::StructDecl>(*a.decls[0]).fields[0].name.name,
              ast::as<ast::StructDecl>(*b.decls[0]).fields[0].name.name);
    EXPECT_NE(a.decls[0]->id, b.decls[0]->id);
}

TEST(Pieces, OfAPrompt) {
    EXPECT_EQ(structure(statement("x = 1;").stmt), "x = 1");
    EXPECT_EQ(structure(expression("1 + 2").expr), "(1 + 2)");
    EXPECT_EQ(declaration("struct S { int a; };").decl->kind, ast::DeclKind::Struct);
    EXPECT_THAT(statement("x = 1; y = 2;").faults(), ElementsAre("unexpected-token 'y'"));
    EXPECT_THAT(expression("1 + 2;").faults(), ElementsAre("unexpected-token ';'"));
    EXPECT_THAT(declaration("struct S { } struct T { }").faults(),
                ElementsAre("unexpected-token 'struct'"));
}

TEST(Pieces, BlankTextsHoldNone) {
    for (const char* text : {"", " \n", "// a", "/* b */ // c\n"}) {
        EXPECT_EQ(statement(text).stmt, nullptr);
        EXPECT_EQ(expression(text).expr, nullptr);
        EXPECT_EQ(declaration(text).decl, nullptr);
        EXPECT_THAT(statement(text).faults(), IsEmpty());
    }
}

TEST(Pieces, WithFaultsAreErrorNodes) {
    EXPECT_EQ(structure(expression("(1 + ) * 2").expr), "(<(1 + ERROR)> * 2)");
    EXPECT_EQ(expression(")").expr->kind, ast::ExprKind::Error);
    EXPECT_EQ(statement("x +").stmt->kind, ast::StmtKind::Error);
    EXPECT_EQ(declaration("int").decl->kind, ast::DeclKind::Error);
}

/// A prompt asks for more lines if the only fault is that the text ends.
TEST(Pieces, ThatGoOnEndInside) {
    for (const char* text : {"if (a) {", "f(1,", "x = 1 +", "while (a)", "int[3] a = {1,"}) {
        const Parsed parsed = statement(text);
        ASSERT_EQ(parsed.context->diags.all().size(), 1u) << text << parsed.rendered();
        EXPECT_EQ(parsed.context->diags.all()[0].id, base::Diag::UnexpectedEndOfFile) << text;
    }
    EXPECT_THAT(statement("x = 1").faults(), ElementsAre("expected-token after 'x = 1'"));
    EXPECT_THAT(expression("(1 + 2").faults(),
                ElementsAre("unexpected-end-of-file after '(1 + 2'"));
}

TEST(Limits, AnInterruptedTextIsGivenUp) {
    base::Context context;
    const volatile bool interrupt = true;
    const base::BufferId buffer =
        context.sources.add("a.str", "struct P { int x; } struct Q { nope");
    EXPECT_TRUE(parse(context, buffer, &interrupt).decls.empty());
    EXPECT_TRUE(context.diags.all().empty());
}

}  // namespace
}  // namespace strc::parser::test
