// Which channels of a sound the filters of the library mix. The samples of several channels come in turn; where each of
// them goes is followed through splitters, joiners and filters that take them one by one, up to the first filters that
// do something else.
#include <algorithm>
#include <numeric>
#include <span>

#include "elab/detail/tree.h"

namespace strc::elab {
namespace {

/// Channels of the items on an edge, over and over; empty: that is not known.
using Pattern = std::vector<std::uint8_t>;
constexpr std::int64_t kLongest = 1 << 14;  ///< pattern that is followed
constexpr int kMostChannels = 8;  ///< sounds of more are left to whoever reads them

bool isSample(const Type* type) {
    return type && (type->kind == types::TypeKind::Float || type->kind == types::TypeKind::Double ||
                    type->kind == types::TypeKind::Int);
}

bool isStatic(const graph::Rates& rates) { return !rates.isDynamic(); }

bool anyOf(const Kernel& kernel, bool (*is)(const ir::Instr&)) {
    if (!kernel.code.work) return false;
    for (const ir::Block& block : kernel.code.work->blocks)
        if (std::any_of(block.instrs.begin(), block.instrs.end(), is)) return true;
    return false;
}

/// Does it count with what is no index?
bool computes(const ir::Instr& instr) {
    using ir::Op;
    if (instr.op == Op::Math || instr.op == Op::Contract || instr.op == Op::Call) return true;
    if (instr.op < Op::Add || instr.op > Op::Ge || !instr.type) return false;
    const types::TypeKind kind = instr.type->kind;
    return kind == types::TypeKind::Float || kind == types::TypeKind::Double ||
           kind == types::TypeKind::Complex;
}

bool storesField(const ir::Instr& instr) {
    return instr.op == ir::Op::Store && instr.var.space == ir::Space::Field;
}

bool hasField(const ir::Instr& instr) {
    return storesField(instr) || (instr.op == ir::Op::Addr && instr.var.space == ir::Space::Field);
}

bool areOfOne(std::span<const std::uint8_t> channels) {
    return std::adjacent_find(channels.begin(), channels.end(), std::not_equal_to<>()) ==
           channels.end();
}

class Followed {
public:
    Followed(const base::SourceManager& sources, const Tree& tree, const graph::Graph& graph)
        : sources(sources), tree(tree), graph(graph), instances(graph.nodes.size(), nullptr) {
        for (const Instance& instance : tree.instances)
            if (instance.isFilter() && instance.node != graph::kNone)
                instances[instance.node] = &instance;
    }

    /// Does a filter of the library mix the channels of a sound that comes on this edge?
    bool mixes(graph::EdgeId from, int channels) {
        patterns.assign(graph.edges.size(), {});
        Pattern frame(static_cast<std::size_t>(channels));
        std::iota(frame.begin(), frame.end(), std::uint8_t{0});
        std::vector<graph::EdgeId> known;
        auto note = [&](graph::EdgeId edge, Pattern pattern) {
            if (edge == graph::kNone || !patterns[edge].empty() || pattern.empty()) return;
            if (!graph.edges[edge].initial.empty()) return;
            patterns[edge] = std::move(pattern);
            known.push_back(edge);
        };
        note(from, std::move(frame));
        while (!known.empty()) {
            const graph::EdgeId edge = known.back();
            known.pop_back();
            const graph::NodeId id = graph.edges[edge].to;
            if (id == graph::kNone) continue;
            const graph::Node& node = graph.nodes[id];
            const Pattern& pattern = patterns[edge];
            switch (node.kind) {
                case graph::NodeKind::Filter:
                    if (!areOfOne(pattern) && mixes(id, pattern)) return true;
                    if (!node.outputs.empty()) note(node.outputs[0], behind(id, pattern));
                    break;
                case graph::NodeKind::Duplicate:
                    for (const graph::EdgeId output : node.outputs) note(output, Pattern(pattern));
                    break;
                case graph::NodeKind::RoundRobinSplitter:
                    for (std::size_t k = 0; k < node.outputs.size(); ++k)
                        note(node.outputs[k], part(node, k, pattern));
                    break;
                case graph::NodeKind::RoundRobinJoiner: note(node.outputs[0], joined(node)); break;
            }
        }
        return false;
    }

private:
    bool isOfLibrary(const Instance& instance) const {
        return instance.code && sources.isLibrary(instance.code->header.buffer);
    }

    /// What the library puts together of filters treats a row of items as that of one signal. A filter that is taken by
    /// itself may get frames, whose samples it adds up; or it moves items, and the channels with them.
    bool mixes(graph::NodeId id, std::span<const std::uint8_t> pattern) const {
        const Instance* instance = instances[id];
        const graph::Rates& rates = graph.nodes[id].work;
        if (!instance || !isOfLibrary(*instance) || !isStatic(rates)) return false;
        const Kernel& kernel = tree.kernels[instance->kernel];
        const bool isPart =
            instance->parent != ir::kNone && isOfLibrary(tree.instances[instance->parent]);
        if (!isPart && !anyOf(kernel, computes)) return false;
        if (kernel.prework || rates.peek.max > rates.pop.max || anyOf(kernel, storesField))
            return true;
        const auto period = static_cast<std::int64_t>(pattern.size());
        const std::int64_t step = rates.pop.max;
        if (step == 0) return false;
        std::vector<std::uint8_t> block;
        for (std::int64_t from = 0; from < std::lcm(step, period); from += step) {
            block.clear();
            for (std::int64_t k = 0; k < std::min(step, period + 1); ++k)
                block.push_back(pattern[static_cast<std::size_t>((from + k) % period)]);
            if (areOfOne(block)) continue;
            std::sort(block.begin(), block.end());
            if (isPart || std::adjacent_find(block.begin(), block.end()) != block.end())
                return true;
        }
        return false;
    }

    Pattern behind(graph::NodeId id, const Pattern& pattern) const {
        const Instance* instance = instances[id];
        const graph::Rates& rates = graph.nodes[id].work;
        if (!instance || !isStatic(rates) || rates.pop.max != 1 || rates.peek.max > 1 ||
            rates.push.max != 1)
            return {};
        const Kernel& kernel = tree.kernels[instance->kernel];
        if (kernel.builtin != ir::BuiltinStream::None || !isSample(kernel.output) ||
            anyOf(kernel, hasField))
            return {};
        if (!kernel.prework) return pattern;
        if (!isOfLibrary(*instance) || !isStatic(*kernel.prework)) return {};
        Pattern moved = pattern;
        const auto period = static_cast<std::int64_t>(pattern.size());
        const std::int64_t by = (kernel.prework->pop.max - kernel.prework->push.max) % period;
        std::rotate(moved.begin(), moved.begin() + (by + period) % period, moved.end());
        return moved;
    }

    static Pattern part(const graph::Node& splitter, std::size_t port, const Pattern& pattern) {
        Pattern found;
        const std::int64_t total = splitter.totalWeight;
        const auto period = static_cast<std::int64_t>(pattern.size());
        if (total <= 0 || total > kLongest || std::lcm(total, period) > kLongest) return found;
        const std::int64_t before = std::accumulate(
            splitter.weights.begin(), splitter.weights.begin() + static_cast<std::ptrdiff_t>(port),
            std::int64_t{0});
        for (std::int64_t from = 0; from < std::lcm(total, period); from += total)
            for (std::int64_t k = 0; k < splitter.weights[port]; ++k)
                found.push_back(pattern[static_cast<std::size_t>((from + before + k) % period)]);
        return found;
    }

    Pattern joined(const graph::Node& joiner) const {
        if (joiner.totalWeight <= 0 || joiner.totalWeight > kLongest) return {};
        std::int64_t rounds = 1;
        for (std::size_t k = 0; k < joiner.inputs.size(); ++k) {
            const std::int64_t weight = joiner.weights[k];
            if (weight == 0) continue;
            const auto period = static_cast<std::int64_t>(patterns[joiner.inputs[k]].size());
            if (period == 0) return {};
            rounds = std::lcm(rounds, period / std::gcd(period, weight));
            if (rounds * joiner.totalWeight > kLongest) return {};
        }
        Pattern all;
        for (std::int64_t round = 0; round < rounds; ++round)
            for (std::size_t k = 0; k < joiner.inputs.size(); ++k) {
                const Pattern& pattern = patterns[joiner.inputs[k]];
                for (std::int64_t i = 0; i < joiner.weights[k]; ++i)
                    all.push_back(pattern[static_cast<std::size_t>(round * joiner.weights[k] + i) %
                                          pattern.size()]);
            }
        return all;
    }

    const base::SourceManager& sources;
    const Tree& tree;
    const graph::Graph& graph;
    std::vector<const Instance*> instances;  ///< of filters, by NodeId
    std::vector<Pattern> patterns;  ///< by EdgeId
};

}  // namespace

void noteMixedSounds(const base::SourceManager& sources, const Tree& tree, graph::Graph& graph) {
    Followed followed(sources, tree, graph);
    auto note = [&](std::string path, graph::EdgeId edge) {
        if (edge == graph::kNone || !isSample(graph.edges[edge].type)) return;
        std::uint64_t mixed = 0;
        for (int channels = 2; channels <= kMostChannels; ++channels)
            if (followed.mixes(edge, channels)) mixed |= std::uint64_t{1} << channels;
        if (mixed != 0) graph.mixedSounds.push_back({std::move(path), mixed});
    };
    note({}, graph.input);
    for (graph::NodeId id = 0; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (!node.file.empty() && node.inputs.empty() && !node.outputs.empty())
            note(graph::path(graph, id), node.outputs[0]);
    }
}

}  // namespace strc::elab
