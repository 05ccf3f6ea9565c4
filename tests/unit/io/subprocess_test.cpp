#include "io/subprocess.h"

#include <dirent.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strc::io {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

int openDescriptors() {
    int count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (readdir(folder)) ++count;
    closedir(folder);
    return count;
}

TEST(RunTool, GivesWhatTheToolWrites) {
    auto result = runTool({"tr", "a-z", "A-Z"}, "some text\n");
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(*result, "SOME TEXT\n");
}

TEST(RunTool, ArgumentsAreNotInterpreted) {
    auto result = runTool({"echo", "$HOME; `ls` *"}, "");
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, "$HOME; `ls` *\n");
}

TEST(RunTool, MoreThanAnyBufferHolds) {
    const std::string much(5'000'000, 'x');
    auto result = runTool({"cat"}, much);
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, much);
}

TEST(RunTool, AToolThatDoesNotRead) {
    const std::string much(5'000'000, 'x');
    auto result = runTool({"true"}, much);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(*result, "");
}

TEST(RunTool, AToolThatIsNotThere) {
    auto result = runTool({"no-such-tool-anywhere"}, "x");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), "cannot run 'no-such-tool-anywhere': No such file or directory");
}

TEST(RunTool, AToolThatFails) {
    auto silent = runTool({"false"}, "");
    ASSERT_FALSE(silent);
    EXPECT_EQ(silent.error(), "cannot run 'false': it ended with status 1");
    auto loud = runTool({"cat", "/no/such/file"}, "");
    ASSERT_FALSE(loud);
    EXPECT_THAT(loud.error(), StartsWith("cannot run 'cat': "));
    EXPECT_THAT(loud.error(), HasSubstr("/no/such/file"));
    auto killed = runTool({"sh", "-c", "kill -9 $$"}, "");
    ASSERT_FALSE(killed);
    EXPECT_EQ(killed.error(), "cannot run 'sh': Killed");
}

TEST(RunTool, NothingStaysOpen) {
    const int before = openDescriptors();
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(runTool({"cat"}, "x"));
        EXPECT_FALSE(runTool({"no-such-tool-anywhere"}, "x"));
    }
    EXPECT_EQ(openDescriptors(), before);
}

}  // namespace
}  // namespace strc::io
