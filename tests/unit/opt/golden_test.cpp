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

class OptGolden : public ::testing::TestWithParam<base::Pass> {};

TEST_P(OptGolden, IsWhatThePassesMake) {
    const auto folder = golden::folder() / "opt";
    const std::string name(base::info(GetParam()).name);
    const std::string text = strc::test::read(folder / (name + ".in.ir"));
    const std::vector<base::Pass> passes = passesOf(text);
    EXPECT_THAT(passes, ::testing::Contains(GetParam()));
    const std::string made = after(text, passes);
    golden::expect(folder / (name + ".ir"), made);
    EXPECT_EQ(after(made, {}), made) << "what is printed can be read back";
}

/// Each pass on kernels has one.
std::vector<base::Pass> passesOnText() {
    std::vector<base::Pass> passes;
    for (int id = 0; id < static_cast<int>(base::Pass::Count); ++id)
        if (const auto pass = static_cast<base::Pass>(id);
            runsOnText(pass) && base::levelOf(pass) != base::PassLevel::Program)
            passes.push_back(pass);
    return passes;
}

INSTANTIATE_TEST_SUITE_P(Files, OptGolden, ::testing::ValuesIn(passesOnText()),
                         [](const auto& each) {
                             std::string name(base::info(each.param).name);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace strc::opt
