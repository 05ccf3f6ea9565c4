#include "repl/detail/streams.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace strc::repl {

namespace {

std::set<std::string> writtenBy(const Running& stream) {
    std::set<std::string> files;
    for (const graph::Node& node : stream.graph().nodes)
        if ((node.effects & graph::kWritesFile) != 0 && !node.file.empty()) files.insert(node.file);
    return files;
}

}  // namespace

Running& Streams::present(const Input& input) {
    if (!now) output.fail(input, "there is no stream yet: 'take 5 Ramp()' makes one");
    checkShaped(*now, input);
    return *now;
}

void Streams::checkShaped(const Running& stream, const Input& input) {
    if (stream.isShapeless())
        output.fail(input,
                    "this stream waits to see what shape arrives: '<- zeros(2, 3)' feeds it");
}

Running& Streams::interpreted(const Input& input) {
    Running& stream = present(input);
    if (!stream.live)
        output.fail(
            input,
            "this stream runs as machine code; ':engine interpret' makes streams that can be "
            "looked into");
    return stream;
}

void Streams::hold(const std::shared_ptr<Running>& stream, const std::string& name) {
    const std::shared_ptr<Running> before = std::exchange(now, stream);
    std::shared_ptr<Running> named;
    if (!name.empty()) named = std::exchange(instances[name], stream);
    letGo(before);
    if (named != before) letGo(named);
}

void Streams::letGo(const std::shared_ptr<Running>& stream) {
    const bool isHeld =
        stream == now || std::any_of(instances.begin(), instances.end(),
                                     [&](const auto& each) { return each.second == stream; });
    if (!stream || isHeld) return;
    stream->close();
    output.add(stream->messages());
}

void Streams::dropWritersOf(const Running& fresh) {
    const std::set<std::string> files = writtenBy(fresh);
    if (files.empty()) return;
    auto writesOneOf = [&](const Running& other) {
        const std::set<std::string> own = writtenBy(other);
        return std::any_of(own.begin(), own.end(),
                           [&](const auto& file) { return files.contains(file); });
    };
    std::vector<std::shared_ptr<Running>> ended;
    if (now && writesOneOf(*now)) ended.push_back(std::exchange(now, nullptr));
    for (auto each = instances.begin(); each != instances.end();) {
        if (!writesOneOf(*each->second)) {
            ++each;
            continue;
        }
        output.confirm(fmt::format("  {} has ended: its file is written anew\n", each->first));
        ended.push_back(each->second);
        each = instances.erase(each);
    }
    for (const std::shared_ptr<Running>& each : ended) letGo(each);
}

}  // namespace strc::repl
