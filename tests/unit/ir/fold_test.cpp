// What folding a body takes away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/specialize.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace strc::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FoldTest : public testing::Test {
protected:
    std::string folded(const std::string& work) {
        auto read = parse("filter F int -> int {\n  setup {\n  }\n  work {\n" + work + "  }\n}\n",
                          types, names);
        EXPECT_TRUE(read) << read.error();
        if (!read) return "not read";
        fold(*read->streams[0].work);
        for (const std::string& each : verify(*read)) ADD_FAILURE() << each;
        return print(*read->streams[0].work);
    }

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(FoldTest, AChoiceThatNobodyWantsIsGone) {
    const std::string text = folded(R"(
    %0: int = pop
    %1: int = const 3
    %2: boolean = lt<int> %0, %1
    %3: int = if %2 {
      %4: int = add %0, %1
      yield %4
    } else {
      yield %1
    }
    %5: int = mul %3, %1
    push<int> %0
)");
    EXPECT_THAT(text, Not(HasSubstr("if")));
    EXPECT_THAT(text, Not(HasSubstr("lt")));
    EXPECT_THAT(text, HasSubstr("push"));
}

TEST_F(FoldTest, WhatMayFailStays) {
    EXPECT_THAT(folded(R"(
    %0: int = pop
    %1: int = const 3
    %2: boolean = lt<int> %0, %1
    %3: int = if %2 {
      %4: int = div %1, %0
      yield %4
    } else {
      yield %1
    }
    push<int> %0
)"),
                HasSubstr("div"));
}

}  // namespace
}  // namespace strc::ir
