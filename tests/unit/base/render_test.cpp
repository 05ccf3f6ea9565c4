#include "base/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strc::base {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A diagnostic about the part of `text` between two '$' signs (which are taken out).
struct Marked {
    SourceManager sources;
    Diagnostics diags;
    SourceRange range;

    explicit Marked(std::string text, std::string name = "prog.str") {
        std::size_t begin = text.find('$');
        text.erase(begin, 1);
        std::size_t end = text.find('$');
        text.erase(end, 1);
        range = {sources.add(std::move(name), std::move(text)), static_cast<std::uint32_t>(begin),
                 static_cast<std::uint32_t>(end)};
    }
    std::string unknown(std::string_view name, RenderOptions options = {}) {
        return renderText(diags.add(Diag::UnknownVariable, range) << name, sources, options);
    }
    SourceRange at(std::uint32_t begin, std::uint32_t end) const {
        return {range.buffer, begin, end};
    }
};

TEST(RenderText, ShowsPlaceLineAndCarets) {
    Marked source("void f() {\n    push($gain$ * 2);\n}\n");
    EXPECT_EQ(source.unknown("gain"),
              "prog.str:2:10: error: unknown variable 'gain' [unknown-variable]\n"
              "    2 |     push(gain * 2);\n"
              "      |          ^~~~\n");
}

TEST(RenderText, ExpandsTabsToStops) {
    Marked source("\tx\t= $y\t+ z$;");
    EXPECT_EQ(source.unknown("y"),
              "prog.str:1:6: error: unknown variable 'y' [unknown-variable]\n"
              "    1 |     x   = y + z;\n"
              "      |           ^~~~~\n");
}

TEST(RenderText, CountsCharactersNotBytes) {
    Marked source("s = \"\xC3\xA4\xE2\x82\xAC\"; $y$;");
    EXPECT_THAT(source.unknown("y"), HasSubstr("prog.str:1:14:"));
    EXPECT_THAT(source.unknown("y"), HasSubstr("\n      |           ^\n"));
}

TEST(RenderText, ShowsTheFirstLineOfALongRange) {
    Marked source("a = $if (x)\n  y\n$;\n");
    EXPECT_EQ(source.unknown("y"),
              "prog.str:1:5: error: unknown variable 'y' [unknown-variable]\n"
              "    1 | a = if (x)\n"
              "      |     ^~~~~~\n");
}

TEST(RenderText, PointsBehindTheEndOfLineAndFile) {
    EXPECT_THAT(Marked("ab$$\ncd").unknown("y"), HasSubstr("    1 | ab\n      |   ^\n"));
    EXPECT_THAT(Marked("ab\n$$").unknown("y"), HasSubstr("prog.str:2:1: error"));
    EXPECT_THAT(Marked("ab\n$$").unknown("y"), HasSubstr("    2 | \n      | ^\n"));
    EXPECT_THAT(Marked("$$").unknown("y"), HasSubstr("    1 | \n      | ^\n"));
}

TEST(RenderText, KeepsTheTerminalSafe) {
    Marked source("a\x1b[31m\xFF$y$\x7F\xC2\x9B", "ev\nil.str");
    std::string text = source.unknown("a\nb\x1b[0m\xC3");
    EXPECT_EQ(text,
              "ev il.str:1:8: error: unknown variable 'a b\xEF\xBF\xBD[0m\xEF\xBF\xBD'"
              " [unknown-variable]\n"
              "    1 | a\xEF\xBF\xBD[31m\xEF\xBF\xBDy\xEF\xBF\xBD\xEF\xBF\xBD\n"
              "      |        ^\n");
}

TEST(RenderText, CutsLongLinesAroundTheCaret) {
    std::string data;
    for (int i = 0; i < 500'000; ++i) data += std::to_string(i % 10) + ", ";
    Marked source("{" + data + "$bad$, " + data + "}");
    std::string text = source.unknown("bad");
    EXPECT_LT(text.size(), 300u);
    EXPECT_THAT(text, HasSubstr("    1 | ..."));
    EXPECT_THAT(text, HasSubstr(", 9, bad, 0, 1, "));
    std::size_t line = text.find("    1 | "), carets = text.find("      | ");
    EXPECT_EQ(text.find("bad", line) - line, text.find("^~~\n") - carets);
    EXPECT_THAT(Marked("$" + data + "$").unknown("all"), HasSubstr("..."));
    EXPECT_LT(Marked("$" + data + "$").unknown("all").size(), 400u);
}

TEST(RenderText, ShowsNotesWithTheirPictures) {
    Marked source("int x;\nint $x$;\n");
    Diagnostic& diag = source.diags.add(Diag::DuplicateLocal, source.range) << "x";
    diag.note(Diag::DeclaredHere, source.at(4, 5)) << "x";
    diag.note(Diag::DidYouMean) << "y";
    EXPECT_EQ(renderText(diag, source.sources),
              "prog.str:2:5: error: variable 'x' is declared twice in the same block"
              " [duplicate-local]\n"
              "    2 | int x;\n"
              "      |     ^\n"
              "prog.str:1:5: note: 'x' is declared here\n"
              "    1 | int x;\n"
              "      |     ^\n"
              "note: did you mean 'y'?\n");
}

TEST(RenderText, ShowsTheInstance) {
    Marked source("join roundrobin($n$);");
    Diagnostic& diag = source.diags.add(Diag::WeightNegative, source.range) << std::int64_t(-1);
    EXPECT_THAT(renderText(diag, source.sources), Not(HasSubstr("instance")));
    diag.in("Main.bank[3]");
    EXPECT_THAT(renderText(diag, source.sources), HasSubstr("^\nnote: in instance Main.bank[3]\n"));
    diag.instances = 12;
    EXPECT_THAT(renderText(diag, source.sources),
                HasSubstr("^\nnote: in 12 instances, for example Main.bank[3]\n"));
}

TEST(RenderText, SuggestsFixes) {
    Marked source("add $Fliter$()\n");
    Diagnostic& diag = source.diags.add(Diag::UnknownStream, source.range) << "Fliter";
    diag.fix(source.range, "Filter").fix(source.at(12, 12), ";").fix(source.at(0, 4), "");
    diag.fix(source.at(0, 13), "add Filter();\n");
    EXPECT_THAT(renderText(diag, source.sources),
                HasSubstr("prog.str:1:5: help: write 'Filter' instead of 'Fliter'\n"
                          "prog.str:1:13: help: insert ';'\n"
                          "prog.str:1:1: help: remove 'add '\n"
                          "prog.str:1:1: help: write 'add Filter(); ' instead of this\n"));
}

TEST(RenderText, NeedsNoPlace) {
    Marked source("$$");
    Diagnostic& diag = source.diags.add(Diag::NoInputFiles);
    EXPECT_EQ(renderText(diag, source.sources),
              "strc: error: no source file given [no-input-files]\n");
}

TEST(RenderText, ColoursOnlyIfAsked) {
    Marked source("$x$ = 1;");
    EXPECT_THAT(source.unknown("x"), Not(HasSubstr("\x1b")));
    EXPECT_EQ(source.unknown("x", {.colour = true}),
              "\x1b[1mprog.str:1:1:\x1b[0m \x1b[1;31merror:\x1b[0m "
              "\x1b[1munknown variable 'x'\x1b[0m [unknown-variable]\n"
              "    1 | x = 1;\n"
              "      | \x1b[1;31m^\x1b[0m\n");
    Diagnostic& warning = source.diags.add(Diag::UnusedVariable, source.range) << "x";
    EXPECT_THAT(renderText(warning, source.sources, {.colour = true}),
                HasSubstr("\x1b[1;35mwarning:\x1b[0m"));
    EXPECT_THAT(renderText(warning, source.sources), HasSubstr("1:1: warning: variable 'x'"));
}

TEST(RenderJson, TellsEverythingOnOneLine) {
    Marked source("int x;\nint $x$;\n");
    Diagnostic& diag = source.diags.add(Diag::DuplicateLocal, source.range) << "x";
    diag.note(Diag::DeclaredHere, source.at(4, 5)) << "x";
    diag.note(Diag::DidYouMean) << "y";
    diag.fix(source.range, "y").in("Main.b");
    EXPECT_EQ(
        renderJson(diag, source.sources),
        R"({"severity":"error","code":"duplicate-local",)"
        R"("message":"variable 'x' is declared twice in the same block","file":"prog.str",)"
        R"("range":{"start":{"line":2,"column":5,"offset":11},)"
        R"("end":{"line":2,"column":6,"offset":12}},)"
        R"("notes":[{"code":"declared-here","message":"'x' is declared here","file":"prog.str",)"
        R"("range":{"start":{"line":1,"column":5,"offset":4},)"
        R"("end":{"line":1,"column":6,"offset":5}}},)"
        R"({"code":"did-you-mean","message":"did you mean 'y'?","file":null,"range":null}],)"
        R"("fixes":[{"replacement":"y","file":"prog.str",)"
        R"("range":{"start":{"line":2,"column":5,"offset":11},)"
        R"("end":{"line":2,"column":6,"offset":12}}}],)"
        R"("instance":"Main.b","instances":1})"
        "\n");
}

TEST(RenderJson, EscapesAnyText) {
    SourceManager sources;
    Diagnostics diags;
    Diagnostic& diag = diags.add(Diag::UnknownTopStream);
    diag << std::string_view("\"\\\n\t\0\x1f\x7f\xC3\xA4\xFF", 10);
    EXPECT_EQ(renderJson(diag, sources),
              R"({"severity":"error","code":"unknown-top-stream","message":"the program has no )"
              R"(stream '\"\\\u000a\u0009\u0000\u001f\u007f)"
              "\xC3\xA4\xEF\xBF\xBD"
              R"(' to start from","file":null,"range":null,"notes":[],"fixes":[],)"
              R"("instance":null,"instances":1})"
              "\n");
}

}  // namespace
}  // namespace strc::base
