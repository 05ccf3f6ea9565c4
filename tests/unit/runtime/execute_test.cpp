#include <gmock/gmock.h>

#include "unit/runtime/fixture.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;

struct State {
    std::int64_t bias;  ///< from the image
    std::int64_t sum;
    std::int64_t phases;
};

/// One input, which init takes one item of, `steady` two and `scaled` six.
class Execute : public RuntimeTest {
protected:
    Execute() {
        program.abi_version = STRC_ABI_VERSION;
        program.inputs = program.outputs = program.node_count = 1;
        program.state_size = sizeof(State);
        program.piece_count = 1;
        program.pieces = &image;
        program.init = {sum<1>, &reads[0], 0};
        program.steady = {sum<2>, &reads[1], 1};
        program.scaled = {sum<6>, &reads[2], 3};
        inputs.resize(1);
    }

    template <int kItems>
    static void sum(strc_env* env, void* memory) {
        auto* state = static_cast<State*>(memory);
        int items[kItems];
        strc_read(env, 0, items, kItems);
        for (int item : items) state->sum += item;
        ++state->phases;
        int total = static_cast<int>(state->bias + state->sum);
        strc_write(env, 0, &total, 1);
    }

    void supplyOnesFor(int steadyStates) {
        inputs[0].assign(static_cast<std::size_t>(1 + 2 * steadyStates), 1);
    }
    strc_end execute(std::uint64_t iterations) {
        return strc_execute(&program, &env, &state, iterations, &done);
    }

    const std::uint64_t reads[3] = {1, 2, 6};
    const std::int64_t bias = 100;
    const strc_piece image = {offsetof(State, bias), sizeof bias, &bias};
    strc_program program{};
    alignas(64) State state = {-1, -1, -1};
    std::uint64_t done = 77;
};

TEST_F(Execute, InitRunsFirstOnTheImageAndZeros) {
    supplyOnesFor(0);
    EXPECT_EQ(execute(0), STRC_END_ITERATIONS);
    EXPECT_THAT(written, ElementsAre(101));
    EXPECT_EQ(done, 0u);
    EXPECT_EQ(state.phases, 1);
}

TEST_F(Execute, ScaledPhasesAsLongAsIterationsAreLeft) {
    supplyOnesFor(100);
    EXPECT_EQ(execute(7), STRC_END_ITERATIONS);
    EXPECT_EQ(done, 7u);
    EXPECT_THAT(written, ElementsAre(101, 107, 113, 115));
    EXPECT_EQ(inputs[0].size(), 201u - 15);
}

TEST_F(Execute, WhatScaledPhasesLackIsDoneOneByOne) {
    supplyOnesFor(5);
    inputs[0].push_back(1);  // not enough for another one
    EXPECT_EQ(execute(UINT64_MAX), STRC_END_INPUT);
    EXPECT_EQ(done, 5u);
    EXPECT_THAT(written, ElementsAre(101, 107, 109, 111));
    EXPECT_EQ(inputs[0].size(), 1u) << "a question takes nothing";
    EXPECT_THAT(asked, ElementsAre(6, 6, 6, 6)) << "what is not there at once may come later";
    EXPECT_THAT(demanded, ElementsAre(1, 2, 2, 2));
}

TEST_F(Execute, WithoutScaledPhase) {
    program.scaled = {};
    supplyOnesFor(5);
    EXPECT_EQ(execute(UINT64_MAX), STRC_END_INPUT);
    EXPECT_EQ(done, 5u);
    EXPECT_EQ(written.size(), 6u);
}

TEST_F(Execute, InitMayLackInput) {
    EXPECT_EQ(execute(3), STRC_END_INPUT);
    EXPECT_EQ(done, 0u);
    EXPECT_TRUE(written.empty());
}

TEST_F(Execute, PhasesThatReadNothingAskForNothing) {
    static const std::uint64_t nothing = 0;
    auto idle = [](strc_env*, void*) {};
    program.init = {idle, &nothing, 0};
    program.steady = {idle, &nothing, 1};
    program.scaled = {idle, &nothing, 1000};
    EXPECT_EQ(execute(1'234'567), STRC_END_ITERATIONS);
    EXPECT_EQ(done, 1'234'567u);
    EXPECT_TRUE(demanded.empty());
}

TEST_F(Execute, NobodyNeedsToCount) {
    supplyOnesFor(3);
    EXPECT_EQ(strc_execute(&program, &env, &state, 3, nullptr), STRC_END_ITERATIONS);
    EXPECT_EQ(state.sum, 7);
}

TEST_F(Execute, RunsAfterOneAnother) {
    for (int run = 0; run < 3; ++run) {
        supplyOnesFor(2);
        written.clear();
        EXPECT_EQ(execute(2), STRC_END_ITERATIONS);
        EXPECT_THAT(written, ElementsAre(101, 103, 105));
    }
}

TEST_F(Execute, FaultsTellWhatTheyKnow) {
    program.steady.run = [](strc_env* environment, void*) {
        strc_trap(environment, 17, 3, -5, INT64_MAX);
    };
    supplyOnesFor(2);
    EXPECT_EQ(execute(2), STRC_END_FAULT);
    EXPECT_EQ(env.fault.site, 17u);
    EXPECT_EQ(env.fault.node, 3u);
    EXPECT_EQ(env.fault.numbers[0], -5);
    EXPECT_EQ(env.fault.numbers[1], INT64_MAX);
    EXPECT_EQ(done, 0u);
    EXPECT_THAT(written, ElementsAre(101)) << "what was done stays done";
}

TEST_F(Execute, ScaledPhasesAreATransactionUntilSomethingElseHappens) {
    supplyOnesFor(7);
    EXPECT_EQ(execute(7), STRC_END_ITERATIONS);
    EXPECT_EQ(calls, "begin commit ");
}

TEST_F(Execute, WhatFaultsInAScaledPhaseIsDoneAgainOneByOne) {
    auto faultsAtNine = [](strc_env* environment, void* memory) {
        auto* own = static_cast<State*>(memory);
        own->phases += 1000;  // to be put back
        environment->random = 5;
        strc_write(environment, 0, &own->phases, 1);
        strc_trap(environment, 4, 0, 0, 0);
    };
    auto untilNine = [](strc_env* environment, void* memory) {
        if (static_cast<State*>(memory)->sum == 9) strc_trap(environment, 17, 3, 0, 0);
        sum<2>(environment, memory);
    };
    program.scaled.run = faultsAtNine;
    program.steady.run = untilNine;
    env.random = 42;
    supplyOnesFor(100);
    EXPECT_EQ(execute(90), STRC_END_FAULT);
    EXPECT_EQ(env.fault.site, 17u);
    EXPECT_EQ(env.random, 42u);
    EXPECT_EQ(done, 4u);
    EXPECT_EQ(calls, "begin rollback begin rollback ") << "at 0 and 3";
    EXPECT_THAT(written, ElementsAre(101, 103, 105, 107, 109));
    EXPECT_EQ(state.phases, 5);
}

TEST_F(Execute, WhatWentWellBeforeAFaultIsDoneAgainAsItWas) {
    program.scaled.run = [](strc_env* environment, void* memory) {
        if (static_cast<State*>(memory)->sum >= 13) strc_trap(environment, 4, 0, 0, 0);
        sum<6>(environment, memory);
    };
    program.steady.run = [](strc_env* environment, void* memory) {
        if (static_cast<State*>(memory)->sum == 15) strc_trap(environment, 17, 3, 0, 0);
        sum<2>(environment, memory);
    };
    supplyOnesFor(100);
    EXPECT_EQ(execute(90), STRC_END_FAULT);
    EXPECT_EQ(env.fault.site, 17u);
    EXPECT_EQ(done, 7u);
    EXPECT_EQ(calls, "begin rollback begin commit ") << "two phases, then one by one";
    EXPECT_THAT(written, ElementsAre(101, 107, 113, 115));
}

TEST_F(Execute, FaultsThatDoNotComeAgainMakeTheRunMoreCareful) {
    program.scaled.run = [](strc_env* environment, void*) { strc_trap(environment, 4, 0, 0, 0); };
    supplyOnesFor(100);
    EXPECT_EQ(execute(30), STRC_END_ITERATIONS);
    EXPECT_EQ(done, 30u);
    EXPECT_EQ(calls, "begin rollback begin rollback begin rollback ") << "at 0, 3 and 12";
    EXPECT_EQ(written.size(), 31u);
}

TEST_F(Execute, ScaledPhasesThatTakeLongAreGivenUp) {
    program.scaled.run = [](strc_env* environment, void*) {
        while (environment->poll == 0) {
        }
        strc_stop(environment);
    };
    supplyOnesFor(7);
    EXPECT_EQ(execute(7), STRC_END_ITERATIONS);
    EXPECT_EQ(calls, "begin rollback begin rollback ");
    EXPECT_EQ(done, 7u);
    EXPECT_EQ(env.poll, 0);
}

TEST_F(Execute, WhatIsInterruptedInATransactionDidNotHappen) {
    program.scaled.run = [](strc_env* environment, void* memory) {
        sum<6>(environment, memory);
        *const_cast<volatile unsigned char*>(environment->interrupt) = 1;
        while (environment->poll == 0) {
        }
        strc_stop(environment);
    };
    supplyOnesFor(5);
    EXPECT_EQ(execute(4), STRC_END_INTERRUPTED);
    EXPECT_EQ(done, 0u);
    EXPECT_EQ(calls, "begin rollback ");
    EXPECT_THAT(written, ElementsAre(101));
}

TEST_F(Execute, ALimitInATransactionIsMetAgainOneByOne) {
    program.scaled.run = [](strc_env* environment, void* memory) { sum<6>(environment, memory); };
    program.init.run = [](strc_env*, void*) {};
    writeStops = true;
    supplyOnesFor(5);
    EXPECT_EQ(execute(4), STRC_END_STOPPED);
    EXPECT_EQ(calls, "begin rollback ");
    EXPECT_THAT(written, ElementsAre(102)) << "of the first steady state alone";
    EXPECT_EQ(done, 0u);
}

TEST_F(Execute, ACommitMayEndTheRun) {
    supplyOnesFor(4);
    commitStops = true;
    EXPECT_EQ(execute(4), STRC_END_STOPPED);
}

TEST_F(Execute, TheTimeEndsARun) {
    env.seconds = 0.01;
    program.steady.run = [](strc_env* environment, void*) {
        while (environment->poll == 0) {
        }
        strc_stop(environment);
    };
    program.scaled = {};
    supplyOnesFor(4);
    EXPECT_EQ(execute(4), STRC_END_INTERRUPTED);
}

TEST_F(Execute, InterruptsBeforeAndBetweenPhases) {
    supplyOnesFor(10);
    interrupt = 1;
    EXPECT_EQ(execute(9), STRC_END_INTERRUPTED);
    EXPECT_TRUE(demanded.empty());
    EXPECT_TRUE(written.empty());
    interrupt = 0;
    program.scaled.run = [](strc_env* environment, void*) {
        *const_cast<volatile unsigned char*>(environment->interrupt) = 1;
    };
    EXPECT_EQ(execute(9), STRC_END_INTERRUPTED);
    EXPECT_EQ(done, 3u);
}

TEST_F(Execute, GeneratedCodeSeesTheInterrupt) {
    program.steady.run = [](strc_env* environment, void*) { strc_stop(environment); };
    supplyOnesFor(1);
    EXPECT_EQ(execute(1), STRC_END_INTERRUPTED);
    EXPECT_EQ(done, 0u);
}

TEST_F(Execute, WaitingForInputIsInterrupted) {
    supplyInterrupts = true;
    EXPECT_EQ(execute(1), STRC_END_INTERRUPTED);
}

TEST_F(Execute, TheWorldStopsARun) {
    supplyOnesFor(9);
    readStops = true;
    EXPECT_EQ(execute(2), STRC_END_STOPPED);
    EXPECT_TRUE(written.empty());
    readStops = false;
    writeStops = true;
    EXPECT_EQ(execute(2), STRC_END_STOPPED);
    EXPECT_EQ(written.size(), 1u);
    writeStops = false;
    printStops = true;
    program.steady.run = [](strc_env* environment, void*) {
        strc_print_int(environment, 1);
        strc_print_int(environment, 2);
    };
    EXPECT_EQ(execute(2), STRC_END_STOPPED);
    EXPECT_EQ(printed, "1");
}

}  // namespace
}  // namespace strc::testing
