#include <algorithm>

#include "plan/detail/layout.h"
#include "plan/detail/names.h"
#include "plan/detail/state_check.h"

namespace strc::plan {

using graph::kNone;

StateCheck::StateCheck(const Plan& plan, VerifyFaults& faults)
    : plan(plan), graph(plan.program->graph), faults(faults), over(graph.edges.size()) {}

void StateCheck::run() {
    std::vector<Block> blocks;
    addNodes(blocks);
    for (const Channel& channel : plan.channels) addChannel(blocks, channel);
    if (!plan.mailboxes.empty())
        blocks.push_back(
            {plan.mailboxOffset,
             plan.mailboxOffset + kMailboxSize * static_cast<std::int64_t>(plan.mailboxes.size()),
             "mailboxes"});
    if (plan.demand) addQueues(blocks);
    checkOverlaps(blocks);
    checkImage();
}

std::string StateCheck::name(EdgeId id) const { return edgeName(graph, id); }

void StateCheck::addNodes(std::vector<Block>& blocks) const {
    for (NodeId id = 0; id < plan.fields.size(); ++id) {
        const std::int64_t size = fieldsSize(*plan.program, id);
        if (plan.counters[id] >= 0)
            blocks.push_back({plan.counters[id], plan.counters[id] + kCounterSize, "counter"});
        if (size > 0) blocks.push_back({plan.fields[id], plan.fields[id] + size, "fields"});
    }
}

void StateCheck::addChannel(std::vector<Block>& blocks, const Channel& channel) {
    if (channel.offset % kChannelAlignment != 0)
        faults.add("the channel of {} is not aligned", name(channel.edge));
    const std::int64_t end = channel.offset + channel.capacity * channel.itemSize;
    if (end > channel.offset)
        blocks.push_back({channel.offset, end, name(channel.edge), channel.edge});
    if (hasRings()) addRing(blocks, channel);
    const auto initial =
        static_cast<std::int64_t>(plan.demand ? 0 : graph.edges[channel.edge].initial.size());
    if (plan.channels[channel.tape].capacity < std::max(initial, channel.retained))
        faults.add("{} has no room for the items that stay", name(channel.edge));
}

void StateCheck::addRing(std::vector<Block>& blocks, const Channel& channel) {
    const std::int64_t begin = plan.ringOf(channel.edge), mask = channel.capacity - 1;
    blocks.push_back({begin, begin + kRingSize, "the ring of " + name(channel.edge)});
    if (mask < 0 || (channel.capacity & mask) != 0)
        faults.add("the ring of {} has {} places", name(channel.edge), channel.capacity);
}

void StateCheck::addQueues(std::vector<Block>& blocks) const {
    auto add = [&](std::int64_t begin, std::int64_t size, std::size_t count, const char* what) {
        blocks.push_back({begin, begin + size * static_cast<std::int64_t>(count), what});
    };
    add(plan.demand->queueOffset, kQueueSize, graph.edges.size(), "queues");
    add(plan.demand->actorOffset, kActorSize, graph.nodes.size(), "actors");
}

bool StateCheck::imageHas(std::int64_t offset, const std::string& bytes) const {
    const auto at = static_cast<std::size_t>(offset);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if ((at + i < plan.image.size() ? plan.image[at + i] : '\0') != bytes[i]) return false;
    }
    return true;
}

void StateCheck::checkImage() {
    for (NodeId id = 0; id < plan.program->states.size(); ++id) {
        const auto& state = plan.program->states[id];
        if (plan.fields[id] >= 0 && !imageHas(plan.fields[id], *state))
            faults.add("the image lacks the fields of '{}'", path(graph, id));
    }
    for (const Channel& channel : plan.channels) {
        if (plan.demand) break;  // initial items are in queues
        if (hasRings() && !imageHas(plan.ringOf(channel.edge), ringBytes(plan, channel.edge)))
            faults.add("the image lacks the ring of {}", name(channel.edge));
        std::int64_t offset = channel.offset + channel.start * channel.itemSize;
        for (const types::Value& item : graph.edges[channel.edge].initial) {
            if (!imageHas(offset, item.bytes))
                faults.add("the image lacks items of {}", name(channel.edge));
            offset += channel.itemSize;
        }
    }
}

void StateCheck::checkOverlaps(std::vector<Block>& blocks) {
    std::sort(blocks.begin(), blocks.end(),
              [](const Block& a, const Block& b) { return a.begin < b.begin; });
    std::vector<const Block*> open;  // blocks that may reach as far as the one at hand
    for (const Block& block : blocks) {
        std::erase_if(open, [&](const Block* other) { return other->end <= block.begin; });
        for (const Block* other : open) checkOverlap(*other, block);
        open.push_back(&block);
        if (block.end > plan.stateSize) faults.add("the state is too small");
    }
}

/// Two tapes may have the same memory, if what one holds is never needed once the other is written.
void StateCheck::checkOverlap(const Block& a, const Block& b) {
    const bool areTapes = a.tape != kNone && b.tape != kNone && !hasRings() && !plan.demand;
    if (!areTapes || plan.channels[a.tape].retained != 0 || plan.channels[b.tape].retained != 0 ||
        plan.channels[a.tape].start != 0 || plan.channels[b.tape].start != 0 ||
        !graph.edges[a.tape].initial.empty() || !graph.edges[b.tape].initial.empty())
        return faults.add("{} overlaps another block of the state", b.what);
    over[a.tape].push_back(b.tape);
    over[b.tape].push_back(a.tape);
}

}  // namespace strc::plan
