// Work on many bytes at once counts as many steps: limits and interruptions follow the time it takes.

#include "unit/eval/fixture.h"

namespace strc::eval {
namespace {

/// Bytes of the arrays and texts here, and the fewest steps that work on them counts for.
constexpr std::int64_t kBytes = 4'000'000;
constexpr std::uint64_t kSteps = kBytes / 1024;

class Steps : public Evaluation {
protected:
    Tape input{kBytes}, output{kBytes};

    void read(const std::string& body, const std::string& members = "") {
        readWork(body, members, "int[1000000]->int[1000000]");
        instance.input = &input;
        instance.output = &output;
    }
    /// Steps that `body` takes.
    std::uint64_t used(const ir::Body& body) {
        std::uint64_t before = machine.stepsUsed();
        EXPECT_EQ(run(body).outcome, Outcome::Done);
        return machine.stepsUsed() - before;
    }
    std::uint64_t used() { return used(*instance.code->work); }
    /// Once with `rest`, once without: the steps that it takes.
    std::uint64_t used(const std::string& begin, const std::string& rest,
                       const std::string& members = "") {
        read(begin, members);
        run(instance.code->setup);
        std::uint64_t without = used();
        read(begin + " " + rest, members);
        run(instance.code->setup);
        return used() - without;
    }
};

TEST_F(Steps, ManyBytesAreManySteps) {
    const std::string arrays = R"(
        local a: int[1000000]
        local b: int[1000000]
        %0: ref int[1000000] = addr local a
        %1: ref int[1000000] = addr local b
        %2: int = const 0
    )";
    input.append(3);
    for (const char* what : {"declare<int[1000000]> local a", "zero<int[1000000]> %0",
                             "copy<int[1000000]> %0, %1", "peek.into<int[1000000]> %0, %2",
                             "pop.into<int[1000000]> %0", "push.from<int[1000000]> %0"}) {
        std::uint64_t steps = used(arrays, what);
        EXPECT_GE(steps, kSteps) << what;
        EXPECT_LE(steps, 20 * kSteps) << what;
    }
}

TEST_F(Steps, FewBytesAreOne) {
    const std::string arrays = R"(
        local a: int[8]
        local b: int[8]
        %0: ref int[8] = addr local a
        %1: ref int[8] = addr local b
    )";
    EXPECT_LE(used(arrays, "declare<int[8]> local a copy<int[8]> %0, %1 zero<int[8]> %0"), 5u);
}

TEST_F(Steps, OfDynamicExtent) {
    const std::string arrays = R"(
        local a: int[?]
        local b: int[?]
        %0: int = const 1000000
        %1: int = const 4000000
        declare<int[?]> local a, %0
        %2: ref int[?] = addr local a
    )";
    for (const char* what :
         {"declare<int[?]> local b, %0", "zero<int[?]> %2, %1", "copy<int[?]> %2, %2, %1"})
        EXPECT_GE(used(arrays, what), kSteps) << what;
}

TEST_F(Steps, OfFields) {
    read("", "field f: int[1000000] setup { declare<int[1000000]> field f }");
    EXPECT_GE(used(instance.code->setup), kSteps);
}

TEST_F(Steps, OfArguments) {
    const std::string members = "field f: int[1000000] setup { declare<int[1000000]> field f }";
    const std::string ref = "%0: ref int[1000000] = addr field f %1: portal<Rx> = const 1";
    EXPECT_GE(used(ref, "send set(%0: int[1000000]) to %1", members), kSteps);
    std::uint64_t before = machine.stepsUsed();
    read("", "function g(a: int[1000000]) { }");
    const Value array = Value::zero(types.array(types.intType(), 1'000'000));
    run(instance.code->functions.front(), {&array, 1});
    EXPECT_GE(machine.stepsUsed() - before, kSteps);
}

TEST_F(Steps, OfTexts) {
    const std::string members = R"(
        field s: String
        setup { declare<String> field s }
        function grow(s: String, n: int) -> String {
            %0: int = load local n
            %1: int = const 0
            %2: boolean = le<int> %0, %1
            %3: String = load local s
            if %2 { return<String> %3 }
            %4: String = concat %3, %3
            %5: int = const 1
            %6: int = sub %0, %5
            %7: String = call stream grow(%4, %6)
            return<String> %7
        }
    )";
    // A text of 2 to the 22nd bytes.
    const std::string text =
        "%0: String = const \"ab\" %1: int = const 21 "
        "%2: String = call stream grow(%0, %1) ";
    for (const char* what :
         {"%3: String = concat %2, %0", "store<String> field s, %2", "print<String> %2"}) {
        std::uint64_t steps = used(text, what, members);
        EXPECT_GE(steps, kSteps) << what;
        host.out.clear();
    }
}

TEST_F(Steps, ReachTheirLimit) {
    const char* members = "field f: int[1000000] setup { declare<int[1000000]> field f }";
    read(
        "%0: ref int[1000000] = addr field f %1: portal<Rx> = const 1 "
        "send set(%0: int[1000000]) to %1",
        members);
    run(instance.code->setup);
    machine.stepsLeft = 10 * kSteps;
    // What a body without loops owes at its end is paid by the next one.
    int runs = 0;
    while (runs < 100 && run(*instance.code->work).outcome == Outcome::Done) ++runs;
    EXPECT_LT(runs, 10);
    ASSERT_TRUE(machine.trap);
    EXPECT_EQ(machine.trap->id, Diag::StepLimit);
    EXPECT_EQ(machine.stepsLeft, 0u);
}

TEST_F(Steps, CanBeInterrupted) {
    volatile bool stop = true;
    machine.interrupt = &stop;
    std::string copies =
        "local a: int[1000000] local b: int[1000000] "
        "%0: ref int[1000000] = addr local a %1: ref int[1000000] = addr local b ";
    for (int k = 0; k < 40; ++k) copies += "copy<int[1000000]> %0, %1 ";
    read(copies);
    EXPECT_EQ(text(run(*instance.code->work)), "<interrupted>");
}

}  // namespace
}  // namespace strc::eval
