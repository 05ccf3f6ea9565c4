#include "support.h"

struct Peak {
    float height;
    int index;
};
STRC_STRUCT(Peak, height, index)

namespace strc::test {
namespace {

/// What a filter of ints makes of 0, 1, 2 ...
template <typename Make>
std::string ofInts(Make make, std::uint64_t iterations = 4) {
    return printedBy(pipeline(count(), filter<int, int>("F", make), out<int>()), iterations);
}
template <typename Body>
std::string ofWork(const Rates& rates, Body body, std::uint64_t iterations = 4) {
    return ofInts([&](Filter<int, int>& f) { f.work(rates, [&] { body(f); }); }, iterations);
}

TEST(Bodies, ValuesAreComputedWhereTheyAreWritten) {
    // Both are popped before the difference, in the order of the statements.
    EXPECT_EQ(ofWork(
                  {.pop = 2, .push = 1},
                  [](auto& f) {
                      const auto a = f.pop();
                      const auto b = f.pop();
                      f.push(b * 10 - a);
                  },
                  2),
              "10\n28\n");
    // A value does not change with the variable that it was computed from, nor with the tape.
    EXPECT_EQ(ofWork(
                  {.pop = 1, .push = 3, .peek = 2},
                  [](auto& f) {
                      Var<int> x = f.peek(0);
                      const auto before = x + 100;
                      const auto seen = f.peek(1);
                      x = 7;
                      f.pop();
                      f.push(before);
                      f.push(seen);
                      f.push(x);
                  },
                  2),
              "100\n1\n7\n101\n2\n7\n");
}

TEST(Bodies, ACopyOfAVariableIsAnotherOne) {
    EXPECT_EQ(ofWork(
                  {.pop = 1, .push = 2},
                  [](auto& f) {
                      Var<int> x = f.pop();
                      Var<int> y = x;
                      y += 10;
                      f.push(x);
                      f.push(y);
                  },
                  2),
              "0\n10\n1\n11\n");
}

TEST(Bodies, Branches) {
    EXPECT_EQ(ofWork({.pop = 1, .push = 1},
                     [](auto& f) {
                         const auto x = f.pop();
                         If(x == 0, [&] { f.push(-1); })
                             .ElseIf([&] { return x == 1; }, [&] { f.push(-2); })
                             .ElseIf([&] { return x == 2; }, [&] { f.push(-3); })
                             .Else([&] { f.push(x); });
                     }),
              "-1\n-2\n-3\n3\n");
}

TEST(Bodies, WhatIsNotNeededIsNotComputed) {
    // The index is out of range where the condition does not hold.
    EXPECT_EQ(ofInts([](Filter<int, int>& f) {
                  auto t = f.table("t", std::vector<int>{5, 6});
                  f.work({.pop = 1, .push = 1}, [&] {
                      const auto i = f.pop();
                      Var<int> x = 0;
                      If(i < 2 && t[i] > 5, [&] { x = 1; });
                      f.push(x + select(i < 2, t[i], -1));
                  });
              }),
              "5\n7\n-1\n-1\n");
}

TEST(Bodies, Loops) {
    EXPECT_EQ(ofWork({.pop = 1, .push = 1},
                     [](auto& f) {
                         Var<int> n = f.pop();
                         Var<int> sum("sum", 0);
                         For(0, n, [&](Value<int> i) { sum += i; });
                         For(n, 0, -2, [&](Value<int> i) { sum += 100 * i; });
                         f.push(sum);
                     }),
              "0\n100\n201\n403\n");
    EXPECT_EQ(ofWork({.pop = 1, .push = 1},
                     [](auto& f) {
                         Var<int> n = f.pop() + 1;
                         Var<int> rounds("rounds", 0);
                         While([&] { return n < 50; },
                               [&] {
                                   n *= 3;
                                   rounds++;
                                   If(rounds == 3, [] { Break(); });
                               });
                         Loop([&] {
                             n--;
                             If(n % 2 == 0, [] { Continue(); });
                             If(n % 5 == 0, [] { Break(); });
                         });
                         f.push(n * 10 + rounds);
                     }),
              "253\n453\n753\n1053\n");
}

TEST(Bodies, ConditionsThatTakeStatements) {
    // The condition calls a function with an effect, twice: it is computed before each round.
    EXPECT_EQ(ofInts(
                  [](Filter<int, int>& f) {
                      auto calls = f.field<int>("calls");
                      auto next = f.function<int(int)>("next", [&](const Var<int>& by) {
                          calls += by;
                          return calls + 0;
                      });
                      f.work({.pop = 1, .push = 1}, [&] {
                          Var<int> n("n", 0);
                          While(
                              [&] {
                                  const auto a = next(1);
                                  const auto b = next(2);
                                  return a * b < 200 && a != b;
                              },
                              [&] { n++; });
                          f.push(n * 1000 + calls + f.pop());
                      });
                  },
                  2),
              "5018\n22\n");
}

TEST(Bodies, FunctionsKeepTheirOrder) {
    EXPECT_EQ(ofInts(
                  [](Filter<int, int>& f) {
                      auto state = f.field<int>("state", 1);
                      auto step = f.function<int(int)>("step", [&](const Var<int>& x) {
                          state = state * 3 + x;
                          return state % 100;
                      });
                      f.work({.pop = 1, .push = 2}, [&] {
                          const auto a = step(1);
                          const auto held = state + 0;
                          const auto b = step(f.pop());
                          f.push(held * 100 + b);
                          f.push(a - b);
                      });
                  },
                  3)
                      .size() > 5,
              true);
}

TEST(Bodies, RecursionWhileTheGraphIsBuilt) {
    struct Power {
        static Value<int> of(const Value<int>& x, int n) {
            if (n == 1) return x;
            const Value<int> half = of(x, n / 2);
            const Value<int> square = half * half;
            return n % 2 == 0 ? square : square * x;
        }
    };
    EXPECT_EQ(ofWork({.pop = 1, .push = 1}, [](auto& f) { f.push(Power::of(f.pop(), 5)); }),
              "0\n1\n32\n243\n");
}

TEST(Bodies, ArraysAndStructs) {
    auto peaks = filter<int, Peak>("Peaks", {.pop = 2, .push = 1}, [](auto& f) {
        Var<Peak> p;
        p[&Peak::index] = f.pop();
        p[&Peak::height] = cast<float>(f.pop()) / 2;
        Var<Peak> copy = p;
        copy[&Peak::index] += 10;
        f.push(copy);
    });
    auto show = filter<Peak, void>("Show", {.pop = 1}, [](auto& f) {
        const auto p = f.pop();
        print(p[&Peak::height]);
        println(p[&Peak::index]);
    });
    EXPECT_EQ(printedBy(pipeline(count(), peaks, show), 2), "0.510\n1.512\n");
    EXPECT_EQ(ofWork(
                  {.pop = 4, .push = 4},
                  [](auto& f) {
                      Array<Array<int>> m(2, 2);
                      for (int i = 0; i < 2; i++)
                          for (int k = 0; k < 2; k++) m[i][k] = f.pop();
                      For(0, 2,
                          [&](Value<int> i) { For(0, 2, [&](Value<int> k) { f.push(m[k][i]); }); });
                  },
                  1),
              "0\n2\n1\n3\n");
}

TEST(Bodies, ArraysOfBothKinds) {
    auto frames = filter<int, std::array<int, 3>>("Frames", {.pop = 1, .push = 1}, [](auto& f) {
        Array<int> made(3);
        const auto x = f.pop();
        For(0, 3, [&](Value<int> i) { made[i] = x * 10 + i; });
        f.push(made);
    });
    auto last = filter<std::array<int, 3>, int>("Last", {.pop = 1, .push = 1}, [](auto& f) {
        Array<int> taken(3);
        taken = f.pop();
        f.push(taken[2]);
    });
    EXPECT_EQ(printedBy(pipeline(count(), frames, last, out<int>())), "2\n12\n22\n32\n");
}

TEST(Bodies, ArraysOfOtherExtentsAreRefused) {
    auto frames = filter<int, std::array<int, 3>>("Frames", {.pop = 1, .push = 1}, [](auto& f) {
        Array<int> made(2);
        made[0] = f.pop();
        f.push(made);
    });
    auto drop = filter<std::array<int, 3>, void>("Drop", {.pop = 1}, [](auto& f) { f.pop(); });
    EXPECT_NE(errorsOf(pipeline(count(), frames, drop)), "");
}

TEST(Bodies, PreworkInitAndIter) {
    EXPECT_EQ(ofInts(
                  [](Filter<int, int>& f) {
                      auto t = f.array<int>("t", 3);
                      f.init([&] { For(0, 3, [&](Value<int> i) { t[i] = i * i; }); });
                      f.prework({.push = 2}, [&] {
                          f.push(-1);
                          f.push(-2);
                      });
                      f.work({.pop = 1, .push = 1},
                             [&] { f.push(f.pop() * 10 + t[f.iter() % 3]); });
                  },
                  6)
                  .substr(0, 6),
              "-1\n-2\n");
}

TEST(Bodies, BitsComplexAndMath) {
    EXPECT_EQ(ofWork({.pop = 1, .push = 1},
                     [](auto& f) {
                         const auto x = f.pop();
                         const Value<Bit> b = cast<Bit>(x & 1);
                         f.push((x << 2 | b) ^ ~x);
                     })
                  .empty(),
              false);
    auto spin = filter<int, float>("Spin", {.pop = 1, .push = 2}, [](auto& f) {
        const auto angle = f.pop() * 0.5f;
        const auto z = complex(cos(angle), sin(angle)) * Complex(0, 1) - 0.25f;
        f.push(real(z));
        f.push(max(abs(z), 1) + pow(angle, 2.0f));
    });
    EXPECT_EQ(printedBy(pipeline(count(), spin, out<float>()), 3).empty(), false);
}

TEST(Bodies, NumbersOfAllKindsStayTheSame) {
    const float odd[] = {0.1f,
                         -0.0f,
                         1e-45f,
                         3.4028235e38f,
                         16777217.0f,
                         -1.5e-7f,
                         std::numeric_limits<float>::infinity(),
                         2147483648.0f};
    std::vector<float> values(std::begin(odd), std::end(odd));
    auto all = filter<int, float>("All", [&](Filter<int, float>& f) {
        auto t = f.table("t", values);
        f.work({.pop = 1, .push = 2 * static_cast<int>(values.size())}, [&] {
            Var<float> zero = f.pop() * 0.0f;
            for (std::size_t k = 0; k < values.size(); k++) {
                f.push(t[static_cast<int>(k)]);
                f.push(values[k] + zero);
            }
        });
    });
    EXPECT_EQ(printedBy(pipeline(count(), all, out<float>()), 1),
              "0.1\n0.1\n-0.0\n0.0\n1.0E-45\n1.0E-45\n3.4028235E38\n3."
              "4028235E38\n1.6777216E7\n1.6777216E7\n-1.5E-7\n-1.5E-7\nInfinity\nInfinity\n"
              "2.1474836E9\n2.1474836E9\n");
    EXPECT_EQ(ofWork(
                  {.pop = 1, .push = 2},
                  [](auto& f) {
                      f.push(f.pop() + INT32_MIN);
                      f.push(-2147483647);
                  },
                  1),
              "-2147483648\n-2147483647\n");
}

TEST(Bodies, NamesThatAreTaken) {
    EXPECT_EQ(ofInts([](Filter<int, int>& f) {
                  auto work = f.field<int>("work", 1);
                  auto again = f.field<int>("work", 2);
                  f.work({.pop = 1, .push = 1}, [&] {
                      Var<int> sum("sum", f.pop());
                      If(sum > 1, [&] {
                          Var<int> inner("sum", sum * 2);
                          sum = inner;
                      });
                      f.push(sum + 10 * work + 100 * again);
                  });
              }),
              "210\n211\n214\n216\n");
}

}  // namespace
}  // namespace strc::test
