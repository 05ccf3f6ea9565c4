#include "support.h"

namespace strc::test {
namespace {

TEST(Streams, Pipelines) { EXPECT_EQ(printedBy(pipeline(count(), out<int>())), "0\n1\n2\n3\n"); }

TEST(Streams, VectorsOfStreams) {
    std::vector<Stream> many;
    for (int k = 1; k <= 3; k++)
        many.push_back(
            filter<int, int>("Add", {.pop = 1, .push = 1}, [=](auto& f) { f.push(f.pop() + k); }));
    EXPECT_EQ(printedBy(pipeline(count(), many, out<int>()), 2), "6\n7\n");
}

TEST(Streams, Splitjoins) {
    auto times = [](int k) {
        return filter<int, int>("Times", {.pop = 1, .push = 1},
                                [=](auto& f) { f.push(k * f.pop()); });
    };
    EXPECT_EQ(printedBy(pipeline(count(1), splitjoin(duplicate, times(1), times(-1), roundrobin(1)),
                                 out<int>()),
                        2),
              "1\n-1\n2\n-2\n");
    EXPECT_EQ(printedBy(pipeline(count(),
                                 splitjoin(roundrobin(2, 1), identity<int>(), times(10),
                                           roundrobin(2, 1)),
                                 out<int>()),
                        2),
              "0\n1\n20\n3\n4\n50\n");
}

// C6 of the language's check programs.
TEST(Streams, FeedbackLoops) {
    auto body = filter<int, int>("Body", {.pop = 3, .push = 2}, [](auto& f) {
        const auto a = f.pop();
        const auto b = f.pop();
        const auto back = f.pop();
        f.push(a * 100 + b * 10 + back);
        f.push(b);
    });
    auto loop =
        filter<int, int>("Loop", {.pop = 1, .push = 1}, [](auto& f) { f.push(f.pop() + 1); });
    EXPECT_EQ(printedBy(pipeline(count(1),
                                 feedbackloop(roundrobin(2, 1), body, loop, roundrobin(1, 1), 5, 6),
                                 out<int>()),
                        6),
              "125\n346\n563\n785\n1007\n1229\n");
}

TEST(Streams, WhatIsEnqueuedMayBeMade) {
    auto body = filter<Tensor<>, Tensor<>>("Body", {.pop = 2, .push = 2}, [](auto& f) {
        const Value<Tensor<>> sum = f.pop() + f.pop();
        f.push(sum);
        f.push(sum);
    });
    auto rows = filter<int, Tensor<>>("Rows", {.pop = 1, .push = 1}, [](auto& f) {
        Array<float> row(2);
        const Value<int> k = f.pop();
        row[0] = cast<float>(k);
        row[1] = 1.0f;
        f.push(row);
    });
    auto last =
        filter<Tensor<>, void>("Print", {.pop = 1}, [](auto& f) { println(item(sum(f.pop()))); });
    EXPECT_EQ(printedBy(pipeline(count(), rows,
                                 feedbackloop(roundrobin(1, 1), body, identity<Tensor<>>(),
                                              roundrobin(1, 1), made("zeros", 2)),
                                 last),
                        3),
              "1.0\n3.0\n6.0\n");
    auto turn = filter<Complex, Complex>("Turn", {.pop = 2, .push = 2}, [](auto& f) {
        const auto a = f.pop();
        const auto b = f.pop();
        f.push(a + b);
        f.push(b * Complex(0, 1));
    });
    auto widen =
        filter<int, Complex>("Widen", {.pop = 1, .push = 1}, [](auto& f) { f.push(f.pop()); });
    auto show = filter<Complex, void>("Show", {.pop = 1}, [](auto& f) { println(real(f.pop())); });
    EXPECT_EQ(printedBy(pipeline(count(), widen,
                                 feedbackloop(roundrobin(1, 1), turn, identity<Complex>(),
                                              roundrobin(1, 1), Complex(2, 3)),
                                 show),
                        3),
              "2.0\n-2.0\n0.0\n");
}

Stream bitReversal(int n) {
    if (n <= 2) return identity<int>();
    const Stream half = bitReversal(n / 2);
    return splitjoin(roundrobin(1), half, half, roundrobin(n / 2));
}

// C11: recursion of C++ builds the graph.
TEST(Streams, Recursion) {
    EXPECT_EQ(printedBy(pipeline(count(), bitReversal(8), out<int>()), 1),
              "0\n4\n2\n6\n1\n5\n3\n7\n");
}

TEST(Streams, LibraryAndFiles) {
    EXPECT_EQ(
        printedBy(pipeline(count(), floats(),
                           library<float, float>("Fir", 2, std::vector<float>{1, 2}), out<float>()),
                  3)
            .empty(),
        false);
    const std::string file = testing::TempDir() + "part.str";
    if (std::FILE* to = std::fopen(file.c_str(), "w")) {
        std::fputs("int->int filter Part(int k) { work pop 1 push 1 { push(k * pop()); } }\n", to);
        std::fclose(to);
    }
    EXPECT_EQ(printedBy(pipeline(count(), fromFile<int, int>(file, "Part", 7), out<int>()), 3),
              "0\n7\n14\n");
    EXPECT_EQ(errorsOf(pipeline(count(), fromFile<int, int>("/nowhere.str", "Part"), out<int>())),
              "cannot-open-file");
}

TEST(Streams, EqualFiltersAreOneDeclaration) {
    auto gain = [](float by) {
        return filter<float, float>("Gain", {.pop = 1, .push = 1},
                                    [=](auto& f) { f.push(by * f.pop()); });
    };
    const std::string text =
        str(pipeline(count(), floats(), gain(2), gain(3), gain(2), out<float>()));
    EXPECT_NE(text.find("float->float filter Gain(float x) {"), std::string::npos) << text;
    EXPECT_NE(text.find("add Gain(2.0);\n    add Gain(3.0);\n    add Gain(2.0);"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("Gain2"), std::string::npos) << text;
}

TEST(Streams, ConstantsThatAreAlwaysEqualShareAParameter) {
    auto block = [](int n, float by) {
        return filter<float, float>("Block", {.pop = n, .push = n}, [=](auto& f) {
            For(0, n, [&](Value<int>) { f.push(by * f.pop()); });
        });
    };
    const std::string text =
        str(pipeline(count(), floats(), block(2, 0.5f), block(4, 1.5f), out<float>()));
    EXPECT_NE(text.find("Block(int n, float x) {\n    work push n pop n {\n        for (int i = 0; "
                        "i < n; i++)"),
              std::string::npos)
        << text;
}

TEST(Streams, CompositesShareAsFiltersDo) {
    auto band = [](float low, float high) {
        auto gain = [](float by) {
            return filter<float, float>("Gain", {.pop = 1, .push = 1},
                                        [=](auto& f) { f.push(by * f.pop()); });
        };
        return pipeline(gain(low), gain(high)).as("Band");
    };
    const Stream main = pipeline(count(1), floats(), band(1, 2), band(3, 4), out<float>());
    const std::string text = str(main);
    EXPECT_NE(text.find("pipeline Band(float x, float x2) {\n    add Gain(x);\n    add Gain(x2);"),
              std::string::npos)
        << text;
    EXPECT_EQ(printedBy(main, 2), "24.0\n48.0\n");
}

TEST(Streams, NamedParameters) {
    const Param<float> level("level", 0.5f);
    auto gain = filter<float, float>("Gain", {.pop = 1, .push = 1},
                                     [&](auto& f) { f.push(level * f.pop()); });
    const Stream main = pipeline(count(1), floats(), gain, out<float>()).as("Test");
    EXPECT_NE(str(main).find("pipeline Test(float level = 0.5)"), std::string::npos) << str(main);
    EXPECT_EQ(printedBy(main, 2), "0.5\n1.0\n");
    Program louder = compile(main, {.more = {{"D", "level=2"}}});
    EXPECT_EQ(louder.run({.iterations = 2}).printed, "2.0\n4.0\n");
}

// C7: a message downstream arrives with the items that it was sent with.
Stream messages(Latency latency) {
    const Portal portal("p");
    auto sender = filter<void, int>("Tx", [&](Filter<void, int>& f) {
        auto k = f.field<int>("k", 1);
        f.work({.push = 1}, [&] {
            If(k == 4, [&] { f.send(portal, "set", latency, 1000); });
            f.push(k);
            k++;
        });
    });
    auto pairs = filter<int, int>("Pairs", {.pop = 2, .push = 2}, [](auto& f) {
        f.push(f.pop());
        f.push(f.pop());
    });
    auto receiving = filter<int, int>("Rx", [](Filter<int, int>& f) {
        auto g = f.field<int>("g");
        f.work({.pop = 1, .push = 1}, [&] { f.push(f.pop() + g); });
        f.handler<int>("set", [&](const Var<int>& v) { g = v; });
    });
    return pipeline(pipeline(sender, pairs).as("Front"), receiver(receiving, portal), out<int>());
}

TEST(Streams, Messages) {
    EXPECT_EQ(printedBy(messages({0, 0}), 3), "1\n2\n1003\n1004\n1005\n1006\n");
    EXPECT_EQ(printedBy(messages({1, 1}), 3), "1\n2\n3\n4\n1005\n1006\n");
    EXPECT_FALSE(printedBy(messages({}), 3).empty());
}

TEST(Streams, DynamicRates) {
    auto some = filter<int, int>("Some", {.pop = 1, .push = between(0, 1)}, [](auto& f) {
        const auto x = f.pop();
        If(x % 2 == 0, [&] { f.push(x); });
    });
    EXPECT_EQ(compile(pipeline(count(), some, out<int>())).run({.limit = 3}).printed, "0\n2\n4\n");
    auto open = filter<int, int>("Any", {.pop = any(), .push = 1},
                                 [](auto& f) { f.push(f.pop() + f.pop()); });
    EXPECT_EQ(compile(pipeline(count(), open, out<int>())).run({.limit = 2}).printed, "1\n5\n");
}

int twice(int x) { return 2 * x; }

TEST(Streams, NativesByPointer) {
    auto doubled = native("mine", "twice", &twice);
    auto use = filter<int, int>("Use", {.pop = 1, .push = 1},
                                [&](auto& f) { f.push(doubled(f.pop()) + 1); });
    Program program = compile(pipeline(count(), use, out<int>()));
    ASSERT_TRUE(program) << program.errors();
    EXPECT_EQ(program.run({.iterations = 3}).printed, "1\n3\n5\n");
    EXPECT_EQ(compile(pipeline(count(), use, out<int>()), {.interpret = true})
                  .run({.iterations = 3})
                  .printed,
              "1\n3\n5\n");
    EXPECT_NE(program.str().find("native mine {\n    int twice(int x1);\n}"), std::string::npos)
        << program.str();
}

TEST(Streams, Tensors) {
    auto source = filter<int, Tensor<>>("Rows", {.pop = 1, .push = 1}, [](auto& f) {
        Array<float> row(3);
        const Value<int> k = f.pop();
        for (int i = 0; i < 3; i++) row[i] = cast<float>(k + i);
        f.push(row);
    });
    auto layer = filter<Tensor<>, Tensor<>>("Layer", [](Filter<Tensor<>, Tensor<>>& f) {
        auto w = f.tensor("w", std::vector<std::vector<float>>{{1, 0}, {0, 1}, {2, 2}});
        auto b = f.tensor("b", "zeros", 2);
        f.work({.pop = 1, .push = 1}, [&] { f.push(relu(matmul(f.pop(), w) + b - 1.0f)); });
    });
    auto last =
        filter<Tensor<>, void>("Print", {.pop = 1}, [](auto& f) { println(element(f.pop(), 1)); });
    EXPECT_EQ(
        printedBy(pipeline(count(), source, layer, library<Tensor<>, Tensor<>>("softmax"), last),
                  2),
        "0.7310586\n0.7310586\n");
}

TEST(Streams, ItemsWithExtentsOfTheGraph) {
    const int n = 3;
    auto rows = filter<int, Array<float>>(
        ItemType<int>(), arrayOf<float>(n), "Rows", [&](Filter<int, Array<float>>& f) {
            f.work({.pop = n, .push = 1}, [&] {
                Array<float> row(n);
                For(0, n, [&](Value<int> i) { row[i] = cast<float>(f.pop()); });
                f.push(row);
            });
        });
    auto sums = filter<Array<float>, float>(arrayOf<float>(n), ItemType<float>(), "Sums",
                                            [&](Filter<Array<float>, float>& f) {
                                                f.work({.pop = 1, .push = 1}, [&] {
                                                    const auto row = f.pop();
                                                    Var<float> sum = 0.0f;
                                                    for (int i = 0; i < n; i++) sum += row[i];
                                                    f.push(sum);
                                                });
                                            });
    EXPECT_EQ(printedBy(pipeline(count(), rows, sums, out<float>()), 2), "3.0\n12.0\n");
}

}  // namespace
}  // namespace strc::test
