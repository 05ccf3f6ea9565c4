#include "repl/detail/channel_text.h"

#include <fmt/format.h>

#include "repl/detail/node_names.h"
#include "repl/detail/tensor_items.h"
#include "repl/detail/values.h"

namespace strc::repl {

std::string channelText(const Running& stream, graph::EdgeId edge, std::uint64_t most,
                        bool isCounted) {
    const std::uint64_t size = stream.live->size(edge);
    const bool isWhole = size <= most;
    std::string line;
    const std::vector<const types::Type*>& tensors = stream.tensors(edge);
    auto inOneLine = [&](const types::Value& item) {
        const bool isTensor = item.type->is(types::TypeKind::Tensor);
        if (!isTensor && tensors.size() != 1) return toText(item);
        std::string text = toText(isTensor ? item : fromItem(item, tensors[0]));
        std::erase(text, '\n');
        return text;
    };
    auto add = [&](std::uint64_t first, std::uint64_t count) {
        for (const types::Value& each : stream.live->items(edge, count, first))
            line += (line.empty() ? "" : ", ") + inOneLine(each);
    };
    add(0, isWhole ? size : most / 2);
    if (!isWhole) {
        line += fmt::format(", … {} more", size - most / 2 * 2);
        add(size - most / 2, most / 2);
    }
    const std::string count = !isCounted || size == 0
                                  ? std::string()
                                  : fmt::format("  ({} item{})", size, size == 1 ? "" : "s");
    return fmt::format("{}: [{}]{}\n", nameOfEdge(stream.graph(), edge), line, count);
}

std::string changeText(const Running& stream, graph::EdgeId edge) {
    return fmt::format("{} fired; {}", nameOf(stream.graph(), stream.live->last()),
                       channelText(stream, edge));
}

}  // namespace strc::repl
