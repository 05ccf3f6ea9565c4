// tests/golden/ir: programs and the code they are lowered to.

#include "golden/golden.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace strc::lower::test {
namespace {

/// Without the built-in streams, which have no code.
std::string userCode(const ir::Module& module) {
    std::string text = ir::print(module);
    std::size_t from = text.find("filter Identity");
    std::size_t to = text.find("\n}\n", text.find("filter ImageDisplay")) + 3;
    return text.erase(from, to - from);
}

class IrGolden : public testing::TestWithParam<std::string> {};

TEST_P(IrGolden, IsTheCodeOfTheProgram) {
    auto folder = golden::folder() / "ir";
    Lowered lowered(golden::read(folder / (GetParam() + ".str")));
    ASSERT_FALSE(lowered.ctx.diags.hasErrors()) << lowered.rendered();
    golden::expect(folder / (GetParam() + ".ir"), userCode(lowered.module));
}

INSTANTIATE_TEST_SUITE_P(Files, IrGolden,
                         testing::Values("expressions", "aggregates", "functions", "control",
                                         "composites", "streams"),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace strc::lower::test
