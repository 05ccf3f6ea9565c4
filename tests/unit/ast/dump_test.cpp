#include <gtest/gtest.h>

#include "ast/print.h"
#include "base/arena.h"
#include "base/names.h"

namespace strc::ast {
namespace {

/// Trees made by hand; ranges do not matter to a dump.
class Dump : public testing::Test {
protected:
    Ident ident(std::string_view text) { return {names.intern(text), {}}; }
    template <typename T, typename... Fields>
    const T* expr(Fields... fields) {
        return arena.make<T>(Expr{T::kKind, {}, {}}, fields...);
    }
    const Expr* name(std::string_view text) { return expr<NameRef>(names.intern(text)); }
    const Expr* number(std::int32_t value) { return expr<IntLiteral>(value); }
    const Expr* binary(const Expr* left, BinaryOp op, const Expr* right) {
        return expr<BinaryExpr>(op, SourceRange{}, left, right);
    }
    std::span<const Expr* const> list(std::vector<const Expr*> items) { return arena.copy(items); }

    base::Arena arena;
    base::NameTable names;
};

TEST_F(Dump, ShowsTheValuesOfLiterals) {
    EXPECT_EQ(dump(*number(-5)), "Int -5\n");
    EXPECT_EQ(dump(*expr<RealLiteral>(0.1f, false)), "Real 0.1\n");
    EXPECT_EQ(dump(*expr<RealLiteral>(9e9f, true)), "Real 9000000000 from an integer\n");
    EXPECT_EQ(dump(*expr<ImaginaryLiteral>(2.0f)), "Imaginary 2\n");
    EXPECT_EQ(dump(*expr<BooleanLiteral>(true)), "Boolean true\n");
    EXPECT_EQ(dump(*expr<StringLiteral>(std::string_view("a\n\"\\\xFF"))),
              "String \"a\\x0a\\\"\\\\\\xff\"\n");
    EXPECT_EQ(dump(*expr<CharLiteral>('\'')), "Char '\\''\n");
    EXPECT_EQ(dump(*expr<PiLiteral>()), "Pi\n");
}

TEST_F(Dump, TellsPrecedenceApart) {
    const Expr *a = name("a"), *b = name("b"), *c = name("c");
    const Expr* sum = binary(a, BinaryOp::Add, b);
    EXPECT_EQ(dump(*binary(sum, BinaryOp::Subtract, c)),
              "Binary\n  Name a\n  +\n    Name b\n  -\n    Name c\n");
    EXPECT_EQ(dump(*binary(a, BinaryOp::Subtract, binary(b, BinaryOp::Multiply, c))),
              "Binary\n  Name a\n  -\n    Binary\n      Name b\n      *\n        Name c\n");
    EXPECT_EQ(dump(*binary(expr<ParenExpr>(sum), BinaryOp::Multiply, c)),
              "Binary\n  Paren\n    Binary\n      Name a\n      +\n        Name b\n  *\n"
              "    Name c\n");
}

TEST_F(Dump, ShowsSuffixesAsAList) {
    const Expr* member = expr<MemberExpr>(name("a"), ident("real"));
    EXPECT_EQ(dump(*expr<IndexExpr>(member, number(1), list({}))),
              "Element\n  Name a\n  .real\n  []\n    Int 1\n");
}

TEST_F(Dump, LongChainsStayFlat) {
    const Expr* sum = name("x");
    const Expr* choice = name("x");
    const Expr* element = name("x");
    for (int i = 0; i < 100'000; ++i) {
        sum = binary(sum, BinaryOp::Add, number(1));
        choice = expr<ConditionalExpr>(name("c"), number(1), choice);
        element = expr<IndexExpr>(element, number(1), list({}));
    }
    for (const Expr* each : {sum, choice, element}) EXPECT_LT(dump(*each).size(), 100u * 100'000);
}

TEST_F(Dump, ShowsCalls) {
    EXPECT_EQ(dump(*expr<CallExpr>(ident("f"), list({number(1), expr<PopExpr>()}))),
              "Call f\n  Int 1\n  Pop\n");
    EXPECT_EQ(dump(*expr<PackageCallExpr>(ident("P"), ident("f"), list({}))), "Call P.f\n");
    EXPECT_EQ(dump(*expr<PeekExpr>(expr<IterExpr>())), "Peek\n  Iter\n");
    EXPECT_EQ(dump(*expr<IncrementExpr>(true, false, name("i"))), "Increment x--\n  Name i\n");
    EXPECT_EQ(dump(*expr<IncrementExpr>(false, true, name("i"))), "Increment ++x\n  Name i\n");
}

TEST_F(Dump, ShowsWhatIsMissingAsSuch) {
    EXPECT_EQ(dump(*expr<ErrorExpr>()), "Error\n");
    EXPECT_EQ(dump(*expr<IndexExpr>(name("a"), static_cast<const Expr*>(nullptr), list({}))),
              "Element\n  Name a\n  [] *\n");
}

TEST_F(Dump, OfAnEmptyProgram) { EXPECT_EQ(dump(Unit{}), "Unit\n"); }

}  // namespace
}  // namespace strc::ast
