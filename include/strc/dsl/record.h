/// What is recorded: nodes (strc/tree.h), and the blocks that are open in this thread.
#ifndef STRC_DSL_RECORD_H
#define STRC_DSL_RECORD_H

#include <cstdint>
#include <memory>
#include <source_location>
#include <strc/tree.h>
#include <string>
#include <utility>
#include <vector>

namespace strc {

/// Where something was written: the place of the call, if nobody says otherwise.
using Where = std::source_location;

namespace detail {

struct Node;
using NodeRef = std::shared_ptr<Node>;

struct Node {
    explicit Node(strc_node_kind kind, std::string name = {}, std::vector<NodeRef> children = {})
        : kind(kind), name(std::move(name)), children(std::move(children)) {}
    Node(const Node&) = default;
    Node& operator=(const Node&) = delete;
    /// One after the other: chains of values are as long as bodies.
    ~Node() {
        std::vector<NodeRef> rest = std::move(children);
        while (!rest.empty()) {
            const NodeRef last = std::move(rest.back());
            rest.pop_back();
            if (!last || last.use_count() > 1) continue;
            for (NodeRef& child : last->children) rest.push_back(std::move(child));
            last->children.clear();
        }
    }

    strc_node_kind kind;
    std::string name, text;
    std::int64_t integer = 0;
    double number = 0;
    std::vector<NodeRef> children;
    const char* file = nullptr;
    std::uint32_t line = 0, column = 0;
    void (*function)() = nullptr;
};

inline NodeRef node(strc_node_kind kind, std::vector<NodeRef> children = {}) {
    return std::make_shared<Node>(kind, std::string(), std::move(children));
}
inline NodeRef node(strc_node_kind kind, std::string name, std::vector<NodeRef> children = {}) {
    return std::make_shared<Node>(kind, std::move(name), std::move(children));
}
inline NodeRef at(NodeRef made, const Where& where) {
    if (where.line() == 0) return made;
    made->file = where.file_name();
    made->line = where.line();
    made->column = where.column();
    return made;
}
/// At the place of another node.
inline void at(const NodeRef& made, const Node& other) {
    made->file = other.file;
    made->line = other.line;
    made->column = other.column;
}
inline NodeRef nothing() { return node(STRC_NODE_NOTHING); }

/// The blocks that are being recorded, innermost last, and what was done outside of all.
struct Recorder {
    std::vector<NodeRef> blocks;
    std::vector<NodeRef> strays;
};
inline Recorder& recorder() {
    thread_local Recorder of;
    return of;
}

/// A statement; `what` names it in a message if nothing is being recorded.
inline void addStatement(const NodeRef& statement, const char* what) {
    Recorder& now = recorder();
    if (!now.blocks.empty()) {
        now.blocks.back()->children.push_back(statement);
        return;
    }
    const NodeRef stray = node(STRC_NODE_STRAY);
    stray->text = what;
    stray->file = statement->file;
    stray->line = statement->line;
    stray->column = statement->column;
    now.strays.push_back(stray);
}

/// What `body` does, as a block.
template <typename Body>
NodeRef record(Body&& body) {
    struct Open {
        explicit Open(const NodeRef& block) { recorder().blocks.push_back(block); }
        ~Open() { recorder().blocks.pop_back(); }
    };
    const NodeRef block = node(STRC_NODE_BLOCK);
    const Open open(block);
    std::forward<Body>(body)();
    return block;
}

/// Nothing is being recorded as long as it lives; what was done outside of bodies meanwhile is its own.
class FreshRecorder {
public:
    FreshRecorder() { std::swap(before, recorder()); }
    ~FreshRecorder() { std::swap(before, recorder()); }
    FreshRecorder(const FreshRecorder&) = delete;
    FreshRecorder& operator=(const FreshRecorder&) = delete;
    std::vector<NodeRef> takeStrays() { return std::exchange(recorder().strays, {}); }

private:
    Recorder before;
};

/// A value that is computed here, once.
inline NodeRef computed(NodeRef type, NodeRef expression, const Where& where) {
    const NodeRef value =
        at(node(STRC_NODE_VALUE, {std::move(type), std::move(expression)}), where);
    Recorder& now = recorder();
    if (!now.blocks.empty()) now.blocks.back()->children.push_back(value);
    return value;
}

}  // namespace detail
}  // namespace strc

#endif
