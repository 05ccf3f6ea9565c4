#include "dsl/tree.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace strc::dsl {

namespace {

bool isExpression(strc_node_kind kind) { return kind >= STRC_NODE_INT && kind <= STRC_NODE_VALUE; }

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
        case 'L': return kind >= STRC_NODE_INT && kind <= STRC_NODE_TABLE;
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

/// The children of a node, a letter each; behind one: `!` it may be NOTHING; `?` it may be NOTHING, or missing at the end; `*` any
/// number. In the order of the kinds.
constexpr std::string_view kForms[] = {
    "",        "",     "",    "",       "",
    "",  // NOTHING INT REAL BOOLEAN IMAGINARY STRING
    "L*",      "E",    "EE",  "EEE",    "TE",
    "E",  // TABLE UNARY BINARY CONDITIONAL CAST MEMBER
    "EEE*",    "E*",   "CE*", "",       "E",
    "",  // INDEX BUILTIN CALL POP PEEK ITER
    "TI?",     "TE",   "K*",  "O",      "DE",
    "EBB?",  // VARIABLE VALUE BLOCK EVALUATE ASSIGN IF
    "BEB",     "VEEB", "",    "",       "E?",
    "E",  // WHILE FOR BREAK CONTINUE RETURN PUSH
    "PE!E!E*", "",     "TL",  "TL*",    "V*",  // SEND TYPE ARRAY_TYPE TENSOR_TYPE STRUCT
    "E",       "E!E!", "R*B", "R*B",    "B",
    "",  // RATE DYNAMIC_RATE WORK PREWORK INIT FUNCTION_NAME
    "FTV*R*B", "V*B",  "",    "TTM*",   "S*",
    "WS*W",  // FUNCTION HANDLER STRAY FILTER PIPELINE SPLITJOIN
    "WSSWE*",  "",     "L*",  "TTT!L*", "SP*",
    "",  // FEEDBACKLOOP DUPLICATE ROUNDROBIN NAMED RECEIVER PORTAL
    "TV*",  // NATIVE
};
static_assert(std::size(kForms) == STRC_NODE_KIND_COUNT);

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

/// Operators and rates have one of a few names.
bool hasFittingName(const strc_node& node) {
    for (const Names& row : kNames)
        if (row.kind == node.kind)
            return node.name && *node.name != '\0' &&
                   row.list.find(' ' + std::string(node.name) + ' ') != std::string_view::npos;
    return true;
}

bool isLiteral(strc_node_kind kind) { return kind >= STRC_NODE_INT && kind <= STRC_NODE_TABLE; }

/// Are those the children of such a node?
bool haveForm(std::string_view form, const std::vector<strc_node_kind>& children) {
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
            return false;
        }
        if (how == '*' || how == '?' || how == '!') ++k;
    }
    return next == children.size();
}

}  // namespace

bool Tree::isStream(NodeNumber number) const {
    return number > 0 && number < nodes.size() && fits('S', nodes[number].kind);
}

std::optional<NodeNumber> Tree::add(const strc_node& given) {
    if (given.kind < 0 || given.kind >= STRC_NODE_KIND_COUNT || nodes.size() >= UINT32_MAX)
        return std::nullopt;
    std::vector<strc_node_kind> kinds;
    Node made;
    for (std::size_t k = 0; k < given.child_count; ++k) {
        const NodeNumber child = given.children[k];
        if (child == 0 || child >= nodes.size()) return std::nullopt;
        kinds.push_back(nodes[child].kind);
        made.depth = std::max(made.depth, depthOf(child) + 1);
    }
    if (!hasFittingName(given)) return std::nullopt;
    const bool lacksBegin = given.kind == STRC_NODE_FOR && !kinds.empty() &&
                            nodes[given.children[0]].children.size() < 2;
    if (lacksBegin || !haveForm(kForms[given.kind], kinds) || made.depth > kMostDepth)
        return std::nullopt;
    if (given.kind == STRC_NODE_ASSIGN && !isPlace(given.children[0])) return std::nullopt;
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
