#include "base/passes.h"

#include <gmock/gmock.h>

#include "base/pass.h"

namespace strc::base {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(PassesTest, RowsAreFoundByName) {
    for (int k = 0; k < static_cast<int>(Pass::Count); ++k) {
        const PassInfo& row = info(static_cast<Pass>(k));
        EXPECT_EQ(findPass(row.name), row.id);
    }
    EXPECT_FALSE(findPass("no-such-pass"));
    EXPECT_EQ(passNames([](const PassInfo& row) {
                  return row.product == PassProduct::Plan && row.kind == PassKind::Stage;
              }),
              "plan");
    EXPECT_THAT(passNames([](const PassInfo& row) { return row.kind == PassKind::Pass; }),
                AllOf(HasSubstr(", vectorise-firings, "), EndsWith(" or llvm")));
}

TEST(PassesTest, FormerNamesAreKnown) {
    EXPECT_EQ(currentPassName("lanes"), "vectorise-firings");
    EXPECT_EQ(currentPassName("vectorise-firings"), "vectorise-firings");
    EXPECT_EQ(currentPassName("no-such-pass"), "no-such-pass");
#define STRC_FORMER_PASS(former, current)           \
    EXPECT_TRUE(findPass(former)) << former;        \
    EXPECT_EQ(findPass(former), findPass(current)); \
    EXPECT_NE(std::string_view(former), info(*findPass(former)).name) << "it is in use again";
#include "base/former_passes.def"
#undef STRC_FORMER_PASS
}

TEST(PassesTest, WhatIsDisabledDoesNotRunAndIsNotCounted) {
    Passes passes;
    std::vector<std::string> said;
    passes.bisect(-1, [&](std::string_view line) { said.emplace_back(line); });
    passes.disable(Pass::VectoriseFirings);
    EXPECT_FALSE(PassRun(passes, Pass::VectoriseFirings, "F"));
    EXPECT_TRUE(PassRun(passes, Pass::Scaling, "it"));
    EXPECT_THAT(said, ElementsAre("BISECT: running pass (1) scaling on it\n"));
}

TEST(PassesTest, ApplicationsBeyondTheLimitAreLeftOut) {
    Passes passes;
    std::vector<std::string> said;
    passes.bisect(2, [&](std::string_view line) { said.emplace_back(line); });
    EXPECT_TRUE(PassRun(passes, Pass::VectoriseFirings, "F"));
    EXPECT_TRUE(PassRun(passes, Pass::VectoriseFirings, "G"));
    EXPECT_FALSE(PassRun(passes, Pass::VectoriseFirings, "H"));
    EXPECT_FALSE(passes.countApplication("gvn", "main"));
    EXPECT_THAT(said, ElementsAre("BISECT: running pass (1) vectorise-firings on F\n",
                                  "BISECT: running pass (2) vectorise-firings on G\n",
                                  "BISECT: NOT running pass (3) vectorise-firings on H\n",
                                  "BISECT: NOT running pass (4) gvn on main\n"));
}

TEST(PassesTest, OnlyWhatIsAskedForIsShown) {
    Passes passes;
    passes.emitAfter(Pass::VectoriseFirings);
    auto show = [&](Pass pass, const char* subject) {
        PassRun run(passes, pass, subject);
        run.show([&] { return std::string("text of ") + subject + "\n"; });
    };
    show(Pass::VectoriseFirings, "F");
    show(Pass::Scaling, "G");
    show(Pass::VectoriseFirings, "H");
    EXPECT_EQ(passes.emitted(),
              "; vectorise-firings: F\ntext of F\n; vectorise-firings: H\ntext of H\n");
}

TEST(PassesTest, NothingIsMeasuredUnasked) {
    Passes passes;
    {
        Timing timing(passes, Pass::Parse);
    }
    EXPECT_THAT(passes.times(), IsEmpty());
}

TEST(PassesTest, TimesStandWhereTheyWereTakenAndAddUp) {
    Passes passes;
    passes.measure();
    for (int k = 0; k < 2; ++k) {
        Timing outer(passes, Pass::Codegen);
        PassRun inner(passes, Pass::VectoriseFirings, "F");
        passes.begin("gvn");
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(2)) {
        }
        passes.end();
        passes.begin("a trifle");
        passes.end();
    }
    const std::string table = passes.times();
    EXPECT_THAT(table, ContainsRegex("  2  codegen\n"));
    EXPECT_THAT(table, ContainsRegex("  2    vectorise-firings\n"));
    EXPECT_THAT(table, ContainsRegex("  2      gvn\n"));
    EXPECT_THAT(table, ContainsRegex("100.0%       1  sum\n"));
    EXPECT_THAT(table, HasSubstr("others"));
    EXPECT_THAT(table, Not(HasSubstr("trifle")));
    passes.forgetTimes();
    EXPECT_THAT(passes.times(), IsEmpty());
}

}  // namespace
}  // namespace strc::base
