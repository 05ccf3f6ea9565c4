// The header of a library.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "executable/library.h"
#include "io/tensors.h"
#include "types/tensor_text.h"

namespace strc::executable {
namespace {

using types::Type;
using types::TypeKind;

/// Names of fields that C or C++ would not take.
bool isReserved(std::string_view name) {
    // clang-format off
    static constexpr std::array words{
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool",
        "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class",
        "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast",
        "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete",
        "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
        "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace",
        "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
        "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return",
        "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
        "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
        "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
        "volatile", "wchar_t", "while", "xor", "xor_eq"};
    // clang-format on
    return std::find(words.begin(), words.end(), name) != words.end();
}

/// The types of items as C has them: with the same layout (types/type.h).
class Types {
public:
    explicit Types(std::string stream) : prefix(std::move(stream)) {}

    /// Of a value that is no array; what it needs is declared first.
    std::string name(const Type* type) {
        switch (type->kind) {
            case TypeKind::Boolean:
            case TypeKind::Bit: return "uint8_t";
            case TypeKind::Int: return "int32_t";
            case TypeKind::Float: return "float";
            case TypeKind::Double: return "double";
            case TypeKind::Complex: return declared(type, "complex", "    float re, im;\n");
            case TypeKind::Struct: return structure(type);
            default:
                return declared(type, types::toString(type),
                                fmt::format("    float at[{}];\n", type->components()));
        }
    }

    /// An item: arrays are in a struct, so that they can be assigned.
    void declareItem(const graph::Edge& edge, std::string_view side) {
        if (!edge.tensors.empty()) return declareTensors(edge, side);
        const Type* type = edge.type;
        if (!type->is(TypeKind::Array)) {
            const std::string is = name(type);
            text += fmt::format("typedef {} {}_{};\n", is, prefix, side);
            return;
        }
        const std::string is = fmt::format("{}_{}", prefix, side);
        const std::string body = fmt::format("    {};\n", variable(type, "at"));
        text += fmt::format("typedef struct {0} {{\n{1}}} {0};\n", is, body);
    }

    /// Tensors, each of which lies row by row at the beginning of an array.
    void declareTensors(const graph::Edge& edge, std::string_view side) {
        const bool areAlike = edge.tensors.size() == 1;
        text += fmt::format(
            "/* {}: {}. */\n",
            areAlike ? "An item, row by row" : "Items take turns, each row by row at the beginning",
            areAlike ? types::toString(edge.tensors[0]) : placesOf(edge));
        const std::string body =
            areAlike ? fmt::format("    {};\n", shaped(edge.tensors[0])) : arraysOf(edge.type);
        text += fmt::format("typedef struct {0}_{1} {{\n{2}}} {0}_{1};\n", prefix, side, body);
    }

    std::string text;

private:
    static std::string shaped(const Type* tensor) {
        std::string extents;
        for (std::int64_t extent : tensor->dims) extents += fmt::format("[{}]", extent);
        return fmt::format("{} at{}", elementName(tensor->element->kind),
                           extents.empty() ? "[1]" : extents);
    }

    /// "tensor<float>[2, 3] of 'floats', ..."
    static std::string placesOf(const graph::Edge& edge) {
        std::string all;
        for (const Type* tensor : edge.tensors) {
            all += fmt::format("{}{} of {}", all.empty() ? "" : ", ", types::toString(tensor),
                               arrayName(types::inMemory(tensor->element->kind)));
        }
        return all;
    }

    static std::string arraysOf(const Type* memory) {
        auto array = [](const Type* type) {
            const TypeKind kind = type->element->kind;
            return fmt::format("    {} {}[{}];\n", elementName(kind), arrayName(kind),
                               type->extent);
        };
        if (!memory->is(TypeKind::Struct)) return array(memory);
        std::string body;
        for (const types::StructField& field : memory->structure->fields) body += array(field.type);
        return body;
    }

    static std::string_view elementName(TypeKind element) {
        switch (types::inMemory(element)) {
            case TypeKind::Boolean: return "uint8_t";
            case TypeKind::Int: return "int32_t";
            case TypeKind::Long: return "int64_t";
            case TypeKind::Double: return "double";
            default: return "float";
        }
    }

    static std::string_view arrayName(TypeKind element) {
        switch (element) {
            case TypeKind::Boolean: return "booleans";
            case TypeKind::Int: return "ints";
            case TypeKind::Long: return "longs";
            case TypeKind::Double: return "doubles";
            default: return "floats";
        }
    }

    std::string variable(const Type* type, std::string_view called) {
        std::string extents;
        const Type* each = type;
        for (; each->is(TypeKind::Array); each = each->element)
            extents += fmt::format("[{}]", each->extent);
        return fmt::format("{} {}{}{}", name(each), called, isReserved(called) ? "_" : "", extents);
    }

    std::string structure(const Type* type) {
        std::string body;
        for (const types::StructField& field : type->structure->fields)
            body += fmt::format("    {};\n", variable(field.type, field.name.text()));
        return declared(type, type->structure->name.text(), body);
    }

    std::string declared(const Type* type, std::string_view called, const std::string& body) {
        const std::string is = fmt::format("{}_item_{}", prefix, called);
        if (known.emplace(type, is).second)
            text += fmt::format("typedef struct {0} {{\n{1}}} {0};\n", is, body);
        return is;
    }

    std::string prefix;
    std::map<const Type*, std::string> known;
};

constexpr const char* kTop = R"(/* {0}: a stream program, {1}->{2}, made by `strc build --shared`.
 *
 * A handle holds all that changes: different handles may be used at the same time, one handle by one thread
 * at a time. After {0}_create nothing allocates, locks, enters the system or ends the process.
 * Every call takes at most {0}_STACK_BYTES of the stack.
 */
#ifndef STRC_{0}_H
#define STRC_{0}_H

)"
                             "#include <stddef.h>\n"
                             "#include <stdint.h>\n"
                             R"(
#ifdef __cplusplus
extern "C" {{
#endif

)";

constexpr const char* kRates = R"(
/* The program works in steady states: each takes BLOCK_IN items and gives BLOCK_OUT. Before the first one it
 * takes FIRST_IN and gives FIRST_OUT. */
#define {0}_BLOCK_IN {1}
#define {0}_BLOCK_OUT {2}
#define {0}_FIRST_IN {3}
#define {0}_FIRST_OUT {4}
/* In input items: who wants BLOCK_OUT items for each BLOCK_IN from the start has to give so many more before. */
#define {0}_LATENCY {5}
)";

constexpr const char* kDynamic = R"(
/* How many items come of how many others the items decide. */
)";

constexpr const char* kBound =
    R"(/* So many items wait in a queue of the program at most, and so many messages for one filter: more are a fault. */
#define {0}_BOUND {1}
)";

constexpr const char* kStack = R"(#define {0}_STACK_BYTES {1}

)";

constexpr const char* kFunctions = R"(typedef struct {0}_handle {0}_handle;

enum {{
    {0}_OK = 0,
    {0}_FAULT = 1, /* a check of the program failed: {0}_message says which */
    {0}_MEMORY = 2, /* there is not enough */
    {0}_PROCESSOR = 3, /* this one lacks what the code was made for */
    {0}_CALL = 4 /* an argument is wrong */
}};

/* NULL if there is no memory or no such processor; *status (which may be NULL) says which. */
{0}_handle *{0}_create(int *status);
void {0}_destroy({0}_handle *);

/* Takes up to in_count items and gives up to out_capacity. The result is the same however the input is cut into
 * pieces. All of it is taken if there is room for what comes of it; {4}
 * *consumed and *produced (which may be
 * NULL) say how many there were, also if the value is not {0}_OK. After {0}_FAULT all calls fail until
 * {0}_reset. An array of no items may be NULL. */
int {0}_process({0}_handle *, const {1} *in, size_t in_count, {2} *out, size_t out_capacity,
{3}size_t *consumed, size_t *produced);

/* The input is over, and {0}_process has taken all of it: gives what can still be computed of the items inside, up to
 * out_capacity; the rest comes in further calls, until *produced is less. From then on {0}_process is {0}_CALL
 * until {0}_reset. */
int {0}_drain({0}_handle *, {2} *out, size_t out_capacity, size_t *produced);

/* As it was after {0}_create, but for the parameters. */
void {0}_reset({0}_handle *);

/* Why the last call failed: one line, which lives as long as the handle; "" if it did not. */
const char *{0}_message(const {0}_handle *);
)";

/// What is not taken, or not given.
constexpr const char* kWaits = R"(what is taken but too little for a
 * steady state, and what finds no room, waits inside for the next call.)";
constexpr const char* kWaitsBounded = R"(what finds no room waits inside,
 * and the items behind it stay with the caller: a call with room for more, and the rest of the input or none, goes on.)";

constexpr const char* kSet = R"(
/* Parameters: firings from now on see the value. What init makes of it is computed again, state is kept.
 * {0}_FAULT: the program refuses the value: {0}_message says why, the old one stays, and {0}_process goes on. */
int {0}_set({0}_handle *, int parameter, const void *value, size_t size);
)";

constexpr const char* kSetter = R"(enum {{ {0}_parameter_{1} = {2} }};
static inline int {0}_set_{1}({0}_handle *self, {3} value) {{
    return {0}_set(self, {0}_parameter_{1}, &value, sizeof value);
}}
)";

constexpr const char* kBottom = R"(
#ifdef __cplusplus
}
#endif
#endif
)";

const graph::Edge* endOf(const graph::Graph& graph, graph::EdgeId edge) {
    return edge == graph::kNone ? nullptr : &graph.edges[edge];
}

std::string nameOf(const graph::Edge* end) {
    if (!end) return "void";
    return end->tensors.empty() ? types::toString(end->type) : io::allOf(end->tensors);
}

std::string steadyStates(const Program& program) {
    const Rates rates = ratesOf(program.plan);
    return fmt::format(kRates, program.mainStream, rates.in, rates.out, rates.firstIn,
                       rates.firstOut, rates.latency());
}

}  // namespace

std::string libraryHeader(const Program& program, std::uint64_t codeBytes) {
    const graph::Graph& graph = program.plan.program->graph;
    const std::string& name = program.mainStream;
    const graph::Edge* in = endOf(graph, graph.input);
    const graph::Edge* out = endOf(graph, graph.output);
    Types types(name);
    if (in) types.declareItem(*in, "in");
    if (out) types.declareItem(*out, "out");
    std::string setters;
    const std::vector<types::Value>& values = program.plan.program->openValues;
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
        const std::string type = types.name(values[slot].type);
        setters += fmt::format(kSetter, name, program.module.open[slot].name, slot, type);
    }
    const bool isDynamic = program.plan.demand.has_value();
    const std::string indent(name.size() + 13, ' ');
    return fmt::format(kTop, name, nameOf(in), nameOf(out)) + types.text +
           (isDynamic ? kDynamic : steadyStates(program)) +
           (program.bound ? fmt::format(kBound, name, *program.bound) : "") +
           fmt::format(kStack, name, stackBytes(program, codeBytes)) +
           fmt::format(kFunctions, name, in ? name + "_in" : "void", out ? name + "_out" : "void",
                       indent, isDynamic ? kWaitsBounded : kWaits) +
           (values.empty() ? "" : fmt::format(kSet, name) + setters) + kBottom;
}

}  // namespace strc::executable
