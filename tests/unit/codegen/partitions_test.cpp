// Phases that threads of a library share: what is with whom, in what order, and that the verifier accepts it.
#include <utility>

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

/// What a window looks back at was made in slices before: they are not done side by side with who makes it.
TEST_F(Partitions, WhoMakesTheItemsOfAWindowIsNotBesideIt) {
    make("add Sum(200); add Mix(1); add Window(2000);");
    ASSERT_EQ(with("Window").size(), 1u);
    EXPECT_FALSE(with("Window")[0]->isInOrder) << plan::print(*program.plan);
    EXPECT_NE(with("Mix"), with("Window"));
}

TEST_F(Partitions, TheVerifierSeesWindowsWithoutOrder) {
    make("for (int i = 0; i < 70; i++) { add Mix(1); add Window(300); }");
    plan::Plan broken = *program.plan;
    bool isAnyInOrder = false;
    for (plan::Partition& each : broken.partitioning->partitions)
        isAnyInOrder = std::exchange(each.isInOrder, false) || isAnyInOrder;
    EXPECT_TRUE(isAnyInOrder) << "so many partitions had to be joined";
    EXPECT_THAT(plan::verify(broken, program.plannedQuota()),
                ::testing::Contains(HasSubstr("is read")));
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

const std::string kToldParts =
    "int->int filter Told(int n) { int gain; handler set(int g) { gain += g; } work pop 1 push 1 { "
    "int x = pop(); for (int k = 0; k < n; k++) x = x * 31 + (x >> 5) + gain; push(x); } }\n"
    "int->int filter Tells(portal<Told> p, int n, int latency) { work pop 1 push 1 { int x = "
    "pop(); for (int k = 0; k < n; k++) x = x * 31 + (x >> 5) + k; p.set(x) [latency:latency]; "
    "push(x); } }\n";

/// Programs whose filters send.
class PartitionsWithMessages : public Partitions {
protected:
    void SetUp() override {
        Partitions::SetUp();
        request.undoesMessages = true;
    }

    const plan::Partitioning& make(const std::string& middle) {
        return Partitions::make("portal<Told> p; " + middle + " }\n" + kToldParts +
                                "int->int pipeline Other { add Identity<int>;");
    }

    std::vector<plan::PartitionChannel> withMessages() const {
        std::vector<plan::PartitionChannel> found;
        for (const plan::PartitionChannel& each : program.plan->partitioning->channels)
            if (each.receiver != graph::kNone) found.push_back(each);
        return found;
    }
};

TEST_F(PartitionsWithMessages, ToWhatComesLaterAreHandedOver) {
    make("add Tells(p, 300, 0); add Mix(300); add Sum(300); add Told(300) to p; add Sum(300);");
    const auto tells = with("Tells"), told = with("Told");
    ASSERT_TRUE(tells.size() == 1 && told.size() == 1);
    EXPECT_TRUE(tells[0] != told[0] && tells[0]->isInOrder && told[0]->isInOrder);
    const auto channels = withMessages();
    ASSERT_EQ(channels.size(), 1u);
    EXPECT_EQ(&program.plan->partitioning->partitions[channels[0].from], tells[0]);
    EXPECT_EQ(&program.plan->partitioning->partitions[channels[0].to], told[0]);
    EXPECT_EQ(channels[0].kind, plan::ChannelKind::BySlice);
    EXPECT_THAT(plan::print(*program.plan),
                HasSubstr("needs the slice of partition 0: messages to "));
}

TEST_F(PartitionsWithMessages, UpstreamBothAreOnePartition) {
    make("add Sum(900); add Told(30) to p; add Sum(30); add Tells(p, 30, 3); add Sum(900);");
    const auto tells = with("Tells"), told = with("Told");
    ASSERT_TRUE(tells.size() == 1 && told.size() == 1);
    EXPECT_EQ(tells[0], told[0]);
    EXPECT_TRUE(withMessages().empty());
}

TEST_F(PartitionsWithMessages, OfTwoSendersAreOnePartition) {
    make(
        "add Sum(900); add Tells(p, 30, 0); add Tells(p, 30, 3); add Told(30) to p; add Sum(900);");
    EXPECT_EQ(with("Tells"), with("Told"));
}

TEST_F(PartitionsWithMessages, TheVerifierSeesThemWithoutAChannel) {
    make("add Tells(p, 300, 0); add Mix(300); add Sum(300); add Told(300) to p; add Sum(300);");
    plan::Plan broken = *program.plan;
    for (plan::PartitionChannel& each : broken.partitioning->channels) each.receiver = graph::kNone;
    EXPECT_THAT(plan::verify(broken, program.plannedQuota()),
                ::testing::Contains(HasSubstr("messages to 'Main.Told' have no channel")));
    broken = *program.plan;
    for (plan::Partition& each : broken.partitioning->partitions) each.isInOrder = false;
    EXPECT_THAT(plan::verify(broken, program.plannedQuota()),
                ::testing::Contains(HasSubstr("'Main.Told' has state and no order")));
}

TEST_F(PartitionsWithMessages, WhoCannotTakeThemBackHasNone) {
    request.undoesMessages = false;
    compile(
        "int->int pipeline Main { portal<Told> p; add Tells(p, 900, 0); add Told(900) to p; }\n" +
        kToldParts);
    EXPECT_FALSE(program.plan->partitioning);
    EXPECT_EQ(program.plan->scaled.iterations, 0);
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
