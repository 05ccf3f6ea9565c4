#include <algorithm>
#include <cstddef>

#include "ir/affine_state.h"
#include "ir/stored_fields.h"
#include "plan/detail/chunk_check.h"
#include "plan/detail/layout.h"
#include "plan/detail/names.h"

namespace strc::plan {
namespace {

using graph::kNone;

class CarryCheck {
public:
    CarryCheck(const Plan& made, const Chunk& of, VerifyFaults& all)
        : plan(made), chunk(of), graph(made.program->graph), faults(all) {}

    void run() {
        if (chunk.usual < 1 || chunk.usual > chunk.slices)
            faults.add("a chunk has {} slices of at most {}", chunk.usual, chunk.slices);
        if (!chunk.coarse.empty() && chunk.coarse.size() != chunk.carries.size())
            faults.add("a chunk has {} coarse sections", chunk.coarse.size());
        for (const Carry& carry : chunk.carries) checkPlace(carry);
        for (std::size_t k = 0; k < chunk.segments.size(); ++k) look(chunk.segments[k].steps, k);
    }

private:
    void checkPlace(const Carry& carry) {
        const bool isInState = carry.kind != CarryKind::Random && carry.kind != CarryKind::Order;
        if (carry.taken >= chunk.segments.size() || carry.given > chunk.segments.size())
            faults.add("a chunk has no segment {}", std::max(carry.taken, carry.given));
        const std::int64_t last = carry.from + (chunk.slices - 1) * carry.perSlice;
        if (isInState && (std::min({carry.from, last, carry.to}) < 0 || carry.size <= 0 ||
                          std::max({carry.from, last, carry.to}) + carry.size > plan.stateSize))
            faults.add("a chunk carries what is outside of the state");
    }

    void look(const std::vector<Step>& steps, std::size_t segment) {
        for (const Step& step : steps) {
            if (step.kind == StepKind::Loop) look(step.body, segment);
            if (step.kind == StepKind::Fire) fires(step.node, segment);
            if (step.kind == StepKind::Read || step.kind == StepKind::Write)
                plan.demand
                    ? checkQueue(step)
                    : checkOrder(kNone, segment, CarryKind::Order, "the open end of the program");
        }
    }

    /// The end of the queue that the step moves.
    void checkQueue(const Step& step) {
        const std::int64_t queue =
            plan.demand->queueOffset + kQueueSize * std::int64_t{step.channel};
        const std::size_t end =
            step.kind == StepKind::Read ? offsetof(strc_queue, first) : offsetof(strc_queue, last);
        const std::int64_t at = queue + static_cast<std::int64_t>(end);
        const bool isCounted =
            std::any_of(chunk.carries.begin(), chunk.carries.end(), [&](const Carry& carry) {
                return carry.kind == CarryKind::Counter && carry.to == at &&
                       carry.summand == step.count * plan.channels[step.channel].itemSize;
            });
        if (!isCounted) faults.add("chunks do not know where {} is", edgeName(graph, step.channel));
    }

    void fires(NodeId id, std::size_t segment) {
        const graph::Node& node = graph.nodes[id];
        const std::string name = path(graph, id);
        if (node.effects & graph::kRandom) checkOrder(id, segment, CarryKind::Random, name);
        if (node.effects & (graph::kPrints | graph::kWritesFile))
            checkOrder(id, segment, CarryKind::Order, name);
        checkMail(id, segment, name);
        if (node.kernel == kNone) return;
        const elab::Kernel& kernel = plan.program->kernels[node.kernel];
        if (!kernel.code.work) return;
        const std::vector<bool> stored = ir::storedFields(kernel.code);
        for (std::size_t k = 0; k < stored.size(); ++k)
            if (stored[k] && !isCarried(id, segment, plan.fields[id] + kernel.fieldOffsets[k],
                                        types::sizeOf(kernel.fieldTypes[k])))
                faults.add("field {} of '{}' is not carried from chunk to chunk", k, name);
        if (plan.counters[id] >= 0 && !isCarried(id, segment, plan.counters[id], 8))
            faults.add("the count of firings of '{}' is not carried", name);
    }

    void checkMail(NodeId id, std::size_t segment, const std::string& name) {
        const std::uint32_t box = plan.mailboxOf(id);
        if (box == kNone) return;
        const std::int64_t at = plan.mailboxOffset + kMailboxSize * std::int64_t{box};
        if (!isCarried(id, segment, at + std::int64_t{offsetof(strc_mailbox, fired)}, 8))
            faults.add("the firings of '{}' are not counted from chunk to chunk", name);
        if (plan.mailboxes[box].receives) checkOrder(id, segment, CarryKind::Mail, name);
        for (const graph::MessageLink& link : graph.messages)
            if (link.sender == id && isGivenBefore(link.receiver, segment))
                faults.add("'{}' sends when the messages to '{}' have gone to the next chunk", name,
                           path(graph, link.receiver));
    }

    bool isGivenBefore(NodeId receiver, std::size_t segment) const {
        return std::any_of(chunk.carries.begin(), chunk.carries.end(), [&](const Carry& carry) {
            return carry.node == receiver && carry.kind == CarryKind::Mail &&
                   carry.given <= segment;
        });
    }

    bool isCarried(NodeId id, std::size_t segment, std::int64_t at, std::int64_t size) const {
        return std::any_of(chunk.carries.begin(), chunk.carries.end(), [&](const Carry& carry) {
            const bool isAtOnce =
                carry.kind == CarryKind::Affine || carry.kind == CarryKind::Counter;
            return carry.node == id && carry.from <= at && carry.from + carry.size >= at + size &&
                   (isAtOnce ? carry.taken <= segment
                             : carry.kind == CarryKind::State && spans(carry, segment));
        });
    }

    static bool spans(const Carry& carry, std::size_t segment) {
        return carry.taken <= segment && segment < carry.given;
    }

    void checkOrder(NodeId id, std::size_t segment, CarryKind kind, const std::string& who) {
        const bool isOrdered =
            std::any_of(chunk.carries.begin(), chunk.carries.end(), [&](const Carry& carry) {
                return carry.node == id && carry.kind == kind && spans(carry, segment);
            });
        if (!isOrdered) faults.add("what '{}' does has no order among chunks", who);
    }

    const Plan& plan;
    const Chunk& chunk;
    const graph::Graph& graph;
    VerifyFaults& faults;
};

void check(const Plan& plan, const Chunk& chunk, VerifyFaults& faults) {
    CarryCheck(plan, chunk, faults).run();
    if (!chunk.coarse.empty()) CarryCheck(plan, coarser(chunk), faults).run();
}

}  // namespace

void checkCarries(const Plan& plan, VerifyFaults& faults) {
    if (plan.chunk) check(plan, *plan.chunk, faults);
    if (!plan.demand) return;
    for (const Region& region : plan.demand->regions)
        if (region.chunk) check(plan, *region.chunk, faults);
}

}  // namespace strc::plan
