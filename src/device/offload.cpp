#include "device/offload.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "base/assert.h"
#include "base/pass.h"
#include "base/passes.h"
#include "device/detail/movable.h"
#include "device/detail/parts.h"
#include "device/detail/tensor_cores.h"
#include "device/detail/uses.h"

namespace strc::device {

using graph::EdgeId;
using graph::kNone;
using graph::NodeId;
using graph::NodeKind;
using plan::Step;
using plan::StepKind;

namespace {

constexpr std::int64_t kAlign = 256;
constexpr std::int64_t kMostScratch = std::int64_t{1} << 30;  ///< bytes, of firings at once

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

/// Part of a tape that some steps read or write: bytes of the state from `at`, for iterations of the loops around.
struct Window {
    std::int64_t at = 0, size = 0;
    std::vector<std::int64_t> perIteration;  ///< of the loops around the segment
};

class Offloader {
public:
    Offloader(const plan::Plan& from, const Movable& what)
        : plan(from),
          graph(from.program->graph),
          movable(what),
          firstKernel(from.program->kernels.size(), 0),
          placed(from.program->kernels.size(), false) {}

    Offloaded run(bool cuts) {
        result.plan = plan;
        result.stays = movable.stays;
        result.why = whyNothing();
        if (!result.why.empty()) return std::move(result);
        for (plan::Phase* phase : {&result.plan.init, &result.plan.steady, &result.plan.scaled}) {
            isCutting = cuts && phase == &result.plan.scaled;
            phase->steps = moved(phase->steps, 0);
        }
        noteKept();
        noteMost();
        mergeShared();
        return std::move(result);
    }

private:
    std::string whyNothing() const {
        if (plan.demand) return "it has dynamic rates";
        if (plan.tapes == plan::Tapes::Ring) return "its tapes are ring buffers";
        if (!movable.any()) return "no filter of it computes with tensors alone";
        std::size_t deepest = 0;
        for (const plan::Phase* phase : {&plan.init, &plan.steady, &plan.scaled})
            deepest = std::max(deepest, depthOf(phase->steps));
        constexpr std::size_t kOfBodies = 3;  // one for firings in turn or in parts
        return deepest + kOfBodies > kDepth ? "its loops are nested too deeply" : "";
    }

    static std::size_t depthOf(const std::vector<Step>& steps) {
        std::size_t depth = 0;
        for (const Step& step : steps)
            if (step.kind == StepKind::Loop) depth = std::max(depth, 1 + depthOf(step.body));
        return depth;
    }

    // ---- steps

    bool isDevices(EdgeId edge) const { return movable.tapes[plan.channels[edge].tape]; }

    bool isMovable(const Step& step) const {
        switch (step.kind) {
            case StepKind::Fire: return movable.nodes[step.node];
            case StepKind::Loop:
                return std::all_of(step.body.begin(), step.body.end(),
                                   [&](const Step& inner) { return isMovable(inner); });
            case StepKind::Move: return isDevices(step.channel);
            default: return false;
        }
    }

    std::vector<Step> moved(const std::vector<Step>& steps, std::size_t depth) {
        std::vector<Step> made;
        std::vector<const Step*> run;
        std::vector<const Step*> later;  // moves of the host that the run does not see
        auto flush = [&] {
            if (run.empty()) return;
            made.push_back(segment(run, depth));
            // The host's copy of what the host reads moves along.
            for (const Step* step : run)
                if (step->kind == StepKind::Move && readByHost(step->channel))
                    made.push_back(*step);
            for (const Step* step : later) made.push_back(*step);
            run.clear();
            later.clear();
        };
        for (const Step& step : steps) {
            if (isMovable(step)) {
                const bool sees = std::any_of(later.begin(), later.end(), [&](const Step* move) {
                    return touches(plan, step, move->channel);
                });
                if (sees) flush();
                run.push_back(&step);
                continue;
            }
            if (step.kind == StepKind::Move && !run.empty()) {
                later.push_back(&step);
                continue;
            }
            flush();
            made.push_back(step);
            if (step.kind == StepKind::Loop) made.back().body = moved(step.body, depth + 1);
        }
        flush();
        return made;
    }

    bool readByHost(EdgeId edge) const { return movable.isReadByHost[plan.channels[edge].tape]; }

    Step segment(const std::vector<const Step*>& steps, std::size_t outer) {
        Segment made;
        made.depth = outer;
        uploads.clear();
        downloads.clear();
        counts.clear();
        depth = base = outer;
        const std::vector<Part> parts =
            isCutting && outer == 0 ? partsOf(plan, movable, steps) : std::vector<Part>{};
        if (parts.empty()) {
            const std::vector<Operation> work = operationsOf(steps);
            append(made.operations, transfers(uploads, OperationKind::Upload));
            append(made.operations, work);
            append(made.operations, transfers(downloads, OperationKind::Download));
        }
        for (const Part& part : parts) {
            std::vector<const Step*> own;
            for (const Step& step : part.steps) own.push_back(&step);
            append(made.operations, transfers(windowsOf(part.uploads), OperationKind::Upload));
            append(made.operations, operationsOf(own));
            append(made.operations, transfers(windowsOf(part.downloads), OperationKind::Download));
        }
        made.parts = std::max<std::size_t>(parts.size(), 1);
        result.segments.push_back(std::move(made));
        Step step;
        step.kind = StepKind::Device;
        step.port = static_cast<std::uint32_t>(result.segments.size() - 1);
        return step;
    }

    static void append(std::vector<Operation>& to, const std::vector<Operation>& from) {
        to.insert(to.end(), from.begin(), from.end());
    }

    std::vector<Operation> operationsOf(const std::vector<const Step*>& steps) {
        std::vector<Operation> made;
        current = &made;
        for (const Step* step : steps) add(*step);
        return made;
    }

    static std::vector<Window> windowsOf(const std::vector<Span>& spans) {
        std::vector<Window> windows;
        for (const Span& span : spans) windows.push_back({span.begin, span.end - span.begin, {}});
        return windows;
    }

    void add(const Step& step) {
        switch (step.kind) {
            case StepKind::Fire: return fire(step);
            case StepKind::Loop:
                return repeat(step.count, [&] {
                    for (const Step& inner : step.body) add(inner);
                });
            case StepKind::Move: return move(step);
            default: STRC_UNREACHABLE("a step of the host");
        }
    }

    template <typename Body>
    void repeat(std::int64_t count, Body body) {
        if (count == 0) return;
        const std::size_t at = current->size();
        Operation loop;
        loop.kind = OperationKind::Repeat;
        loop.count = count;
        current->push_back(loop);
        counts.push_back(count);
        ++depth;
        body();
        --depth;
        counts.pop_back();
        (*current)[at].what = static_cast<std::uint32_t>(current->size() - at - 1);
    }

    // ---- windows of tapes

    Address addressOf(EdgeId edge, const Position& position, std::int64_t item,
                      std::int64_t rate) const {
        const plan::Channel& channel = plan.channels[edge];
        Address address;
        address.at = channel.offset + (position.base + item) * channel.itemSize;
        address.perFiring = rate * channel.itemSize;
        for (std::int64_t per : position.perIteration)
            address.perIteration.push_back(per * channel.itemSize);
        return address;
    }

    /// `items` items from there on, in all iterations of the segment's own loops.
    Window windowOf(const Address& address, std::int64_t bytes) const {
        Window window{address.at, bytes, {}};
        for (std::size_t d = 0; d < address.perIteration.size(); ++d) {
            if (d < base) {
                window.perIteration.push_back(address.perIteration[d]);
                continue;
            }
            if (d - base >= counts.size()) break;
            const std::int64_t way = address.perIteration[d] * (counts[d - base] - 1);
            if (way < 0) window.at += way;
            window.size += std::abs(way);
        }
        while (!window.perIteration.empty() && window.perIteration.back() == 0)
            window.perIteration.pop_back();
        return window;
    }

    void noteWindows(const Step& step) {
        for (const Use& use : usesOf(plan, step)) {
            const bool isCopied = use.isWritten ? readByHost(use.edge) : !isDevices(use.edge);
            if (!isCopied || use.items == 0) continue;
            const Position& position = (use.isWritten ? step.outputs : step.inputs)[use.port];
            (use.isWritten ? downloads : uploads)
                .push_back(windowOf(addressOf(use.edge, position, 0, 0),
                                    use.items * plan.channels[use.edge].itemSize));
        }
    }

    /// Each byte once.
    std::vector<Operation> transfers(std::vector<Window> windows, OperationKind kind) {
        auto less = [](const Window& a, const Window& b) {
            return std::tie(a.perIteration, a.at) < std::tie(b.perIteration, b.at);
        };
        std::sort(windows.begin(), windows.end(), less);
        std::vector<Window> merged;
        for (const Window& window : windows) {
            const bool joins = !merged.empty() &&
                               merged.back().perIteration == window.perIteration &&
                               window.at <= merged.back().at + merged.back().size;
            if (!joins) {
                merged.push_back(window);
                continue;
            }
            Window& last = merged.back();
            last.size = std::max(last.size, window.at + window.size - last.at);
        }
        std::vector<Operation> made;
        for (const Window& window : merged) {
            Operation operation;
            operation.kind = kind;
            operation.bytes = window.size;
            operation.addresses = {{Memory::State, window.at, 0, window.perIteration}};
            made.push_back(operation);
            if (window.perIteration.empty()) result.shared.push_back({window.at, window.size});
        }
        return made;
    }

    // ---- firings

    void fire(const Step& step) {
        const graph::Node& node = graph.nodes[step.node];
        noteWindows(step);
        if (node.kind != NodeKind::Filter ||
            plan.program->kernels[node.kernel].builtin != ir::BuiltinStream::None)
            return pass(step, node);
        const Firing& firing = movable.firings.at(node.kernel);
        address(node.kernel, firing, step.node);
        std::int64_t atOnce = step.count;
        if (firing.isStateful) atOnce = 1;
        if (firing.scratchSize > 0)
            atOnce = std::clamp<std::int64_t>(kMostScratch / firing.scratchSize, 1, atOnce);
        needScratch(step.node, atOnce * firing.scratchSize);
        const std::int64_t groups = step.count / atOnce, rest = step.count % atOnce;
        if (groups == 1)
            firings(step, node, firing, {0, 0, atOnce});
        else
            repeat(groups, [&] { firings(step, node, firing, {0, atOnce, atOnce}); });
        if (rest > 0) firings(step, node, firing, {groups * atOnce, 0, rest});
    }

    /// Some of the firings of a step.
    struct Firings {
        std::int64_t first, perIteration;  ///< of the loop that is entered last
        std::int64_t count;
    };

    void firings(const Step& step, const graph::Node& node, const Firing& firing,
                 const Firings& part) {
        now = {&step, &node, &firing, part, depth};
        actions(firing.actions);
    }

    void actions(const Actions& list) {
        for (const Action& action : list) {
            if (const auto* loop = std::get_if<Repeat>(&action.what)) {
                repeat(loop->count, [&] { actions(loop->body); });
                continue;
            }
            if (const auto* all = std::get_if<Persist>(&action.what)) {
                persist(*all);
                continue;
            }
            Operation made = operation();
            if (const auto* launch = std::get_if<Launch>(&action.what)) {
                made.what = firstKernel[now.node->kernel] + launch->kernel;
                for (const Array& array : now.firing->kernels[launch->kernel].arrays)
                    made.addresses.push_back(addressOf(array));
            } else if (const auto* sum = std::get_if<Contract>(&action.what)) {
                made.kind = OperationKind::Contract;
                made.what =
                    contraction({sum->how, sum->element, sum->factor, sum->isForTensorCores});
                for (const Array& array : {sum->out, sum->a, sum->b})
                    made.addresses.push_back(addressOf(array));
                for (const Array& array : sum->added) made.addresses.push_back(addressOf(array));
            } else if (const auto* attend = std::get_if<Attend>(&action.what)) {
                made.kind = OperationKind::Attend;
                made.what = attention(attend->how);
                for (const Array& array : attend->arrays)
                    made.addresses.push_back(addressOf(array));
            } else if (const auto* copy = std::get_if<Copy>(&action.what)) {
                made.kind = OperationKind::Copy;
                made.bytes = copy->bytes;
                made.addresses = {addressOf(copy->to), addressOf(copy->from)};
            } else if (const auto* zero = std::get_if<Zero>(&action.what)) {
                made.kind = OperationKind::Zero;
                made.bytes = zero->bytes;
                made.addresses = {addressOf(zero->to)};
            }
            current->push_back(std::move(made));
        }
    }

    /// Of the firings at hand.
    Operation operation() const {
        Operation made;
        made.node = now.step->node;
        made.count = now.part.count;
        made.firstIteration = now.depth;
        return made;
    }

    /// The kernel, then what is done in its place where it does not fit.
    void persist(const Persist& all) {
        auto [known, isNew] =
            persistOf.try_emplace(&all, static_cast<std::uint32_t>(result.persists.size()));
        if (isNew) result.persists.push_back({all, now.node->kernel});
        Operation made = operation();
        made.kind = OperationKind::Persist;
        made.what = known->second;
        for (const Array& array : all.arrays) made.addresses.push_back(addressOf(array));
        const std::size_t at = current->size();
        current->push_back(std::move(made));
        actions(all.otherwise);
        (*current)[at].skips = static_cast<std::uint32_t>(current->size() - at - 1);
    }

    std::uint32_t contraction(const Contraction& wanted) {
        auto same = [&](const Contraction& known) {
            return known.element == wanted.element && known.factor == wanted.factor &&
                   known.isForTensorCores == wanted.isForTensorCores &&
                   toTuple(known.how) == toTuple(wanted.how);
        };
        auto found = std::find_if(result.contractions.begin(), result.contractions.end(), same);
        if (found == result.contractions.end())
            found = result.contractions.insert(result.contractions.end(), wanted);
        return static_cast<std::uint32_t>(found - result.contractions.begin());
    }

    std::uint32_t attention(const ir::Attention& wanted) {
        auto found = std::find(result.attentions.begin(), result.attentions.end(), wanted);
        if (found == result.attentions.end())
            found = result.attentions.insert(result.attentions.end(), wanted);
        return static_cast<std::uint32_t>(found - result.attentions.begin());
    }

    static std::vector<std::int32_t> toTuple(const ir::Contraction& how) {
        std::vector<std::int32_t> all{how.out,
                                      how.a,
                                      how.b,
                                      static_cast<std::int32_t>(how.addends),
                                      how.added[0],
                                      how.added[1],
                                      std::bit_cast<std::int32_t>(how.bounds.low),
                                      std::bit_cast<std::int32_t>(how.bounds.high)};
        for (const ir::ContractionLoop& loop : how.loops)
            all.insert(all.end(),
                       {loop.trips, loop.out, loop.a, loop.b, loop.added[0], loop.added[1]});
        return all;
    }

    Address addressOf(const Array& array) const {
        Address address;
        switch (array.home) {
            case Home::Scratch:
            case Home::Own:
                address = {
                    Memory::Scratch, now.firing->scratch[array.index], now.firing->scratchSize, {}};
                break;
            case Home::Field: {
                const std::int64_t offset = kernelOf(*now.node).fieldOffsets[array.index];
                address.at = plan.fields[now.step->node] + offset;
                break;
            }
            case Home::Stored: address = {Memory::Weights, weightAt(array.index), 0, {}}; break;
            case Home::Input:
                address = item(array.index, plan.inputsOf(now.step->node), now.step->inputs,
                               now.node->work.pop.max, kernelOf(*now.node).input);
                break;
            case Home::Output:
                address = item(array.index, plan.outputsOf(now.step->node), now.step->outputs,
                               now.node->work.push.max, kernelOf(*now.node).output);
                break;
        }
        address.at += array.offset;
        return address;
    }

    const elab::Kernel& kernelOf(const graph::Node& node) const {
        return plan.program->kernels[node.kernel];
    }

    /// An item of the kernel may be several of the tape.
    Address item(std::uint32_t index, const std::vector<EdgeId>& edges,
                 const std::vector<Position>& positions, std::int64_t rate,
                 const Type* type) const {
        const bool isDealt = edges.size() > 1;
        const std::size_t port = isDealt ? index : 0;
        Address address = addressOf(edges[port], positions[port], 0, isDealt ? 1 : rate);
        if (!isDealt) address.at += index * types::sizeOf(type);
        address.at += now.part.first * address.perFiring;
        if (now.part.perIteration != 0) {
            address.perIteration.resize(now.depth);
            address.perIteration[now.depth - 1] = now.part.perIteration * address.perFiring;
        }
        return address;
    }

    std::int64_t weightAt(std::uint32_t stored) const {
        const ir::StoredArray& array = plan.program->kernels[now.node->kernel].code.stored[stored];
        for (const Weight& weight : result.weights)
            if (weight.array.bytes == array.bytes && weight.array.type == array.type)
                return weight.at;
        STRC_UNREACHABLE("a stored array without a place");
    }

    /// Kernels and weights of a filter are there once.
    void address(graph::KernelId id, const Firing& firing, NodeId node) {
        if (placed[id]) return;
        placed[id] = true;
        firstKernel[id] = static_cast<std::uint32_t>(result.kernels.size());
        const std::int64_t before = result.weightsSize;
        for (const Kernel& kernel : firing.kernels) result.kernels.push_back({kernel, id});
        for (const ir::StoredArray& array : plan.program->kernels[id].code.stored) {
            auto same = [&](const Weight& weight) {
                return weight.array.bytes == array.bytes && weight.array.type == array.type;
            };
            if (std::any_of(result.weights.begin(), result.weights.end(), same)) continue;
            result.weights.push_back({array, result.weightsSize});
            result.weightsSize += aligned(types::sizeOf(array.type));
        }
        need(Memory::Weights, node, result.weightsSize - before);
    }

    // ---- nodes that copy

    void rows(NodeId node, EdgeId toEdge, Address to, Address from, std::int64_t count,
              std::int64_t items) {
        Operation made;
        made.kind = OperationKind::Copy;
        made.node = node;
        made.count = count;
        made.bytes = items * plan.channels[toEdge].itemSize;
        if (to.perFiring == made.bytes && from.perFiring == made.bytes) {
            made.bytes *= count;
            made.count = 1;
        }
        made.addresses = {std::move(to), std::move(from)};
        current->push_back(std::move(made));
    }

    void pass(const Step& step, const graph::Node& node) {
        const bool isJoiner = node.kind == NodeKind::RoundRobinJoiner;
        const bool isPlain = node.kind == NodeKind::Filter || node.kind == NodeKind::Duplicate;
        const EdgeId one = isJoiner ? node.outputs[0] : node.inputs[0];
        const Position& onePosition = isJoiner ? step.outputs[0] : step.inputs[0];
        const std::vector<EdgeId>& many = isJoiner ? node.inputs : node.outputs;
        const std::int64_t total = isPlain ? 1 : node.totalWeight;
        std::int64_t passed = 0;
        for (std::size_t port = 0; port < many.size(); ++port) {
            const std::int64_t weight = isPlain ? 1 : node.weights[port];
            if (weight == 0) continue;
            const Position& position = isJoiner ? step.inputs[port] : step.outputs[port];
            const Address part = addressOf(many[port], position, 0, weight);
            const Address address = addressOf(one, onePosition, isPlain ? 0 : passed, total);
            if (isJoiner)
                rows(step.node, one, address, part, step.count, weight);
            else
                rows(step.node, many[port], part, address, step.count, weight);
            passed += weight;
        }
    }

    /// Items may overlap where they go: then by way of other memory.
    void move(const Step& step) {
        const Address to = addressOf(step.channel, step.outputs[0], 0, 0);
        const Address from = addressOf(step.channel, step.inputs[0], 0, 0);
        const std::int64_t bytes = step.count * plan.channels[step.channel].itemSize;
        needScratch(graph.edges[step.channel].from, bytes);
        const Address between{Memory::Scratch, 0, 0, {}};
        for (const auto& [target, source] : {std::pair(between, from), std::pair(to, between)}) {
            Operation made;
            made.kind = OperationKind::Copy;
            made.node = graph.edges[step.channel].from;
            made.bytes = bytes;
            made.addresses = {target, source};
            current->push_back(std::move(made));
        }
    }

    // ---- what else the runtime has to know

    void need(Memory memory, NodeId node, std::int64_t bytes) {
        Need& most = result.most[static_cast<std::size_t>(memory)];
        if (bytes > most.bytes) most = {node, bytes};
    }

    void needScratch(NodeId node, std::int64_t bytes) {
        result.scratchSize = std::max(result.scratchSize, bytes);
        need(Memory::Scratch, node, bytes);
    }

    /// Notes the filter whose items take the most memory.
    void noteMost() {
        for (const plan::Channel& channel : plan.channels)
            if (channel.tape == channel.edge && isDevices(channel.edge))
                need(Memory::State, graph.edges[channel.edge].from,
                     channel.capacity * channel.itemSize);
    }

    void noteKept() {
        for (const plan::Channel& channel : plan.channels)
            if (channel.tape == channel.edge && isDevices(channel.edge) && channel.retained > 0)
                result.kept.push_back({channel.offset, channel.retained * channel.itemSize});
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (!movable.nodes[id] || plan.fields[id] < 0) continue;
            const graph::KernelId kernel = graph.nodes[id].kernel;
            auto firing = movable.firings.find(kernel);
            if (firing != movable.firings.end() && firing->second.isStateful)
                result.kept.push_back({plan.fields[id], plan.program->kernels[kernel].stateSize});
        }
    }

    void mergeShared() {
        auto& all = result.shared;
        std::sort(all.begin(), all.end(),
                  [](const Range& a, const Range& b) { return a.at < b.at; });
        std::vector<Range> merged;
        for (const Range& range : all) {
            if (merged.empty() || range.at > merged.back().at + merged.back().size) {
                merged.push_back(range);
                continue;
            }
            Range& last = merged.back();
            last.size = std::max(last.size, range.at + range.size - last.at);
        }
        all = std::move(merged);
    }

    struct Now {
        const Step* step = nullptr;
        const graph::Node* node = nullptr;
        const Firing* firing = nullptr;
        Firings part{};
        std::size_t depth = 0;  ///< where the loops of the body begin
    };

    const plan::Plan& plan;
    const graph::Graph& graph;
    const Movable& movable;
    bool isCutting = false;  ///< segments into parts
    std::vector<std::uint32_t> firstKernel;  ///< by KernelId
    std::vector<bool> placed;
    std::map<const Persist*, std::uint32_t> persistOf;  ///< into Offloaded::persists
    Offloaded result;
    std::vector<Window> uploads, downloads;
    std::vector<Operation>* current = nullptr;
    std::vector<std::int64_t> counts;  ///< of the loops of the segment that have been entered
    std::size_t depth = 0, base = 0;
    Now now;
};

}  // namespace

Offloaded offload(base::Context& context, const ir::Module& program, const plan::Plan& plan,
                  types::TypeTable& types, bool isFast) {
    Movable movable = findMovable(context.passes, program, plan, types);
    for (auto& [kernel, firing] : movable.firings)
        useTensorCores(context.passes, firing, plan.program->kernels[kernel].code.name, isFast);
    if (context.passes.isEnabled(base::Pass::DeviceOverlap)) {
        const plan::Plan apart = withBordersApart(plan, movable);
        Offloaded cut = Offloader(apart, movable).run(true);
        const bool isCut = std::any_of(cut.segments.begin(), cut.segments.end(),
                                       [](const Segment& each) { return each.parts > 1; });
        if (isCut) {
            base::PassRun run(context.passes, base::Pass::DeviceOverlap, "the scaled phase");
            run.show([&] { return print(cut); });
            if (run) return cut;
        }
    }
    return Offloader(plan, movable).run(false);
}

}  // namespace strc::device
