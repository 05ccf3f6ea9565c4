#include <algorithm>
#include <string>

#include "ir/stored_fields.h"
#include "plan/detail/names.h"
#include "plan/detail/partition_check.h"
#include "strc/partitions.h"

namespace strc::plan {
namespace {

using graph::kNone;

class PartitionCheck {
public:
    PartitionCheck(const Plan& made, VerifyFaults& all)
        : plan(made),
          partitioning(*made.partitioning),
          graph(made.program->graph),
          faults(all),
          owners(graph.nodes.size(), SIZE_MAX) {}

    void run() {
        const std::size_t count = partitioning.partitions.size();
        if (count > STRC_MOST_PARTITIONS || partitioning.slices > STRC_MOST_SLICES ||
            partitioning.slices < 1 || partitioning.iterations % partitioning.slices != 0)
            faults.add("a phase has {} partitions in {} slices", count, partitioning.slices);
        for (std::size_t k = 0; k < count; ++k) {
            const Partition& each = partitioning.partitions[k];
            if (each.slices != 1 && each.slices != partitioning.slices)
                faults.add("partition {} has {} slices", k, each.slices);
            look(each.steps, k);
        }
        for (const PartitionChannel& channel : partitioning.channels) check(channel);
        for (const graph::MessageLink& link : graph.messages) checkMessages(link);
    }

private:
    void look(const std::vector<Step>& steps, std::size_t partition) {
        for (const Step& step : steps) {
            if (step.kind == StepKind::Loop)
                look(step.body, partition);
            else if (step.kind == StepKind::Fire)
                fires(step.node, partition);
            else if (step.kind != StepKind::Part)  // the program before has been checked
                faults.add("partition {} moves, reads or writes", partition);
        }
    }

    void fires(NodeId id, std::size_t partition) {
        const Partition& own = partitioning.partitions[partition];
        const graph::Node& node = graph.nodes[id];
        const std::string name = path(graph, id);
        if (owners[id] != SIZE_MAX && owners[id] != partition)
            faults.add("'{}' is in two partitions", name);
        owners[id] = partition;
        if (!std::binary_search(own.nodes.begin(), own.nodes.end(), id))
            faults.add("'{}' is in a partition that does not own it", name);
        if ((node.effects & ~(graph::kRandom | graph::kSends)) != 0)
            faults.add("'{}' has an effect in a partition", name);
        const bool isRandom = (node.effects & graph::kRandom) != 0;
        if (isRandom && !own.drawsRandom) faults.add("'{}' draws random numbers unseen", name);
        const bool hasMail = plan.mailboxOf(id) != kNone;
        if ((isRandom || hasMail || changesState(node) || plan.counters[id] >= 0) && !own.isInOrder)
            faults.add("'{}' has state and no order", name);
    }

    bool changesState(const graph::Node& node) const {
        if (node.kernel == kNone || !plan.program->kernels[node.kernel].code.work) return false;
        const std::vector<bool> stored = ir::storedFields(plan.program->kernels[node.kernel].code);
        return std::find(stored.begin(), stored.end(), true) != stored.end();
    }

    void check(const PartitionChannel& channel) {
        const auto& all = partitioning.partitions;
        if (std::max(channel.from, channel.to) >= all.size())
            return faults.add("a channel leads to partition {}",
                              std::max(channel.from, channel.to));
        const bool isWithin = channel.from == channel.to;
        const bool isSame = all[channel.from].slices == all[channel.to].slices;
        if (isWithin != (channel.kind == ChannelKind::Within) ||
            (channel.kind == ChannelKind::BySlice && !isSame))
            faults.add("the channel from partition {} to {} is of the wrong kind", channel.from,
                       channel.to);
    }

    /// From another partition they come over a channel, and it is the only one that sends.
    void checkMessages(const graph::MessageLink& link) {
        const std::size_t from = owners[link.sender], to = owners[link.receiver];
        const std::string name = path(graph, link.receiver);
        if (from == SIZE_MAX || to == SIZE_MAX)
            return faults.add("messages to '{}' leave the partitions", name);
        if (from == to) return;
        const bool isTold = std::any_of(partitioning.channels.begin(), partitioning.channels.end(),
                                        [&](const PartitionChannel& channel) {
                                            return channel.receiver == link.receiver &&
                                                   channel.from == from && channel.to == to;
                                        });
        if (!isTold) faults.add("messages to '{}' have no channel", name);
        for (const graph::MessageLink& other : graph.messages)
            if (other.receiver == link.receiver && owners[other.sender] != from)
                faults.add("two partitions send to '{}'", name);
    }

    const Plan& plan;
    const Partitioning& partitioning;
    const graph::Graph& graph;
    VerifyFaults& faults;
    std::vector<std::size_t> owners;  ///< partitions by node
};

}  // namespace

void checkPartitions(const Plan& plan, VerifyFaults& faults) {
    if (plan.partitioning) PartitionCheck(plan, faults).run();
}

}  // namespace strc::plan
