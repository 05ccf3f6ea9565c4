#include <optional>

#include "support.h"

namespace strc::test {
namespace {

/// The first error of a program; its line is that of C++ on which it was made.
Diagnostic firstError(const Stream& main) {
    for (const Diagnostic& each : compile(main).diagnostics())
        if (each.isError) return each;
    return {};
}

TEST(Refused, AValueOfAnotherFilter) {
    std::optional<Value<int>> kept;
    auto first = filter<int, int>("First", {.pop = 1, .push = 1}, [&](auto& f) {
        kept.emplace(f.pop());
        f.push(*kept);
    });
    unsigned line = 0;
    auto second = filter<int, int>("Second", {.pop = 1, .push = 1}, [&](auto& f) {
        line = std::source_location::current().line() + 1;
        f.push(f.pop() + *kept);
    });
    const Diagnostic fault = firstError(pipeline(count(), first, second, out<int>()));
    EXPECT_EQ(fault.code, "staged-elsewhere");
    EXPECT_EQ(fault.line, line);
    EXPECT_NE(fault.file.find("refused_test.cpp"), std::string::npos);
    EXPECT_NE(fault.text.find("f.push(f.pop() + *kept);"), std::string::npos) << fault.text;
}

TEST(Refused, AVariableOfABlockThatIsOver) {
    auto bad = filter<int, int>("Bad", {.pop = 1, .push = 1}, [](auto& f) {
        std::optional<Value<int>> kept;
        If(f.pop() > 0, [&] {
            Var<int> inner("inner", 3);
            inner += 1;
            kept.emplace(inner * 2);
            println(*kept);
        });
        f.push(*kept);
    });
    EXPECT_EQ(errorsOf(pipeline(count(), bad, out<int>())), "staged-elsewhere");
}

TEST(Refused, TheTapeOutsideOfABody) {
    auto bad = filter<int, int>("Bad", [](Filter<int, int>& f) {
        f.push(3);
        f.work({.pop = 1, .push = 1}, [&] { f.push(f.pop()); });
    });
    const Diagnostic fault = firstError(pipeline(count(), bad, out<int>()));
    EXPECT_EQ(fault.code, "staged-outside-body");
    EXPECT_NE(fault.text.find("f.push(3);"), std::string::npos) << fault.text;
}

TEST(Refused, WhatIsStagedOutsideOfAllFilters) {
    Var<int> lost = 3;
    lost += 1;
    EXPECT_EQ(firstError(pipeline(count(), out<int>())).code, "staged-outside-body");
    EXPECT_EQ(errorsOf(pipeline(count(), out<int>())), "") << "it is reported once";
}

TEST(Refused, WhatTheLanguageRefusesNamesTheLineOfCpp) {
    const unsigned line = std::source_location::current().line() + 1;
    const Stream main = pipeline(count(), out<float>());
    const Diagnostic fault = firstError(main);
    EXPECT_EQ(fault.code, "pipeline-types");
    EXPECT_EQ(fault.line, line);
}

TEST(Refused, RatesThatDoNotHold) {
    auto bad = filter<int, int>("Bad", {.pop = 1, .push = 2}, [](auto& f) { f.push(f.pop()); });
    EXPECT_NE(errorsOf(pipeline(count(), bad, out<int>())), "");
}

TEST(Refused, PortalsThatNobodyListensTo) {
    const Portal portal("p");
    auto sender = filter<int, int>("Tx", {.pop = 1, .push = 1}, [&](auto& f) {
        f.send(portal, "set", {0, 0}, 1);
        f.push(f.pop());
    });
    EXPECT_EQ(errorsOf(pipeline(count(), sender, out<int>())), "portal-without-receiver");
}

int plusOne(int x) { return x + 1; }
int plusTwo(int x) { return x + 2; }

TEST(Refused, TwoNativesOfOneName) {
    auto use = [](int (*function)(int), Where where = Where::current()) {
        auto called = native("mine", "plus", function, where);
        return filter<int, int>("Use", {.pop = 1, .push = 1},
                                [&](auto& f) { f.push(called(f.pop())); });
    };
    EXPECT_EQ(errorsOf(pipeline(count(), use(&plusOne), use(&plusOne), out<int>())), "");
    const unsigned line = std::source_location::current().line() + 1;
    const Stream other = use(&plusTwo);
    const Diagnostic fault = firstError(pipeline(count(), use(&plusOne), other, out<int>()));
    EXPECT_EQ(fault.code, "duplicate-package-function");
    EXPECT_EQ(fault.line, line);
}

TEST(Refused, FilesThatAreNotThere) {
    const unsigned line = std::source_location::current().line() + 1;
    const Stream missing = fromFile<int, int>("not-there.str", "Some");
    const Diagnostic fault = firstError(pipeline(count(), missing, out<int>()));
    EXPECT_EQ(fault.code, "cannot-open-file");
    EXPECT_EQ(fault.line, line);
    EXPECT_NE(fault.text.find("not-there.str"), std::string::npos) << fault.text;
}

TEST(Refused, OptionsThatAreNone) {
    const Stream main = pipeline(count(), out<int>());
    auto errors = [&](const Options& options) {
        Program program = compile(main, options);
        EXPECT_FALSE(program);
        return program.errors();
    };
    EXPECT_NE(errors({.more = {{"nonsense", "3"}}}).find("no option 'nonsense' with the value '3'"),
              std::string::npos);
    EXPECT_NE(errors({.more = {{"at-once", ""}}}).find("no option 'at-once' without a value"),
              std::string::npos);
    EXPECT_NE(errors({.level = 9}).find("no option 'O' with the value '9'"), std::string::npos);
}

/// The text of the language that would mend it does not fit into C++.
TEST(Refused, WithoutMendsInTheLanguage) {
    auto bad = filter<int, int>("Bad", {.pop = 1, .push = 1},
                                [](auto& f) { f.push(call<int>("sine", f.pop())); });
    const Diagnostic fault = firstError(pipeline(count(), bad, out<int>()));
    EXPECT_EQ(fault.code, "unknown-function");
    EXPECT_EQ(fault.text.find("help:"), std::string::npos) << fault.text;
}

TEST(Refused, FaultsOfTheRunNameTheLine) {
    unsigned line = 0;
    auto bad = filter<int, int>("Bad", {.pop = 1, .push = 1}, [&](auto& f) {
        line = std::source_location::current().line() + 1;
        f.push(7 / f.pop());
    });
    Program program = compile(pipeline(count(), bad, out<int>()));
    EXPECT_FALSE(program.run({.iterations = 3}));
    ASSERT_FALSE(program.diagnostics().empty());
    EXPECT_EQ(program.diagnostics().back().line, line);
}

TEST(Refused, MoreStreamsThanAGraphHas) {
    Stream many = identity<int>();
    for (int k = 0; k < 60; k++) many = splitjoin(duplicate, many, many, roundrobin(1));
    EXPECT_EQ(errorsOf(many), "too-many-nodes");
}

TEST(Refused, ASecondElse) {
    unsigned line = 0;
    auto bad = filter<int, int>("Bad", {.pop = 1, .push = 1}, [&](auto& f) {
        Var<int> x("x", f.pop());
        line = std::source_location::current().line() + 1;
        Branch branch = If(x > 0, [&] { f.push(1); });
        branch.Else([&] { f.push(2); });
        branch.Else([&] { f.push(3); });
    });
    const std::string text = firstError(pipeline(count(), bad, out<int>())).text;
    EXPECT_NE(text.find("refused_test.cpp:" + std::to_string(line)), std::string::npos) << text;
    EXPECT_NE(text.find("the if has no place for its part 4, a block"), std::string::npos) << text;
}

TEST(Refused, WhatIsTooDeep) {
    std::function<void(int)> nest = [&](int depth) {
        If(Value<bool>(true), [&] {
            if (depth > 0) nest(depth - 1);
        });
    };
    auto bad = filter<int, int>("Bad", {.pop = 1, .push = 1}, [&](auto& f) {
        nest(3000);
        f.push(f.pop());
    });
    EXPECT_NE(errorsOf(pipeline(count(), bad, out<int>())), "");
}

}  // namespace
}  // namespace strc::test
