// Streams that stay between lines, and how they end.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "repl/state.h"

namespace strc::repl {

namespace {

std::set<std::string> writtenBy(const Running& stream) {
    std::set<std::string> files;
    for (const graph::Node& node : stream.graph().nodes)
        if ((node.effects & graph::kWritesFile) != 0 && !node.file.empty()) files.insert(node.file);
    return files;
}

}  // namespace

void State::hold(const std::shared_ptr<Running>& stream, const std::string& name) {
    const std::shared_ptr<Running> before = std::exchange(current, stream);
    std::shared_ptr<Running> named;
    if (!name.empty()) named = std::exchange(instances[name], stream);
    letGo(before);
    if (named != before) letGo(named);
}

void State::letGo(const std::shared_ptr<Running>& stream) {
    const bool isHeld =
        stream == current || std::any_of(instances.begin(), instances.end(),
                                         [&](const auto& each) { return each.second == stream; });
    if (!stream || isHeld) return;
    stream->close();
    add(stream->messages());
}

void State::dropWritersOf(const Running& fresh) {
    const std::set<std::string> files = writtenBy(fresh);
    if (files.empty()) return;
    auto writesOneOf = [&](const Running& other) {
        const std::set<std::string> own = writtenBy(other);
        return std::any_of(own.begin(), own.end(),
                           [&](const auto& file) { return files.contains(file); });
    };
    std::vector<std::shared_ptr<Running>> ended;
    if (current && writesOneOf(*current)) ended.push_back(std::exchange(current, nullptr));
    for (auto each = instances.begin(); each != instances.end();) {
        if (!writesOneOf(*each->second)) {
            ++each;
            continue;
        }
        confirm(fmt::format("  {} has ended: its file is written anew\n", each->first));
        ended.push_back(each->second);
        each = instances.erase(each);
    }
    for (const std::shared_ptr<Running>& each : ended) letGo(each);
}

}  // namespace strc::repl
