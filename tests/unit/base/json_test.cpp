#include "base/detail/json.h"

#include <gtest/gtest.h>

namespace strc::base {
namespace {

TEST(Json, TextsAreQuoted) {
    EXPECT_EQ(jsonString(""), R"("")");
    EXPECT_EQ(jsonString("a \"b\" \\ ü"), R"("a \"b\" \\ ü")");
    EXPECT_EQ(jsonString("1\n2\x7f"), R"("1\u000a2\u007f")");
}

TEST(Json, WhatIsNoTextIsReplaced) {
    EXPECT_EQ(jsonString("a\xff"
                         "b"),
              "\"a\xEF\xBF\xBD"
              "b\"");
}

}  // namespace
}  // namespace strc::base
