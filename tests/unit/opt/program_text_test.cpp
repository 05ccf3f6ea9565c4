// Texts of whole programs: what is printed can be read back.
#include <gmock/gmock.h>

#include "base/render.h"
#include "opt/registry.h"
#include "opt/run_on_text.h"
#include "pass/run.h"
#include "pass/text.h"
#include "pass/verify.h"
#include "support/programs.h"
#include "unit/codegen/compiled.h"

namespace strc::pass {
namespace {

using ::testing::HasSubstr;

class ProgramText : public testing::CompiledTest {
protected:
    bool elaborate(const std::string& text) {
        std::destroy_at(&program);
        std::construct_at(&program);
        request.sources = {{"test.str", text}};
        return session::compile(program, request, library, session::Stage::Scheduled) ==
               session::Stage::Scheduled;
    }
    Program asElaborated() const { return borrow(program.compiledForm(), program.repetitions); }
    std::optional<Program> afterPasses() {
        const Options options{true};
        const Context around{program.context, program.module, *program.program.types, options,
                             request.target};
        return runPasses(around, asElaborated(), opt::passTable());
    }
    /// Read back and printed again.
    static std::string again(const std::string& text) {
        base::Context context;
        types::TypeTable types;
        const auto read = parseProgram(context, context.sources.add("test.ir", text), types);
        for (const base::Diagnostic& fault : context.diags.all())
            ADD_FAILURE() << base::renderText(fault, context.sources);
        return read ? print(read->module, read->program) : "";
    }
    void expectSame(const Program& made) {
        const std::string text = print(program.module, made);
        EXPECT_EQ(again(text), text);
    }
};

TEST_F(ProgramText, OfEveryProgramThatElaborates) {
    int programs = 0;
    for (const char* folder : {"tests/run", "tests/conformance"})
        for (const auto& path : strc::test::programsUnder(folder)) {
            SCOPED_TRACE(path.string());
            if (!elaborate(strc::test::read(path)) ||
                !whyNoText(program.module, asElaborated()).empty())
                continue;
            expectSame(asElaborated());
            if (const auto made = afterPasses()) expectSame(*made);
            ++programs;
            if (HasFailure()) return;
        }
    EXPECT_GT(programs, 100);
}

constexpr const char* kGains =
    "void->void pipeline Main { add Count; add Gain(3); add Gain(5); add Show; }\n"
    "void->int filter Count { int n; work push 1 { push(n * n + 7); n++; } }\n"
    "int->int filter Gain(int k) { work pop 1 push 1 { push(k * pop()); } }\n"
    "int->void filter Show { work pop 1 { println(pop()); } }\n";

TEST_F(ProgramText, MeansTheSame) {
    ASSERT_TRUE(elaborate(kGains));
    interpret(testing::iterations(5));
    const std::string expected = std::exchange(printed, "");
    base::Context context;
    types::TypeTable types;
    const auto read = parseProgram(
        context, context.sources.add("test.ir", print(program.module, asElaborated())), types);
    ASSERT_TRUE(read);
    interp::Options how = testing::iterations(5);
    how.print = [this](std::string_view what) { printed += what; };
    interp::run(context, read->module, *read->program.elaboration, read->program.repetitions, types,
                how);
    EXPECT_EQ(printed, expected);
    EXPECT_THAT(expected, HasSubstr("105\n"));
}

TEST_F(ProgramText, PassesOverProgramsRunOnIt) {
    ASSERT_TRUE(elaborate(kGains));
    const std::string text = print(program.module, asElaborated());
    const base::Pass combine = base::Pass::LinearCombination, fuse = base::Pass::TensorCse;
    base::Context context;
    const auto after = opt::runOnText(context, context.sources.add("test.ir", text), {&combine, 1});
    ASSERT_TRUE(after);
    EXPECT_THAT(*after, HasSubstr("filter Gain+Gain "));
    EXPECT_EQ(again(*after), *after);
    EXPECT_FALSE(opt::runOnText(context, context.sources.add("test.ir", text), {&fuse, 1}));
    EXPECT_FALSE(opt::runOnText(context, context.sources.add("test.ir", "filter F int->int { }"),
                                {&combine, 1}));
    std::string told;
    for (const base::Diagnostic& fault : context.diags.all())
        told += base::message(fault.id, fault.args) + "\n";
    const base::Pass fold = base::Pass::Fold;
    EXPECT_FALSE(opt::runOnText(context, context.sources.add("test.ir", text), {&fold, 1}));
    EXPECT_THAT(told, HasSubstr("tensor-cse runs on filters alone"));
    EXPECT_THAT(told, HasSubstr("linear-combination runs on whole programs"));
}

TEST_F(ProgramText, FaultsAreToldWhereTheyStand) {
    ASSERT_TRUE(elaborate(kGains));
    const std::string text = print(program.module, asElaborated());
    const auto toldOf = [&](const std::string& from, const std::string& to) {
        std::string wrong = text;
        const std::size_t at = wrong.find(from);
        EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
        wrong.replace(std::min(at, wrong.size()), from.size(), to);
        base::Context context;
        types::TypeTable types;
        EXPECT_FALSE(parseProgram(context, context.sources.add("test.ir", wrong), types));
        std::string told;
        for (const base::Diagnostic& fault : context.diags.all())
            told += base::renderText(fault, context.sources);
        return told;
    };
    EXPECT_THAT(toldOf("edge 0 0 1 0", "edge 0 0 9 0"), HasSubstr("expected a node before '9'"));
    EXPECT_THAT(toldOf("edge 0 0 1 0", "edge 0 0 1"), HasSubstr("the end of the line"));
    EXPECT_THAT(toldOf("islands 1", "lakes 1"), HasSubstr("expected a part of a program"));
    EXPECT_THAT(toldOf("    items: int", "    items: integer"), HasSubstr("test.ir:"));
    EXPECT_THAT(toldOf("    items: int\n", "\n"), HasSubstr("the type of the items"));
    EXPECT_THAT(toldOf("    work 1 1 1", "    work 1 x 1"), HasSubstr("expected a rate"));
    EXPECT_THAT(toldOf("    state ", "    state q"), HasSubstr("expected bytes"));
    EXPECT_THAT(toldOf("    field 0: ", "    field 4: "), HasSubstr("a field within the state"));
    EXPECT_THAT(toldOf("    state ", "    state -\n; "), HasSubstr("a state of 4 bytes"));
    EXPECT_THAT(toldOf("    inputs 0", "    insets 0"), HasSubstr("expected a part of a node"));
    EXPECT_THAT(toldOf("    quota 0 1 0", "    quota 0 2 0"),
                HasSubstr("a steady state gives more or fewer items"));
    EXPECT_THAT(toldOf("    inputs 0", "    inputs 1"), HasSubstr("an input has another edge"));
}

}  // namespace
}  // namespace strc::pass
