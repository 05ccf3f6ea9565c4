#include "plan/detail/arena.h"

#include <algorithm>

#include "base/pass.h"
#include "plan/memory.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The pass `arena`: large tapes that are never in use at the same time.
class Arena : public CompiledTest {
protected:
    /// Rows of 512 floats through `middle`.
    void compileRows(const std::string& middle, const std::string& filters = "") {
        compile("void->void pipeline Main { add Rows; " + middle +
                " add Sum; }\n"
                "void->float[512] filter Rows { int n; work push 1 { float[512] row;"
                " for (int k = 0; k < 512; k++) row[k] = k * 0.25 + n; n++; push(row); } }\n"
                "float[512]->float[512] filter Twice { work pop 1 push 1 { float[512] row = pop();"
                " for (int k = 0; k < 512; k++) row[k] = 2 * row[k]; push(row); } }\n"
                "float[512]->void filter Sum { work pop 1 { float[512] row = pop(); float sum = 0;"
                " for (int k = 0; k < 512; k++) sum += row[k]; println(sum); } }\n" +
                filters);
    }
    void compileBranches() {
        compileRows(
            "add Both; add Meet;",
            "float[512]->float[512] splitjoin Both { split duplicate; add pipeline { add "
            "Twice; add Twice; add Twice; }; add Twice; join roundrobin; }\n"
            "float[512]->float[512] filter Meet { work pop 2 push 1 { float[512] a = pop(); "
            "float[512] b = pop(); for (int k = 0; k < 512; k++) a[k] += b[k]; push(a); } }\n");
    }
    void expectSound() {
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        const auto compiled = run(iterations(5));
        const std::string first = std::exchange(printed, "");
        EXPECT_EQ(compiled.end, interpret(iterations(5)).end);
        EXPECT_EQ(first, printed);
        EXPECT_THAT(first, HasSubstr("\n"));
        printed.clear();
    }
    /// Room for so many items of a firing, by what the tapes take in the phase of several steady states.
    std::int64_t items() const {
        std::int64_t most = 0;
        for (const plan::Channel& channel : program.plan->channels)
            most = std::max(most, channel.capacity);
        return program.plan->stateSize / 2048 / most;
    }
};

TEST_F(Arena, AChainNeedsTwo) {
    compileRows("for (int k = 0; k < 6; k++) add Twice;");
    EXPECT_EQ(items(), 2);
    expectSound();
}

TEST_F(Arena, CanBeLeftOut) {
    disabled = {base::Pass::Arena};
    compileRows("for (int k = 0; k < 6; k++) add Twice;");
    EXPECT_EQ(items(), 7);
    expectSound();
}

TEST_F(Arena, WhatIsStillReadStays) {
    compileBranches();
    EXPECT_LT(items(), 6);
    expectSound();
}

TEST_F(Arena, WhatStaysBetweenSteadyStatesIsKept) {
    compileRows("add Twice; add Before; add Twice; add Twice;",
                "float[512]->float[512] filter Before { prework push 1 { float[512] row; "
                "push(row); } work pop 1 push 1 { push(pop()); } }\n");
    expectSound();
}

TEST_F(Arena, AsText) {
    compileRows("add Twice; add Twice;");
    const std::string text = plan::printMemory(*program.plan);
    EXPECT_THAT(text, HasSubstr("Main.Rows -> Main.Twice[0]"));
    EXPECT_THAT(text, HasSubstr("arena: "));
    const std::string json = plan::memoryToJson(*program.plan);
    EXPECT_THAT(json, HasSubstr("\"shares\": true"));
}

TEST_F(Arena, VerifierFindsWhatIsOverwritten) {
    compileRows("add Twice; add Twice;");
    plan::Plan broken = *program.plan;
    for (plan::Channel& channel : broken.channels) channel.offset = broken.channels[0].offset;
    EXPECT_THAT(plan::verify(broken, program.plannedQuota()),
                ::testing::Contains(HasSubstr("writes over what it reads")));
}

TEST_F(Arena, VerifierFindsWhatIsStillNeeded) {
    compileBranches();
    const std::vector<plan::LiveRange> lives = plan::liveRanges(*program.plan);
    int pairs = 0;
    for (const plan::Channel& a : program.plan->channels)
        for (const plan::Channel& b : program.plan->channels) {
            if (a.edge >= b.edge || a.tape != a.edge || b.tape != b.edge || b.capacity == 0 ||
                a.capacity == 0 || !lives[a.edge].overlaps(lives[b.edge]))
                continue;
            plan::Plan broken = *program.plan;
            broken.channels[b.edge].offset = a.offset;
            EXPECT_THAT(plan::verify(broken, program.plannedQuota()), Not(IsEmpty()));
            ++pairs;
        }
    EXPECT_GT(pairs, 4);
}

}  // namespace
}  // namespace strc::testing
