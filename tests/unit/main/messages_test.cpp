#include "fixture.h"

namespace strc::testing {
namespace {

class MessagesTest : public MainTest {
protected:
    static void report(strc_severity severity, strc_origin origin, strc_message_id id,
                       std::vector<const char*> arguments) {
        arguments.push_back(nullptr);
        EXPECT_EQ(strc_report(severity, origin, id, arguments.data()), -1);
    }
};

TEST_F(MessagesTest, AreWordedAsTheTableSays) {
    report(STRC_ERROR, kNowhere, STRC_MESSAGE_CannotOpenFile, {"a.raw", "it is gone"});
    EXPECT_EQ(takeMessages(),
              "program: error: cannot open 'a.raw': it is gone [cannot-open-file]\n");
    EXPECT_EQ(strc_messages_status(), 1);
    EXPECT_EQ(takeMessages(), "");
}

TEST_F(MessagesTest, HavePlacesAndInstances) {
    report(STRC_ERROR, STRC_ORIGIN(text("p.str:3:4"), text("Main.reader")), STRC_MESSAGE_EmptyInput,
           {"b"});
    EXPECT_EQ(takeMessages(),
              "p.str:3:4: error: input file 'b' holds no items [empty-input]\n"
              "note: in instance Main.reader\n");
}

TEST_F(MessagesTest, PluralsFollowTheNumber) {
    report(STRC_WARNING, kNowhere, STRC_MESSAGE_InputLeftOver, {"1", "c"});
    report(STRC_WARNING, kNowhere, STRC_MESSAGE_InputLeftOver, {"2", "c"});
    report(STRC_SILENT, kNowhere, STRC_MESSAGE_InputLeftOver, {"3", "c"});
    EXPECT_EQ(takeMessages(),
              "program: warning: 1 item left over at the end of 'c' [input-left-over]\n"
              "program: warning: 2 items left over at the end of 'c' [input-left-over]\n");
    EXPECT_EQ(strc_messages_status(), 0);
}

TEST_F(MessagesTest, WrongCallsCountLessThanFaults) {
    report(STRC_ERROR, kNowhere, STRC_MESSAGE_BadCommandLine, {"no"});
    EXPECT_EQ(strc_messages_status(), 2);
    report(STRC_ERROR, kNowhere, STRC_MESSAGE_FormatItemType, {"WAV", "boolean"});
    EXPECT_EQ(strc_messages_status(), 2);
    report(STRC_ERROR, STRC_ORIGIN(text("p.str:1:1"), 0), STRC_MESSAGE_FormatItemType,
           {"WAV", "boolean"});
    EXPECT_EQ(strc_messages_status(), 1);
}

TEST_F(MessagesTest, ForeignTextsStayOnTheirLine) {
    const char* foreign =
        "a\nb\tc\x1b[1m \xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xb5 \xff \xc2\x85 \xe0\x80 \xed\xa0\x80";
    report(STRC_ERROR, kNowhere, STRC_MESSAGE_BadCommandLine, {foreign});
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(takeMessages(),
              "program: error: a b c" + bad + "[1m \xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xb5 " + bad +
                  " " + bad + " " + bad + bad + " " + bad + bad + bad + " [bad-command-line]\n");
}

TEST_F(MessagesTest, FaultsOfChecksHaveTheirNumbers) {
    const strc_site site{text("p.str:7:8"), text("index \x01 of \x01"), text("index-out-of-range"),
                         0};
    const strc_text paths[] = {0, text("Main.f")};
    about.sites = &site;
    about.paths = paths;
    const strc_text none[] = {0, 0};
    about.places = none;
    about.added = none;
    const strc_fault fault{0, 1, {-5, INT64_MIN}};
    strc_report_fault(&fault);
    EXPECT_EQ(takeMessages(),
              "p.str:7:8: error: index -5 of -9223372036854775808 [index-out-of-range]\n"
              "note: in instance Main.f\n");
}

}  // namespace
}  // namespace strc::testing
