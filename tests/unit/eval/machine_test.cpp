// Order and copies, control flow, traps, limits, tapes, strings, globals, nested runs.

#include <chrono>

#include "unit/eval/fixture.h"

namespace strc::eval {
namespace {

class Order : public Evaluation {};

// ---- locals are registers only as long as nobody can tell

TEST_F(Order, LoadedValueOutlivesAStore) {
    // x = x++ leaves x; y = x + x++ adds the old x twice, in that order.
    EXPECT_EQ(printed(R"(
        local x: int
        local y: int
        %0: int = const 5
        store<int> local x, %0
        %1: int = load local x
        %2: int = const 1
        %3: int = add %1, %2
        store<int> local x, %3
        store<int> local x, %1
        %4: int = load local x
        print<int> %4
        %5: int = load local x
        %6: int = load local x
        %7: int = add %6, %2
        store<int> local x, %7
        %8: int = add %5, %6
        store<int> local y, %8
        %9: int = load local y
        print<int> %9
        %10: int = load local x
        print<int> %10
    )"),
              "5106");
}

TEST_F(Order, ValueFromBeforeALoopStaysInIt) {
    EXPECT_EQ(printed(R"(
        local i: int
        declare<int> local i
        %0: int = load local i
        %1: int = const 3
        %2: int = const 1
        loop {
            %3: int = load local i
            %4: boolean = lt<int> %3, %1
            yield<boolean> %4
        } do {
            print<int> %0
            %5: int = load local i
            %6: int = add %5, %2
            store<int> local i, %6
        }
    )"),
              "000");
}

TEST_F(Order, ValueFromBeforeAnIfStaysInIt) {
    EXPECT_EQ(printed(R"(
        local x: int
        declare<int> local x
        %0: int = load local x
        %1: int = const 7
        %2: boolean = lt<int> %0, %1
        %3: int = if %2 {
            store<int> local x, %1
            yield<int> %1
        } else {
            yield<int> %0
        }
        %4: int = add %0, %3
        print<int> %4
    )"),
              "7");
}

TEST_F(Order, ConditionalChangesItsOwnVariable) {
    EXPECT_EQ(printed(R"(
        local x: int
        %0: int = const 4
        store<int> local x, %0
        %1: int = load local x
        %2: boolean = lt<int> %1, %0
        %3: int = if %2 { yield<int> %0 } else { %4: int = load local x %5: int = mul %4, %4 yield<int> %5 }
        store<int> local x, %3
        %6: int = load local x
        print<int> %6
    )"),
              "16");
}

TEST_F(Order, IndexIsOneOfBeforeTheRightSide) {
    // a[i] = i++ style: the element's index is the old i although i changes before the store.
    EXPECT_EQ(printed(R"(
        local a: int[3]
        local i: int
        declare<int[3]> local a
        declare<int> local i
        %0: ref int[3] = addr local a
        %1: int = load local i
        %2: int = const 3
        %3: ref int = elem %0, %1, %2
        %4: int = load local i
        %5: int = const 1
        %6: int = add %4, %5
        store<int> local i, %6
        %7: int = const 8
        store.at<int> %3, %7
        %8: int = const 0
        %9: ref int = elem %0, %8, %2
        %10: int = load.at %9
        print<int> %10
    )"),
              "8");
}

TEST_F(Order, IndexFaultComesBeforeAnEffect) {
    EXPECT_EQ(printed(R"(
        local i: int
        %0: int = const 3
        store<int> local i, %0
        %1: ref int[3] = addr global table
        %2: int = load local i
        %3: ref int = elem %1, %2, %0
        print<int> %0
        %4: int = load.at %3
    )"),
              "<index 3 is outside of the array, whose length is 3>");
}

TEST_F(Order, ChecksThatAnAnalysisFoundNeedlessAreKept) {
    EXPECT_EQ(printed(R"(
        local i: int
        %0: int = const 3
        store<int> local i, %0
        %1: ref int[3] = addr global table
        %2: int = load local i
        %3: ref int = elem %1, %2, %0 unchecked
        %4: int = load.at %3
    )"),
              "<index 3 is outside of the array, whose length is 3>");
    EXPECT_EQ(
        printed("%0: int = const 5 %1: int = const 0 %2: int = div %0, %1 unchecked print<int> %2"),
        "<integer division by zero>");
}

TEST_F(Order, ThreeIndices) {
    EXPECT_EQ(printed(R"(
        local a: int[2][3][4]
        local i: int
        declare<int[2][3][4]> local a
        %0: ref int[2][3][4] = addr local a
        %1: int = const 1
        store<int> local i, %1
        %2: int = const 2
        %3: int = const 3
        %4: int = const 4
        %5: int = load local i
        %6: ref int[3][4] = elem %0, %5, %2
        %7: int = load local i
        %8: ref int[4] = elem %6, %7, %3
        %9: int = load local i
        %10: ref int = elem %8, %9, %4
        store.at<int> %10, %4
        %11: ref int[3][4] = elem %0, %1, %2
        %12: ref int[4] = elem %11, %1, %3
        %13: ref int = elem %12, %1, %4
        %14: int = load.at %13
        print<int> %14
    )"),
              "4");
}

TEST_F(Order, OverlappingCopyOfItself) {
    EXPECT_EQ(printed(R"(
        local a: int[3]
        declare<int[3]> local a
        %0: ref int[3] = addr local a
        %1: ref int[3] = addr global table
        copy<int[3]> %0, %1
        copy<int[3]> %0, %0
        %2: int = const 2
        %3: int = const 3
        %4: ref int = elem %0, %2, %3
        %5: int = load.at %4
        print<int> %5
    )"),
              "3");
}

// ---- branches

class Branches : public Evaluation {
protected:
    /// Truth of a condition over two booleans a and b, for all four.
    std::string table(const std::string& condition) {
        std::string all;
        for (const char* a : {"false", "true"})
            for (const char* b : {"false", "true"})
                all +=
                    printed(std::string("local a: boolean local b: boolean %0: boolean = const ") +
                            a + " store<boolean> local a, %0 %1: boolean = const " + b +
                            " store<boolean> local b, %1 %2: boolean = load local a " + condition);
        return all;
    }
};

constexpr const char* kAnd =
    "%3: boolean = if %2 { %4: boolean = load local b yield<boolean> %4 } else "
    "{ %5: boolean = const false yield<boolean> %5 } ";
constexpr const char* kOr =
    "%3: boolean = if %2 { %4: boolean = const true yield<boolean> %4 } else "
    "{ %5: boolean = load local b yield<boolean> %5 } ";
constexpr const char* kShow =
    "%6: int = if %3 { %7: int = const 1 yield<int> %7 } else "
    "{ %8: int = const 0 yield<int> %8 } print<int> %6";

TEST_F(Branches, ShortCircuits) {
    EXPECT_EQ(table(std::string(kAnd) + kShow), "0001");
    EXPECT_EQ(table(std::string(kOr) + kShow), "0111");
    EXPECT_EQ(table(std::string(kAnd) + "print<boolean> %3"), "falsefalsefalsetrue");
    EXPECT_EQ(table(std::string(kOr) + "%9: boolean = not %3 " +
                    "%6: int = if %9 { %7: int = const 1 yield<int> %7 } else { %8: int = const 0 "
                    "yield<int> %8 } print<int> %6"),
              "1000");
}

TEST_F(Branches, NestedShortCircuits) {
    // (a && b) || !b, then (a || b) && a, as conditions of an if.
    EXPECT_EQ(table(std::string(kAnd) + R"(
        %10: boolean = if %3 {
            %11: boolean = const true
            yield<boolean> %11
        } else {
            %12: boolean = load local b
            %13: boolean = not %12
            yield<boolean> %13
        }
        %6: int = if %10 { %7: int = const 1 yield<int> %7 } else { %8: int = const 0 yield<int> %8 }
        print<int> %6)"),
              "1011");
    EXPECT_EQ(table(std::string(kOr) + R"(
        %10: boolean = if %3 {
            %11: boolean = load local a
            yield<boolean> %11
        } else {
            %12: boolean = const false
            yield<boolean> %12
        }
        if %10 { %7: int = const 1 print<int> %7 } else { %8: int = const 0 print<int> %8 })"),
              "0011");
    // Both blocks constant: !a, and nested in the block of another.
    EXPECT_EQ(table(R"(
        %3: boolean = if %2 { %4: boolean = const false yield<boolean> %4 } else { %5: boolean = const true yield<boolean> %5 }
        )" + std::string(kShow)),
              "1100");
    EXPECT_EQ(table(R"(
        %3: boolean = if %2 {
            %10: boolean = load local b
            %11: boolean = if %10 { %12: boolean = const false yield<boolean> %12 } else { %13: boolean = const true yield<boolean> %13 }
            yield<boolean> %11
        } else {
            %5: boolean = load local b
            yield<boolean> %5
        } )" + std::string(kShow)),
              "0110");
}

TEST_F(Branches, LoopOnAShortCircuit) {
    EXPECT_EQ(printed(R"(
        local i: int
        declare<int> local i
        %0: int = const 1
        loop {
            %1: int = load local i
            %2: int = const 9
            %3: boolean = lt<int> %1, %2
            %4: boolean = if %3 {
                %5: int = load local i
                %6: int = const 4
                %7: boolean = ne<int> %5, %6
                yield<boolean> %7
            } else {
                %8: boolean = const false
                yield<boolean> %8
            }
            yield<boolean> %4
        } do {
            %9: int = load local i
            print<int> %9
            %10: int = add %9, %0
            store<int> local i, %10
        }
    )"),
              "0123");
}

TEST_F(Branches, ComparisonsOfFloatsWithNaN) {
    struct Case {
        const char* op;
        const char* expected;  // a < b, b < a, NaN < a, negated NaN < a
    };
    for (Case c : {Case{"lt", "1001"}, Case{"le", "1001"}, Case{"gt", "0101"}, Case{"ge", "0101"},
                   Case{"eq", "0001"}, Case{"ne", "1110"}}) {
        std::string op = c.op;
        auto test = [&](int n, const std::string& a, const std::string& b, bool negated) {
            std::string r = std::to_string(n), m = std::to_string(n + 1);
            return "%" + r + ": boolean = " + op + "<float> %" + a + ", %" + b + " " +
                   (negated ? "%" + m + ": boolean = not %" + r + " " : "") + "if %" +
                   (negated ? m : r) + " { print<int> %3 } else { print<int> %4 } ";
        };
        EXPECT_EQ(
            printed(
                "local x: float %0: float = const 1.0 %1: float = const 2.0 %2: float = const NaN "
                "%3: int = const 1 %4: int = const 0 store<float> local x, %0 %5: float = load "
                "local x " +
                test(10, "5", "1", false) + test(12, "1", "5", false) + test(14, "2", "5", false) +
                test(16, "2", "5", true)),
            c.expected)
            << op;
    }
}

// ---- loops

class Loops : public Evaluation {
protected:
    /// What `for (i = from; i OP limit; i += step)` visits; the limit a literal or in a variable.
    std::string visits(int from, const std::string& op, int limit, int step, bool literal,
                       bool mirrored) {
        std::string bound =
            literal ? "%3: int = const " + std::to_string(limit) : "%3: int = load local n";
        return printed("local i: int local n: int %0: int = const " + std::to_string(from) +
                       " store<int> local i, %0 %1: int = const " + std::to_string(limit) +
                       " store<int> local n, %1 loop { %2: int = load local i " + bound +
                       " %4: boolean = " + op + (mirrored ? "<int> %3, %2" : "<int> %2, %3") +
                       " yield<boolean> %4 } do { %5: int = load local i print<int> %5 } step { "
                       "%6: int = load local i "
                       "%7: int = const " +
                       std::to_string(step) + " %8: int = add %6, %7 store<int> local i, %8 }");
    }
};

TEST_F(Loops, CountEveryWay) {
    for (bool literal : {true, false}) {
        EXPECT_EQ(visits(0, "lt", 3, 1, literal, false), "012");
        EXPECT_EQ(visits(0, "le", 3, 2, literal, false), "02");
        EXPECT_EQ(visits(3, "gt", 0, -1, literal, false), "321");
        EXPECT_EQ(visits(3, "ge", 0, -1, literal, false), "3210");
        EXPECT_EQ(visits(0, "ne", 4, 2, literal, false), "02");
        EXPECT_EQ(visits(0, "gt", 3, 1, literal, true), "012");
        EXPECT_EQ(visits(3, "le", 1, -1, literal, true), "321");
        EXPECT_EQ(visits(3, "lt", 1, -1, literal, true), "32");
        EXPECT_EQ(visits(5, "lt", 5, 1, literal, false), "");
        EXPECT_EQ(visits(0, "gt", 5, 1, literal, false), "");
        EXPECT_EQ(visits(4, "eq", 4, 1, literal, false), "4");
    }
}

TEST_F(Loops, BreakAndContinueInNestedLoops) {
    EXPECT_EQ(printed(R"(
        local i: int
        local j: int
        declare<int> local i
        %0: int = const 1
        %1: int = const 3
        loop { %2: int = load local i %3: boolean = lt<int> %2, %1 yield<boolean> %3 } do {
            declare<int> local j
            loop { %4: int = load local j %5: boolean = lt<int> %4, %1 yield<boolean> %5 } do {
                %6: int = load local j
                %7: int = load local i
                %8: boolean = eq<int> %6, %7
                if %8 { continue }
                %9: boolean = gt<int> %6, %7
                if %9 { break }
                %10: int = const 10
                %11: int = mul %7, %10
                %12: int = add %11, %6
                print<int> %12
            } step { %13: int = load local j %14: int = add %13, %0 store<int> local j, %14 }
        } step { %15: int = load local i %16: int = add %15, %0 store<int> local i, %16 }
    )"),
              "102021");
}

TEST_F(Loops, DoWhileTestsAfterContinue) {
    EXPECT_EQ(printed(R"(
        local i: int
        declare<int> local i
        loop dowhile {
            %0: int = load local i
            %1: int = const 3
            %2: boolean = lt<int> %0, %1
            yield<boolean> %2
        } do {
            %3: int = load local i
            %4: int = const 1
            %5: int = add %3, %4
            store<int> local i, %5
            %6: boolean = eq<int> %5, %4
            if %6 { continue }
            print<int> %5
        }
    )"),
              "23");
}

TEST_F(Loops, ConstantsInLoopsAreMadeOnce) {
    // Distinct constants of all sizes in nested loops, next to registers that come and go.
    EXPECT_EQ(printed(R"(
        local i: int
        local v: float3
        local z: complex
        local s: float
        declare<int> local i
        declare<float> local s
        %0: int = const 1
        %1: int = const 3
        loop { %2: int = load local i %3: boolean = lt<int> %2, %1 yield<boolean> %3 } do {
            %4: float3 = const (1.0, 2.0, 3.0)
            %5: float3 = const (1.0, 2.0, 4.0)
            %6: float3 = mul %4, %5
            store<float3> local v, %6
            %7: complex = const (0.0, 1.0)
            %8: complex = mul %7, %7
            store<complex> local z, %8
            %9: float3 = load local v
            %10: float = part %9, 2
            %11: complex = load local z
            %12: float = part %11, 0
            %13: float = add %10, %12
            %14: float = load local s
            %15: float = add %14, %13
            store<float> local s, %15
            %16: double = const 2.5
            %17: double = mul %16, %16
            %18: int = convert %17
            print<int> %18
        } step { %19: int = load local i %20: int = add %19, %0 store<int> local i, %20 }
        %21: float = load local s
        print<float> %21
    )"),
              "66633.0");
}

// ---- functions

class Calls : public Evaluation {};

TEST_F(Calls, ReferencesCopiesAndResults) {
    EXPECT_EQ(printed(R"(
        local a: int[3]
        local b: int[3]
        declare<int[3]> local a
        declare<int[3]> local b
        %0: ref int[3] = addr local a
        %1: ref int[3] = addr local b
        %2: int = const 5
        %3: float = const 0.5
        %4: float4 = const (1.0, 2.0, 3.0, 4.0)
        %5: float4 = call stream put(%1, %4, %0, %2, %3)
        %6: int = const 1
        %7: int = const 3
        %8: ref int = elem %0, %6, %7
        %9: int = load.at %8
        print<int> %9
        %10: float = part %5, 3
        print<float> %10
    )",
                      R"(
        function put(r: int[3], v: float4, a: int[3], k: int, f: float) -> float4 {
            %0: ref int[3] = addr local a
            %1: int = const 1
            %2: int = const 3
            %3: ref int = elem %0, %1, %2
            %4: int = load local k
            store.at<int> %3, %4
            %5: float4 = load local v
            %6: float = load local f
            %7: float4 = mul %5, %6
            return %7
        }
    )"),
              "52.0");
}

TEST_F(Calls, ArgumentsThatAreCalls) {
    EXPECT_EQ(printed(R"(
        %0: int = const 7
        %1: int = const 2
        %2: int = call stream minus(%0, %1)
        %3: int = add %0, %1
        %4: int = call stream minus(%3, %2)
        %5: int = call stream minus(%2, %4)
        print<int> %5
    )",
                      R"(
        function minus(a: int, b: int) -> int {
            %0: int = load local a
            %1: int = load local b
            %2: int = sub %0, %1
            return %2
        }
    )"),
              "1");
}

constexpr const char* kDeep = R"(
    function deep(n: int) -> int {
        local big: int[1000]
        declare<int[1000]> local big
        %0: int = load local n
        %1: int = const 0
        %2: boolean = eq<int> %0, %1
        if %2 { return %1 }
        %3: int = const 1
        %4: int = sub %0, %3
        %5: ref int[1000] = addr local big
        %6: int = const 999
        %7: int = const 1000
        %8: ref int = elem %5, %6, %7
        store.at<int> %8, %3
        %9: int = call stream deep(%4)
        %10: int = load.at %8
        %11: int = add %9, %10
        return %11
    }
)";

TEST_F(Calls, DeepRecursionKeepsItsFrames) {
    EXPECT_EQ(printed("%0: int = const 9000 %1: int = call stream deep(%0) print<int> %1", kDeep),
              "9000");
}

TEST_F(Calls, EndlessRecursionIsATrap) {
    EXPECT_EQ(printed("%0: int = const -1 %1: int = call stream deep(%0) print<int> %1", kDeep),
              "<calls of function 'deep' are nested more than 10000 levels deep>");
    // The stack is as before.
    EXPECT_EQ(printed("%0: int = const 3 %1: int = call stream deep(%0) print<int> %1", kDeep),
              "3");
}

TEST_F(Calls, MemoryOfTheStackIsLimited) {
    base::Limits limits;
    limits.totalBytes = 1 << 20;
    Machine small(limits);
    readWork("%0: int = const 900 %1: int = call stream deep(%0) print<int> %1", kDeep);
    code = compile(module, instance.code, *instance.code->work, types);
    EXPECT_EQ(text(small.run(*code, instance, firing)).substr(0, 40),
              "<out of memory: function 'deep' needs 40");
}

TEST_F(Calls, FramesThatAreTooLargeNeverRun) {
    EXPECT_EQ(printed("local a: int[2000000000] declare<int[2000000000]> local a").substr(0, 31),
              "<out of memory: 'work' needs 80");
    EXPECT_EQ(printed("call stream f()",
                      "function f() { local a: double[2000000000] "
                      "declare<double[2000000000]> local a }")
                  .substr(0, 34),
              "<out of memory: function 'f' needs");
}

TEST_F(Calls, NativesAndTheirTraps) {
    EXPECT_EQ(
        printed(
            "%0: String = const \"you\" %1: boolean = call native Lib.greet(%0) print<boolean> %1"),
        "native greet youtrue");
    EXPECT_EQ(printed("%0: int = call native Lib.missing()"),
              "native missing<native function 'Lib.missing' is not available here>");
}

// ---- steps

TEST_F(Loops, StepsAreCounted) {
    readWork("loop { %0: boolean = const true yield<boolean> %0 } do { }");
    machine.stepsLeft = 1'000'000;
    EXPECT_EQ(text(runWork()), "<'work' of 'F' takes more than 1000000 steps>");
    EXPECT_EQ(machine.stepsLeft, 0u);
    readWork("%0: int = const 5 call stream f(%0)", R"(
        function f(n: int) {
            local i: int
            %0: int = const 1
            declare<int> local i
            loop { %1: int = load local i %2: int = const 2000000000 %3: boolean = lt<int> %1, %2 yield<boolean> %3 } do { }
            step { %4: int = load local i %5: int = add %4, %0 store<int> local i, %5 }
        }
    )");
    machine.stepsLeft = 50'000;
    EXPECT_EQ(text(runWork()), "<function 'f' of 'F' takes more than 1050000 steps>");
}

TEST_F(Loops, TextsAreNotLong) {
    readWork("%0: String = const \"ab\" call stream f(%0)", R"(
        function f(s: String) {
            %0: String = load local s
            %1: String = concat %0, %0
            call stream f(%1)
        }
    )");
    EXPECT_EQ(text(runWork()), "<the length of a text exceeds the limit of 16777216>");
}

TEST_F(Loops, UnusedStepsAreKept) {
    readWork("%0: int = const 1 print<int> %0");
    machine.stepsLeft = 100;
    EXPECT_EQ(text(runWork()), "1");
    EXPECT_GT(machine.stepsLeft, 80u);
    EXPECT_LT(machine.stepsLeft, 100u);
    // A body without loops ends too, if it is run often enough.
    int runs = 0;
    while (runWork().outcome == Outcome::Done) ++runs;
    EXPECT_LT(runs, 100);
    EXPECT_EQ(machine.trap->id, Diag::StepLimit);
}

TEST_F(Loops, CanBeInterrupted) {
    readWork("loop { %0: boolean = const true yield<boolean> %0 } do { }");
    volatile bool stop = true;
    machine.interrupt = &stop;
    EXPECT_EQ(text(runWork()), "<interrupted>");
}

TEST_F(Loops, EndAtTheDeadline) {
    readWork("loop { %0: boolean = const true yield<boolean> %0 } do { }");
    machine.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    EXPECT_EQ(text(runWork()), "<interrupted>");
    EXPECT_GE(std::chrono::steady_clock::now(), *machine.deadline);
}

// ---- tapes

class Tapes : public Evaluation {
protected:
    Items<std::int32_t> input, output;

    std::string fire(const std::string& work) {
        readWork(work);
        instance.input = &input.tape;
        instance.output = &output.tape;
        return text(run(*instance.code->work));
    }
};

TEST_F(Tapes, RatesAreKept) {
    input.add({1, 2, 3, 4, 5, 6});
    firing.popLimit = 2;
    firing.peekLimit = 3;
    firing.pushLimit = 1;
    EXPECT_EQ(fire("%0: int = pop %1: int = pop push<int> %1 %2: int = pop"),
              "<'work' of 'F' declares pop 2, but pops 3>");
    EXPECT_EQ(firing.popped, 2);
    EXPECT_EQ(firing.pushed, 1);
    firing = {2, 3, 1};
    EXPECT_EQ(fire("%0: int = pop %1: int = const 2 %2: int = peek %1"),
              "<'work' of 'F' declares peek 3, but looks at item 4>");
    firing = {2, 3, 1};
    EXPECT_EQ(fire("%0: int = pop push<int> %0 push<int> %0"),
              "<'work' of 'F' declares push 1, but pushes 2>");
    firing = {2, 3, 1};
    EXPECT_EQ(fire("local i: int %0: int = const -1 store<int> local i, %0 %1: int = load local i "
                   "%2: int = peek %1"),
              "<the offset of 'peek' is negative: -1>");
    firing = {2, 3, 1};
    EXPECT_EQ(fire("%0: int = const -7 %1: int = peek %0"),
              "<the offset of 'peek' is negative: -7>");
    EXPECT_EQ(input.all(), (std::vector<std::int32_t>{5, 6}));
    EXPECT_EQ(output.all(), (std::vector<std::int32_t>{2, 4}));
}

TEST_F(Tapes, ManyItemsKeepTheRates) {
    input.add({1, 2, 3, 4, 5, 6});
    firing = {2, 3, 1};
    EXPECT_EQ(fire("%0: int = pop discard.many<int> 2"),
              "<'work' of 'F' declares pop 2, but pops 3>");
    firing = {2, 3, 1};
    EXPECT_EQ(fire("%0: ref int[4] = addr input"),
              "<'work' of 'F' declares peek 3, but looks at item 4>");
    firing = {2, 3, 1};
    EXPECT_EQ(fire("%0: int = const 7 push<int> %0 push.many<int> 1"),
              "<'work' of 'F' declares push 1, but pushes 2>");
    firing = {2, 3, 1};
    EXPECT_EQ(fire("%0: ref int[2] = addr output"),
              "<'work' of 'F' declares push 1, but pushes 2>");
    EXPECT_EQ(input.all(), (std::vector<std::int32_t>{2, 3, 4, 5, 6}));
    EXPECT_EQ(output.all(), (std::vector<std::int32_t>{7}));
}

TEST_F(Tapes, WindowsStayWhereTheyAreUntilTheFiringEnds) {
    // The second item is copied to the last place, the first one is pushed behind the address.
    readWork(
        "%0: ref int[40] = addr output %1: int = const 39 %2: int = const 40 %3: ref int = elem "
        "%0, "
        "%1, %2 %4: ref int[2] = addr input %5: int = pop push<int> %5 discard.many<int> 1 "
        "%6: int = const 1 %7: int = const 2 %8: ref int = elem %4, %6, %7 %9: int = load.at %8 "
        "store.at<int> %3, %9 push.many<int> 39");
    code = compile(module, instance.code, *instance.code->work, types);
    input.add({1, 2, 3, 4, 5, 6});
    instance.input = &input.tape;
    instance.output = &output.tape;
    firing = {2, 2, 40};
    std::int64_t done = 0;
    EXPECT_EQ(machine.fire(*code, instance, firing, 3, done), Outcome::Done);
    EXPECT_EQ(done, 3);
    const std::vector<std::int32_t> all = output.all();
    ASSERT_EQ(all.size(), 120u);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(all[40 * k], static_cast<std::int32_t>(2 * k + 1));
        EXPECT_EQ(all[40 * k + 39], static_cast<std::int32_t>(2 * k + 2));
    }
}

TEST_F(Tapes, GrowOnlyToTheLimit) {
    TapeBudget budget{1 << 20};
    output.tape = Tape(sizeof(std::int32_t), &budget);
    readWork(
        "loop { %0: boolean = const true yield<boolean> %0 } do { %1: int = const 1 push<int> %1 "
        "}");
    instance.input = &input.tape;
    instance.output = &output.tape;
    code = compile(module, instance.code, *instance.code->work, types);
    EXPECT_EQ(text(machine.run(*code, instance, firing)).substr(0, 48),
              "<out of memory: the tape that is pushed to needs");
    EXPECT_LE(output.tape.size() * sizeof(std::int32_t), std::size_t{1} << 20);
    EXPECT_GE(output.tape.size() * sizeof(std::int32_t), std::size_t{1} << 19);
}

TEST_F(Tapes, BatchesOfFirings) {
    readWork(
        "%0: int = pop %1: int = iter %2: int = add %0, %1 push<int> %2 push<int> %0 "
        "%3: int = const 1 %4: int = peek %3 %5: String = convert %4 print<String> %5");
    code = compile(module, instance.code, *instance.code->work, types);
    input.add({1, 2, 3, 4, 5, 6});
    instance.input = &input.tape;
    instance.output = &output.tape;
    firing = {1, 3, 2};
    std::int64_t done = 0;
    EXPECT_EQ(machine.fire(*code, instance, firing, 3, done), Outcome::Done);
    EXPECT_EQ(done, 3);
    EXPECT_EQ(instance.iterations, 3);
    EXPECT_EQ(host.out, "345");
    EXPECT_EQ(output.all(), (std::vector<std::int32_t>{1, 1, 3, 2, 5, 3}));
    EXPECT_EQ(input.tape.size(), 3u);
    firing = {1, 3, 3};
    EXPECT_EQ(machine.fire(*code, instance, firing, 2, done), Outcome::Done);
    EXPECT_EQ(done, 0);
    EXPECT_EQ(firing.pushed, 2);
    EXPECT_EQ(firing.popped, 1);
    firing = {1, 1, 2};
    EXPECT_EQ(machine.fire(*code, instance, firing, 2, done), Outcome::Trapped);
    EXPECT_EQ(done, 0);
    EXPECT_EQ(machine.trap->id, Diag::PeekRateViolated);
}

TEST_F(Tapes, BatchThatMakesItsOutputGrow) {
    readWork(
        "local i: int declare<int> local i loop { %0: int = load local i %1: int = const 10 "
        "%2: boolean = lt<int> %0, %1 yield<boolean> %2 } do { %3: int = load local i push<int> %3 "
        "} step { "
        "%4: int = load local i %5: int = const 1 %6: int = add %4, %5 store<int> local i, %6 }");
    code = compile(module, instance.code, *instance.code->work, types);
    instance.output = &output.tape;
    firing.pushLimit = 10;
    std::int64_t done = 0;
    EXPECT_EQ(machine.fire(*code, instance, firing, 1000, done), Outcome::Done);
    EXPECT_EQ(done, 1000);
    ASSERT_EQ(output.tape.size(), 10'000u);
    EXPECT_EQ(output.all()[9'999], 9);
}

TEST_F(Tapes, PopsInLoopsKeepTheLimits) {
    const char* loop =
        "local i: int declare<int> local i loop { %0: int = load local i %1: int = const 5 "
        "%2: boolean = lt<int> %0, %1 yield<boolean> %2 } do { discard<int> } step { "
        "%4: int = load local i %5: int = const 1 %6: int = add %4, %5 store<int> local i, %6 } "
        "%7: int = load local i print<int> %7";
    input.add({1, 2, 3, 4, 5, 6, 7, 8, 9});
    firing = {5, 5, 0};
    EXPECT_EQ(fire(loop), "5");
    EXPECT_EQ(firing.popped, 5);
    firing = {4, 4, 0};
    EXPECT_EQ(fire(loop), "<'work' of 'F' declares pop 4, but pops 5>");
    EXPECT_EQ(input.tape.size(), 0u);
    host.demand = [&](std::uint64_t) {
        input.add({0, 0});
        return true;
    };
    firing = {};
    firing.dynamicInput = true;
    EXPECT_EQ(fire(loop), "5");
    EXPECT_EQ(input.tape.size(), 1u);
    machine.stepsLeft = 20;
    input.add({1, 2, 3, 4, 5});
    EXPECT_EQ(fire(loop).substr(0, 30), "<'work' of 'F' takes more than");
}

TEST_F(Tapes, OffsetsThatAreSums) {
    input.add({10, 20, 30, 40});
    firing.peekLimit = 4;
    const char* sums = R"(
        local i: int
        local j: int
        %0: int = const 1
        store<int> local i, %0
        %1: int = const 2
        store<int> local j, %1
        %2: int = load local i
        %3: int = add %2, %0
        %4: int = peek %3
        print<int> %4
        %5: int = load local j
        %6: int = add %2, %5
        %7: int = peek %6
        print<int> %7
        %8: int = sub %5, %1
        %9: int = peek %8
        print<int> %9
        %10: int = mul %2, %1
        %11: int = add %10, %0
        %12: int = peek %11
        print<int> %12
        %13: int = shl %2, %0
        %14: int = add %13, %2
        %15: int = peek %14
        print<int> %15
        %16: int = add %5, %1
        %17: int = peek %16
    )";
    EXPECT_EQ(fire(sums), "3040104040<'work' of 'F' declares peek 4, but looks at item 5>");
}

TEST_F(Order, IndicesThatAreSums) {
    const char* sums = R"(
        local a: float[4]
        local m: int[3][3]
        local i: int
        local j: int
        declare<float[4]> local a
        declare<int[3][3]> local m
        %0: int = const 1
        store<int> local i, %0
        store<int> local j, %0
        %1: ref float[4] = addr local a
        %2: int = load local i
        %3: int = add %2, %0
        %4: int = const 4
        %5: ref float = elem %1, %3, %4
        %6: float = const 2.5
        store.at<float> %5, %6
        %7: int = load local j
        %8: int = add %2, %7
        %9: ref float = elem %1, %8, %4
        %10: float = load.at %9
        print<float> %10
        %11: ref int[3][3] = addr local m
        %12: int = const 3
        %13: int = add %2, %7
        %14: ref int[3] = elem %11, %13, %12
        %15: int = sub %7, %0
        %16: ref int = elem %14, %15, %12
        store.at<int> %16, %4
        %17: int = const 2
        %18: ref int[3] = elem %11, %17, %12
        %19: int = const 0
        %20: ref int = elem %18, %19, %12
        %21: int = load.at %20
        print<int> %21
        %22: int = add %7, %12
        %23: ref float = elem %1, %22, %4
        %24: float = load.at %23
    )";
    EXPECT_EQ(printed(sums), "2.54<index 4 is outside of the array, whose length is 4>");
}

TEST_F(Branches, BooleansComparedWithLiterals) {
    for (const char* literal : {"true", "false"})
        for (const char* op : {"eq", "ne"}) {
            bool same = (literal[0] == 't') == (op[0] == 'e');
            std::string work = std::string(R"(
                local x: int
                %0: int = const 1
                store<int> local x, %0
                %1: int = load local x
                %2: int = const 2
                %3: boolean = lt<int> %1, %2
                %4: boolean = const )") +
                               literal + " %5: boolean = " + op + R"(<boolean> %3, %4
                if %5 { print<int> %0 } else { print<int> %2 }
                %6: boolean = gt<int> %1, %2
                %7: boolean = )" +
                               op + "<boolean> %4, %6 print<boolean> %7";
            EXPECT_EQ(printed(work), same ? "1false" : "2true") << work;
        }
}

TEST_F(Tapes, PreworkIsCalledSo) {
    readWork("", "prework { %0: int = const 1 push<int> %0 }");
    instance.output = &output.tape;
    firing.pushLimit = 0;
    EXPECT_EQ(text(run(*instance.code->prework)),
              "<'prework' of 'F' declares push 0, but pushes 1>");
}

TEST_F(Tapes, DynamicInputIsDemanded) {
    std::string asked;
    host.demand = [&](std::uint64_t items) {
        asked += std::to_string(items) + ' ';
        while (input.tape.size() < items) input.add({static_cast<std::int32_t>(10 * items)});
        return items < 5;
    };
    firing.dynamicInput = true;
    EXPECT_EQ(fire("%0: int = pop push<int> %0 %1: int = const 3 %2: int = peek %1 push<int> %2 "
                   "%3: int = const 4 "
                   "%4: int = peek %3 push<int> %4"),
              "<starved>");
    EXPECT_EQ(asked, "1 4 5 ");
    EXPECT_EQ(firing.popped, 1);
    EXPECT_EQ(output.all(), (std::vector<std::int32_t>{10, 40}));
}

TEST_F(Tapes, OutputGrowsWhileItIsPushed) {
    EXPECT_EQ(fire(R"(
        local i: int
        declare<int> local i
        loop { %0: int = load local i %1: int = const 1000 %2: boolean = lt<int> %0, %1 yield<boolean> %2 } do {
            %3: int = load local i
            push<int> %3
        } step { %4: int = load local i %5: int = const 1 %6: int = add %4, %5 store<int> local i, %6 }
    )"),
              "");
    ASSERT_EQ(output.tape.size(), 1000u);
    EXPECT_EQ(output.all()[999], 999);
}

TEST_F(Tapes, ItemsOfEverySize) {
    auto passOn = [&](const std::string& type, auto item) {
        Items<decltype(item)> from{item, item, item}, to;
        readWork("%0: int = const 1 %1: " + type + " = peek %0 %2: " + type + " = pop push<" +
                     type + "> %1 push<" + type + "> %2 discard<" + type + ">",
                 "", type + "->" + type);
        instance.input = &from.tape;
        instance.output = &to.tape;
        firing = {};
        EXPECT_EQ(text(run(*instance.code->work)), "");
        EXPECT_EQ(to.tape.size(), 2u);
        EXPECT_EQ(from.tape.size(), 1u);
        for (decltype(item) got : to.all())
            EXPECT_EQ(std::memcmp(&got, &item, sizeof item), 0) << type;
    };
    passOn("boolean", std::uint8_t{1});
    passOn("bit", std::uint8_t{1});
    passOn("int", std::int32_t{-5});
    passOn("double", 0.1);
    passOn("complex", std::array<float, 2>{1.5f, -2.5f});
    passOn("float2", std::array<float, 2>{1.5f, -2.5f});
    passOn("float3", std::array<float, 3>{1.5f, -2.5f, 3.5f});
    passOn("float4", std::array<float, 4>{1.5f, -2.5f, 3.5f, 4.5f});
}

TEST(Tape, SharesABudgetWithOthers) {
    TapeBudget budget{1000};
    Tape one(4, &budget), other(4, &budget);
    one.append(100);
    other.append(100);
    EXPECT_EQ(budget.bytesLeft, 200u);
    EXPECT_THROW(one.append(151), std::bad_alloc);
    EXPECT_EQ(one.size(), 100u);
    one.append(50);
    EXPECT_EQ(budget.bytesLeft, 0u);
    EXPECT_THROW(other.append(), std::bad_alloc);
    one.drop(150);
    one.append(150);  // in the place of those that are gone
    EXPECT_EQ(budget.bytesLeft, 0u);
}

TEST(Tape, UsesItsMemoryAgain) {
    Tape tape(4);
    std::int32_t next = 0, expected = 0;
    for (int round = 0; round < 10'000; ++round) {
        for (int k = 0; k < 3; ++k, ++next) std::memcpy(tape.append(), &next, 4);
        for (int k = 0; k < 3; ++k, ++expected) {
            EXPECT_EQ(std::memcmp(tape.at(0), &expected, 4), 0);
            tape.drop();
        }
    }
    EXPECT_EQ(tape.size(), 0u);
    std::byte* block = tape.append(100);
    EXPECT_EQ(tape.at(99) - block, 396);
    EXPECT_TRUE(tape.has(100));
    EXPECT_FALSE(tape.has(101));
    tape.clear();
    EXPECT_EQ(tape.size(), 0u);
}

// ---- strings

class Strings : public Evaluation {};

TEST_F(Strings, FormatsOfTheLanguageAndOfC) {
    const char* work = R"(
        %0: float = const 0.5
        print<float> %0
        %1: complex = const (1.0, -2.0)
        %2: String = convert %1
        print<String> %2
        %3: boolean = const true
        print<boolean> %3
        %4: char = const 'x'
        print<char> %4
        %5: float = const Infinity
        print<float> %5
    )";
    EXPECT_EQ(printed(work), "0.51.0-2.0itruexInfinity");
    machine.cFormat = true;
    EXPECT_EQ(printed(work), "0.5000001.000000-2.000000itruexinf");
}

TEST_F(Strings, DoNotPileUp) {
    readWork(R"(
        local i: int
        declare<int> local i
        loop { %0: int = load local i %1: int = const 100000 %2: boolean = lt<int> %0, %1 yield<boolean> %2 } do {
            %3: int = load local i
            %4: String = call stream name(%3)
            %5: String = const "!"
            %6: String = concat %4, %5
            %7: int = const 99999
            %8: boolean = eq<int> %3, %7
            if %8 { print<String> %6 }
        } step { %9: int = load local i %10: int = const 1 %11: int = add %9, %10 store<int> local i, %11 }
    )",
             R"(
        function name(k: int) -> String {
            local s: String
            %0: String = const "k"
            store<String> local s, %0
            %1: int = load local k
            %2: int = const 7
            %3: int = rem %1, %2
            %4: String = convert %3
            %5: String = load local s
            %6: String = concat %5, %4
            return %6
        }
    )");
    EXPECT_EQ(text(runWork()), "k4!");
}

TEST_F(Strings, LiveInFieldsAndConstants) {
    EXPECT_EQ(printed(R"(
        %0: String = load field s
        %1: String = const "ab"
        %2: String = concat %0, %1
        store<String> field s, %2
        %3: String = load field s
        %4: String = concat %3, %3
        print<String> %4
    )",
                      "field s: String setup { declare<String> field s }"),
              "abab");
}

// ---- dynamic extents, fields, globals

class Extents : public Evaluation {};

TEST_F(Extents, OfFields) {
    const char* text = R"(
        filter F int->int {
            parameter n: int
            field flag: boolean
            field a: double[?][2]
            field size: bit[0][?]
            field last: int
            setup {
                declare<boolean> field flag
                %0: int = load constant n
                %1: int = const 2
                declare<double[?][2]> field a, %0, %1
                %2: int = const 0
                %3: int = add %0, %1
                declare<bit[0][?]> field size, %2, %3
                declare<int> field last
                %4: ref double[?][2] = addr field a
                %5: int = extent field a, 0
                %6: int = const 1
                %7: int = sub %5, %6
                %8: ref double[2] = elem %4, %7, %5
                %9: ref double = elem %8, %6, %1
                %10: double = const 2.5
                store.at<double> %9, %10
                %11: int = extent field size, 1
                store<int> field last, %11
            }
            work {
                %0: int = extent field a, 0
                print<int> %0
                %1: int = load field last
                print<int> %1
                %2: ref double[?][2] = addr field a
                %3: int = const 2
                %4: ref double[2] = elem %2, %3, %0
                %5: int = const 1
                %6: ref double = elem %4, %5, %3
                %7: double = load.at %6
                print<double> %7
                %8: ref double[2] = elem %2, %0, %0
            }
        }
    )";
    read(text);
    instance.constants = {intValue(3)};
    ASSERT_EQ(run(instance.code->setup).outcome, Outcome::Done);
    EXPECT_EQ(instance.fieldOffsets, (std::vector<std::int64_t>{0, 8, 56, 56}));
    EXPECT_EQ(instance.state.size(), 60u);
    EXPECT_EQ(types::toString(instance.fieldTypes[1]), "double[3][2]");
    const char* expected = "352.5<index 3 is outside of the array, whose length is 3>";
    EXPECT_EQ(this->text(run(*instance.code->work)), expected);
    host.out.clear();
    EXPECT_EQ(this->text(run(*instance.code->work, {}, instance.fieldOffsets)), expected);
}

TEST_F(Extents, OfLocalsThatAreDeclaredAgainAndPassedOn) {
    EXPECT_EQ(printed(R"(
        local a: int[?][?]
        local i: int
        %0: int = const 1
        store<int> local i, %0
        loop { %1: int = load local i %2: int = const 4 %3: boolean = lt<int> %1, %2 yield<boolean> %3 } do {
            %4: int = load local i
            %5: int = const 2
            declare<int[?][?]> local a, %4, %5
            %6: ref int[?][?] = addr local a
            %7: int = sub %4, %0
            %8: int = const 8
            %9: ref int[?] = elem %6, %7, %4, %8
            %10: ref int = elem %9, %0, %5
            %11: int = load.at %10
            print<int> %11
            store.at<int> %10, %4
            %12: int = call stream last(%6, %4, %5)
            print<int> %12
        } step { %13: int = load local i %14: int = add %13, %0 store<int> local i, %14 }
    )",
                      R"(
        function last(a: int[?][?], n: int, m: int) -> int {
            %0: int = load local n
            %1: int = load local m
            declare<int[?][?]> local a, %0, %1
            %2: ref int[?][?] = addr local a
            %3: int = extent local a, 0
            %4: int = const 1
            %5: int = sub %3, %4
            %6: int = extent local a, 1
            %7: int = const 4
            %8: int = mul %6, %7
            %9: ref int[?] = elem %2, %5, %3, %8
            %10: ref int = elem %9, %4, %6
            %11: int = load.at %10
            return %11
        }
    )"),
              "010203");
}

TEST_F(Extents, CopiesAndZeroesOfDynamicSize) {
    EXPECT_EQ(printed(R"(
        local a: int[?]
        local b: int[?]
        %0: int = const 3
        %1: int = const 12
        declare<int[?]> local a, %0
        declare<int[?]> local b, %0
        %2: ref int[?] = addr local a
        %3: ref int[?] = addr local b
        %4: ref int[3] = addr global table
        copy<int[?]> %2, %4, %1
        copy<int[?]> %3, %2, %1
        zero<int[?]> %2, %1
        %5: int = const 1
        %6: ref int = elem %2, %5, %0
        %7: int = load.at %6
        print<int> %7
        %8: ref int = elem %3, %5, %0
        %9: int = load.at %8
        print<int> %9
    )"),
              "0-2");
}

TEST_F(Extents, MustBePossible) {
    EXPECT_EQ(printed("local a: int[?] %0: int = const -1 declare<int[?]> local a, %0"),
              "<the array bound is negative: -1>");
    EXPECT_EQ(
        printed("local a: int[?][?] %0: int = const 2000000000 declare<int[?][?]> local a, %0, %0"),
        "<the array has 4000000000000000000 elements, more than 67108864 are not possible>");
    base::Limits limits;
    limits.totalBytes = 1 << 20;
    Machine small(limits);
    readWork("local a: int[?] %0: int = const 1000000 declare<int[?]> local a, %0");
    code = compile(module, instance.code, *instance.code->work, types);
    EXPECT_EQ(text(small.run(*code, instance, firing)),
              "<out of memory: array 'a' needs 4000000 bytes>");
    read(
        "filter F int->int { field a: int[?] setup { %0: int = const 1000000 declare<int[?]> field "
        "a, %0 } work { } }");
    code = compile(module, instance.code, instance.code->setup, types);
    EXPECT_EQ(text(small.run(*code, instance, firing)),
              "<out of memory: field 'a' needs 4000000 bytes>");
}

TEST_F(Extents, AggregateDefaultsOfKnownAndUnknownSize) {
    read(R"(
        filter F int->int {
            parameter n: int
            parameter v: int[2]
            parameter w: int[?]
            default 1 default(r: int[2]) -> int[2] {
                %0: ref int[2] = addr local r
                %1: ref int[2] = const {7, 8}
                copy<int[2]> %0, %1
            }
            default 2 default(r: int[?]) -> int[?] {
                %0: int = load constant n
                declare<int[?]> local r, %0
                %1: ref int[?] = addr local r
                %2: int = const 1
                %3: ref int = elem %1, %2, %0
                store.at<int> %3, %2
            }
            setup { }
            work { }
        }
    )");
    instance.constants = {intValue(3), {}, {}};
    RunResult known = run(*instance.code->defaults[1]);
    ASSERT_TRUE(known.value);
    EXPECT_EQ(RecordingHost::describe(*known.value), "int[2] {7, 8}");
    RunResult found = run(*instance.code->defaults[2]);
    ASSERT_TRUE(found.value);
    EXPECT_EQ(RecordingHost::describe(*found.value), "int[3] {0, 1, 0}");
}

TEST_F(Extents, HandlersTakeArguments) {
    readWork("", R"(
        field sum: float
        setup { declare<float> field sum }
        handler set(v: float[2], k: int, s: float3) {
            %0: ref float[2] = addr local v
            %1: int = load local k
            %2: int = const 2
            %3: ref float = elem %0, %1, %2
            %4: float = load.at %3
            %5: float3 = load local s
            %6: float = part %5, 2
            %7: float = add %4, %6
            store<float> field sum, %7
            zero<float[2]> %0
        }
    )");
    run(instance.code->setup);
    const Type* pair = types.array(types.floatType(), 2);
    std::vector<Value> args{
        Value::of(pair, std::array<float, 2>{1, 2}), intValue(1),
        Value::of(types.scalar(types::TypeKind::Float3), std::array<float, 3>{1, 2, 3})};
    EXPECT_EQ(run(instance.code->functions[0], args).outcome, Outcome::Done);
    float sum = 0;
    std::memcpy(&sum, instance.state.data(), sizeof sum);
    EXPECT_EQ(sum, 5);
    EXPECT_EQ(args[0].as<float>(), 1);  // a private copy
}

TEST_F(Extents, StaticItemsWriteGlobals) {
    read(R"(
        global n: int
        global t: int[4]
        package X function item() {
            %0: int = const 3
            store<int> global n, %0
            declare<int[4]> global t
            %1: ref int[4] = addr global t
            %2: int = load global n
            %3: int = const 4
            %4: ref int = elem %1, %2, %3
            store.at<int> %4, %2
        }
        package X function user() -> int {
            %0: ref int[4] = addr global t
            %1: int = const 3
            %2: int = const 4
            %3: ref int = elem %0, %1, %2
            %4: int = load.at %3
            return %4
        }
    )",
         false);
    module.globalValues = {Value::zero(module.globals[0].type),
                           Value::zero(module.globals[1].type)};
    instance.globals = &module.globalValues;
    module.functions[0].kind = ir::BodyKind::Static;
    EXPECT_EQ(run(module.functions[0]).outcome, Outcome::Done);
    EXPECT_EQ(RecordingHost::describe(module.globalValues[0]), "int 3");
    EXPECT_EQ(RecordingHost::describe(module.globalValues[1]), "int[4] {0, 0, 0, 3}");
    instance.globals = nullptr;
    RunResult result = run(module.functions[1]);
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->toInt(), 3);
}

// ---- files and messages

TEST_F(Extents, ArrayFiles) {
    const char* work = R"(
        local a: int[2]
        declare<int[2]> local a
        %0: ref int[2] = addr local a
        %1: String = const "numbers"
        %2: int = const 2
        read.array %0, %1, %2
        %3: int = const 1
        %4: ref int = elem %0, %3, %2
        %5: int = load.at %4
        print<int> %5
    )";
    EXPECT_EQ(printed(work), "<cannot open array file 'numbers': no such file>");
    host.files["numbers"] = "1\r\n+22\n";
    EXPECT_EQ(printed(work), "22");
    host.files["numbers"] = "1\n\n2\n3\n";
    EXPECT_EQ(printed(work),
              "warning array file 'numbers' has more than the 2 numbers that are needed2");
    host.files["numbers"] = "1\n";
    EXPECT_EQ(printed(work), "<array file 'numbers' has 1 number, but 2 are needed>");
    host.files["numbers"] = "1\n2.5\n";
    EXPECT_EQ(printed(work), "<line 2 of array file 'numbers' is not a number of type 'int'>");
}

TEST_F(Extents, MessagesAndTheirTraps) {
    const char* members = "field a: int[2] setup { declare<int[2]> field a }";
    EXPECT_EQ(
        printed("%0: portal<Rx> = const 2 %1: ref int[2] = addr field a send set(%1: int[2]) to %0",
                members),
        "send set to 2 int[2] {0, 0}");
    EXPECT_EQ(printed("%0: portal<Rx> = const -1 send set() to %0").substr(0, 19),
              "send set to -1<the ");
}

// ---- nested runs

TEST_F(Calls, RunsInsideRuns) {
    // The firing demands input; the host runs another body on the same machine to make it.
    read(R"(
        filter Source void->int {
            setup { }
            function one(a: int[100]) -> int { %0: int = const 41 return %0 }
            work {
                local a: int[100]
                declare<int[100]> local a
                %0: ref int[100] = addr local a
                %1: int = call stream one(%0)
                push<int> %1
            }
        }
        filter Sink int->int {
            setup { }
            work {
                local big: int[100]
                declare<int[100]> local big
                %0: ref int[100] = addr local big
                %1: int = const 99
                %2: int = const 100
                %3: ref int = elem %0, %1, %2
                store.at<int> %3, %1
                %4: int = pop
                %5: int = load.at %3
                %6: int = add %4, %5
                print<int> %6
            }
        }
    )");
    Items<std::int32_t> tape;
    Instance source;
    source.module = &module;
    source.code = &module.streams[0];
    source.output = &tape.tape;
    source.host = &host;
    CodePtr sourceCode = compile(module, source.code, *source.code->work, types);
    host.demand = [&](std::uint64_t) {
        Firing inner;
        return machine.fire(*sourceCode, source, inner) == Outcome::Done;
    };
    instance.input = &tape.tape;
    firing.dynamicInput = true;
    EXPECT_EQ(text(runWork()), "140");
}

// ---- what is folded away

class Fusion : public Evaluation {
protected:
    /// Prints of the body; its code has each of the operations.
    std::string fused(const std::string& work, std::initializer_list<const char*> operations,
                      const std::string& members = "", const std::string& type = "float->float") {
        std::string out = printed(work, members, type);
        std::string text = disassemble(*code);
        for (const char* operation : operations)
            EXPECT_NE(text.find(std::string(" ") + operation + " "), std::string::npos)
                << operation << " in\n"
                << text;
        return out;
    }
};

TEST_F(Fusion, ProductsAreRoundedBeforeTheyAreAdded) {
    // 4097 * 4097 is no float.
    const char* start =
        "local a: float local s: float %0: float = const 4097.0 store<float> local a, %0 "
        "%1: float = const -1.6785408E7 store<float> local s, %1 %2: float = load local s "
        "%3: float = load local a %4: float = mul %3, %3 ";
    EXPECT_EQ(fused(std::string(start) + "%5: float = add %2, %4 print<float> %5", {"MulAddF"}),
              "0.0");
    EXPECT_EQ(fused(std::string(start) + "%5: float = add %4, %2 print<float> %5", {"MulAddF"}),
              "0.0");
    EXPECT_EQ(fused(std::string(start) +
                        "%5: float = neg %2 %6: float = mul %3, %3 %7: float = sub %5, %6 "
                        "print<float> %7",
                    {"MulSubF"}),
              "0.0");
    EXPECT_EQ(
        fused(std::string(start) + "%5: float = sub %4, %2 print<float> %5", {"MulF", "SubF"}),
        "3.3570816E7");
}

TEST_F(Fusion, FunctionsOfFloats) {
    const char* start =
        "local a: float %0: float = const -2.25 store<float> local a, %0 %1: float = load local a ";
    auto call = [&](const std::string& name, bool two) {
        return std::string(start) + "%2: double = convert %1 " +
               (two ? "%3: double = convert %1 " : "") + "%4: double = math " + name +
               (two ? " %2, %3" : " %2") + " %5: float = convert %4 print<float> %5";
    };
    EXPECT_EQ(fused(call("sqrt", false), {"SqrtF"}), "NaN");
    EXPECT_EQ(fused(call("abs", false), {"AbsF"}), "2.25");
    EXPECT_EQ(fused(call("atan", false), {"MathF"}), "-1.152572");
    EXPECT_EQ(fused(call("atan2", true), {"MathF"}), "-2.3561945");
    // Not if the double is used otherwise, or one argument is a literal.
    EXPECT_EQ(fused(std::string(start) +
                        "%2: double = convert %1 %3: double = math abs %2 print<double> %3",
                    {"FToD", "MathD"}),
              "2.25");
    EXPECT_EQ(
        fused(std::string(start) +
                  "%2: double = convert %1 %3: double = const 2.0 %4: double = math pow %2, %3 "
                  "%5: float = convert %4 print<float> %5",
              {"FToD", "MathD", "DToF"}),
        "5.0625");
}

TEST_F(Fusion, LoopsAndElements) {
    const char* body = R"(
        local i: int
        local n: int
        %0: int = const 1
        %1: int = const 3
        store<int> local n, %1
        store<int> local i, %0
        loop { %2: int = load local i %3: boolean = lt<int> %2, %1 yield<boolean> %3 } do {
            %4: ref int[4][4] = addr field m
            %5: int = load local i
            %6: int = const 4
            %7: ref int[4] = elem %4, %5, %6
            %8: int = sub %5, %0
            %9: ref int = elem %7, %8, %6
            store.at<int> %9, %5
            %10: ref int[16] = addr field v
            %11: int = const 16
            %12: int = load local n
            %13: int = add %5, %12
            %14: ref int = elem %10, %13, %11
            store.at<int> %14, %12
            %15: int = add %5, %0
            %16: ref int = elem %10, %15, %11
            %17: int = load.at %16
            %18: int = mul %17, %1
            %19: int = add %18, %5
            print<int> %19
        } step { %20: int = load local i %21: int = add %20, %0 store<int> local i, %21 }
    )";
    const char* members =
        "field m: int[4][4] field v: int[16] setup { declare<int[4][4]> field m declare<int[16]> "
        "field v }";
    EXPECT_EQ(fused(body, {"LoopLtIK", "StoreEE4", "StoreE4S", "LoadE4A", "MulAddIK", "JumpGeIK"},
                    members),
              "12");
}

// ---- large bodies

TEST_F(Calls, LongBodiesCompileInLinearTimeAndSmallFrames) {
    std::string work = "local x: int declare<int> local x ";
    for (int k = 0; k < 20'000; ++k) {
        auto reg = [&](int part) { return "%" + std::to_string(4 * k + part); };
        work += reg(0) + ": int = load local x " + reg(1) + ": int = const " + std::to_string(k) +
                " " + reg(2) + ": int = mul " + reg(0) + ", " + reg(0) + " " + reg(3) +
                ": int = add " + reg(2) + ", " + reg(1) + " store<int> local x, " + reg(3) + " ";
    }
    work += "%80000: int = load local x print<int> %80000";
    readWork(work);
    auto begin = std::chrono::steady_clock::now();
    code = compile(module, instance.code, *instance.code->work, types);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
    EXPECT_EQ(disassemble(*code).substr(0, 14), "work: 9 slots\n");
    std::int32_t x = 0;
    for (int k = 0; k < 20'000; ++k)
        x = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) *
                                          static_cast<std::uint32_t>(x) +
                                      static_cast<std::uint32_t>(k));
    EXPECT_EQ(text(machine.run(*code, instance, firing)), std::to_string(x));
}

}  // namespace
}  // namespace strc::eval
