#include "plan/detail/partition.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/stored_fields.h"
#include "ir/varying.h"
#include "plan/detail/layout.h"
#include "plan/detail/message_order.h"
#include "plan/detail/slice.h"
#include "plan/marks.h"
#include "plan/work.h"
#include "strc/partitions.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// Threads have to gain at least so much.
constexpr double kLeastGain = 1.2;
/// Firings of filters that can be in vectors should fill these.
constexpr std::int64_t kWholeVectors = 16;
constexpr std::int64_t kMostSlices = 8;

bool changesState(const elab::Kernel& kernel) {
    if (!kernel.code.work) return false;
    const std::vector<bool> stored = ir::storedFields(kernel.code);
    return countsFirings(kernel) || std::find(stored.begin(), stored.end(), true) != stored.end();
}

/// The phase as steps and who waits for whom.
class Division {
public:
    Division(const Plan& made, const Placed& placed, std::int64_t states, const Measured* measured)
        : plan(made),
          program(*made.program),
          iterations(states),
          work(program, measured),
          least(measured ? kLeastMeasured : kLeastPartition),
          posts(postsOf(made)) {
        bool hasMoved = false;
        for (const Step& step : placed.steps) {
            if (step.kind == StepKind::Read || isEnd(step, true)) {
                begin.push_back(step);
                isFine = isFine && !hasMail(step.node);
            } else if (step.kind == StepKind::Write || step.kind == StepKind::Move ||
                       isEnd(step, false)) {
                end.push_back(step);
                isFine = isFine && !hasMail(step.node);
                hasMoved = hasMoved || step.kind == StepKind::Move;
            } else {
                isFine = isFine && !hasMoved && mayBeShared(step);
                steps.push_back(step);
            }
        }
    }

    bool isFine = true;  ///< threads can share it

    /// So many slices, each with whole vectors?
    bool canHave(std::int64_t slices) const {
        if (iterations % slices != 0) return false;
        return slices == 1 || vectorFirings() / slices >= kWholeVectors;
    }

    bool isWorthIt(const Partitioning& all) const {
        return all.work >= 2 * least && all.span * kLeastGain <= all.work;
    }

    Partitioning inSlices(std::int64_t slices, unsigned threads) const {
        std::vector<PartitionDraft> drafts = draw(slices);
        joinDrafts(drafts, least * static_cast<double>(slices));
        Partitioning made;
        made.begin = begin;
        made.end = end;
        made.iterations = iterations;
        made.slices = slices;
        std::vector<std::size_t> of(steps.size());  // partitions by step
        for (const PartitionDraft& draft : drafts) {
            if (draft.steps.empty()) continue;
            for (std::size_t k : draft.steps) of[k] = made.partitions.size();
            made.work += draft.work;
            made.partitions.push_back(partitionOf(draft, slices));
        }
        made.channels = channelsOf(made.partitions, of);
        made.span = spread(made.partitions, made.channels, threads);
        made.nodeWork = nodeWork(made.partitions);
        return made;
    }

private:
    /// Who is asked about a step: the nodes that fire in it.
    template <typename Visit>
    static void forEachFiring(const Step& step, Visit visit) {
        if (step.kind == StepKind::Fire) visit(step);
        for (const Step& inner : step.body) forEachFiring(inner, visit);
    }

    bool hasEffect(NodeId id) const {
        const graph::Node& node = program.graph.nodes[id];
        return (node.effects & ~(graph::kRandom | graph::kSends)) != 0 ||
               (node.kernel != kNone &&
                program.kernels[node.kernel].builtin != types::BuiltinStream::None);
    }

    bool hasMail(NodeId id) const { return id != kNone && plan.mailboxOf(id) != kNone; }

    /// What prints, reads or writes files at an end of the program stays with the calling thread.
    bool isEnd(const Step& step, bool isFirst) const {
        return step.kind == StepKind::Fire && hasEffect(step.node) &&
               (isFirst ? plan.inputsOf(step.node) : plan.outputsOf(step.node)).empty();
    }

    bool mayBeShared(const Step& step) const {
        bool fine = step.kind == StepKind::Fire || step.kind == StepKind::Loop;
        forEachFiring(step, [&](const Step& firing) { fine = fine && !hasEffect(firing.node); });
        return fine;
    }

    bool canBeVectors(const Step& step) const {
        if (step.kind != StepKind::Fire) return false;
        const graph::Node& node = program.graph.nodes[step.node];
        if (node.kernel == kNone) return false;
        const elab::Kernel& kernel = program.kernels[node.kernel];
        return kernel.code.work && !hasMail(step.node) && !changesState(kernel) &&
               ir::findVarying(*kernel.code.work).whyNot.empty();
    }

    /// The fewest firings of a filter that can be in vectors, if such filters matter.
    std::int64_t vectorFirings() const {
        double vectors = 0, all = 0;
        std::int64_t fewest = INT64_MAX;
        for (const Step& step : steps) {
            const double each = work.of(plan, step);
            all += each;
            if (!canBeVectors(step)) continue;
            vectors += each;
            fewest = std::min(fewest, step.count);
        }
        return 4 * vectors > all ? fewest : INT64_MAX;
    }

    // ---- drafts: a step each

    std::vector<PartitionDraft> draw(std::int64_t slices) const {
        std::vector<PartitionDraft> drafts(steps.size());
        std::map<EdgeId, std::vector<std::size_t>> writers;  // by tape
        for (std::size_t k = 0; k < steps.size(); ++k) {
            drafts[k].steps = {k};
            drafts[k].work = work.of(plan, steps[k]);
            drafts[k].isSliced = steps[k].count % slices == 0;
            describe(steps[k], drafts[k]);
            const std::set<EdgeId> held = tapes(steps[k], true, true);
            for (EdgeId tape : tapes(steps[k], true))
                for (std::size_t writer : writers[tape]) {
                    drafts[writer].to.insert(k);
                    drafts[k].from.insert(writer);
                    if (held.contains(tape)) drafts[k].before.insert(writer);
                }
            for (EdgeId tape : tapes(steps[k], false)) writers[tape].push_back(k);
        }
        for (const Post& post : posts)
            for (std::size_t from = 0; from < steps.size(); ++from)
                for (std::size_t to = from + 1; to < steps.size(); ++to)
                    if (drafts[from].nodes.contains(post.sender) &&
                        drafts[to].nodes.contains(post.receiver)) {
                        drafts[from].to.insert(to);
                        drafts[to].from.insert(from);
                    }
        return drafts;
    }

    void describe(const Step& step, PartitionDraft& draft) const {
        draft.isInOrder = step.kind == StepKind::Loop;  // feedback
        forEachFiring(step, [&](const Step& firing) {
            const graph::Node& node = program.graph.nodes[firing.node];
            draft.nodes.insert(firing.node);
            draft.drawsRandom = draft.drawsRandom || (node.effects & graph::kRandom) != 0;
            draft.isInOrder = draft.isInOrder || draft.drawsRandom || hasMail(firing.node) ||
                              (node.kernel != kNone && changesState(program.kernels[node.kernel]));
        });
    }

    /// `retaining`: only those on which items stay between phases for one that fires in it.
    std::set<EdgeId> tapes(const Step& step, bool isInput, bool retaining = false) const {
        std::set<EdgeId> found;
        forEachFiring(step, [&](const Step& firing) {
            for (EdgeId edge : isInput ? plan.inputsOf(firing.node) : plan.outputsOf(firing.node))
                if (!retaining || plan.channels[edge].retained > 0)
                    found.insert(plan.channels[edge].tape);
        });
        return found;
    }

    // ---- partitions

    std::vector<double> nodeWork(const std::vector<Partition>& partitions) const {
        std::vector<double> found(program.graph.nodes.size());
        for (const Partition& partition : partitions)
            for (const auto& [node, firings] : firingsOf(partition.steps))
                found[node] +=
                    work.ofFiring(node) * static_cast<double>(firings * partition.slices);
        return found;
    }

    Partition partitionOf(const PartitionDraft& draft, std::int64_t slices) const {
        Partition made;
        made.slices = draft.isSliced ? slices : 1;
        made.isInOrder = draft.isInOrder;
        made.drawsRandom = draft.drawsRandom;
        made.work = draft.work;
        made.nodes.assign(draft.nodes.begin(), draft.nodes.end());
        for (std::size_t k : draft.steps)
            made.steps.push_back(sliceOf(plan, steps[k], made.slices));
        return made;
    }

    std::vector<PartitionChannel> channelsOf(const std::vector<Partition>& partitions,
                                             const std::vector<std::size_t>& of) const {
        std::map<EdgeId, std::set<std::size_t>> writers;
        std::set<std::pair<EdgeId, std::pair<std::size_t, std::size_t>>> found;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            for (EdgeId tape : tapes(steps[k], true))
                for (std::size_t from : writers[tape]) found.insert({tape, {from, of[k]}});
            for (EdgeId tape : tapes(steps[k], false)) writers[tape].insert(of[k]);
        }
        std::vector<PartitionChannel> made;
        auto add = [&](EdgeId tape, NodeId receiver, std::size_t from, std::size_t to) {
            const bool bySlice = partitions[from].slices == partitions[to].slices;
            made.push_back({tape, receiver, from, to,
                            from == to ? ChannelKind::Within
                            : bySlice  ? ChannelKind::BySlice
                                       : ChannelKind::Whole});
        };
        for (const auto& [tape, ends] : found) add(tape, kNone, ends.first, ends.second);
        for (const Post& post : posts) {
            const std::size_t from = ownerOf(partitions, post.sender);
            const std::size_t to = ownerOf(partitions, post.receiver);
            if (from != to) add(kNone, post.receiver, from, to);
        }
        return made;
    }

    static std::size_t ownerOf(const std::vector<Partition>& partitions, NodeId node) {
        std::size_t k = 0;
        while (!std::binary_search(partitions[k].nodes.begin(), partitions[k].nodes.end(), node))
            ++k;
        return k;
    }

    const Plan& plan;
    const elab::Elaboration& program;
    std::int64_t iterations;
    WorkEstimate work;
    double least;  ///< work that is worth a hand-over
    std::vector<Post> posts;  ///< where sender and receiver need not be together
    std::vector<Step> begin, steps, end;
};

}  // namespace

std::optional<Partitioning> divide(const Plan& made, const Placed& placed, std::int64_t iterations,
                                   unsigned threads, const Measured* measured) {
    const Division division(made, placed, iterations, measured);
    if (!division.isFine) return std::nullopt;
    std::optional<Partitioning> best;
    for (std::int64_t slices = 1; slices <= kMostSlices; slices *= 2) {
        if (!division.canHave(slices)) continue;
        Partitioning next = division.inSlices(slices, threads);
        const bool isPossible =
            next.partitions.size() <= STRC_MOST_PARTITIONS && division.isWorthIt(next);
        if (isPossible && (!best || next.span < best->span)) best = std::move(next);
    }
    return best;
}

}  // namespace strc::plan
