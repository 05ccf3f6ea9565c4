// Phases that threads of a library share: what is with whom, in what order, and that the verifier accepts it.
#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kParts =
    "int->int filter Sum(int n) { int s; work pop 1 push 1 { int x = pop(); for (int k = 0; k < n; "
    "k++) s = s * 7 + (x ^ s >> 3); push(s); } }\n"
    "int->int filter Mix(int n) { work pop 1 push 1 { int x = pop(); for (int k = 0; k < n; k++) x "
    "= x * 31 + (x >> 5) + k; push(x); } }\n"
    "int->int filter Window(int n) { work peek n pop 1 push 1 { int sum = 0; for (int k = 0; k < "
    "n; k++) sum += peek(k) * (k + 1); pop(); push(sum); } }\n"
    "int->int filter Turn { work pop 1 push 1 { push(pop() + iter()); } }\n"
    "int->int filter Noise { work pop 1 push 1 { push(pop() + (int)(random() * 1000)); } }\n";

class Partitions : public testing::CompiledTest {
protected:
    void SetUp() override {
        request.threads = 2;
        request.mostItems = 64;
        request.top = "Main";
    }

    const plan::Partitioning& make(const std::string& middle) {
        static const plan::Partitioning none;
        compile("int->int pipeline Main { " + middle + " }\n" + kParts);
        if (!program.plan || !program.plan->partitioning) {
            ADD_FAILURE() << (program.plan ? plan::print(*program.plan) : "no plan");
            return none;
        }
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        return *program.plan->partitioning;
    }

    /// Partitions in which filters of that name fire.
    std::vector<const plan::Partition*> with(const std::string& name) const {
        std::vector<const plan::Partition*> found;
        for (const plan::Partition& each : program.plan->partitioning->partitions)
            for (graph::NodeId node : each.nodes)
                if (program.plan->program->graph.nodes[node].name == name) {
                    found.push_back(&each);
                    break;
                }
        return found;
    }
};

TEST_F(Partitions, BranchesAreSideBySide) {
    const plan::Partitioning& made =
        make("add splitjoin { split duplicate; add Sum(300); add Sum(400); join roundrobin; };");
    const auto sums = with("Sum");
    ASSERT_EQ(sums.size(), 2u);
    EXPECT_TRUE(sums[0]->isInOrder && sums[1]->isInOrder);
    EXPECT_NE(sums[0]->home, sums[1]->home);
    EXPECT_GT(made.work, 1.5 * made.span);
    for (const plan::PartitionChannel& channel : made.channels)
        EXPECT_FALSE(&made.partitions[channel.from] == sums[0] &&
                     &made.partitions[channel.to] == sums[1]);
}

TEST_F(Partitions, AChainIsAPipelineOfSlices) {
    const plan::Partitioning& made = make("add Sum(300); add Sum(300);");
    EXPECT_GE(made.slices, 4);
    ASSERT_EQ(made.channels.size(), 1u);
    EXPECT_EQ(made.channels[0].kind, plan::ChannelKind::BySlice);
    EXPECT_EQ(made.iterations % made.slices, 0);
}

TEST_F(Partitions, WithoutStateThereIsNoOrder) {
    make("add Mix(2000);  add Window(900);");
    for (const char* name : {"Mix", "Window"})
        for (const plan::Partition* each : with(name)) EXPECT_FALSE(each->isInOrder) << name;
}

TEST_F(Partitions, SmallFiltersAreWithTheirNeighbours) {
    const plan::Partitioning& made =
        make("add Sum(1); add Sum(300); add Sum(2); add Sum(1); add Sum(300); add Sum(1);");
    EXPECT_EQ(made.partitions.size(), 2u) << plan::print(*program.plan);
}

TEST_F(Partitions, CountersAndRandomNumbersAreInOrder) {
    make("add Sum(300); add Noise; add Turn; add Sum(300);");
    ASSERT_EQ(with("Noise").size(), 1u);
    EXPECT_TRUE(with("Noise")[0]->drawsRandom && with("Noise")[0]->isInOrder);
    EXPECT_TRUE(with("Turn")[0]->isInOrder);
}

TEST_F(Partitions, AFeedbackLoopIsWhole) {
    make(
        "add Sum(300); add feedbackloop { join roundrobin(1, 1); body int->int filter { work pop 2 "
        "push 1 { push((pop() + pop()) % 9973); } }; loop Identity<int>; split duplicate; for (int "
        "i = 0; i < 40; i++) enqueue 1; }; add Sum(300);");
}

TEST_F(Partitions, WhatOneThreadDoesSoonIsLeftToIt) {
    compile("int->int pipeline Main { add Sum(1); add Sum(1); }\n" + kParts);
    EXPECT_FALSE(program.plan->partitioning);
    request.threads = 1;
    compile("int->int pipeline Main { add Sum(300); add Sum(300); }\n" + kParts);
    EXPECT_FALSE(program.plan->partitioning) << "nobody has asked";
}

TEST_F(Partitions, ThePlanTellsThem) {
    make("add Sum(300); add Sum(300);");
    const std::string text = plan::print(*program.plan);
    EXPECT_THAT(text, HasSubstr("64 steady states in partitions, reads 64 from the input"));
    EXPECT_THAT(text, HasSubstr("    needs the slice of partition 0: "));
}

/// The verifier sees through plans whose threads would be in each other's way.
class WrongPartitions : public Partitions {
protected:
    void refuse(const std::function<void(plan::Partitioning&)>& wrong) {
        make("add Sum(300); add Noise; add Sum(300);");
        plan::Plan broken = *program.plan;
        wrong(*broken.partitioning);
        EXPECT_FALSE(plan::verify(broken, program.plannedQuota()).empty());
    }
};

TEST_F(WrongPartitions, WithoutOrder) {
    refuse([](plan::Partitioning& all) { all.partitions[0].isInOrder = false; });
}
TEST_F(WrongPartitions, WithoutChannels) {
    refuse([](plan::Partitioning& all) { all.channels.clear(); });
}
TEST_F(WrongPartitions, OfAnotherPlace) {
    refuse([](plan::Partitioning& all) {
        all.partitions[0].steps[0].outputs[0].perIteration[0] += 1;
    });
}
TEST_F(WrongPartitions, ThatDoNotOwnTheirFilters) {
    refuse([](plan::Partitioning& all) { all.partitions[0].nodes.clear(); });
}
TEST_F(WrongPartitions, ThatDrawUnseen) {
    refuse([](plan::Partitioning& all) {
        for (plan::Partition& each : all.partitions) each.drawsRandom = false;
    });
}
TEST_F(WrongPartitions, ThatWaitForEachOther) {
    refuse([](plan::Partitioning& all) {
        plan::PartitionChannel back = all.channels[0];
        std::swap(back.from, back.to);
        all.channels.push_back(back);
    });
}

}  // namespace
}  // namespace strc::codegen
