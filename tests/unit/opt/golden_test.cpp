// tests/golden/opt: passes from IR text to IR text. NAME.in.ir names the passes in its first line; NAME.ir is what has to
// come of it.

#include "golden/golden.h"

#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/pass.h"
#include "opt/run_on_text.h"

namespace strc::opt {
namespace {

std::vector<base::Pass> passesOf(const std::string& text) {
    constexpr std::string_view kBegin = "; passes: ";
    EXPECT_TRUE(text.starts_with(kBegin));
    std::istringstream names(text.substr(kBegin.size(), text.find('\n') - kBegin.size()));
    std::vector<base::Pass> passes;
    for (std::string name; std::getline(names >> std::ws, name, ',');) {
        const auto pass = base::findPass(name);
        EXPECT_TRUE(pass && runsOnText(*pass)) << name;
        if (pass) passes.push_back(*pass);
    }
    return passes;
}

std::string after(const std::string& text, const std::vector<base::Pass>& passes) {
    base::Context context;
    auto made = runOnText(context, context.sources.add("test.ir", text), passes);
    for (const base::Diagnostic& fault : context.diags.all())
        ADD_FAILURE() << base::message(fault.id, fault.args);
    return made.value_or("");
}

class OptGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(OptGolden, IsWhatThePassesMake) {
    const auto folder = golden::folder() / "opt";
    const std::string text = strc::test::read(folder / (GetParam() + ".in.ir"));
    const std::string made = after(text, passesOf(text));
    golden::expect(folder / (GetParam() + ".ir"), made);
    EXPECT_EQ(after(made, {}), made) << "what is printed can be read back";
}

INSTANTIATE_TEST_SUITE_P(Files, OptGolden,
                         ::testing::Values("fold", "unroll-tensors", "forward-tensors",
                                           "algebraic-simplification", "tensor-cse",
                                           "coalesce-parts", "fold-norms", "fold-tensors",
                                           "batch-tiling", "inline", "tabulate"),
                         [](const auto& file) {
                             std::string name = file.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(OptGoldenFiles, EachPassOnTextHasOne) {
    for (int id = 0; id < static_cast<int>(base::Pass::Count); ++id) {
        const auto pass = static_cast<base::Pass>(id);
        const std::string name(base::info(pass).name);
        if (!runsOnText(pass)) continue;
        EXPECT_TRUE(std::filesystem::exists(golden::folder() / "opt" / (name + ".ir"))) << name;
    }
}

}  // namespace
}  // namespace strc::opt
