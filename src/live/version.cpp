#include "live/detail/version.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/hierarchy.h"
#include "ir/stored_fields.h"
#include "live/types.h"

namespace strc::live {

using graph::EdgeId;
using graph::NodeId;
using plan::Channel;

namespace {

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

bool areFieldsAlike(std::vector<Field> had, std::vector<Field> has) {
    auto byName = [](const Field& a, const Field& b) { return a.name < b.name; };
    std::sort(had.begin(), had.end(), byName);
    std::sort(has.begin(), has.end(), byName);
    return std::equal(had.begin(), had.end(), has.begin(), has.end(),
                      [](const Field& a, const Field& b) {
                          return a.name == b.name && areAlike(a.type, b.type);
                      });
}

}  // namespace

Version::Version(const plan::Plan& made)
    : plan(made), program(*made.program), paths(graph::allPaths(program.graph).nodes) {
    for (NodeId id = 0; id < program.graph.nodes.size(); ++id) byPath[numbered(paths[id])] = id;
    for (EdgeId id = 0; id < program.graph.edges.size(); ++id)
        if (plan.demand || plan.channels[id].retained != 0) byEnds[keyOf(id)] = id;
}

std::optional<NodeId> Version::find(const std::string& path) const {
    auto found = byPath.find(numbered(path));
    return found == byPath.end() ? std::nullopt : std::optional(found->second);
}

std::optional<EdgeId> Version::findEdge(const std::string& ends) const {
    auto found = byEnds.find(ends);
    return found == byEnds.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Field> Version::fieldsOf(NodeId id) const {
    std::vector<Field> all;
    if (!isFilter(id) || plan.fields[id] < 0) return all;
    const elab::Kernel& made = kernel(id);
    const std::vector<bool> changes = ir::storedFields(made.code);
    for (std::size_t k = 0; k < made.fieldTypes.size(); ++k) {
        const bool isDerived = k < made.derived.size() && made.derived[k] != 0;
        if (k >= changes.size() || !changes[k] || isDerived ||
            !types::isConcrete(made.fieldTypes[k]))
            continue;
        all.push_back(
            {made.code.fields[k].name, made.fieldTypes[k], plan.fields[id] + made.fieldOffsets[k]});
    }
    return all;
}

std::string Version::keyOf(EdgeId id) const {
    const graph::Edge& edge = program.graph.edges[id];
    if (plan.demand && edge.from == graph::kNone) return "the host";
    return fmt::format("{}:{} -> {}:{}", numbered(endName(edge.from)), edge.fromPort,
                       numbered(endName(edge.to)), edge.toPort);
}

std::string Version::nameOf(EdgeId id) const {
    const graph::Edge& edge = program.graph.edges[id];
    return endName(edge.from) + " -> " + endName(edge.to);
}

std::int64_t Version::itemsOf(const Channel& channel) const {
    const Channel& tape = plan.channels[channel.tape];
    return tape.offset + (tape.retained - channel.retained) * channel.itemSize;
}

std::string Version::endName(NodeId id) const {
    return id == graph::kNone ? "the host" : paths[id];
}

std::string difference(const Version& before, NodeId old, const Version& after, NodeId now) {
    if (before.node(old).kind != after.node(now).kind ||
        before.node(old).name != after.node(now).name)
        return "it is another filter";
    if (!after.isFilter(now)) return {};
    const elab::Kernel &one = before.kernel(old), &other = after.kernel(now);
    if (!areAlike(one.input, other.input) || !areAlike(one.output, other.output))
        return "its items have other types";
    const bool areSame = areFieldsAlike(before.fieldsOf(old), after.fieldsOf(now));
    return areSame ? "" : "the fields that it changes are others";
}

std::optional<NodeId> predecessor(const Version& before, const Version& after, NodeId now) {
    const std::optional<NodeId> old = before.find(after.paths[now]);
    return old && difference(before, *old, after, now).empty() ? old : std::nullopt;
}

bool areItemsAlike(const Version& before, EdgeId old, const Version& after, EdgeId now) {
    return areAlike(before.graph().edges[old].type, after.graph().edges[now].type);
}

}  // namespace strc::live
