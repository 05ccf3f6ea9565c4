// Programs that were recorded instead of being written.
#include "strc/tree.h"

#include <memory>

#include "api/detail/compiler.h"
#include "dsl/syntax.h"

using strc::api::guarded;

struct strc_tree {
    std::shared_ptr<strc::dsl::Tree> nodes = std::make_shared<strc::dsl::Tree>();
};

strc_tree* strc_tree_new() {
    try {
        return new strc_tree;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void strc_tree_free(strc_tree* tree) { delete tree; }

uint32_t strc_tree_add(strc_tree* tree, const strc_node* node) {
    if (!tree || !node || node->size < sizeof *node) return 0;
    try {
        // A compiler that has the tree goes on with what it has seen.
        if (tree->nodes.use_count() > 1)
            tree->nodes = std::make_shared<strc::dsl::Tree>(*tree->nodes);
        return tree->nodes->add(*node).value_or(0);
    } catch (const std::bad_alloc&) {
        return 0;
    }
}

const char* strc_tree_refusal(const strc_tree* tree) {
    return tree ? tree->nodes->refusal().c_str() : "";
}

namespace {

bool readFiles(strc_compiler& compiler, const std::vector<strc::dsl::UsedFile>& files) {
    for (const strc::dsl::UsedFile& file : files) {
        auto text = strc::session::readFile(file.name);
        if (text) {
            compiler.recorded += *text;
            compiler.sources.push_back({file.name, std::move(*text)});
        } else {
            strc::base::report(compiler.program.context.diags, text.failure(), file.where);
        }
    }
    compiler.lacksSource = compiler.tell();
    return !compiler.lacksSource;
}

void addNatives(strc_compiler& compiler, const strc::dsl::Tree& tree) {
    for (strc::dsl::NodeNumber k = 1; k < tree.size(); ++k) {
        const strc::dsl::Node& node = tree[k];
        if (node.kind == STRC_NODE_NATIVE && node.function)
            compiler.program.natives.add(node.text + '_' + node.name, node.function);
    }
}

}  // namespace

strc_status strc_compiler_add_tree(strc_compiler* compiler, strc_tree* tree, uint32_t main) {
    if (!compiler || !tree || !tree->nodes->isStream(main) || compiler->isCompiled ||
        !compiler->sources.empty())
        return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        const std::shared_ptr<strc::dsl::Tree> nodes = tree->nodes;
        strc::base::Context& context = compiler->program.context;
        const strc::dsl::Syntax syntax = strc::dsl::syntaxOf(context, *nodes, main);
        compiler->recordedBuffers = static_cast<std::uint32_t>(context.sources.size());
        if (compiler->tell()) {
            compiler->lacksSource = true;
            return STRC_FAILED;
        }
        compiler->recorded = strc::dsl::textOf(*syntax.unit);
        const std::string name = nodes->fileCount() > 1 ? nodes->file(1) : "<recorded>";
        const strc::ast::Unit* unit = syntax.unit;
        compiler->sources.push_back(
            {name, compiler->recorded,
             [unit](strc::base::Context&) -> const strc::ast::Unit& { return *unit; }});
        compiler->settings.top = syntax.main;
        compiler->isOpen = syntax.isOpen;
        addNatives(*compiler, *nodes);
        return readFiles(*compiler, syntax.files) ? STRC_OK : STRC_FAILED;
    });
}

const char* strc_compiler_tree_text(strc_compiler* compiler, size_t* size) {
    if (!compiler || compiler->recorded.empty()) return nullptr;
    if (size) *size = compiler->recorded.size();
    return compiler->recorded.c_str();
}

int strc_compiler_tree_is_open(const strc_compiler* compiler) {
    return compiler && compiler->isOpen ? 1 : 0;
}

strc_status strc_compiler_add_native(strc_compiler* compiler, const char* symbol,
                                     void (*function)(void)) {
    if (!compiler || !symbol || !function || compiler->isCompiled) return STRC_WRONG_CALL;
    return guarded(compiler, [&] {
        compiler->program.natives.add(symbol, function);
        return STRC_OK;
    });
}
