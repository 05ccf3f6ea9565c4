#include "ir/float_math.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// The registers that are found in the work of a filter float->float with a field `d` of doubles.
class FloatMathTest : public testing::Test {
protected:
    std::string found(const std::string& work) {
        auto module = parse(
            "filter F float->float {\n field d: double\n setup {\n }\n work {\n" + work + " }\n}\n",
            types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        std::string list;
        const std::vector<bool> results = findFloatMath(*module->streams[0].work);
        for (std::size_t reg = 0; reg < results.size(); ++reg)
            if (results[reg]) list += '%' + std::to_string(reg) + ' ';
        return list;
    }

    const std::string wide = "%0: float = pop\n %1: double = convert %0\n";
    const std::string rounded = "%8: float = convert %2\n push<float> %8\n";

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(FloatMathTest, FloatsInAndOut) {
    EXPECT_EQ(found(wide + "%2: double = math sin %1\n" + rounded), "%2 ");
    EXPECT_EQ(found(wide + "%3: double = const 0.5\n %2: double = math pow %1, %3\n" + rounded),
              "%2 ");
    EXPECT_EQ(found(wide + "%2: double = math sin %1\n" + rounded +
                    "%9: float = convert %2\n push<float> %9\n"),
              "%2 ");
}

TEST_F(FloatMathTest, NoArgumentThatAFloatCannotHold) {
    EXPECT_EQ(found(wide + "%3: double = const 0.1\n %2: double = math pow %1, %3\n" + rounded),
              "");
    EXPECT_EQ(found("%1: double = load field d\n %2: double = math sin %1\n" + rounded), "");
    EXPECT_EQ(found(wide + "%3: double = math cos %1\n %2: double = math sin %3\n" + rounded), "");
}

TEST_F(FloatMathTest, NoResultThatIsSeen) {
    EXPECT_EQ(found(wide + "%2: double = math sin %1\n store field d, %2\n" + rounded), "");
    EXPECT_EQ(
        found(wide + "%2: double = math sin %1\n %3: double = add %2, %1\n store field d, %3\n" +
              rounded),
        "");
}

TEST_F(FloatMathTest, ArgumentsOfComplexNumbers) {
    EXPECT_EQ(found("%0: float = pop\n %1: complex = make %0, %0\n %2: float = math arg %1\n "
                    "push<float> %2\n"),
              "%2 ");
}

TEST_F(FloatMathTest, SigmoidsAreFoundByTheirRoundedValue) {
    auto sigmoids = [&](const std::string& work) {
        auto module = parse("filter F float->float {\n setup {\n }\n work {\n" + work + " }\n}\n",
                            types, names);
        EXPECT_TRUE(module) << module.error();
        std::string list;
        if (!module) return list;
        for (const auto& [reg, sigmoid] : findSigmoids(*module->streams[0].work))
            list += '%' + std::to_string(reg) + " of %" + std::to_string(sigmoid.x) +
                    (sigmoid.isTimesX ? " times it " : " ");
        return list;
    };
    const std::string start = wide +
                              "%2: double = neg %1\n %3: double = math exp %2\n"
                              "%4: double = const 1.0\n";
    const std::string share = "%5: double = add %4, %3\n %6: double = div %4, %5\n";
    EXPECT_EQ(sigmoids(start + share + "%7: float = convert %6\n push<float> %7\n"), "%7 of %0 ");
    EXPECT_EQ(sigmoids(start + share +
                       "%7: double = mul %1, %6\n %8: float = convert %7\n push<float> %8\n"),
              "%8 of %0 times it ");
    EXPECT_EQ(sigmoids(start + share +
                       "%7: double = mul %6, %6\n %8: float = convert %7\n"
                       "push<float> %8\n"),
              "");
    EXPECT_EQ(sigmoids(start + "%5: double = sub %4, %3\n %6: double = div %4, %5\n"
                               "%7: float = convert %6\n push<float> %7\n"),
              "")
        << "the difference would make the error greater";
}

}  // namespace
}  // namespace strc::ir
