// Every program of the project is lowered, verified, printed and read back.

#include "support/programs.h"

#include "fixture.h"

namespace strc::lower::test {
namespace {

namespace fs = std::filesystem;
using strc::test::programsUnder;
using strc::test::read;
using strc::test::standardLibrary;

void expectWellFormed(const fs::path& path, const std::string& source,
                      const std::string& library = {}) {
    Lowered lowered(source, library);
    ASSERT_FALSE(lowered.ctx.diags.hasErrors()) << path << "\n" << lowered.rendered();
    for (const std::string& fault : ir::verify(lowered.module))
        ADD_FAILURE() << path << ": " << fault;
    std::string text = ir::print(lowered.module);
    types::TypeTable types;
    auto again = ir::parse(text, types, lowered.ctx.names);
    ASSERT_TRUE(again) << path << ": " << again.error();
    EXPECT_EQ(ir::print(*again), text) << path;
}

TEST(Programs, OfTheConformanceSuiteAreWellFormedAndCanBeReadBack) {
    for (const fs::path& path : programsUnder("tests/conformance/programs"))
        if (path.parent_path().filename() != "invalid") expectWellFormed(path, read(path));
}

TEST(Programs, OfTheStandardLibraryAreWellFormedAndCanBeReadBack) {
    std::string library = standardLibrary();
    expectWellFormed("stdlib",
                     "void->void pipeline Main { add Zeros; add Out; }\n"
                     "void->int filter Zeros { work push 1 { push(0); } }\n"
                     "int->void filter Out { work pop 1 { println(pop()); } }",
                     library);
}

}  // namespace
}  // namespace strc::lower::test
