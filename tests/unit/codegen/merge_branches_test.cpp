#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// The pass `merge-branches`: what is left of the program, and that it prints the same.
class MergeBranches : public CompiledTest {
protected:
    void SetUp() override { request.optimise = pass::Options{}; }

    /// A splitjoin between a source of ints and a sink.
    void compileBank(const std::string& bank, const std::string& more = "") {
        compile(
            "void->void pipeline Main { add Count; add Bank; add Show; }\n"
            "void->int filter Count { int n; work push 1 { push(n * n % 1009); n++; } }\n"
            "int->int splitjoin Bank { " +
            bank +
            " }\n"
            "int->int pipeline Branch(int k) { add Mix(k); add Turn; }\n"
            "int->int filter Mix(int k) { work pop 2 push 2 { int x = pop(); push(pop() - k * x * "
            "x); "
            "push(x); } }\n"
            "int->int filter Turn { work pop 4 push 3 { push(peek(3)); push(peek(1) + peek(0)); "
            "push(peek(2)); for (int k = 0; k < 4; k++) pop(); } }\n"
            "int->void filter Show { work pop 1 { println(pop()); } }\n" +
            more);
    }

    /// The filters between source and sink, after making sure that it prints the same.
    std::vector<std::string> left() {
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        for (int count : {1, 7, 300}) {
            printed.clear();
            interpret(iterations(count));
            const std::string interpreted = std::exchange(printed, "");
            run(iterations(count));
            EXPECT_EQ(printed, interpreted);
        }
        std::vector<std::string> names;
        for (const graph::Node& node : program.plan->program->graph.nodes)
            if (node.name != "Count" && node.name != "Show") names.push_back(node.name);
        return names;
    }
};

TEST_F(MergeBranches, WholeBlocksNeedNoPermutation) {
    compileBank(
        "split roundrobin(8); for (int k = 0; k < 3; k++) add Branch(5); join roundrobin(6);");
    EXPECT_THAT(left(), UnorderedElementsAre("Mix", "Turn"));
}

TEST_F(MergeBranches, PiecesArePermuted) {
    compileBank("split roundrobin(2); add Branch(5); add Branch(5); join roundrobin(3);");
    EXPECT_THAT(left(), UnorderedElementsAre("Permute", "Mix", "Turn"));
    compileBank("split roundrobin(4); for (int k = 0; k < 5; k++) add Branch(2); join roundrobin;");
    EXPECT_THAT(left(), UnorderedElementsAre("Mix", "Turn", "Permute"));
    compileBank(
        "split roundrobin(6); for (int k = 0; k < 3; k++) add Branch(2); join roundrobin(2);");
    EXPECT_THAT(left(), UnorderedElementsAre("Permute", "Mix", "Turn", "Permute"));
}

TEST_F(MergeBranches, SplitjoinsInsideOfBranches) {
    const std::string inner =
        "int->int splitjoin Two(int n) { split roundrobin(2); for (int k = 0; k < n; k++) add "
        "Branch(3); join roundrobin(3); }\n";
    compileBank("split roundrobin(4); add Two(2); add Two(2); join roundrobin(6);", inner);
    EXPECT_THAT(left(), UnorderedElementsAre("Permute", "Permute", "Mix", "Turn"));
    compileBank("split roundrobin(8, 12); add Two(2); add Two(3); join roundrobin(6, 9);", inner);
    EXPECT_EQ(left().size(), 8u) << "the inner ones alone";
}

/// In none of these are the branches the same, or it matters which of them an item goes through, or when.
TEST_F(MergeBranches, OthersStay) {
    const std::string body = "work pop 2 push 2 { push(pop()); push(pop()); }";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"add Branch(1); add Branch(2);", "constants"},
        {"add pipeline { add Keep; add Turn; }; add pipeline { add Keep; add Turn; };", "state"},
        {"add pipeline { add Ahead; add Turn; }; add pipeline { add Ahead; add Turn; };",
         "windows"},
        {"add pipeline { add First; add Turn; }; add pipeline { add First; add Turn; };",
         "prework"},
        {"add pipeline { add Fails; add Turn; }; add pipeline { add Fails; add Turn; };", "checks"},
        {"add pipeline { add Asks; add Turn; }; add pipeline { add Asks; add Turn; };", "iter()"},
    };
    for (const auto& [branches, why] : cases) {
        SCOPED_TRACE(why);
        compileBank(
            "split roundrobin(4); " + branches + " join roundrobin(3);",
            "int->int stateful filter Keep { int last; work pop 2 push 2 { push(pop() + last); "
            "last = "
            "pop() + last; push(last); } }\n"
            "int->int filter Ahead { work pop 2 push 2 peek 3 { int x = pop(); push(x * x); "
            "push(peek(1)); pop(); } }\n"
            "int->int filter First { prework push 1 { push(9); } work pop 2 push 2 { push(pop()); "
            "push(pop()); } }\n"
            "int->int filter Fails { int[8] a; work pop 2 push 2 { push(a[pop() % 8]); "
            "push(pop()); "
            "} }\n"
            "int->int filter Asks { work pop 2 push 2 { push(pop()); push(pop() + iter()); } }\n");
        EXPECT_GE(left().size(), 6u);
    }
    compileBank("split roundrobin(4, 8); add Branch(1); add Branch(1); join roundrobin(3, 6);");
    EXPECT_EQ(left().size(), 6u) << "weights";
    compileBank("split duplicate; add Branch(1); add Branch(1); join roundrobin(3);");
    EXPECT_EQ(left().size(), 6u) << "duplicates";
}

TEST_F(MergeBranches, CanBeSwitchedOff) {
    disabled = {base::Pass::MergeBranches};
    compileBank(
        "split roundrobin(8); for (int k = 0; k < 3; k++) add Branch(5); join roundrobin(6);");
    EXPECT_EQ(left().size(), 8u);
}

/// A counter that is increased by more than one never reaches what lies beyond its last multiple.
TEST_F(MergeBranches, ChecksOfLoopsInSteps) {
    const std::string pair =
        "int->int filter Pair { work pop 6 push 6 { int[6] a; for (int k = 0; k < 6; k += 2) { "
        "a[k] = "
        "peek(k + 1); a[k + 1] = peek(k); } for (int k = 0; k < 6; k++) { push(a[k]); pop(); } } "
        "}\n";
    compileBank(
        "split roundrobin(6); for (int k = 0; k < 2; k++) add pipeline { add Pair; add Mix(1); }; "
        "join roundrobin(6);",
        pair);
    EXPECT_THAT(left(), UnorderedElementsAre("Pair", "Mix"));
}

}  // namespace
}  // namespace strc::testing
