#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ast/detail/format_layout.h"

namespace strc::ast {
namespace {

/// `head(item, item, …)` with breaks after the commas.
void call(Layout& layout, GroupMode mode, const std::vector<std::string>& items) {
    static std::deque<std::string> kept;  // a layout does not copy its texts
    layout.text("head(");
    layout.begin(mode, 4);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) {
            layout.text(",");
            layout.lineBreak(BreakKind::Line);
        }
        layout.text(kept.emplace_back(items[i]));
    }
    layout.end();
    layout.text(")");
}

TEST(Layout, KeepsOnOneLineWhatFits) {
    Layout layout;
    call(layout, GroupMode::All, {"a", "b", "c"});
    EXPECT_EQ(layout.render(), "head(a, b, c)\n");
}

TEST(Layout, UsesExactlyTheWidth) {
    for (std::size_t excess : {0, 1}) {
        // head( + item + ", " + item + ) with the ";" behind the group
        std::vector<std::string> items{std::string(46, 'x'), std::string(45 + excess, 'y')};
        Layout layout;
        call(layout, GroupMode::All, items);
        layout.text(";");
        std::string text = layout.render();
        EXPECT_EQ(text.find('\n') == 100, excess == 0) << text;
        EXPECT_EQ(text == "head(" + items[0] + ",\n    " + items[1] + ");\n", excess == 1) << text;
    }
}

TEST(Layout, BreaksAllOrFills) {
    std::vector<std::string> items(6, std::string(31, 'x'));
    std::string x = items[0];
    Layout all, fill;
    call(all, GroupMode::All, items);
    call(fill, GroupMode::Fill, items);
    std::string line = ",\n    " + x;
    EXPECT_EQ(all.render(), "head(" + x + line + line + line + line + line + ")\n");
    std::string two = x + ", " + x;
    EXPECT_EQ(fill.render(), "head(" + two + ",\n    " + two + ",\n    " + two + ")\n");
}

TEST(Layout, IndentsByTheLineOnWhichAGroupBegins) {
    Layout layout;
    std::string x(60, 'x');
    layout.text("a(");
    layout.begin(GroupMode::All, 4);
    layout.text("b(");
    layout.begin(GroupMode::All, 4);
    layout.text(x);
    layout.lineBreak(BreakKind::Line);
    layout.text(x);
    layout.lineBreak(BreakKind::Soft, false, 4);
    layout.text("))");
    layout.end();
    layout.end();
    EXPECT_EQ(layout.render(), "a(b(" + x + "\n    " + x + "\n))\n");
}

TEST(Layout, AHardBreakOpensTheGroupsAroundItOnly) {
    Layout layout;
    layout.begin(GroupMode::All);
    layout.text("if {");
    layout.indent(4);
    layout.lineBreak(BreakKind::Line);
    call(layout, GroupMode::All, {"a", "b"});
    layout.lineBreak(BreakKind::Hard, true);
    layout.text("c");
    layout.indent(-4);
    layout.lineBreak(BreakKind::Line);
    layout.text("}");
    layout.end();
    EXPECT_EQ(layout.render(), "if {\n    head(a, b)\n\n    c\n}\n");
}

TEST(Layout, LinesBeginOnceAndWithoutSpaces) {
    Layout layout;
    layout.lineBreak(BreakKind::Hard, true);
    layout.text("a");
    layout.space(3);
    layout.lineBreak(BreakKind::Hard);
    layout.lineBreak(BreakKind::Hard, true);
    layout.lineBreak(BreakKind::Line);
    layout.space();
    layout.text("b");
    layout.space();
    layout.space(2);
    layout.text("c");
    EXPECT_EQ(layout.render(), "a\n\nb  c\n");
}

TEST(Layout, EmptyTextIsEmpty) {
    Layout layout;
    EXPECT_EQ(layout.render(), "");
}

TEST(Layout, CommentsAtTheEndOfALineDoNotCount) {
    std::string wide(120, '=');
    std::string comment = "// " + wide;
    Layout layout;
    call(layout, GroupMode::All, {"a", "b"});
    layout.space(2);
    layout.endComment(comment, 0, 0);
    layout.lineBreak(BreakKind::Hard);
    EXPECT_EQ(layout.render(), "head(a, b)  // " + wide + "\n");
}

TEST(Layout, FurtherLinesOfACommentMoveWithIt) {
    Layout right;
    right.indent(4);
    right.lineBreak(BreakKind::Hard);
    right.comment("/* a  \n     b\t\r\n\n   c */", 0);
    EXPECT_EQ(right.render(), "    /* a\n         b\n\n       c */\n");

    Layout left;
    left.comment("/* a\n\t  b\n\t\tc */", 4);
    EXPECT_EQ(left.render(), "/* a\n  b\n    c */\n");

    Layout stopped;  // the second line stood left of the first
    stopped.comment("/* a\n b\n  c */", 8);
    EXPECT_EQ(stopped.render(), "/* a\nb\n c */\n");
}

TEST(Layout, StarsLineUp) {
    Layout layout;
    layout.indent(4);
    layout.lineBreak(BreakKind::Hard);
    layout.comment("/* a\n * b\n\n         * c\n*/", 0);
    EXPECT_EQ(layout.render(), "    /* a\n     * b\n\n     * c\n     */\n");
}

TEST(Layout, CountsCharactersNotBytes) {
    std::string wide;
    for (int i = 0; i < 93; ++i) wide += "\xC3\xA4";
    Layout layout;
    call(layout, GroupMode::All, {wide, "b"});
    EXPECT_EQ(layout.render(), "head(" + wide + ",\n    b)\n");
    Layout fits;
    call(fits, GroupMode::All, {wide.substr(4), "b"});
    EXPECT_EQ(fits.render(), "head(" + wide.substr(4) + ", b)\n");
    EXPECT_EQ(Layout::columns("\xC3\xA4\t\tb\r"), 9u);
}

TEST(Layout, DeepNestingStaysReadable) {
    Layout layout;
    for (int i = 0; i < 1000; ++i) {
        layout.text("{");
        layout.indent(4);
        layout.lineBreak(BreakKind::Hard);
    }
    layout.text("x");
    std::string text = layout.render();
    EXPECT_LT(text.size(), 1000u * 402);
}

TEST(Layout, TakesLinearTime) {
    std::vector<std::string> items(300'000, "1");
    Layout layout;
    for (int depth = 0; depth < 1000; ++depth) layout.begin(GroupMode::All, 0);
    call(layout, GroupMode::Fill, items);
    for (int depth = 0; depth < 1000; ++depth) layout.end();
    std::string text = layout.render();
    EXPECT_EQ(std::count(text.begin(), text.end(), '1'), 300'000);
}

}  // namespace
}  // namespace strc::ast
