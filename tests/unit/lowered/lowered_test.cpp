#include "base/pass.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowered/lower.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A program with a prework, a splitter, a peeking filter, a feedback loop and functions that pop.
constexpr const char* kProgram = R"(
void->void pipeline Main { add Count; add Both; add Echo; add Show; }
void->int filter Count { int n; prework push 3 { for (int k = 0; k < 3; k++) push(-1); } work push 1 { push(n++); } }
int->int splitjoin Both { split duplicate; add Sum(4); add Twice; join roundrobin(1, 2); }
int->int filter Sum(int length) {
    work pop 2 peek length push 1 { int sum = 0; for (int k = 0; k < length; k++) sum += peek(k); take(); take(); push(sum); }
    void take() pop 1 { pop(); }
}
int->int filter Twice { work pop 1 push 1 { push(2 * pop() + iter()); } }
int->int feedbackloop Echo {
    join roundrobin(1, 1);
    body pipeline { add Mix; }
    loop Identity<int>;
    split duplicate;
    enqueue 5;
    enqueue 7;
}
int->int filter Mix { work pop 2 push 1 { int a = pop(); int b = pop(); push(a + b % 1000); } }
int->void filter Show { work pop 1 { println(pop()); } }
)";

class Lowered : public CompiledTest {
protected:
    Lowered() {
        disabled = {base::Pass::Scaling, base::Pass::RemoveRoundRobins};
        request.lowers = true;
    }

    const elab::Kernel& kernel() const { return program.elaboration.kernels[0]; }
};

TEST_F(Lowered, IsOneFilterWithTheSameOutput) {
    request.lowers = false;
    compile(kProgram);
    interpret(iterations(20));
    const std::string expected = std::exchange(printed, "");
    EXPECT_THAT(expected, HasSubstr("\n"));
    request.lowers = true;
    compile(kProgram);
    ASSERT_EQ(program.elaboration.graph.nodes.size(), 1u);
    EXPECT_THAT(ir::verify(program.module, &kernel().code, *kernel().code.work), IsEmpty());
    for (const ir::Body& body : kernel().code.functions)
        EXPECT_THAT(ir::verify(program.module, &kernel().code, body), IsEmpty());
    interpret(iterations(20));
    EXPECT_EQ(std::exchange(printed, ""), expected);
    run(iterations(20));
    EXPECT_EQ(printed, expected);
}

TEST_F(Lowered, ItemsLieAtExplicitPlaces) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->void filter Show { work pop 2 peek 3 { println(peek(2)); pop(); pop(); } }\n");
    const std::string text = ir::print(kernel().code);
    EXPECT_THAT(text, HasSubstr("field Count_0: Count_fields"));
    EXPECT_THAT(text, Not(HasSubstr(" = pop")));
    EXPECT_THAT(text, Not(HasSubstr(" = peek")));
    EXPECT_THAT(text, Not(HasSubstr("push int")));
}

TEST_F(Lowered, InstancesShareAFunction) {
    compile(
        "void->void pipeline Main { add Count; add Next; add Next; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Next { work pop 1 push 1 { push(pop() + 1); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(kernel().code.functions.size(), 3u);
}

TEST_F(Lowered, ComputesAgainWhatInitMakesOfAParameter) {
    const char* text =
        "void->void pipeline Main(int gain = 3) { add Count; add Scale(gain); add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Scale(int gain) { int[2] table; int sum; init { for (int k = 0; k < 2; "
        "k++) table[k] = gain * (k + 1); } work pop 1 push 1 { sum += pop(); push(sum * table[1]); "
        "} }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n";
    request.keptParameters = {"gain"};
    compile(text);
    const std::string shown = ir::print(kernel().code);
    EXPECT_THAT(shown, HasSubstr("function update_gain(keeps: boolean)"));
    EXPECT_THAT(shown, HasSubstr("function Scale_init(fields: Scale_fields)"));
    for (const ir::Body& body : kernel().code.functions)
        EXPECT_THAT(ir::verify(program.module, &kernel().code, body), IsEmpty());
    interpret(iterations(3));
    EXPECT_EQ(printed, "0\n6\n18\n");
}

TEST_F(Lowered, ChecksRatesThatAreNotProved) {
    compile(
        "void->void pipeline Main { add Count; add Some; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Some { void give(int n) push 1 { for (int k = 0; k < n; k++) push(k); } "
        "prework pop 1 push 1 { give(pop()); } work pop 1 push 1 peek 3 { int n = peek(peek(0)); "
        "pop(); "
        "give(n); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    const std::string shown = ir::print(kernel().code);
    EXPECT_THAT(shown, HasSubstr("check prework push \"Some\""));
    EXPECT_THAT(shown, HasSubstr("check work push \"Some\""));
    EXPECT_THAT(shown, HasSubstr("check work peek \"Some\""));
    EXPECT_THAT(shown, HasSubstr("check work offset \"Some\""));
    EXPECT_THAT(shown, Not(HasSubstr("check work pop")));
    for (const ir::Body& body : kernel().code.functions)
        EXPECT_THAT(ir::verify(program.module, &kernel().code, body), IsEmpty());
}

TEST_F(Lowered, SaysWhatIsNotLowered) {
    auto why = [this](const std::string& text) {
        request.sources = {{"test.str", text}};
        std::destroy_at(&program);
        std::construct_at(&program);
        session::compile(program, request, library, session::Stage::Planned);
        return faults();
    };
    EXPECT_THAT(why("void->void pipeline Main { add Count; add Some; add Show; }\n"
                    "void->int filter Count { int n; work push 1 { push(n++); } }\n"
                    "int->int filter Some { work pop 1 push * { if (pop() > 1) push(1); } }\n"
                    "int->void filter Show { work pop 1 { println(pop()); } }\n"),
                ElementsAre(HasSubstr("it has dynamic rates")));
    EXPECT_THAT(why("void->void pipeline Main { add Count; add Some; add Show; }\n"
                    "void->int filter Count { int n; work push 1 { push(n++); } }\n"
                    "int->int filter Some { work pop 1 push 1 { int[2] a = init_array_1D_int("
                    "\"f\", 2); push(pop() + a[1]); } }\n"
                    "int->void filter Show { work pop 1 { println(pop()); } }\n"),
                ElementsAre(HasSubstr("a filter reads an array while it runs")));
}

}  // namespace
}  // namespace strc::testing
