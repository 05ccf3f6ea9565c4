#include <gmock/gmock.h>

#include "support.h"

namespace strc::parser::test {
namespace {

using testing::ElementsAre;

TEST(Expressions, LevelsFromLoosestToTightest) {
    EXPECT_EQ(structure("a || b && c"), "(a || (b && c))");
    EXPECT_EQ(structure("a && b | c"), "(a && (b | c))");
    EXPECT_EQ(structure("a | b == c"), "(a | (b == c))");
    EXPECT_EQ(structure("a == b < c"), "(a == (b < c))");
    EXPECT_EQ(structure("a < b + c"), "(a < (b + c))");
    EXPECT_EQ(structure("a + b * c"), "(a + (b * c))");
    EXPECT_EQ(structure("a * b + c"), "((a * b) + c)");
    EXPECT_EQ(structure("a < b == c > d && e != f || g"),
              "((((a < b) == (c > d)) && (e != f)) || g)");
}

TEST(Expressions, BitwiseOperatorsShareOneLevelAboveAnd) {
    EXPECT_EQ(structure("6 | 1 & 2"), "((6 | 1) & 2)");
    EXPECT_EQ(structure("a ^ b | c & d"), "(((a ^ b) | c) & d)");
    EXPECT_EQ(structure("x > r & x < w - r & y"), "(((x > r) & (x < (w - r))) & y)");
}

TEST(Expressions, ShiftsBindLikeMultiplication) {
    EXPECT_EQ(structure("1 << 2 + 1"), "((1 << 2) + 1)");
    EXPECT_EQ(structure("1 << n - 1"), "((1 << n) - 1)");
    EXPECT_EQ(structure("a < b < tensor >> c"), "((a < b) < (tensor >> c))");
    EXPECT_EQ(structure("tensor < b >> c"), "(tensor < (b >> c))");
    EXPECT_EQ(structure("a * b << c / d % e >> f"), "(((((a * b) << c) / d) % e) >> f)");
}

TEST(Expressions, BinaryOperatorsAssociateToTheLeft) {
    for (const char* op : {"||", "&&", "|", "&", "^", "==", "!=", "<", "<=", ">", ">=", "+", "-",
                           "*", "/", "%", "<<", ">>"}) {
        const std::string o = std::string(" ") + op + " ";
        EXPECT_EQ(structure("a" + o + "b" + o + "c"), "((a" + o + "b)" + o + "c)");
    }
    EXPECT_EQ(structure("a - b + c - d"), "(((a - b) + c) - d)");
}

TEST(Expressions, ConditionalsAssociateToTheRight) {
    EXPECT_EQ(structure("a ? b : c"), "(a ? b : c)");
    EXPECT_EQ(structure("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
    EXPECT_EQ(structure("a ? b ? c : d : e"), "(a ? (b ? c : d) : e)");
    EXPECT_EQ(structure("a || b ? c + 1 : d + 2 * e"), "((a || b) ? (c + 1) : (d + (2 * e)))");
    EXPECT_EQ(structure("a ? b : c + d ? e : f < g"), "(a ? b : ((c + d) ? e : (f < g)))");
}

TEST(Expressions, UnaryOperatorsAndCasts) {
    EXPECT_EQ(structure("-a * b"), "((-a) * b)");
    EXPECT_EQ(structure("-5"), "(-5)");
    EXPECT_EQ(structure("!a && !b"), "((!a) && (!b))");
    EXPECT_EQ(structure("!!a"), "(!(!a))");
    EXPECT_EQ(structure("- -a"), "(-(-a))");
    EXPECT_EQ(structure("-~a"), "(-(~a))");
    EXPECT_EQ(structure("(float)i / n"), "(((float)i) / n)");
    EXPECT_EQ(structure("(int)(float)x"), "((int)((float)x))");
    EXPECT_EQ(structure("-(int)x"), "(-((int)x))");
    EXPECT_EQ(structure("(int)-x"), "((int)(-x))");
    EXPECT_EQ(structure("(bit)a[1].b"), "((bit)a[1].b)");
    EXPECT_EQ(structure("(int)x++"), "((int)(x++))");
    EXPECT_EQ(structure("a - (int)b - c"), "((a - ((int)b)) - c)");
    for (const char* type :
         {"boolean", "bit", "int", "float", "double", "complex", "float2", "float3", "float4"}) {
        EXPECT_EQ(structure(std::string("(") + type + ")x"), std::string("((") + type + ")x)");
    }
}

TEST(Expressions, ParenthesesAreKept) {
    EXPECT_EQ(structure("(a + b) * c"), "(<(a + b)> * c)");
    EXPECT_EQ(structure("((a))"), "<<a>>");
    EXPECT_EQ(structure("(a) - b"), "(<a> - b)");
    EXPECT_EQ(structure("(x++) % 100"), "(<(x++)> % 100)");
}

TEST(Expressions, Suffixes) {
    EXPECT_EQ(structure("a[i][j].b.c[k]"), "a[i][j].b.c[k]");
    EXPECT_EQ(structure("a[i++]"), "a[(i++)]");
    EXPECT_EQ(structure("a.b++"), "(a.b++)");
    EXPECT_EQ(structure("--a[1]"), "(--a[1])");
    EXPECT_EQ(structure("++a.b - c--"), "((++a.b) - (c--))");
    EXPECT_EQ(structure("f(x)[2].y"), "f(x)[2].y");
    EXPECT_EQ(structure("pop().x"), "pop().x");
    EXPECT_EQ(structure("peek(i)[j]"), "peek(i)[j]");
    EXPECT_EQ(structure("(a)[1]"), "<a>[1]");
    EXPECT_EQ(structure("G.f(1).x"), "G.f(1).x");
}

TEST(Expressions, Calls) {
    EXPECT_EQ(structure("f()"), "f()");
    EXPECT_EQ(structure("f(a, b + c, g(1))"), "f(a, (b + c), g(1))");
    EXPECT_EQ(structure("Geo.hyp(x, y)"), "Geo.hyp(x, y)");
    EXPECT_EQ(structure("pop() - pop()"), "(pop() - pop())");
    EXPECT_EQ(structure("peek(2 * i)"), "peek((2 * i))");
    EXPECT_EQ(structure("float3(1, 2, 3) * s"), "(float3(1, 2, 3) * s)");
    EXPECT_EQ(structure("(float2(1, 2)).x"), "<float2(1, 2)>.x");
}

TEST(Expressions, IterIsAKeywordOnlyBeforeAParenthesis) {
    EXPECT_EQ(structure("iter() + iter"), "(iter() + iter)");
    EXPECT_EQ(structure("iter[1]"), "iter[1]");
}

TEST(Expressions, WordsOfLaterExtensionsAreNames) {
    EXPECT_EQ(structure("tensor + half + bfloat16 + int8 + long + _ + global"),
              "((((((tensor + half) + bfloat16) + int8) + long) + _) + global)");
}

// ---------------------------------------------------------------- literals

TEST(Literals, IntegersAreDecimal) {
    EXPECT_EQ(structure("0"), "0");
    EXPECT_EQ(structure("011"), "11");
    EXPECT_EQ(structure("09"), "9");
    EXPECT_EQ(structure("00000000000000000042"), "42");
    EXPECT_EQ(structure("2147483647"), "2147483647");
}

TEST(Literals, LargeIntegersAreFloats) {
    EXPECT_EQ(structure("2147483648"), "2.14748e+09F");
    EXPECT_EQ(structure("9000000000"), "9e+09F");
    EXPECT_EQ(structure("-2147483648"), "(-2.14748e+09F)");
    EXPECT_EQ(structure(std::string(400, '9')), "infF");
}

TEST(Literals, HexadecimalIsModuloTwoToThe32) {
    EXPECT_EQ(structure("0x1F"), "31");
    EXPECT_EQ(structure("0xabCD"), "43981");
    EXPECT_EQ(structure("0xFFFFFFFF"), "-1");
    EXPECT_EQ(structure("0x80000000"), "-2147483648");
    EXPECT_EQ(structure("0x123456789A"), "878082202");
}

TEST(Literals, Reals) {
    EXPECT_EQ(structure("1.5"), "1.5f");
    EXPECT_EQ(structure("2f"), "2f");
    EXPECT_EQ(structure("1e3"), "1000f");
    EXPECT_EQ(structure("1.25E-2"), "0.0125f");
    EXPECT_EQ(structure("6.5e+4"), "65000f");
    EXPECT_EQ(structure("3.5f"), "3.5f");
    EXPECT_EQ(structure("1e2f"), "100f");
    EXPECT_EQ(structure("1e99"), "inff");
    EXPECT_EQ(structure("1e9999999999999999999"), "inff");
    EXPECT_EQ(structure("1e400"), "inff");
    EXPECT_EQ(structure("0.001e402"), "inff");
    EXPECT_EQ(structure("1e-400"), "0f");
    EXPECT_EQ(structure("1000.0e-9999999999999999999"), "0f");
    EXPECT_EQ(structure("0e999"), "0f");
    EXPECT_EQ(structure("0." + std::string(500, '0') + "1"), "0f");
    EXPECT_EQ(structure(std::string(500, '7') + ".5"), "inff");
}

/// Decimal to double to float: this literal lies above the middle between 1 and the next float, but
/// its double is that middle, and rounds to even.
TEST(Literals, RealsAreRoundedTwice) {
    const Parsed parsed = expression("1.00000005960464477539062500001");
    EXPECT_EQ(ast::as<ast::RealLiteral>(*parsed.expr).value, 1.0f);
    const Parsed above = expression("1.0000000596047");
    EXPECT_EQ(ast::as<ast::RealLiteral>(*above.expr).value, 1.00000011920928955078125f);
}

TEST(Literals, Imaginary) {
    EXPECT_EQ(structure("2i"), "2i");
    EXPECT_EQ(structure("0.5i"), "0.5i");
    EXPECT_EQ(structure("1e2i"), "100i");
    EXPECT_EQ(structure("1 + 1i"), "(1 + 1i)");
}

TEST(Literals, WordsAndPi) {
    EXPECT_EQ(structure("true && false"), "(true && false)");
    EXPECT_EQ(structure("2 * pi"), "(2 * pi)");
}

TEST(Literals, StringsAndCharacters) {
    EXPECT_EQ(structure(R"("plain")"), "\"plain\"");
    EXPECT_EQ(structure(R"("a\n\r\t\b\f\"\'\\z")"), "\"a\n\r\t\b\f\"'\\z\"");
    EXPECT_EQ(structure(R"("\101\7\60\3777\400")"), "\"A\a0\3777 0\"");
    EXPECT_EQ(structure(R"("// no /* comment */")"), "\"// no /* comment */\"");
    EXPECT_EQ(structure("\"\xC3\xA9\xFF\""), "\"\xC3\xA9\xFF\"");
    EXPECT_EQ(structure("'c'"), "'c'");
    EXPECT_EQ(structure(R"('\'')"), "'''");
    EXPECT_EQ(structure(R"('\101')"), "'A'");
}

TEST(Literals, AZeroByteInAString) {
    const Parsed parsed = expression(R"("a\0b")");
    EXPECT_EQ(ast::as<ast::StringLiteral>(*parsed.expr).value, std::string_view("a\0b", 3));
}

// ---------------------------------------------------------------- arguments

TEST(Arguments, OnlyStreamsTakeNamesAndArrays) {
    EXPECT_THAT(expression("f(n = 2)").faults(), ElementsAre("unexpected-token '='"));
    EXPECT_THAT(expression("f({1, 2})").faults(), ElementsAre("unexpected-token '{'"));
    EXPECT_THAT(statement("p.h({1});").faults(), ElementsAre("unexpected-token '{'"));
    EXPECT_THAT(expression("x[iter(3)]").faults(), ElementsAre("expected-token '3'"));
}

TEST(Arguments, OfVectors) {
    EXPECT_THAT(expression("float3(1, 2)").faults(), ElementsAre("vector-arity 'float3(1, 2)'"));
    EXPECT_THAT(expression("float2(1, 2, 3)").faults(),
                ElementsAre("vector-arity 'float2(1, 2, 3)'"));
    EXPECT_EQ(structure("float4(1, 2, 3, 4)"), "float4(1, 2, 3, 4)");
}

}  // namespace
}  // namespace strc::parser::test
