#include "target/model.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace strc::target {
namespace {

Model x86With(const std::set<std::string, std::less<>>& features) {
    return modelOf(Architecture::X86,
                   [&](std::string_view name) { return features.contains(name); });
}

TEST(TargetModel, LevelsOfX86) {
    const Model v2 = x86With({"sse4.2"});
    EXPECT_EQ(v2.vectorBytes, 16);
    EXPECT_EQ(v2.vectorRegisters, 16);
    EXPECT_FALSE(v2.fusesProducts);
    const Model v3 = x86With({"avx", "avx2", "fma"});
    EXPECT_EQ(v3.vectorBytes, 32);
    EXPECT_EQ(v3.vectorRegisters, 16);
    EXPECT_TRUE(v3.fusesProducts);
    EXPECT_EQ(v3.lanes(4), 8);
    const Model v4 = x86With({"avx", "avx2", "fma", "avx512f"});
    EXPECT_EQ(v4.vectorBytes, Model().vectorBytes);
    EXPECT_EQ(v4.vectorRegisters, Model().vectorRegisters);
    EXPECT_FALSE(x86With({"avx"}).fusesProducts) << "before Haswell";
}

TEST(TargetModel, OtherArchitecturesHaveNoFeaturesOfX86) {
    const auto all = [](std::string_view) { return true; };
    EXPECT_EQ(modelOf(Architecture::AArch64, all).vectorBytes, 16);
    EXPECT_EQ(modelOf(Architecture::AArch64, all).vectorRegisters, 32);
    EXPECT_TRUE(modelOf(Architecture::AArch64, all).fusesProducts);
    EXPECT_FALSE(modelOf(Architecture::Other, all).fusesProducts);
}

}  // namespace
}  // namespace strc::target
