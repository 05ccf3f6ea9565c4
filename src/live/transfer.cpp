#include "live/transfer.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "graph/hierarchy.h"
#include "ir/stored_fields.h"

namespace strc::live {
namespace {

using graph::EdgeId;
using graph::NodeId;
using graph::NodeKind;
using plan::Channel;

/// Where siblings do not share their names a path has no numbers. A second one of that name must not make another of the first.
std::string numbered(const std::string& path) {
    std::string made;
    for (const char each : path + '.') {
        if (each == '.' && !made.ends_with(']')) made += "[0]";
        made += each;
    }
    made.pop_back();
    return made;
}

/// A field that firings change.
struct Field {
    std::string name;
    const types::Type* type = nullptr;
    std::int64_t at = 0;  ///< bytes, into the state of the program
};

/// One of the two programs, by the names of its parts.
class Version {
public:
    explicit Version(const plan::Plan& made)
        : plan(made), program(*made.program), paths(graph::allPaths(program.graph).nodes) {
        for (NodeId id = 0; id < program.graph.nodes.size(); ++id) byPath[numbered(paths[id])] = id;
        for (const Channel& channel : plan.channels)
            if (channel.retained != 0) byEnds[keyOf(channel.edge)] = channel.edge;
    }

    const graph::Node& node(NodeId id) const { return program.graph.nodes[id]; }
    const elab::Kernel& kernel(NodeId id) const { return program.kernels[node(id).kernel]; }
    std::optional<NodeId> find(const std::string& path) const {
        auto found = byPath.find(numbered(path));
        return found == byPath.end() ? std::nullopt : std::optional(found->second);
    }
    const Channel* channel(const std::string& ends) const {
        auto found = byEnds.find(ends);
        return found == byEnds.end() ? nullptr : &plan.channels[found->second];
    }

    std::vector<Field> fieldsOf(NodeId id) const {
        std::vector<Field> all;
        if (node(id).kind != NodeKind::Filter || plan.fields[id] < 0) return all;
        const elab::Kernel& made = kernel(id);
        const std::vector<bool> changes = ir::storedFields(made.code);
        for (std::size_t k = 0; k < made.fieldTypes.size(); ++k) {
            const bool isDerived = k < made.derived.size() && made.derived[k] != 0;
            if (k >= changes.size() || !changes[k] || isDerived ||
                !types::isConcrete(made.fieldTypes[k]))
                continue;
            all.push_back({made.code.fields[k].name, made.fieldTypes[k],
                           plan.fields[id] + made.fieldOffsets[k]});
        }
        return all;
    }
    bool hasState(NodeId id) const { return !fieldsOf(id).empty() || plan.counters[id] >= 0; }

    std::string keyOf(EdgeId id) const {
        const graph::Edge& edge = program.graph.edges[id];
        return fmt::format("{}:{} -> {}:{}", numbered(endName(edge.from)), edge.fromPort,
                           numbered(endName(edge.to)), edge.toPort);
    }
    std::string nameOf(EdgeId id) const {
        const graph::Edge& edge = program.graph.edges[id];
        return endName(edge.from) + " -> " + endName(edge.to);
    }
    /// Where the items begin that stay on a channel: the last ones of its tape.
    std::int64_t itemsOf(const Channel& channel) const {
        const Channel& tape = plan.channels[channel.tape];
        return tape.offset + (tape.retained - channel.retained) * channel.itemSize;
    }

    const plan::Plan& plan;
    const elab::Elaboration& program;
    const std::vector<std::string> paths;

private:
    std::string endName(NodeId id) const { return id == graph::kNone ? "the host" : paths[id]; }

    std::map<std::string, NodeId> byPath;
    std::map<std::string, EdgeId> byEnds;
};

/// What is another in the new filter; or nothing.
std::string difference(const Version& before, NodeId old, const Version& after, NodeId now) {
    if (before.node(old).kind != after.node(now).kind ||
        before.node(old).name != after.node(now).name)
        return "it is another filter";
    const elab::Kernel &one = before.kernel(old), &other = after.kernel(now);
    if (!areAlike(one.input, other.input) || !areAlike(one.output, other.output))
        return "its items have other types";
    std::vector<Field> had = before.fieldsOf(old), has = after.fieldsOf(now);
    auto byName = [](const Field& a, const Field& b) { return a.name < b.name; };
    std::sort(had.begin(), had.end(), byName);
    std::sort(has.begin(), has.end(), byName);
    const bool areSame = std::equal(had.begin(), had.end(), has.begin(), has.end(),
                                    [](const Field& a, const Field& b) {
                                        return a.name == b.name && areAlike(a.type, b.type);
                                    });
    return areSame ? "" : "the fields that it changes are others";
}

class Matcher {
public:
    Matcher(const plan::Plan& old, const plan::Plan& now) : before(old), after(now) {}

    Transfer match() {
        for (NodeId id = 0; id < after.program.graph.nodes.size(); ++id)
            if (after.node(id).kind == NodeKind::Filter && after.hasState(id)) matchFilter(id);
        for (NodeId id = 0; id < before.program.graph.nodes.size(); ++id)
            if (before.node(id).kind == NodeKind::Filter && before.hasState(id) &&
                !after.find(before.paths[id]))
                made.filters.push_back({before.paths[id], Fate::Gone, ""});
        matchChannels();
        return std::move(made);
    }

private:
    void matchFilter(NodeId now) {
        const std::string& path = after.paths[now];
        const std::optional<NodeId> old = before.find(path);
        if (!old) {
            made.filters.push_back({path, Fate::New, ""});
            return;
        }
        const std::string why = difference(before, *old, after, now);
        if (!why.empty()) {
            made.filters.push_back({path, Fate::Changed, why});
            return;
        }
        std::string names;
        for (const Field& field : after.fieldsOf(now)) {
            for (const Field& source : before.fieldsOf(*old))
                if (source.name == field.name)
                    made.pieces.push_back({source.at, field.at, types::sizeOf(field.type)});
            names += (names.empty() ? "" : ", ") + field.name;
        }
        const std::int64_t from = before.plan.counters[*old], to = after.plan.counters[now];
        if (from >= 0 && to >= 0) {
            made.pieces.push_back({from, to, sizeof(std::uint64_t)});
            names += names.empty() ? "iter()" : ", iter()";
        }
        made.filters.push_back({path, Fate::Kept, names});
    }

    /// Channels on one tape hold the same items: where more of them are known they are copied last.
    void matchChannels() {
        std::vector<std::pair<ChannelFate, Piece>> found;
        for (const Channel& channel : after.plan.channels) {
            if (channel.retained == 0) continue;
            const Channel* old = before.channel(after.keyOf(channel.edge));
            ChannelFate fate{after.nameOf(channel.edge), 0, channel.retained, 0};
            Piece piece;
            if (old && areAlike(before.program.graph.edges[old->edge].type,
                                after.program.graph.edges[channel.edge].type)) {
                fate.had = old->retained;
                fate.kept = std::min(old->retained, channel.retained);
                const std::int64_t size = channel.itemSize;
                piece = {before.itemsOf(*old) + (old->retained - fate.kept) * size,
                         after.itemsOf(channel) + (channel.retained - fate.kept) * size,
                         fate.kept * size};
            }
            found.emplace_back(std::move(fate), piece);
        }
        for (const auto& each : found) made.channels.push_back(each.first);
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
            return a.second.size < b.second.size;
        });
        for (const auto& each : found)
            if (each.second.size != 0) made.pieces.push_back(each.second);
    }

    Version before, after;
    Transfer made;
};

std::string line(const FilterFate& filter) {
    switch (filter.fate) {
        case Fate::Kept: return fmt::format("kept: {} ({})\n", filter.path, filter.what);
        case Fate::New: return fmt::format("new: {}\n", filter.path);
        case Fate::Changed:
            return fmt::format("begun anew: {}, since {}\n", filter.path, filter.what);
        case Fate::Gone: return fmt::format("gone: {}\n", filter.path);
    }
    return {};
}

}  // namespace

std::string whyNot(const plan::Plan& plan) {
    if (plan.demand) return "it has dynamic rates, so that firings wait for items in the middle";
    if (!plan.mailboxes.empty()) return "it sends messages, which may be on their way";
    if (plan.tapes == plan::Tapes::Ring) return "its tapes are ring buffers";
    return {};
}

Transfer transferOf(const plan::Plan& before, const plan::Plan& after) {
    return Matcher(before, after).match();
}

std::string print(const Transfer& transfer) {
    std::string text;
    for (const FilterFate& filter : transfer.filters) text += line(filter);
    for (const ChannelFate& channel : transfer.channels)
        text += channel.kept == channel.wanted && channel.kept == channel.had
                    ? fmt::format("kept: {}, {} item{}\n", channel.path, channel.kept,
                                  channel.kept == 1 ? "" : "s")
                    : fmt::format("kept: {}, {} of {} items; there were {}\n", channel.path,
                                  channel.kept, channel.wanted, channel.had);
    return text;
}

}  // namespace strc::live
