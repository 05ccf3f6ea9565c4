#include "ir/short_loops.h"

#include <cctype>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

int fresh() {
    static int number = 0;
    return 100 * ++number;
}

/// Registers in the order in which they appear.
std::string inOrder(const std::string& text) {
    std::map<std::string, std::size_t> numbers;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        while (text[at] == '%' && end < text.size() && std::isdigit(text[end]) != 0) ++end;
        const std::string token = text.substr(at, end - at);
        at = end;
        result += token[0] != '%'
                      ? token
                      : "%" + std::to_string(numbers.emplace(token, numbers.size()).first->second);
    }
    return result;
}

/// `for (i = start; i < end; i += step)` around what is inside, in a filter int->int with locals i, j and n.
std::string loop(const std::string& counter, const std::string& end, const std::string& inside,
                 const std::string& start = "const 0", int step = 1) {
    const int k = fresh();
    return fmt::format(
        "%{0}: int = {1}\n store<int> local {2}, %{0}\n loop {{\n %{3}: int = load local {2}\n"
        " %{4}: int = {5}\n %{6}: boolean = lt<int> %{3}, %{4}\n yield %{6}\n }} do {{\n {7}}} "
        "step {{\n"
        " %{8}: int = load local {2}\n %{9}: int = const {10}\n %{11}: int = add %{8}, %{9}\n"
        " store<int> local {2}, %{11}\n }}\n",
        k, start, counter, k + 1, k + 2, end, k + 3, inside, k + 4, k + 5, step, k + 6);
}

class ShortLoopsTest : public testing::Test {
protected:
    std::size_t countShort(const std::string& work, std::int64_t most) {
        auto module = parse(
            "filter F int->int {\n setup {\n }\n work {\n local i: int\n local j: int\n"
            " local n: int\n local a: int[8000]\n local b: int[8000]\n" +
                inOrder(work) + " }\n}\n",
            types, names);
        EXPECT_TRUE(module) << module.error();
        return module ? shortLoops(*module->streams[0].work, most).size() : 0;
    }

    types::TypeTable types;
    base::NameTable names;
};

std::string item() { return fmt::format("%{0}: int = pop\n push<int> %{0}\n", fresh()); }

TEST_F(ShortLoopsTest, RoundsTimesInstructions) {
    // 2 of its own, 4 of the test, 4 of the step and the loop itself
    const std::string ten = loop("i", "const 10", item());
    EXPECT_EQ(countShort(ten, 110), 1u);
    EXPECT_EQ(countShort(ten, 109), 0u);
    EXPECT_EQ(countShort(loop("i", "const 30", item(), "const 20"), 110), 1u);
    EXPECT_EQ(countShort(loop("i", "const 20", item(), "const 0", 2), 110), 1u);
}

TEST_F(ShortLoopsTest, LoopsInLoops) {
    const std::string nest = loop("i", "const 10", loop("j", "const 10", item()));
    EXPECT_EQ(countShort(nest, 1210), 2u);
    EXPECT_EQ(countShort(nest, 1000), 1u) << "what is inside of a long loop may be short";
    EXPECT_EQ(countShort(loop("i", "const 10", item()) + loop("i", "const 10", item()), 110), 2u);
}

TEST_F(ShortLoopsTest, WhatIsMovedAtOnce) {
    const std::string addresses =
        "%1: ref int[8000] = addr local a\n %2: ref int[8000] = addr local b\n";
    const std::string copy = addresses + "copy<int[8000]> %1, %2\n";
    EXPECT_EQ(countShort(loop("i", "const 10", addresses), 110), 1u) << "addresses are nothing";
    EXPECT_EQ(countShort(loop("i", "const 10", copy), 120 + 10 * 4000), 1u);
    EXPECT_EQ(countShort(loop("i", "const 10", copy), 119 + 10 * 4000), 0u);
}

TEST_F(ShortLoopsTest, WhatIsNotKnown) {
    EXPECT_EQ(countShort(loop("i", "load local n", item()), 1000), 0u);
    EXPECT_EQ(countShort(loop("i", "const 10", item(), "load local n"), 1000), 0u);
    const std::string moved = "%1: int = const 0\n store<int> local i, %1\n";
    EXPECT_EQ(countShort(loop("i", "const 10", moved), 1000), 0u);
    EXPECT_EQ(countShort(loop("i", "const 2000000000", item()), 1000), 0u);
}

}  // namespace
}  // namespace strc::ir
