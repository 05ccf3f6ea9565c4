#include "plan/detail/layout.h"

#include <algorithm>
#include <cstring>

#include "base/pass.h"
#include "plan/detail/arena.h"

namespace strc::plan {
namespace {

__extension__ using Wide = __int128;

Wide aligned(Wide offset, std::int64_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

/// By EdgeId: are there enqueued items on the tape?
std::vector<bool> withInitial(const Plan& plan) {
    std::vector<bool> found(plan.channels.size());
    for (const Channel& channel : plan.channels)
        if (!plan.program->graph.edges[channel.edge].initial.empty()) found[channel.tape] = true;
    return found;
}

bool asksIter(const ir::Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(),
                           [](const ir::Instr& instr) { return instr.op == ir::Op::Iter; });
    });
}

void placeFilters(Plan& plan, Wide& end) {
    const elab::Elaboration& program = *plan.program;
    std::vector<bool> counts;
    for (const elab::Kernel& kernel : program.kernels) counts.push_back(countsFirings(kernel));
    auto place = [&end](std::int64_t size, std::int64_t alignment) -> std::int64_t {
        if (size == 0) return -1;
        const Wide begin = aligned(end, alignment);
        end = begin + size;
        return static_cast<std::int64_t>(begin);
    };
    for (NodeId id = 0; id < program.graph.nodes.size(); ++id) {
        const graph::KernelId kernel = program.graph.nodes[id].kernel;
        const bool isCounted = kernel != graph::kNone && counts[kernel];
        plan.fields.push_back(place(fieldsSize(program, id), kFieldAlignment));
        plan.counters.push_back(place(isCounted ? kCounterSize : 0, kCounterSize));
    }
}

/// After everything that the image has.
void placeQueues(Plan& plan, Wide& end) {
    if (!plan.demand) return;
    const graph::Graph& graph = plan.program->graph;
    auto place = [&end](std::int64_t size, std::size_t count) {
        const Wide begin = aligned(end, kChannelAlignment);
        end = aligned(begin + Wide{size} * static_cast<Wide>(count), kChannelAlignment);
        return static_cast<std::int64_t>(begin);
    };
    plan.demand->queueOffset = place(kQueueSize, graph.edges.size());
    plan.demand->actorOffset = place(kActorSize, graph.nodes.size());
}

/// Likewise.
void placeMailboxes(Plan& plan, Wide& end) {
    if (plan.mailboxes.empty()) return;
    plan.mailboxOffset = static_cast<std::int64_t>(end);
    end = aligned(end + Wide{kMailboxSize} * static_cast<Wide>(plan.mailboxes.size()),
                  kChannelAlignment);
}

/// Before all memory of channels, so that the image is short.
void placeRings(Plan& plan, Wide& end) {
    if (plan.tapes != Tapes::Ring) return;
    end = aligned(end, kChannelAlignment);
    plan.ringOffset = static_cast<std::int64_t>(end);
    end += Wide{kRingSize} * static_cast<Wide>(plan.channels.size());
}

/// Memory for computing fields again lies before all memory of channels, too.
void placeScratch(Plan& plan, Wide& end) {
    std::int64_t most = 0;
    for (const elab::Kernel& kernel : plan.program->kernels)
        if (std::any_of(kernel.derived.begin(), kernel.derived.end(),
                        [](ir::Marks marks) { return marks != 0; }))
            most = std::max({most, kernel.stateSize, std::int64_t{1}});
    if (most == 0) return;
    end = aligned(end, kChannelAlignment);
    plan.scratchOffset = static_cast<std::int64_t>(end);
    end = aligned(end + most, kChannelAlignment);
}

bool sharesMemory(base::Context& context, const Plan& plan) {
    const auto tapes =
        std::count_if(plan.channels.begin(), plan.channels.end(),
                      [&](const Channel& channel) { return canShare(plan, channel.edge); });
    return tapes > 1 && base::PassRun(context.passes, base::Pass::Arena, "the state");
}

/// Channels with enqueued items come first, so that the image is short.
void placeChannels(Plan& plan, bool share, Wide& end) {
    const std::vector<bool> hasInitial = withInitial(plan);
    for (bool initial : {true, false}) {
        for (Channel& channel : plan.channels) {
            if (hasInitial[channel.edge] != initial || channel.tape != channel.edge) continue;
            if (share && canShare(plan, channel.edge)) continue;
            end = aligned(end, kChannelAlignment);
            channel.offset = static_cast<std::int64_t>(end);
            end += Wide{channel.capacity} * channel.itemSize;
        }
    }
    end = aligned(end, kChannelAlignment);
    if (share && end <= INT64_MAX / 2) end = placeShared(plan, static_cast<std::int64_t>(end));
    for (Channel& channel : plan.channels) channel.offset = plan.channels[channel.tape].offset;
}

void makeImage(Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    auto put = [&](std::int64_t offset, const void* bytes, std::size_t size) {
        const auto at = static_cast<std::size_t>(offset);
        if (plan.image.size() < at + size) plan.image.resize(at + size);
        if (size > 0) std::memcpy(plan.image.data() + at, bytes, size);
    };
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (fieldsSize(*plan.program, id) == 0) continue;
        const std::string& state = *plan.program->states[id];
        put(plan.fields[id], state.data(), state.size());
    }
    for (const Channel& channel : plan.channels) {
        if (plan.demand) break;  // initial items are in queues
        if (plan.tapes == Tapes::Ring) {
            const std::string ring = ringBytes(plan, channel.edge);
            put(plan.ringOf(channel.edge), ring.data(), ring.size());
        }
        std::int64_t offset = channel.offset + channel.start * channel.itemSize;
        for (const types::Value& item : graph.edges[channel.edge].initial) {
            put(offset, item.bytes.data(), item.bytes.size());
            offset += channel.itemSize;
        }
    }
}

}  // namespace

bool countsFirings(const elab::Kernel& kernel) {
    const ir::StreamCode& code = kernel.code;
    return (code.work && asksIter(*code.work)) || (code.prework && asksIter(*code.prework)) ||
           std::any_of(code.functions.begin(), code.functions.end(),
                       [](const ir::Body& body) { return asksIter(body); });
}

std::int64_t fieldsSize(const elab::Elaboration& program, NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    return node.kernel == graph::kNone ? 0 : program.kernels[node.kernel].stateSize;
}

std::string ringBytes(const Plan& plan, EdgeId id) {
    const Channel& channel = plan.channels[id];
    const auto written =
        static_cast<std::int64_t>(plan.program->graph.edges[channel.edge].initial.size());
    std::string bytes(kRingSize, '\0');
    auto put = [&](std::int64_t where, std::int64_t value) {
        std::memcpy(bytes.data() + where, &value, sizeof value);
    };
    put(kRingWritten, written);
    put(kRingMask, channel.capacity - 1);
    put(kRingItems, channel.offset - plan.ringOf(id));
    return bytes;
}

bool layOut(base::Context& context, Plan& plan) {
    Wide size = 0;
    placeFilters(plan, size);
    placeRings(plan, size);
    placeChannels(plan, sharesMemory(context, plan), size);
    placeMailboxes(plan, size);
    placeQueues(plan, size);
    placeScratch(plan, size);
    const graph::Graph& graph = plan.program->graph;
    if (size > static_cast<Wide>(context.limits.totalBytes)) {
        context.diags.add(base::Diag::LimitExceeded, graph.composites.empty()
                                                         ? graph.nodes[0].range
                                                         : graph.composites[0].header)
            << "the memory of all tapes and filters"
            << static_cast<std::int64_t>(context.limits.totalBytes);
        return false;
    }
    plan.stateSize = static_cast<std::int64_t>(size);
    makeImage(plan);
    return true;
}

}  // namespace strc::plan
