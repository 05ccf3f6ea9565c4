#include "plan/layout.h"

#include <algorithm>
#include <cstring>

namespace strc::plan {
namespace {

__extension__ using Wide = __int128;

Wide aligned(Wide offset, std::int64_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

bool hasInitial(const Plan& plan, EdgeId id) {
    return !plan.program->graph.edges[id].initial.empty();
}

/// Channels with enqueued items come first, so that the image is short.
Wide placeAll(Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    Wide end = 0;
    plan.fields.clear();
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const std::int64_t size = fieldsSize(*plan.program, id);
        if (size > 0) end = aligned(end, kFieldAlignment);
        plan.fields.push_back(static_cast<std::int64_t>(end));
        end += size;
    }
    for (bool initial : {true, false}) {
        for (Channel& channel : plan.channels) {
            if (hasInitial(plan, channel.edge) != initial) continue;
            end = aligned(end, kChannelAlignment);
            channel.offset = static_cast<std::int64_t>(end);
            end += Wide{channel.capacity} * channel.itemSize;
        }
    }
    return aligned(end, kChannelAlignment);
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
        std::int64_t offset = channel.offset;
        for (const types::Value& item : graph.edges[channel.edge].initial) {
            put(offset, item.bytes.data(), item.bytes.size());
            offset += channel.itemSize;
        }
    }
}

}  // namespace

std::int64_t fieldsSize(const elab::Elaboration& program, NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    return node.kernel == graph::kNone ? 0 : program.kernels[node.kernel].stateSize;
}

bool layOut(base::Context& context, Plan& plan) {
    const Wide size = placeAll(plan);
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
