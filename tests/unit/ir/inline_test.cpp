#include "ir/inline.h"

#include <gmock/gmock.h>

#include "ir/text.h"
#include "ir/verify.h"

namespace strc::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The work of a filter int->int with these functions, once calls have been replaced.
class InlineTest : public testing::Test {
protected:
    std::string inlined(const std::string& functions, const std::string& work) {
        auto module = parse("filter F int->int {\n field n: int\n setup {\n }\n work {\n" + work +
                                " }\n" + functions + "}\n",
                            types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        StreamCode& code = module->streams[0];
        done = inlineCalls(*module, code, *code.work);
        return print(*code.work);
    }
    static std::string function(const std::string& name, const std::string& body) {
        return " function " + name + "(x: int) -> int {\n" + body + " }\n";
    }
    static std::string call(const std::string& name) {
        return "%0: int = pop\n %1: int = call stream " + name + "(%0)\n push<int> %1\n";
    }

    int done = 0;
    types::TypeTable types;
    base::NameTable names;
};

TEST_F(InlineTest, ShortFunctions) {
    const std::string twice = "%0: int = load local x\n %1: int = add %0, %0\n return %1\n";
    EXPECT_EQ(inlined(function("twice", twice), call("twice")),
              "work {\n"
              "    local x: int\n"
              "    local twice: int\n"
              "    %0: int = pop\n"
              "    store<int> local x, %0\n"
              "    %2: int = load local x\n"
              "    %3: int = add %2, %2\n"
              "    store<int> local twice, %3\n"
              "    %1: int = load local twice\n"
              "    push<int> %1\n"
              "}\n");
    EXPECT_EQ(done, 1);
}

TEST_F(InlineTest, FunctionsThatReturnEarly) {
    const std::string text = inlined(
        function(
            "positive",
            "%0: int = load local x\n %1: int = const 0\n %2: boolean = lt<int> %0, %1\n"
            "if %2 {\n %3: int = const 7\n return %3\n }\n %4: int = load local x\n return %4\n"),
        call("positive"));
    EXPECT_EQ(done, 1);
    EXPECT_THAT(
        text,
        HasSubstr(
            "} else {\n        %6: int = load local x\n        store<int> local positive, %6\n"));
    EXPECT_THAT(text, Not(HasSubstr("return")));
}

TEST_F(InlineTest, FunctionsOfFunctions) {
    const std::string text = inlined(
        function("one", "%0: int = load local x\n %1: int = call stream two(%0)\n return %1\n") +
            function("two", "%0: int = load local x\n store<int> field n, %0\n return %0\n"),
        call("one"));
    EXPECT_THAT(text, HasSubstr("store<int> field #0"));
    EXPECT_THAT(text, Not(HasSubstr("call")));
}

TEST_F(InlineTest, NotThoseThatCallThemselves) {
    inlined(
        function("again", "%0: int = load local x\n %1: int = call stream again(%0)\n return %1\n"),
        call("again"));
    EXPECT_EQ(done, 0);
}

TEST_F(InlineTest, NotThoseThatReturnInALoop) {
    inlined(function("find",
                     "loop {\n %0: boolean = const true\n yield %0\n } do {\n"
                     " %1: int = const 1\n return %1\n }\n %2: int = const 2\n return %2\n"),
            call("find"));
    EXPECT_EQ(done, 0);
}

TEST_F(InlineTest, NotLongOnes) {
    std::string body = "%0: int = load local x\n";
    for (int k = 1; k < 200; ++k)
        body += "%" + std::to_string(k) + ": int = add %" + std::to_string(k - 1) + ", %0\n";
    inlined(function("long", body + "return %199\n"), call("long"));
    EXPECT_EQ(done, 0);
}

TEST_F(InlineTest, ChosenFunctionsOfAnyLength) {
    std::string longer = "%0: int = load local x\n";
    for (int k = 0; k < 200; ++k)
        longer += " %" + std::to_string(k + 1) + ": int = add %" + std::to_string(k) + ", %0\n";
    longer += " return %200\n";
    const std::string outer =
        "%0: int = load local x\n %1: int = call stream longer(%0)\n return %1\n";
    auto module =
        parse("filter F int->int {\n field n: int\n setup {\n }\n work {\n" + call("outer") +
                  " }\n" + function("outer", outer) + function("longer", longer) + "}\n",
              types, names);
    ASSERT_TRUE(module) << module.error();
    StreamCode& code = module->streams[0];
    EXPECT_FALSE(
        inlineChosen(code, *code.work, [](const Body& body) { return body.name == "longer"; }));
    EXPECT_THAT(print(*code.work), HasSubstr("call stream"));
    EXPECT_FALSE(inlineChosen(code, *code.work, [](const Body&) { return true; }));
    EXPECT_THAT(print(*code.work), Not(HasSubstr("call")));
}

TEST_F(InlineTest, ChosenFunctionsThatCallThemselves) {
    const std::string endless =
        "%0: int = load local x\n %1: int = call stream f(%0)\n return %1\n";
    auto module = parse("filter F int->int {\n field n: int\n setup {\n }\n work {\n" + call("f") +
                            " }\n" + function("f", endless) + "}\n",
                        types, names);
    ASSERT_TRUE(module) << module.error();
    StreamCode& code = module->streams[0];
    const auto refused = inlineChosen(code, *code.work, [](const Body&) { return true; });
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->op, Op::Call);
}

TEST_F(InlineTest, AWorkSeveralTimes) {
    auto repeated = [&](const std::string& work, bool expected) {
        auto module =
            parse("filter F int->int {\n setup {\n }\n work {\n" + work + " }\n}\n", types, names);
        EXPECT_TRUE(module) << module.error();
        Body& body = *module->streams[0].work;
        EXPECT_EQ(repeat(body, 2), expected);
        EXPECT_THAT(verify(*module, &module->streams[0], body), testing::IsEmpty());
        return print(body);
    };
    EXPECT_EQ(
        repeated(" local x: int\n %0: int = pop\n store<int> local x, %0\n"
                 " %1: int = load local x\n %2: boolean = lt<int> %1, %0\n"
                 " if %2 {\n return\n }\n push<int> %1\n",
                 true),
        "work {\n    local x#0: int\n    local x#1: int\n"
        "    %0: int = pop\n    store<int> local x#0, %0\n    %1: int = load local x#0\n"
        "    %2: boolean = lt<int> %1, %0\n    if %2 {\n    } else {\n        push<int> %1\n    }\n"
        "    %3: int = pop\n    store<int> local x#1, %3\n    %4: int = load local x#1\n"
        "    %5: boolean = lt<int> %4, %3\n    if %5 {\n    } else {\n        push<int> %4\n    }\n"
        "}\n");
    const std::string early =
        " loop {\n %0: boolean = const true\n yield %0\n } do {\n return\n }\n";
    EXPECT_THAT(repeated(early, false), HasSubstr("return"));
}

}  // namespace
}  // namespace strc::ir
