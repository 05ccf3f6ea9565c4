#include "dsl/tree.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace strc::dsl {

namespace {

bool isExpression(strc_node_kind kind) { return kind >= STRC_NODE_INT && kind <= STRC_NODE_VALUE; }

bool isLiteral(strc_node_kind kind) { return kind >= STRC_NODE_INT && kind <= STRC_NODE_TABLE; }

/// What a child may be, as a letter of a form.
bool fits(char wanted, strc_node_kind kind) {
    switch (wanted) {
        case 'E': return isExpression(kind) && kind != STRC_NODE_TABLE;
        case 'I': return isExpression(kind);
        case 'T': return kind >= STRC_NODE_TYPE && kind <= STRC_NODE_STRUCT;
        case 'D':  // what may be assigned
            return kind == STRC_NODE_VARIABLE || kind == STRC_NODE_MEMBER ||
                   kind == STRC_NODE_INDEX;
        case 'O':  // what may stand alone
            return kind == STRC_NODE_BUILTIN || kind == STRC_NODE_CALL || kind == STRC_NODE_POP ||
                   kind == STRC_NODE_PEEK || kind == STRC_NODE_ITER;
        case 'L': return isLiteral(kind);
        case 'V': return kind == STRC_NODE_VARIABLE;
        case 'B': return kind == STRC_NODE_BLOCK;
        case 'K': return kind >= STRC_NODE_VARIABLE && kind <= STRC_NODE_SEND;
        case 'R': return kind == STRC_NODE_RATE || kind == STRC_NODE_DYNAMIC_RATE;
        case 'F': return kind == STRC_NODE_FUNCTION_NAME;
        case 'C': return kind == STRC_NODE_FUNCTION_NAME || kind == STRC_NODE_NATIVE;
        case 'P': return kind == STRC_NODE_PORTAL;
        case 'S':
            return kind >= STRC_NODE_FILTER && kind <= STRC_NODE_RECEIVER &&
                   kind != STRC_NODE_DUPLICATE && kind != STRC_NODE_ROUNDROBIN;
        case 'W': return kind == STRC_NODE_DUPLICATE || kind == STRC_NODE_ROUNDROBIN;
        case 'M':
            return kind == STRC_NODE_VARIABLE ||
                   (kind >= STRC_NODE_WORK && kind <= STRC_NODE_INIT) ||
                   (kind >= STRC_NODE_FUNCTION && kind <= STRC_NODE_STRAY);
        default: return false;
    }
}

struct NodeForm {
    strc_node_kind kind;
    /// A letter for each child; behind one: `!` it may be NOTHING; `?` it may be NOTHING, or missing at the end; `*` any number.
    std::string_view children;
    std::string_view word;  ///< for what it is
};
/// In the order of the kinds.
constexpr NodeForm kForms[] = {
    {STRC_NODE_NOTHING, "", "nothing"},
    {STRC_NODE_INT, "", "number"},
    {STRC_NODE_REAL, "", "number"},
    {STRC_NODE_BOOLEAN, "", "boolean"},
    {STRC_NODE_IMAGINARY, "", "imaginary number"},
    {STRC_NODE_STRING, "", "text"},
    {STRC_NODE_TABLE, "L*", "table"},
    {STRC_NODE_UNARY, "E", "operator"},
    {STRC_NODE_BINARY, "EE", "operator"},
    {STRC_NODE_CONDITIONAL, "EEE", "choice"},
    {STRC_NODE_CAST, "TE", "conversion"},
    {STRC_NODE_MEMBER, "E", "member"},
    {STRC_NODE_INDEX, "EEE*", "element"},
    {STRC_NODE_BUILTIN, "E*", "call"},
    {STRC_NODE_CALL, "CE*", "call"},
    {STRC_NODE_POP, "", "pop"},
    {STRC_NODE_PEEK, "E", "peek"},
    {STRC_NODE_ITER, "", "iter"},
    {STRC_NODE_VARIABLE, "TI?", "variable"},
    {STRC_NODE_VALUE, "TE", "value"},
    {STRC_NODE_BLOCK, "K*", "block"},
    {STRC_NODE_EVALUATE, "O", "statement"},
    {STRC_NODE_ASSIGN, "DE", "assignment"},
    {STRC_NODE_IF, "EBB?", "if"},
    {STRC_NODE_WHILE, "BEB", "while loop"},
    {STRC_NODE_FOR, "VEEB", "for loop"},
    {STRC_NODE_BREAK, "", "break"},
    {STRC_NODE_CONTINUE, "", "continue"},
    {STRC_NODE_RETURN, "E?", "return"},
    {STRC_NODE_PUSH, "E", "push"},
    {STRC_NODE_SEND, "PE!E!E*", "message"},
    {STRC_NODE_TYPE, "", "type"},
    {STRC_NODE_ARRAY_TYPE, "TL", "type of arrays"},
    {STRC_NODE_TENSOR_TYPE, "TL*", "type of tensors"},
    {STRC_NODE_STRUCT, "V*", "struct"},
    {STRC_NODE_RATE, "E", "rate"},
    {STRC_NODE_DYNAMIC_RATE, "E!E!", "rate"},
    {STRC_NODE_WORK, "R*B", "work"},
    {STRC_NODE_PREWORK, "R*B", "prework"},
    {STRC_NODE_INIT, "B", "init"},
    {STRC_NODE_FUNCTION_NAME, "", "name of a function"},
    {STRC_NODE_FUNCTION, "FTV*R*B", "function"},
    {STRC_NODE_HANDLER, "V*B", "handler"},
    {STRC_NODE_STRAY, "", "statement outside of a filter"},
    {STRC_NODE_FILTER, "TTM*", "filter"},
    {STRC_NODE_PIPELINE, "S*", "pipeline"},
    {STRC_NODE_SPLITJOIN, "WS*W", "splitjoin"},
    {STRC_NODE_FEEDBACKLOOP, "WSSWE*", "feedback loop"},
    {STRC_NODE_DUPLICATE, "", "splitter"},
    {STRC_NODE_ROUNDROBIN, "L*", "splitter or joiner"},
    {STRC_NODE_NAMED, "TTT!L*", "stream of a library or file"},
    {STRC_NODE_RECEIVER, "SP*", "receiver"},
    {STRC_NODE_PORTAL, "", "portal"},
    {STRC_NODE_NATIVE, "TV*", "native function"},
};
static_assert(std::size(kForms) == STRC_NODE_KIND_COUNT);
constexpr bool isInOrder() {
    for (std::size_t k = 0; k < std::size(kForms); ++k)
        if (kForms[k].kind != static_cast<strc_node_kind>(k)) return false;
    return true;
}
static_assert(isInOrder());

constexpr std::uint32_t kMostDepth = 1500;  ///< of expressions and blocks inside one another

struct Names {
    strc_node_kind kind;
    std::string_view list;  ///< with a blank around each
};
constexpr Names kNames[] = {
    {STRC_NODE_UNARY, " ! - ~ "},
    {STRC_NODE_BINARY, " || && | & ^ == != < <= > >= + - * / % << >> "},
    {STRC_NODE_ASSIGN, " = += -= *= /= <<= >>= %= &= |= ^= "},
    {STRC_NODE_FOR, " < <= > >= "},
    {STRC_NODE_RATE, " push pop peek "},
    {STRC_NODE_DYNAMIC_RATE, " push pop peek "},
};

/// The names of which operators and rates have one; empty: any will do.
std::string_view namesOf(strc_node_kind kind) {
    for (const Names& row : kNames)
        if (row.kind == kind) return row.list;
    return {};
}

bool hasFittingName(const strc_node& node) {
    const std::string_view names = namesOf(node.kind);
    if (names.empty()) return true;
    return node.name && *node.name != '\0' && !std::strchr(node.name, ' ') &&
           names.find(' ' + std::string(node.name) + ' ') != std::string_view::npos;
}

/// The first of these children that such a node does not have, or how many there are if one is missing behind them; nothing: they are
/// all that it has.
std::optional<std::size_t> firstWrong(std::string_view form,
                                      const std::vector<strc_node_kind>& children) {
    std::size_t next = 0;
    for (std::size_t k = 0; k < form.size(); ++k) {
        const char how = k + 1 < form.size() ? form[k + 1] : '\0';
        const bool isThere = next < children.size() && fits(form[k], children[next]);
        if (how == '*') {
            while (next < children.size() && fits(form[k], children[next])) ++next;
        } else if (isThere || ((how == '?' || how == '!') && next < children.size() &&
                               children[next] == STRC_NODE_NOTHING)) {
            ++next;
        } else if (how != '?' || next < children.size()) {
            return next;
        }
        if (how == '*' || how == '?' || how == '!') ++k;
    }
    if (next < children.size()) return next;
    return std::nullopt;
}

}  // namespace

bool Tree::isStream(NodeNumber number) const {
    return number > 0 && number < nodes.size() && fits('S', nodes[number].kind);
}

std::string Tree::whyNot(const strc_node& given, std::uint32_t& depth) const {
    if (given.kind < 0 || given.kind >= STRC_NODE_KIND_COUNT)
        return fmt::format("there is no kind {} of nodes", static_cast<int>(given.kind));
    const NodeForm& form = kForms[given.kind];
    std::vector<strc_node_kind> kinds;
    for (std::size_t k = 0; k < given.child_count; ++k) {
        const NodeNumber child = given.children[k];
        if (child == 0 || child >= nodes.size())
            return fmt::format("part {} of the {} is no node: {}", k + 1, form.word, child);
        kinds.push_back(nodes[child].kind);
        depth = std::max(depth, depthOf(child) + 1);
    }
    if (!hasFittingName(given))
        return fmt::format("'{}' is the name of no {}: there are{}", given.name ? given.name : "",
                           form.word, namesOf(given.kind));
    if (const auto wrong = firstWrong(form.children, kinds); wrong && *wrong < kinds.size())
        return fmt::format("the {} has no place for its part {}, a {}", form.word, *wrong + 1,
                           kForms[kinds[*wrong]].word);
    else if (wrong)
        return fmt::format("the {} lacks its part {}", form.word, *wrong + 1);
    if (given.kind == STRC_NODE_FOR && nodes[given.children[0]].children.size() < 2)
        return "the variable of the for loop has no value to begin with";
    if (given.kind == STRC_NODE_ASSIGN && !isPlace(given.children[0]))
        return "what is assigned to is neither a variable nor a part of one";
    if (depth > kMostDepth)
        return fmt::format("more than {} expressions, blocks or streams stand inside one another",
                           kMostDepth);
    return nodes.size() >= UINT32_MAX ? "there are too many nodes" : "";
}

std::optional<NodeNumber> Tree::add(const strc_node& given) {
    Node made;
    refused = whyNot(given, made.depth);
    if (!refused.empty()) {
        if (given.file && *given.file != '\0')
            refused = fmt::format("{}:{}:{}: {}", given.file, given.line, given.column, refused);
        return std::nullopt;
    }
    for (std::size_t k = 0; k < given.child_count; ++k)
        made.children.push_back(own(given.children[k]));
    made.kind = given.kind;
    made.hasName = given.name && *given.name != '\0';
    if (given.name) made.name = given.name;
    if (given.text) made.text = given.text;
    made.integer = given.integer;
    made.number = given.number;
    made.place = {fileNumber(given.file), given.line, given.column};
    made.function = given.function;
    nodes.push_back(std::move(made));
    return static_cast<NodeNumber>(nodes.size() - 1);
}

/// What is declared elsewhere is a name where it is used; streams are written one by one.
std::uint32_t Tree::depthOf(NodeNumber child) const {
    const strc_node_kind kind = nodes[child].kind;
    const bool isName = kind == STRC_NODE_VALUE || kind == STRC_NODE_VARIABLE;
    return isName ? 1 : nodes[child].depth;
}

/// A variable, or a part of one.
bool Tree::isPlace(NodeNumber node) const {
    while (nodes[node].kind == STRC_NODE_MEMBER || nodes[node].kind == STRC_NODE_INDEX)
        node = nodes[node].children[0];
    return nodes[node].kind == STRC_NODE_VARIABLE;
}

/// A literal has one place, so that it can be told from others that are equal by chance.
NodeNumber Tree::own(NodeNumber child) {
    if (!isLiteral(nodes[child].kind)) return child;
    if (!nodes[child].isUsed) {
        nodes[child].isUsed = true;
        return child;
    }
    Node copy = nodes[child];
    nodes.push_back(std::move(copy));
    return static_cast<NodeNumber>(nodes.size() - 1);
}

std::uint32_t Tree::fileNumber(const char* name) {
    if (!name || *name == '\0') return 0;
    const auto found = std::find(files.begin() + 1, files.end(), name);
    if (found != files.end()) return static_cast<std::uint32_t>(found - files.begin());
    files.emplace_back(name);
    return static_cast<std::uint32_t>(files.size() - 1);
}

}  // namespace strc::dsl
