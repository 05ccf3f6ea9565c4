#include <array>

#include "support.h"

struct Pair {
    float x;
    int n;
};
STRC_STRUCT(Pair, x, n)

namespace strc::test {
namespace {

Stream average() {
    return filter<float, float>("Average", {.pop = 1, .push = 1, .peek = 2}, [](auto& f) {
        f.push((f.peek(0) + f.peek(1)) / 2);
        f.pop();
    });
}

TEST(Programs, ChunksOfAnySize) {
    std::vector<float> in(1000), whole(1000), pieces;
    for (std::size_t k = 0; k < in.size(); k++) in[k] = static_cast<float>(k * k % 17);
    Program one = compile(pipeline(average(), average()));
    ASSERT_TRUE(one) << one.errors();
    const Progress all = one.process(in, whole);
    ASSERT_TRUE(all) << one.errors();
    EXPECT_EQ(all.taken, 1000u);
    whole.resize(all.given);
    Program two = compile(pipeline(average(), average()));
    std::array<float, 64> some{};
    for (std::size_t k = 0; k < in.size();) {
        const Progress done =
            two.process(std::span(in).subspan(k, std::min<std::size_t>(13, in.size() - k)), some);
        ASSERT_TRUE(done);
        pieces.insert(pieces.end(), some.begin(),
                      some.begin() + static_cast<std::ptrdiff_t>(done.given));
        k += done.taken;
    }
    EXPECT_EQ(pieces, whole);
    two.reset();
    std::vector<float> again(1000);
    again.resize(two.process(in, again).given);
    EXPECT_EQ(again, whole);
}

Stream totals(int more) {
    auto sum = filter<int, int>("Sum", {.pop = 1, .push = 1}, [](auto& f) {
        auto total = f.template field<int>("total");
        total += f.pop();
        f.push(total);
    });
    auto add =
        filter<int, int>("Add", {.pop = 1, .push = 1}, [=](auto& f) { f.push(f.pop() + more); });
    return pipeline(sum, add).as("Main");
}

TEST(Programs, GoOnAsOthers) {
    Program program = compile(totals(0), {.at_once = 64, .replaceable = true});
    ASSERT_TRUE(program) << program.errors();
    const std::vector<int> in{1, 2, 3};
    std::vector<int> out(3);
    EXPECT_EQ(program.replacement().state, STRC_REPLACING_NOTHING);
    ASSERT_TRUE(program.process(in, out));
    EXPECT_EQ(out, (std::vector{1, 3, 6}));
    ASSERT_TRUE(program.replace(totals(100))) << program.errors();
    EXPECT_FALSE(program.replace(totals(1)));  // the other one is on its way
    EXPECT_EQ(program.replacement(true).state, STRC_REPLACING_READY);
    ASSERT_TRUE(program.process(in, out));
    EXPECT_EQ(out, (std::vector{107, 109, 112}));
    const Replacement done = program.replacement();
    EXPECT_TRUE(done);
    EXPECT_NE(done.told.find("kept: Main.Sum (total)\n"), std::string::npos) << done.told;
    EXPECT_NE(program.str().find("100"), std::string::npos) << program.str();
    // Another one needs no question about the one before, if that is over.
    ASSERT_TRUE(program.replace(totals(200)));
    program.replacement(true);
    ASSERT_TRUE(program.process(in, out));
    ASSERT_TRUE(program.replace(totals(300)));
    program.replacement(true);
    ASSERT_TRUE(program.process(in, out));
    EXPECT_EQ(out, (std::vector{319, 321, 324}));
    // And once more, from a program that has been moved.
    Program moved = std::move(program);
    ASSERT_TRUE(moved.replace(totals(1000)));
    moved.replacement(true);
    ASSERT_TRUE(moved.process(in, out));
    EXPECT_EQ(out, (std::vector{1025, 1027, 1030}));
    moved = compile(totals(5));
    ASSERT_TRUE(moved.process(in, out));
    EXPECT_EQ(out, (std::vector{6, 8, 11}));
}

TEST(Programs, GoOnAsTheyWereIfOthersAreRefused) {
    Program program = compile(totals(0), {.replaceable = true});
    const std::vector<int> in{1};
    std::vector<int> out(1);
    ASSERT_TRUE(program.process(in, out)) << program.errors();
    auto floats = filter<int, float>("Floats", {.pop = 1, .push = 1},
                                     [](auto& f) { f.push(cast<float>(f.pop())); });
    ASSERT_TRUE(program.replace(floats));
    const Replacement refused = program.replacement(true);
    EXPECT_EQ(refused.state, STRC_REPLACING_REFUSED);
    EXPECT_NE(refused.errors.find("[cannot-replace]"), std::string::npos) << refused.errors;
    ASSERT_TRUE(program.process(in, out));
    EXPECT_EQ(out[0], 2);
    EXPECT_FALSE(program.replace(fromFile<int, int>("no-such.str", "None")));
    EXPECT_NE(program.errors().find("no-such.str"), std::string::npos) << program.errors();
    EXPECT_TRUE(program.replace(totals(10)));
    EXPECT_EQ(program.errors(), "");
    Program fixed = compile(totals(0));
    EXPECT_FALSE(fixed.replace(totals(1)));  // it was not compiled for that
}

TEST(Programs, ItemsOfOtherTypesAreRefused) {
    Program program = compile(average());
    std::vector<int> in(4);
    std::vector<float> out(4);
    EXPECT_FALSE(program.process(in, out));
    EXPECT_NE(program.errors().find("the input of the program has items of type float"),
              std::string::npos)
        << program.errors();
}

TEST(Programs, StructsAsItems) {
    auto swap = filter<Pair, Pair>("Swap", {.pop = 1, .push = 1}, [](auto& f) {
        const auto p = f.pop();
        Var<Pair> made;
        made[&Pair::x] = cast<float>(p[&Pair::n]);
        made[&Pair::n] = cast<int>(p[&Pair::x]);
        f.push(made);
    });
    Program program = compile(swap);
    const std::vector<Pair> in{{1.0f, 2}, {3.0f, 4}};
    std::vector<Pair> out(2);
    ASSERT_TRUE(program.process(in, out)) << program.errors();
    EXPECT_EQ(out[1].x, 4.0f);
    EXPECT_EQ(out[1].n, 3);
}

TEST(Programs, ParametersThatStayOpen) {
    const Param<float> level("level", 1.0f);
    auto gain = filter<float, float>("Gain", {.pop = 1, .push = 1},
                                     [&](auto& f) { f.push(level * f.pop()); });
    Program program = compile(pipeline(gain).as("Loud"), {.keep = {"level"}});
    ASSERT_TRUE(program) << program.errors();
    const std::vector<float> in{1, 2};
    std::vector<float> out(2);
    ASSERT_TRUE(program.process(in, out)) << program.errors();
    EXPECT_EQ(out[1], 2.0f);
    ASSERT_TRUE(program.set("level", 10.0f));
    ASSERT_TRUE(program.process(in, out));
    EXPECT_EQ(out[1], 20.0f);
}

TEST(Programs, ParametersThatAreNotOpenAreTold) {
    const Param<float> level("level", 0.5f);
    auto scale = filter<float, float>("Scale", {.pop = 1, .push = 1},
                                      [&](auto& f) { f.push(level * f.pop()); });
    Program program = compile(scale, {.keep = {"level"}});
    EXPECT_TRUE(program.set("level", 2.0f)) << program.errors();
    EXPECT_FALSE(program.set("level", 2.0));
    EXPECT_FALSE(program.set("depth", 2.0f));
    EXPECT_NE(program.errors().find("no parameter 'depth'"), std::string::npos) << program.errors();
}

TEST(Programs, AStreamMayBeCompiledAgain) {
    const Stream main = pipeline(count(), out<int>());
    EXPECT_EQ(compile(main).run({.iterations = 2}).printed, "0\n1\n");
    EXPECT_EQ(compile(main, {.level = 0}).run({.iterations = 2}).printed, "0\n1\n");
    EXPECT_EQ(str(main), str(main));
}

TEST(Programs, LongBodies) {
    auto many = filter<int, int>("Many", {.pop = 1, .push = 1}, [](auto& f) {
        Value<int> x = f.pop();
        Var<int> sum("sum", 0);
        for (int k = 0; k < 20000; k++) sum += x * k;
        f.push(sum);
    });
    Program program = compile(pipeline(count(), many, out<int>()), {.level = 0});
    EXPECT_EQ(program.run({.iterations = 2}).printed, "0\n199990000\n") << program.errors();
}

}  // namespace
}  // namespace strc::test
