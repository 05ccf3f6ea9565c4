// Any bytes as nodes of strc/tree.h, from the first node to the checker. A tree that is a program has a text, and the
// checker says the same of that.

#include <array>
#include <string>
#include <vector>

#include "base/assert.h"
#include "strc/tree.h"

namespace {

constexpr std::array kNames = {
    "",      "x",        "y",   "f",   "push",   "pop",   "peek",    "int",
    "float", "void",     "+",   "*",   "<",      "==",    "-",       "!",
    "=",     "+=",       "sin", "max", "set",    "bit",   "boolean", "complex",
    "Main",  "Identity", "abs", "&&",  "tensor", "while", "x1",      "println"};
constexpr std::size_t kMostNodes = 400;

/// Nodes are a row of bytes each: kind, name, number, how many children, and so many nodes ago each of these is.
class TreeOf {
public:
    TreeOf(const std::uint8_t* data, std::size_t size) : at(data), end(data + size) {}
    ~TreeOf() { strc_tree_free(tree); }
    TreeOf(const TreeOf&) = delete;
    TreeOf& operator=(const TreeOf&) = delete;

    void read() {
        while (at != end && nodes.size() < kMostNodes) add();
    }
    /// The last node that is a program.
    bool giveTo(strc_compiler* compiler) const {
        for (std::size_t k = nodes.size(); k-- > 0;) {
            const strc_status status = strc_compiler_add_tree(compiler, tree, nodes[k]);
            if (status != STRC_WRONG_CALL) return status == STRC_OK;
        }
        return false;
    }

private:
    std::uint8_t next() { return at == end ? 0 : *at++; }

    void add() {
        strc_node node{};
        node.size = sizeof node;
        node.kind = static_cast<strc_node_kind>(next() % (STRC_NODE_KIND_COUNT + 1));
        node.name = kNames[next() % kNames.size()];
        const auto value = static_cast<std::int8_t>(next());
        node.integer = value;
        node.number = value / 4.0;
        // Streams of files are not read here.
        if (node.kind != STRC_NODE_NAMED) node.text = node.name;
        std::vector<std::uint32_t> children(next() % 8);
        for (std::uint32_t& child : children) {
            const std::uint8_t back = next();
            child = back == 0 || back > nodes.size() ? back : nodes[nodes.size() - back];
        }
        node.children = children.data();
        node.child_count = children.size();
        node.line = static_cast<std::uint32_t>(nodes.size() + 1);
        node.column = 1;
        node.file = "recorded.cpp";
        if (const std::uint32_t made = strc_tree_add(tree, &node)) nodes.push_back(made);
    }

    const std::uint8_t *at, *end;
    strc_tree* tree = strc_tree_new();
    std::vector<std::uint32_t> nodes;
};

/// Which stream is the main one is no matter of the text.
bool isFine(strc_compiler* compiler) {
    strc_compiler_compile(compiler, STRC_STAGE_CHECKED, nullptr, nullptr);
    strc_diagnostic each;
    for (std::size_t k = 0; strc_compiler_diagnostic(compiler, k, &each) == STRC_OK; ++k)
        if (each.severity == STRC_SEVERITY_ERROR && std::string(each.code) != "no-main-stream")
            return false;
    return true;
}

std::string errorsOf(strc_compiler* compiler) {
    std::string all;
    strc_diagnostic each;
    for (std::size_t k = 0; strc_compiler_diagnostic(compiler, k, &each) == STRC_OK; ++k)
        all += each.text;
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    TreeOf tree(data, size);
    tree.read();
    strc_compiler* recorded = strc_compiler_new();
    if (tree.giveTo(recorded)) {
        std::size_t length = 0;
        const char* text = strc_compiler_tree_text(recorded, &length);
        STRC_ASSERT(text, "a program without a text");
        strc_compiler* written = strc_compiler_new();
        strc_compiler_add_source(written, "written.str", text, length);
        const bool isRecordedFine = isFine(recorded), isWrittenFine = isFine(written);
        STRC_ASSERT(isRecordedFine == isWrittenFine,
                    std::string(text, length) + errorsOf(recorded) + errorsOf(written));
        strc_compiler_free(written);
    }
    strc_compiler_free(recorded);
    return 0;
}
