#include "plan/detail/gather.h"

#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;
using ::testing::ElementsAre;

class Gather : public ::testing::Test {
protected:
    Gather()
        : graph(build(
              pipeline("Main", {source("A", 4),
                                splitjoin("S", {},
                                          {pipeline("P", {filter("B", 4, 1), filter("C", 1, 1)}),
                                           pipeline("Q", {filter("D", 4, 1), filter("E", 1, 1)}),
                                           pipeline("R", {filter("F", 2, 1), filter("G", 2, 1)})}),
                                sink("Z", 3)}))),
          without(graph.nodes.size()),
          sequential(graph.nodes.size()) {
        without[node(graph, "split")] = true;
    }

    static sched::Loop leaf(NodeId id, std::int64_t count) {
        sched::Loop made;
        made.node = id;
        made.count = count;
        return made;
    }

    /// The order that readers get.
    std::vector<std::string> order(const std::vector<std::string>& names) {
        sched::Loop phase;
        for (const std::string& name : names)
            phase.children.push_back(leaf(node(graph, name), name == "F" ? 2 : 1));
        gatherReaders(graph, Sharing(graph, without), sequential, phase);
        std::vector<std::string> made;
        for (const sched::Loop& loop : phase.children) made.push_back(graph.nodes[loop.node].name);
        return made;
    }

    graph::Graph graph;
    std::vector<bool> without, sequential;
};

TEST_F(Gather, ReadersOfOneTape) {
    EXPECT_THAT(order({"A", "B", "C", "D", "E", "F", "G"}),
                ElementsAre("A", "B", "D", "C", "E", "F", "G"));
}

TEST_F(Gather, NotPastTheWriter) {
    EXPECT_THAT(order({"B", "C", "A", "D", "E"}), ElementsAre("B", "C", "A", "D", "E"));
}

TEST_F(Gather, OnlyWhereTheTapeIsShared) {
    without.assign(graph.nodes.size(), false);
    EXPECT_THAT(order({"A", "B", "C", "D", "E"}), ElementsAre("A", "B", "C", "D", "E"));
}

TEST_F(Gather, NotWhereFiringsWaitForEachOther) {
    sequential[node(graph, "D")] = true;
    EXPECT_THAT(order({"A", "B", "C", "D", "E"}), ElementsAre("A", "B", "C", "D", "E"));
}

}  // namespace
}  // namespace strc::plan::test
