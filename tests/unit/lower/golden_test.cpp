// tests/golden/ir: programs and the code they are lowered to.

#include "golden/golden.h"

#include <algorithm>
#include <regex>

#include <gtest/gtest.h>

#include "fixture.h"

namespace strc::lower::test {
namespace {

/// Without the built-in streams, which have no code; streams are numbered as if they were not there.
std::string userCode(const Lowered& lowered) {
    std::string text = ir::print(lowered.module);
    auto builtins = std::count_if(lowered.program.streams.begin(), lowered.program.streams.end(),
                                  [](const sema::StreamInfo& info) { return !info.decl; });
    static const std::regex empty(
        "filter [A-Za-z]+( library)? untyped \\{\n    setup \\{\n    \\}\n\\}\n");
    text = std::regex_replace(text, empty, "");
    static const std::regex number("(filter|pipeline|stream) #([0-9]+)");
    std::string out;
    std::size_t done = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
        out += text.substr(done, static_cast<std::size_t>(at->position()) - done);
        out += at->str(1) + " #" + std::to_string(std::stol(at->str(2)) - builtins);
        done = static_cast<std::size_t>(at->position() + at->length());
    }
    return out + text.substr(done);
}

class IrGolden : public testing::TestWithParam<std::string> {};

TEST_P(IrGolden, IsTheCodeOfTheProgram) {
    auto folder = golden::folder() / "ir";
    Lowered lowered(strc::test::read(folder / (GetParam() + ".str")));
    ASSERT_FALSE(lowered.ctx.diags.hasErrors()) << lowered.rendered();
    golden::expect(folder / (GetParam() + ".ir"), userCode(lowered));
}

INSTANTIATE_TEST_SUITE_P(Files, IrGolden,
                         testing::Values("expressions", "aggregates", "functions", "control",
                                         "composites", "rows", "streams"),
                         [](const auto& file) { return file.param; });

}  // namespace
}  // namespace strc::lower::test
