#include "base/source.h"

#include <gtest/gtest.h>

namespace strc::base {
namespace {

TEST(SourceManager, KeepsNamesAndTextsApart) {
    SourceManager sources;
    BufferId a = sources.add("a.str", "first");
    BufferId b = sources.add("<stdlib>/b.str", "second", true);
    EXPECT_EQ(sources.size(), 2u);
    EXPECT_EQ(sources.name(a), "a.str");
    EXPECT_EQ(sources.text(b), "second");
    EXPECT_FALSE(sources.isLibrary(a));
    EXPECT_TRUE(sources.isLibrary(b));
    EXPECT_FALSE(sources.isLibrary(BufferId{}));
}

TEST(SourceManager, CountsLinesAndColumnsFromOne) {
    SourceManager sources;
    BufferId id = sources.add("x", "ab\n\ncd");
    auto at = [&](std::uint32_t offset) {
        LineColumn place = sources.position(id, offset);
        return std::pair(place.line, place.column);
    };
    EXPECT_EQ(at(0), std::pair(1u, 1u));
    EXPECT_EQ(at(2), std::pair(1u, 3u));  // the end of the line belongs to it
    EXPECT_EQ(at(3), std::pair(2u, 1u));
    EXPECT_EQ(at(4), std::pair(3u, 1u));
    EXPECT_EQ(at(6), std::pair(3u, 3u));  // the end of the file
}

TEST(SourceManager, GivesLinesWithoutTheirEnd) {
    SourceManager sources;
    BufferId id = sources.add("x", "one\r\ntwo\n\nlast");
    EXPECT_EQ(sources.lineText(id, 1), "one");
    EXPECT_EQ(sources.lineText(id, 2), "two");
    EXPECT_EQ(sources.lineText(id, 3), "");
    EXPECT_EQ(sources.lineText(id, 4), "last");
    EXPECT_EQ(sources.lineText(id, 0), "");
    EXPECT_EQ(sources.lineText(id, 5), "");
}

TEST(SourceManager, ReadsAnEmptyBuffer) {
    SourceManager sources;
    BufferId id = sources.add("empty", "");
    EXPECT_EQ(sources.position(id, 0).line, 1u);
    EXPECT_EQ(sources.lineText(id, 1), "");
}

TEST(SourceRange, CoversAndShrinks) {
    SourceManager sources;
    BufferId id = sources.add("x", "alpha beta gamma");
    SourceRange first{id, 0, 5}, last{id, 11, 16};
    EXPECT_EQ(sources.text(first.to(last)), "alpha beta gamma");
    EXPECT_EQ(first.atEnd(), (SourceRange{id, 5, 5}));
    EXPECT_EQ(last.atBegin(), (SourceRange{id, 11, 11}));
    EXPECT_TRUE(first.valid());
    EXPECT_FALSE(SourceRange{}.valid());
}

}  // namespace
}  // namespace strc::base
