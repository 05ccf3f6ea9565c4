#include "ir/live_ranges.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// From where to where the arrays `a` and `b` of a filter's work are in use.
class LiveRangesTest : public testing::Test {
protected:
    std::string ranges(const std::string& work) {
        const std::string text =
            "filter F float[4]->float[4] {\n setup {\n }\n work {\n local a: float[4]\n"
            " local b: float[4]\n" +
            work + " }\n}\n";
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        std::string list;
        for (const LiveRange& liveRange : liveRanges(*module->streams[0].work))
            list += liveRange.isEmpty() ? "never; "
                                        : std::to_string(liveRange.first) + "-" +
                                              std::to_string(liveRange.last) + "; ";
        return list;
    }

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(LiveRangesTest, OneAfterTheOther) {
    EXPECT_EQ(ranges("%0: ref float[4] = addr local a\n pop.into<float[4]> %0\n"
                     "push.from<float[4]> %0\n %1: ref float[4] = addr local b\n"
                     "pop.into<float[4]> %1\n push.from<float[4]> %1\n"),
              "0-2; 3-5; ");
}

TEST_F(LiveRangesTest, ByAReferenceToAPart) {
    EXPECT_EQ(ranges("%0: ref float[4] = addr local a\n %1: int = const 3\n %2: int = const 4\n"
                     "%3: ref float = elem %0, %1, %2\n %4: ref float[4] = addr local b\n"
                     "pop.into<float[4]> %4\n %5: float = load.at %3\n"),
              "0-6; 4-5; ");
}

TEST_F(LiveRangesTest, InsideOfABranch) {
    EXPECT_EQ(ranges("%0: boolean = const true\n if %0 {\n %1: ref float[4] = addr local a\n"
                     "pop.into<float[4]> %1\n %2: ref float[4] = addr local b\n"
                     "pop.into<float[4]> %2\n }\n"),
              "1-1; 1-1; ");
}

TEST_F(LiveRangesTest, Unused) { EXPECT_EQ(ranges(""), "never; never; "); }

}  // namespace
}  // namespace strc::ir
