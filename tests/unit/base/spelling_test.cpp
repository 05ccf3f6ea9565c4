#include "base/spelling.h"

#include <gtest/gtest.h>

namespace strc::base {
namespace {

std::string_view best(std::string_view wanted, std::initializer_list<std::string_view> candidates) {
    SpellingSearch search(wanted);
    for (std::string_view candidate : candidates) search.consider(candidate);
    return search.best();
}

TEST(Spelling, FindsTheUsualMistakes) {
    EXPECT_EQ(best("Fliter", {"Printer", "Filter", "Source"}), "Filter");     // swapped
    EXPECT_EQ(best("Souce", {"Printer", "Filter", "Source"}), "Source");      // left out
    EXPECT_EQ(best("Sourrce", {"Printer", "Filter", "Source"}), "Source");    // doubled
    EXPECT_EQ(best("Sourke", {"Printer", "Filter", "Source"}), "Source");     // replaced
    EXPECT_EQ(best("source", {"Sources", "Source", "sure"}), "Source");       // case
    EXPECT_EQ(best("PRINTLN", {"print", "println"}), "println");  // case alone, any number
    EXPECT_EQ(best("PRINTLNS", {"print", "println"}), "");  // not that far
}

TEST(Spelling, SaysNothingRatherThanNonsense) {
    EXPECT_EQ(best("Filter", {}), "");
    EXPECT_EQ(best("Filter", {"Adder", "Mixer", "Filter"}), "");  // itself is no suggestion
    EXPECT_EQ(best("i", {"j", "k"}), "");
    EXPECT_EQ(best("i", {"I"}), "I");
    EXPECT_EQ(best("ab", {"xy", ""}), "");
    EXPECT_EQ(best("", {"a"}), "");
}

TEST(Spelling, NamesThatDifferInCaseAloneComeFirst) {
    SpellingSearch search("GAIN");
    for (const char* name : {"GAINS", "Gain", "MAIN"}) search.consider(name);
    EXPECT_EQ(search.best(), "Gain");
    EXPECT_TRUE(search.differsInCaseAlone());
    SpellingSearch none("gain");
    none.consider("Main");
    EXPECT_FALSE(none.differsInCaseAlone());
}

TEST(Spelling, DoesNotDependOnTheOrder) {
    EXPECT_EQ(best("tap", {"tape", "taps"}), "tape");
    EXPECT_EQ(best("tap", {"taps", "tape"}), "tape");
    EXPECT_EQ(best("cofe", {"core", "cofee", "code"}), best("cofe", {"code", "cofee", "core"}));
}

TEST(Spelling, DistanceStopsAtTheLimit) {
    EXPECT_EQ(spellingDistance("abc", "abc", 9), 0u);
    EXPECT_EQ(spellingDistance("abc", "acb", 9), 2u);
    EXPECT_EQ(spellingDistance("abc", "Abd", 9), 3u);
    EXPECT_EQ(spellingDistance("abc", "", 9), 6u);
    EXPECT_EQ(spellingDistance("abc", "xyz", 4), 4u);
    EXPECT_EQ(spellingDistance("abc", "abcdefgh", 4), 4u);
    std::string huge(1'000'000, 'a');
    EXPECT_EQ(spellingDistance(huge, huge + "b", 9), 9u);
}

}  // namespace
}  // namespace strc::base
