#include "parser/fragment.h"

#include <gtest/gtest.h>

namespace strc::parser {

void PrintTo(FragmentKind kind, std::ostream* out) {
    constexpr const char* kNames[] = {"Declaration", "Variables", "Statement", "Expression",
                                      "Stream"};
    *out << kNames[static_cast<int>(kind)];
}

namespace {

FragmentKind kindOf(std::string_view text) { return kindOfFragment(text, 256); }

TEST(Fragment, RightTexts) {
    for (const char* text :
         {"int->int filter A { work pop 1 push 1 { push(pop()); } }", "struct P { int x; }",
          "static { int n = 3; }", "global { int n; }", "helper H { int f(int x) { return x; } }",
          "void->void pipeline add { }"})
        EXPECT_EQ(kindOf(text), FragmentKind::Declaration) << text;
    for (const char* text :
         {"int n = 3", "int n = 3;", "float[4] a, b", "P p", "P[2] p = q", "tensor<float>[2, 3] x",
          "tensor x = {{1, 2}, {3, 4}}", "int n = 3 // three", "String s"})
        EXPECT_EQ(kindOf(text), FragmentKind::Variables) << text;
    for (const char* text :
         {"n = 3", "n += 3", "a[1].x = f(2)", "n++", "--n", "{ n = 1; m = 2; }", "push(1)",
          "if (a) n = 1; else m = 2;", "for (int i = 0; i < 3; i++) f(i)", "while (a) { }"})
        EXPECT_EQ(kindOf(text), FragmentKind::Statement) << text;
    for (const char* text :
         {"n", "f(x)", "1 + 2", "-n", "(int) x", "a[1].x", "float2(1, 2)", "a ? b : c", "pi"})
        EXPECT_EQ(kindOf(text), FragmentKind::Expression) << text;
    for (const char* text : {"int->int filter { work pop 1 push 1 { push(pop()); } }",
                             "int->int filter { work pop 1 push 1 { push(pop()); } } <- [1]",
                             "pipeline { add A(); } | B()", "s -> out"})
        EXPECT_EQ(kindOf(text), FragmentKind::Stream) << text;
}

/// The kind that was meant says best what is wrong.
TEST(Fragment, TextsWithFaults) {
    for (const char* text : {"int->int filter A { work pop 1 { push(pop( } }", "filter A { }",
                             "int filter A { }", "struct P {", "helper { }"})
        EXPECT_EQ(kindOf(text), FragmentKind::Declaration) << text;
    for (const char* text :
         {"int n =", "P p =", "n n(", "int[3] w = take 3 Ramp()", "tensor<float> x = ("})
        EXPECT_EQ(kindOf(text), FragmentKind::Variables) << text;
    for (const char* text :
         {"n =", "n = 1 +", "if (n", "for (int i = 0; i < 3", "do { ", "3 = n", "n + 1 += 2"})
        EXPECT_EQ(kindOf(text), FragmentKind::Statement) << text;
    for (const char* text : {"1 +", "f(1,", "(1 + 2", ")", "n + \"a"})
        EXPECT_EQ(kindOf(text), FragmentKind::Expression) << text;
    EXPECT_EQ(kindOf("int->int filter { work pop 1 push 1 { push(pop( } }"), FragmentKind::Stream);
}

TEST(Fragment, NestingIsBounded) {
    const std::string open(100000, '(');
    EXPECT_EQ(kindOf(open), FragmentKind::Expression);
    EXPECT_EQ(kindOf("n = " + open), FragmentKind::Statement);
}

}  // namespace
}  // namespace strc::parser
