#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

TEST(IrForReading, OwnStreamsStandFirstAndUnusedOnesOfTheLibraryAreLeftOut) {
    types::TypeTable types;
    base::NameTable names;
    auto module = parse(R"(
        filter Unused library int->int { setup { } work { } }
        filter Inner library int->int { setup { } work { } }
        pipeline Outer library int->int { setup { } composite { create add stream Inner() } }
        pipeline Other library int->int { setup { } composite { create add stream Unused() } }
        filter Lonely int->int { setup { } work { } }
        pipeline Main int->int { setup { } composite { create add stream Outer() create add stream Lonely() } }
    )",
                        types, names);
    ASSERT_TRUE(module) << module.error();
    Module shown = forReading(*module);
    std::vector<std::string> order;
    for (const StreamCode& stream : shown.streams) order.push_back(stream.name);
    EXPECT_EQ(order, (std::vector<std::string>{"Lonely", "Main", "Outer", "Inner"}));
    const std::string text = print(shown);
    EXPECT_NE(text.find("create add stream Outer()"), std::string::npos) << text;
    auto again = parse(text, types, names);
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(print(*again), text);
}

}  // namespace
}  // namespace strc::ir
