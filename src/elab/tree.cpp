#include "elab/detail/tree.h"

#include <algorithm>

namespace strc::elab {

namespace {

// Of a longer path only the ends are shown.
constexpr std::uint32_t kPathStart = 20;
constexpr std::uint32_t kPathEnd = 20;

}  // namespace

std::string_view kindName(ir::StreamKind kind) {
    switch (kind) {
        case ir::StreamKind::Filter: return "filter";
        case ir::StreamKind::Pipeline: return "pipeline";
        case ir::StreamKind::SplitJoin: return "splitjoin";
        case ir::StreamKind::FeedbackLoop: return "feedbackloop";
    }
    STRC_UNREACHABLE("kind of stream");
}

std::string displayName(const Instance& instance) {
    if (!instance.code) return std::string(types::info(instance.builtin).name);
    return instance.code->name.empty() ? std::string(kindName(instance.kind()))
                                       : instance.code->name;
}

InstanceId addedFrom(const base::SourceManager& sources, const Tree& tree, InstanceId id) {
    for (InstanceId each = id; each != ir::kNone; each = tree.instances[each].parent)
        if (!sources.isLibrary(tree.instances[each].range.buffer)) return each;
    return id;
}

base::SourceRange addedAt(const base::SourceManager& sources, const Tree& tree, InstanceId id) {
    return tree.instances[addedFrom(sources, tree, id)].range;
}

std::string path(const Tree& tree, InstanceId id) {
    std::string text;
    std::uint32_t depth = tree.instances[id].depth;
    for (; id != ir::kNone; id = tree.instances[id].parent) {
        const Instance& instance = tree.instances[id];
        if (depth > kPathStart + kPathEnd && instance.depth >= kPathStart &&
            instance.depth < depth - kPathEnd) {  // as in endless recursion
            if (instance.depth == kPathStart)
                text = '(' + std::to_string(depth - kPathStart - kPathEnd) + " more)." + text;
            continue;
        }
        std::string name = displayName(instance);
        std::string position;
        if (instance.parent != ir::kNone) {
            const auto& horizontal = tree.instances[instance.parent].children;
            auto sharesName = [&](InstanceId other) {
                return displayName(tree.instances[other]) == name;
            };
            auto self = std::find(horizontal.begin(), horizontal.end(), id);
            if (std::count_if(horizontal.begin(), horizontal.end(), sharesName) > 1)
                position =
                    '[' + std::to_string(std::count_if(horizontal.begin(), self, sharesName)) + ']';
        }
        text = name + position + (text.empty() ? "" : ".") + text;
    }
    return text;
}

std::string signature(const Type* input, const Type* output) {
    auto side = [](const Type* type) { return type ? types::toString(type) : std::string("?"); };
    return side(input) + "->" + side(output);
}

}  // namespace strc::elab
