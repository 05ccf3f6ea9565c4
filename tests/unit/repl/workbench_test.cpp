#include "repl/workbench.h"

#include <gtest/gtest.h>

namespace strc::repl {
namespace {

/// What `text`, a pipeline called `it`, becomes.
std::unique_ptr<Work> compiled(const std::string& text, session::Stage last) {
    const Declarations nothing;
    const Workbench bench(nothing);
    MixedText mixed("");
    mixed.own(text);
    Task task;
    task.text = &mixed;
    task.top = "it";
    task.last = last;
    return bench.compile(task);
}

TEST(WorkbenchTest, MachineCodeIsImprovedAsThatOfRun) {
    std::string text = "void->void pipeline it {\n";
    for (int k = 1; k < 5; ++k)
        text += "add int->int filter { work pop 1 push 1 { push(" + std::to_string(k) +
                " * pop()); } };\n";
    text += "}\n";
    EXPECT_TRUE(compiled(text, session::Stage::Planned)->program.optimised);
    EXPECT_FALSE(compiled(text, session::Stage::Balanced)->program.optimised);
}

TEST(WorkbenchTest, OnlyWhatIsNeededOfTheLibraryIsRead) {
    const auto work =
        compiled("void->void pipeline it { add Ramp(); }\n", session::Stage::Balanced);
    ASSERT_FALSE(work->hasErrors());
    std::size_t declarations = 0;
    for (std::size_t k = work->program.programUnits; k < work->program.units.size(); ++k)
        declarations += work->program.units[k]->decls.size();
    EXPECT_EQ(declarations, 1U);
}

}  // namespace
}  // namespace strc::repl
