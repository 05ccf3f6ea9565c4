// What led to each filter while the graph was built, for those who debug it.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "elab/detail/tree.h"

namespace strc::elab {
namespace {

/// Of a value; the rest of a longer one is left out.
constexpr std::size_t kMostText = 60;
// Of a longer way only the ends are shown.
constexpr std::size_t kMostOuter = 20, kMostInner = 20;

std::string shown(const Value& value) {
    if (!value.type) return "?";
    std::string text = types::toString(value);
    return text.size() <= kMostText ? text : text.substr(0, kMostText) + "...";
}

/// "i = 1, j = 0"
std::string listed(const std::vector<std::pair<std::string, Value>>& values) {
    std::string text;
    for (const auto& [name, value] : values)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, shown(value));
    return text;
}

std::vector<std::pair<std::string, Value>> parametersOf(const Instance& instance) {
    std::vector<std::pair<std::string, Value>> all;
    if (!instance.code) return all;
    for (std::size_t k = 0; k < instance.constants.size(); ++k)
        if (!instance.code->constants[k].name.empty())
            all.emplace_back(instance.code->constants[k].name, instance.constants[k]);
    return all;
}

std::string lineOf(const base::SourceManager& sources, const Tree& tree, InstanceId id) {
    const Instance& instance = tree.instances[id];
    std::string text = displayName(instance);
    if (const std::string parameters = listed(parametersOf(instance)); !parameters.empty())
        text += fmt::format("({})", parameters);
    if (instance.parent == ir::kNone) return text + '\n';
    if (instance.range.valid()) {
        const base::LineColumn at = sources.position(instance.range.buffer, instance.range.begin);
        text += fmt::format(", added at {}:{}", sources.name(instance.range.buffer), at.line);
    }
    if (!instance.seen.empty()) text += ", where " + listed(instance.seen);
    return text + '\n';
}

}  // namespace

std::vector<std::string> stagesOf(const base::SourceManager& sources, const Tree& tree,
                                  const graph::Graph& graph) {
    std::vector<std::string> stages(graph.nodes.size());
    for (InstanceId id = 0; id < tree.instances.size(); ++id) {
        const Instance& instance = tree.instances[id];
        if (!instance.isFilter() || instance.node == graph::kNone) continue;
        std::vector<InstanceId> around;
        for (InstanceId each = id; each != ir::kNone; each = tree.instances[each].parent)
            around.push_back(each);
        std::string& text = stages[instance.node];
        for (std::size_t k = around.size(); k-- > 0;) {
            const bool isBetween =
                k >= kMostInner && k < around.size() - std::min(kMostOuter, around.size());
            if (!isBetween) text += lineOf(sources, tree, around[k]);
            if (isBetween && k == kMostInner) text += "...\n";
        }
    }
    return stages;
}

}  // namespace strc::elab
