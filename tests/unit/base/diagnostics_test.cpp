#include "base/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strc::base {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr SourceRange kHere{{0}, 4, 9};
constexpr SourceRange kThere{{0}, 20, 21};

std::vector<std::string> messages(const Diagnostics& diags) {
    std::vector<std::string> result;
    for (const Diagnostic& diag : diags.all()) result.push_back(message(diag.id, diag.args));
    return result;
}

TEST(DiagnosticTable, EveryNameIsKebabCaseAndFindsItsRow) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Diag::Count); ++i) {
        Diag id = static_cast<Diag>(i);
        const DiagInfo& row = info(id);
        EXPECT_THAT(std::string(row.name), testing::MatchesRegex("[a-z0-9]+(-[a-z0-9]+)*"));
        EXPECT_EQ(findDiag(row.name), id) << row.name;
        EXPECT_FALSE(row.text.empty()) << row.name;
        EXPECT_EQ(row.text.find('\n'), std::string_view::npos) << row.name;
        EXPECT_NE(row.text.back(), '.') << row.name;
        bool isNote = row.area == "note", isWarning = row.area == "warn" || row.area == "lint";
        EXPECT_EQ(row.severity, isNote      ? Severity::Note
                                : isWarning ? Severity::Warning
                                            : Severity::Error)
            << row.name;
    }
    EXPECT_EQ(findDiag("no-such-diagnostic"), Diag::Count);
    EXPECT_EQ(findDiag(""), Diag::Count);
}

TEST(Diagnostic, ArgumentsGoToTheLastNote) {
    Diagnostics diags;
    Diagnostic& diag = diags.add(Diag::DuplicateMember, kHere) << "field" << "x" << "filter 'F'";
    diag.note(Diag::DeclaredHere, kThere) << "x";
    diag.note(Diag::EnqueueMore) << std::int64_t(-3);
    diag.fix(kHere, "y").in("Main.bank[3]");
    EXPECT_EQ(message(diag.id, diag.args),
              "field 'x' is declared, but filter 'F' has a member of that name");
    ASSERT_THAT(diag.notes, SizeIs(2));
    EXPECT_THAT(diag.notes[0].args, ElementsAre("x"));
    EXPECT_EQ(diag.notes[0].range, kThere);
    EXPECT_THAT(diag.notes[1].args, ElementsAre("-3"));
    EXPECT_FALSE(diag.notes[1].range.valid());
    EXPECT_THAT(diag.fixes, SizeIs(1));
    EXPECT_EQ(diag.instance, "Main.bank[3]");
}

TEST(Diagnostic, ReferencesStayValidWhileMoreAreAdded) {
    Diagnostics diags;
    Diagnostic& first = diags.add(Diag::UnknownStream, kHere);
    for (int i = 0; i < 1000; ++i) diags.add(Diag::UnknownStream, kThere) << "S";
    first << "First";
    EXPECT_EQ(messages(diags).front(), "unknown stream 'First'");
}

TEST(Diagnostic, Plurals) {
    EXPECT_EQ(message(Diag::WeightCount, {"split", "1", "3"}),
              "'split' has 1 weight for 3 streams");
    EXPECT_EQ(message(Diag::ArgumentCount, {"filter", "F", "no", "1"}),
              "filter 'F' takes no arguments, 1 given");
    EXPECT_EQ(message(Diag::ArgumentCount, {"filter", "F", "1", "2"}),
              "filter 'F' takes 1 argument, 2 given");
}

#ifdef STRC_CHECKED
TEST(DiagnosticDeathTest, WrongNumberOfArgumentsIsAFaultOfTheCompiler) {
    EXPECT_EXIT(message(Diag::UnknownStream, {}), testing::ExitedWithCode(70), "unknown-stream");
    EXPECT_EXIT(message(Diag::UnknownStream, {"a", "b"}), testing::ExitedWithCode(70), "arguments");
}
#endif

TEST(Diagnostics, CountsErrorsOnly) {
    Diagnostics diags;
    EXPECT_FALSE(diags.hasErrors());
    diags.add(Diag::UnusedStream, kHere) << "S";
    EXPECT_FALSE(diags.hasErrors());
    diags.add(Diag::UnknownStream, kHere) << "S";
    diags.add(Diag::UnknownStream, kThere) << "S";
    EXPECT_EQ(diags.errorCount(), 2u);
    EXPECT_TRUE(diags.hasErrors());
    diags.clear();
    EXPECT_FALSE(diags.hasErrors());
    EXPECT_TRUE(diags.all().empty());
}

TEST(DiagnosticOptions, WarningsCanBeTurnedOffAndOnAgain) {
    Diagnostics diags;
    ASSERT_TRUE(diags.setWarning("unused-stream", false));
    EXPECT_FALSE(diags.isEnabled(Diag::UnusedStream));
    diags.add(Diag::UnusedStream, kHere) << "Silent";
    diags.add(Diag::UnusedFunction, kHere) << "f";
    ASSERT_TRUE(diags.setWarning("unused-stream", true));
    diags.add(Diag::UnusedStream, kHere) << "Loud";
    EXPECT_THAT(messages(diags),
                ElementsAre("function 'f' is never called", "stream 'Loud' is never used"));
}

TEST(DiagnosticOptions, LintWarningsAreOffUnlessAskedFor) {
    Diagnostics diags;
    ASSERT_EQ(info(Diag::MissingStateful).area, "lint");
    EXPECT_FALSE(diags.isEnabled(Diag::MissingStateful));
    ASSERT_TRUE(diags.setWarning("missing-stateful", true));
    EXPECT_TRUE(diags.isEnabled(Diag::MissingStateful));
}

TEST(DiagnosticOptions, OnlyWarningsHaveSwitches) {
    Diagnostics diags;
    for (std::string_view name : {"unknown-stream", "declared-here", "nonsense", ""}) {
        EXPECT_FALSE(diags.setWarning(name, false)) << name;
        EXPECT_FALSE(diags.setWarningAsError(name)) << name;
    }
    EXPECT_TRUE(diags.isEnabled(Diag::UnknownStream));
}

TEST(DiagnosticOptions, AllNamesEveryWarning) {
    Diagnostics diags;
    ASSERT_TRUE(diags.setWarning("all", true));
    EXPECT_TRUE(diags.isEnabled(Diag::MissingStateful));
    EXPECT_TRUE(diags.isEnabled(Diag::UnusedStream));
    ASSERT_TRUE(diags.setWarning("all", false));
    EXPECT_FALSE(diags.isEnabled(Diag::UnusedStream));
    EXPECT_TRUE(diags.isEnabled(Diag::UnknownStream));
    ASSERT_TRUE(diags.setWarning("unused-stream", true));
    ASSERT_TRUE(diags.setWarningAsError("all"));
    diags.add(Diag::UnusedStream, kHere) << "S";
    EXPECT_EQ(diags.all()[0].severity, Severity::Error);
}

TEST(DiagnosticOptions, OneWarningOrAllBecomeErrors) {
    Diagnostics one;
    ASSERT_TRUE(one.setWarningAsError("missing-stateful"));  // asks for it, too
    one.add(Diag::UnusedStream, kHere) << "S";
    one.add(Diag::MissingStateful, kHere) << "F";
    EXPECT_EQ(one.all()[0].severity, Severity::Warning);
    EXPECT_EQ(one.all()[1].severity, Severity::Error);
    EXPECT_FALSE(one.hasErrors());  // nothing stops for its sake

    Diagnostics all;
    all.allWarningsAsErrors();
    all.add(Diag::UnusedStream, kHere) << "S";
    all.add(Diag::MissingStateful, kHere) << "F";  // still off
    ASSERT_THAT(all.all(), SizeIs(1));
    EXPECT_EQ(all.all()[0].severity, Severity::Error);
}

TEST(DiagnosticOptions, SilenceLeavesErrors) {
    Diagnostics diags;
    diags.silenceWarnings();
    diags.add(Diag::UnusedStream, kHere) << "S";
    diags.addAsWarning(Diag::UseBeforeDeclaration, kHere) << "x";
    EXPECT_TRUE(diags.all().empty());
    diags.add(Diag::UnknownStream, kHere) << "S";
    EXPECT_TRUE(diags.hasErrors());
}

TEST(DiagnosticOptions, LoweredErrorsAreWarnings) {
    Diagnostics lenient;
    lenient.addAsWarning(Diag::UseBeforeDeclaration, kHere) << "x";
    EXPECT_FALSE(lenient.hasErrors());
    EXPECT_EQ(lenient.all().front().severity, Severity::Warning);
    lenient.allWarningsAsErrors();
    lenient.addAsWarning(Diag::UseBeforeDeclaration, kThere) << "x";
    EXPECT_TRUE(lenient.hasErrors());
}

TEST(DiagnosticOptions, HarmlessErrorsAreLowered) {
    auto isFirst = [](const Diagnostic& each) { return each.range == kHere; };
    auto report = [](Diagnostics& diags) {
        diags.add(Diag::UnknownStream, kHere) << "A";
        diags.add(Diag::UnknownStream, kThere) << "B";
    };
    Diagnostics lenient, strict, silent;
    strict.allWarningsAsErrors();
    silent.silenceWarnings();
    for (Diagnostics* each : {&lenient, &strict, &silent}) {
        report(*each);
        each->lower(isFirst);
    }
    EXPECT_EQ(lenient.errorCount(), 1u);
    EXPECT_EQ(lenient.all().front().severity, Severity::Warning);
    EXPECT_EQ(strict.errorCount(), 2u);
    EXPECT_THAT(messages(silent), ElementsAre("unknown stream 'B'"));
}

// ---------------------------------------------------------------- order

TEST(Diagnostics, SortByPlaceLeavesOlderOnesAndEqualPlacesAlone) {
    Diagnostics diags;
    diags.add(Diag::IllegalCharacter, kThere) << "older";
    diags.add(Diag::IllegalCharacter, kThere) << "a";
    diags.add(Diag::IllegalCharacter, kHere) << "b";
    diags.add(Diag::IllegalCharacter, kHere) << "c";
    diags.sortByPlace(1);
    std::vector<std::string> order;
    for (const Diagnostic& diag : diags.all()) order.push_back(diag.args[0]);
    EXPECT_THAT(order, ElementsAre("older", "b", "c", "a"));
    diags.sortByPlace(99);  // nothing lies behind
    EXPECT_THAT(diags.all(), SizeIs(4));
}

// ---------------------------------------------------------------- merge

void negative(Diagnostics& diags, std::int64_t value, std::string path, SourceRange where = kHere) {
    (diags.add(Diag::WeightNegative, where) << value).in(std::move(path));
}

TEST(DiagnosticsMerge, CountsInstancesOfOneFault) {
    Diagnostics diags;
    diags.add(Diag::UnusedStream, kThere) << "S";
    for (int i = 0; i < 12; ++i) negative(diags, -1, "Main.bank[" + std::to_string(i) + "]");
    negative(diags, -1, "Main.bank[3]");  // the same instance again
    diags.merge();
    ASSERT_THAT(diags.all(), SizeIs(2));
    const Diagnostic& merged = diags.all()[1];
    EXPECT_EQ(merged.instances, 12u);
    EXPECT_EQ(merged.instance, "Main.bank[0]");
    EXPECT_TRUE(merged.notes.empty());
}

TEST(DiagnosticsMerge, OtherArgumentsBecomeNotes) {
    Diagnostics diags;
    negative(diags, -1, "Main.a");
    negative(diags, -2, "Main.b");
    negative(diags, -1, "Main.c");
    negative(diags, -2, "Main.d");
    negative(diags, -3, "Main.e");
    diags.merge();
    ASSERT_THAT(diags.all(), SizeIs(1));
    const Diagnostic& merged = diags.all().front();
    EXPECT_EQ(merged.instances, 2u);
    std::vector<std::string> notes;
    for (const DiagNote& note : merged.notes) notes.push_back(message(note.id, note.args));
    EXPECT_THAT(notes, ElementsAre("in 2 instances, for example Main.b: the weight is negative: -2",
                                   "in instance Main.e: the weight is negative: -3"));
}

TEST(DiagnosticsMerge, ShowsThreeOthersAndCountsTheRest) {
    Diagnostics diags;
    for (int i = 1; i <= 1000; ++i) negative(diags, -i, "Main.bank[" + std::to_string(i) + "]");
    diags.merge();
    ASSERT_THAT(diags.all(), SizeIs(1));
    const auto& notes = diags.all().front().notes;
    ASSERT_THAT(notes, SizeIs(4));
    EXPECT_EQ(message(notes[3].id, notes[3].args), "and in 996 more instances, with other values");
}

TEST(DiagnosticsMerge, KeepsPlacesAndFaultsApart) {
    Diagnostics diags;
    negative(diags, -1, "Main.a", kHere);
    negative(diags, -1, "Main.b", kThere);
    (diags.add(Diag::BoundNegative, kHere) << std::int64_t(-1)).in("Main.a");
    diags.add(Diag::WeightNegative, kHere) << std::int64_t(-1);  // found without an instance
    diags.merge();
    EXPECT_THAT(diags.all(), SizeIs(4));
}

TEST(DiagnosticsMerge, WithoutInstancesOnlyRepetitionsGo) {
    Diagnostics diags;
    for (std::string_view name : {"a", "b", "a"}) diags.add(Diag::UnknownVariable, kHere) << name;
    for (std::string_view name : {"a", "b", "a"}) diags.add(Diag::UnknownTopStream) << name;
    diags.merge();
    EXPECT_THAT(messages(diags), ElementsAre("unknown variable 'a'", "unknown variable 'b'",
                                             "the program has no stream 'a' to start from",
                                             "the program has no stream 'b' to start from"));
    diags.merge();
    EXPECT_THAT(diags.all(), SizeIs(4));
}

}  // namespace
}  // namespace strc::base
