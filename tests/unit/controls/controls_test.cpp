#include <cmath>

#include <gtest/gtest.h>

#include "controls/midi.h"
#include "controls/osc.h"

namespace strc::controls {
namespace {

using namespace std::string_literals;
using Changes = std::vector<Change>;

TEST(Osc, TakesNumbersAndTruths) {
    EXPECT_EQ(changesOfPacket("/cutoff\0,f\0\0\x44\x48\0\0"s), (Changes{{"cutoff", 800}}));
    EXPECT_EQ(changesOfPacket("/a/b/n\0\0,i\0\0\xff\xff\xff\xfe"s), (Changes{{"n", -2}}));
    EXPECT_EQ(changesOfPacket("/d\0\0,d\0\0\x3f\xf8\0\0\0\0\0\0"s), (Changes{{"d", 1.5}}));
    EXPECT_EQ(changesOfPacket("/on\0,T\0\0"s), (Changes{{"on", 1}}));
    EXPECT_EQ(changesOfPacket("/on\0,F\0\0"s), (Changes{{"on", 0}}));
}

TEST(Osc, BundlesAreTheirMessages) {
    const std::string one = "/a\0\0,i\0\0\0\0\0\x01"s, two = "/b\0\0,i\0\0\0\0\0\x02"s;
    const std::string bundle =
        "#bundle\0"s + std::string(8, '\0') + "\0\0\0\x0c"s + one + "\0\0\0\x0c"s + two;
    EXPECT_EQ(changesOfPacket(bundle), (Changes{{"a", 1}, {"b", 2}}));
    EXPECT_EQ(changesOfPacket(bundle.substr(0, bundle.size() - 1)), (Changes{{"a", 1}}));
}

TEST(Osc, WhatIsNoneGivesNothing) {
    for (const std::string& packet :
         {""s, "cutoff=800"s, "/a"s, "/a\0\0"s, "/a\0\0,f\0\0"s, "/a\0\0,s\0\0hi\0\0"s,
          "/\0\0\0,T\0\0"s, "/a\0\0,f\0\0\x7f\xc0\0\0"s, "#bundle\0"s,
          "#bundle\0"s + std::string(8, '\0') + "\xff\xff\xff\xff"s})
        EXPECT_EQ(changesOfPacket(packet), Changes{});
    std::string deep = "/a\0\0,T\0\0"s;
    for (int k = 0; k < 20; ++k)
        deep = "#bundle\0"s + std::string(8, '\0') + std::string(3, '\0') +
               static_cast<char>(deep.size()) + deep;
    EXPECT_EQ(changesOfPacket(deep.substr(0, 4000)), Changes{});
}

TEST(Midi, KnobsSayWhatTheyMove) {
    const auto knob = parseKnob("2/74=cutoff:20..20000:log");
    ASSERT_TRUE(knob);
    EXPECT_EQ(knob->channel, 2);
    EXPECT_EQ(knob->number, 74);
    EXPECT_EQ(knob->parameter, "cutoff");
    EXPECT_EQ(knob->at(0), 20);
    EXPECT_EQ(knob->at(127), 20000);
    EXPECT_NEAR(knob->at(64), 20 * std::pow(1000, 64.0 / 127), 1e-6);
    EXPECT_EQ(parseKnob("1=gain")->at(127), 1);
    EXPECT_EQ(parseKnob("1=gain:-60..6")->at(0), -60);
    for (const char* text : {"", "1", "=a", "128=a", "-1=a", "17/1=a", "0/1=a",
                             "1=", "1=a:", "1=a:2..1", "1=a:0..1:log", "1=a:0..inf"})
        EXPECT_FALSE(parseKnob(text)) << text;
}

TEST(Midi, TakesControlChangesOutOfAnything) {
    MidiReader reader({*parseKnob("7=volume:0..127"), *parseKnob("3/1=mod:0..127")});
    EXPECT_EQ(reader.take("\xb0\x07\x40"s), (Changes{{"volume", 64}}));
    EXPECT_EQ(reader.take("\x07\x41\x07"s),
              (Changes{{"volume", 65}}));  // running status, in pieces
    EXPECT_EQ(reader.take("\xf8\x42"s), (Changes{{"volume", 66}}));  // a clock between
    EXPECT_EQ(reader.take("\x90\x07\x40\xf0\x07\x07\xf7\x07\x07"s),
              Changes{});  // notes, system exclusive
    EXPECT_EQ(reader.take("\xb0\x01\x05\xb2\x01\x05"s), (Changes{{"mod", 5}}));
}

}  // namespace
}  // namespace strc::controls
