#include "dsl/syntax.h"

#include <algorithm>

#include "ast/print.h"
#include "ast/write.h"
#include "dsl/detail/streams.h"
#include "parser/parse.h"

namespace strc::dsl {

namespace {

/// Filters and composites of the program. What stands in a tree once may be used again and again.
class Instances {
public:
    explicit Instances(const Tree& tree) : tree(tree) {}

    std::uint64_t of(NodeNumber stream) {
        if (const auto found = known.find(stream); found != known.end()) return found->second;
        std::uint64_t count = 1;
        for (const NodeNumber child : childStreams(tree, stream))
            if (__builtin_add_overflow(count, of(child), &count)) count = UINT64_MAX;
        known.emplace(stream, count);
        return count;
    }

private:
    const Tree& tree;
    std::map<NodeNumber, std::uint64_t> known;
};

std::vector<UsedFile> filesOf(const Maker& maker) {
    std::vector<UsedFile> found;
    for (NodeNumber k = 1; k < maker.tree.size(); ++k) {
        const Node& node = maker.tree[k];
        if (node.kind != STRC_NODE_NAMED || node.text.empty()) continue;
        const bool isKnown = std::any_of(found.begin(), found.end(), [&](const UsedFile& each) {
            return each.name == node.text;
        });
        if (!isKnown) found.push_back({node.text, maker.places.rangeOf(k, {})});
    }
    return found;
}

}  // namespace

Syntax syntaxOf(base::Context& context, const Tree& tree, NodeNumber main) {
    Maker maker(context, tree);
    if (Instances(tree).of(main) > context.limits.nodes) {
        context.diags.add(base::Diag::TooManyNodes,
                          maker.places.rangeOf(main, {maker.places.first(), 0, 0}))
            << static_cast<std::int64_t>(context.limits.nodes);
        return {};
    }
    const Shapes shapes(tree, main);
    Streams streams(maker, shapes);
    const std::vector<const ast::Decl*> decls = streams.declarations();
    Syntax made;
    made.unit = context.arena.make<ast::Unit>(maker.places.first(), maker.copy(decls),
                                              std::span<const ast::Comment>());
    made.files = filesOf(maker);
    made.main = streams.mainName();
    made.isOpen = streams.isOpen(main);
    return made;
}

std::string textOf(const ast::Unit& unit) {
    const std::string plain = ast::write(unit);
    base::Context context;
    const base::BufferId buffer = context.sources.add("<recorded>", plain);
    const ast::Unit& read = parser::parse(context, buffer);
    return context.diags.hasErrors() ? plain : ast::format(read, context.sources);
}

}  // namespace strc::dsl
