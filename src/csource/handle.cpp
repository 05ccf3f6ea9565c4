// The handle, and how it begins.
#include <algorithm>

#include <fmt/format.h>

#include "csource/detail/interface.h"
#include "csource/detail/literals.h"

namespace strc::csource {
namespace {

using types::TypeKind;

constexpr std::int64_t kMessageBytes = 1024;  ///< as runtime/library/message.h
constexpr std::int64_t kRunBytes = 256;  ///< at most: of the numbers in a handle
constexpr std::int64_t kAlignment = 64;

std::string parameterFields(Source& source) {
    std::string text;
    const auto& values = source.program.elaboration.openValues;
    for (std::size_t k = 0; k < values.size(); ++k)
        text += "    " + source.types.variable(values[k].type, source.parameters[k]) + ";\n";
    return text.empty()
               ? text
               : named(source, "/* As the caller sets them. */\ntypedef struct @_parameters {\n") +
                     text + named(source, "} @_parameters;\n\n");
}

std::string runFields(const Source& source, const Shape& shape) {
    std::string text;
    if (source.helpers.needsRandom()) text += "    uint64_t random;\n";
    if (shape.recurses) text += "    uint32_t depth; /* of functions that call themselves */\n";
    if (shape.asksIteration) text += "    uint32_t iteration; /* firings that are done */\n";
    if (shape.takesItems)
        text += fmt::format(
            "    /* Items that came and are still to be looked at. */\n"
            "    {} window[{}];\n    size_t held;\n",
            source.own("in"), windowItems(shape.counts));
    if (shape.givesItems)
        text += fmt::format(
            "    /* Items for which the caller had no room. */\n"
            "    {} pending[{}];\n    size_t pending_first, pending_count;\n",
            source.own("out"), pendingItems(shape.counts));
    if (shape.begins) text += "    uint8_t has_begun; /* what is done once is done */\n";
    if (shape.follows)
        text +=
            "    uint32_t changed; /* parameters on which fields depend that have been set */\n";
    if (source.kernel.drain)
        text +=
            "    uint64_t done; /* steady states */\n"
            "    int64_t rounds; /* in which the rest is done when the input is over, */\n"
            "    uint8_t drains_first; /* and whether what is done once is still to be done */\n";
    if (!source.program.inTurns.empty())
        text += "    uint32_t in_place; /* items of a round of the inputs that are taken */\n";
    if (!source.program.outTurns.empty())
        text += "    uint32_t out_place; /* items of a round of the outputs that are given */\n";
    text += "    uint8_t is_draining;\n";
    if (shape.fails)
        text += fmt::format(
            "    uint8_t has_failed;\n    {} fault, end; /* the last one, and that which ended the "
            "run */\n    char text[{}];\n",
            source.own("failure"), kMessageBytes);
    return text + "    const char *message;\n";
}

bool isZero(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

/// The fields that do not begin as zeros.
std::string initialFields(Source& source) {
    std::string text;
    const std::string& state = *source.program.elaboration.states[0];
    for (std::size_t k = 0; k < source.fields.size(); ++k) {
        const Type* type = source.kernel.fieldTypes[k];
        const char* bytes = state.data() + source.kernel.fieldOffsets[k];
        const auto size = static_cast<std::size_t>(types::sizeOf(type));
        const std::string& name = source.fields[k];
        if (name.empty() || isZero({bytes, size})) continue;
        if (!type->isAggregate())
            text +=
                fmt::format("    self->{} = {};\n", name, scalarLiteral(source.types, type, bytes));
        else
            text += fmt::format(
                "    memcpy({}self->{}, {}{}, sizeof self->{});\n",
                type->is(TypeKind::Struct) ? "&" : "", name, type->is(TypeKind::Struct) ? "&" : "",
                source.table(type, bytes, source.fieldNames[k] + "_at_first"), name);
    }
    return text;
}

std::string resetText(Source& source) {
    const bool hasParameters = !source.parameters.empty();
    std::string text = "void @_reset(@_handle *self) {\n    if (!self) return;\n";
    if (hasParameters) text += "    const @_parameters parameters = self->parameters;\n";
    text += "    memset(self, 0, sizeof *self);\n";
    if (hasParameters) text += "    self->parameters = parameters;\n";
    if (source.helpers.needsRandom())
        text += fmt::format("    self->random = UINT64_C({});\n",
                            source.program.elaboration.random.state);
    return named(source, text) + initialFields(source) + "}\n\n";
}

constexpr std::string_view kMake = R"(@_handle *@_make(void *memory) {
    @_handle *self = memory;
    if (!self) return NULL;
@BEGIN    @_reset(self);
    return self;
}

@_handle *@_create(int *status) {
    for (size_t k = 0; k < @_HANDLES; ++k) {
        if (@_used[k]) continue;
        @_used[k] = 1;
        if (status) *status = @_OK;
        return @_make(&@_handles[k]);
    }
    if (status) *status = @_MEMORY;
    return NULL;
}

void @_destroy(@_handle *self) {
    for (size_t k = 0; k < @_HANDLES; ++k)
        if (self == &@_handles[k]) @_used[k] = 0;
}

)";

std::string makeText(Source& source) {
    std::string begin;
    const auto& values = source.program.elaboration.openValues;
    for (std::size_t k = 0; k < values.size(); ++k)
        begin += fmt::format("    self->parameters.{} = {};\n", source.parameters[k],
                             scalarLiteral(source.types, values[k].type, values[k].bytes.data()));
    std::string text(kMake);
    text.replace(text.find("@BEGIN"), 6, begin);
    return named(source, text);
}

}  // namespace

std::int64_t handleBytes(const elab::Elaboration& program) {
    const graph::Graph& graph = program.graph;
    const elab::Kernel& kernel = program.kernels[graph.nodes[0].kernel];
    const Counts counts = countsOf(kernel);
    std::int64_t bytes = kernel.stateSize + kMessageBytes + kRunBytes;
    if (kernel.code.startsLate) bytes += kernel.stateSize + 2 * kAlignment;
    for (const types::Value& value : program.openValues) bytes += types::sizeOf(value.type) + 8;
    if (graph.input != graph::kNone)
        bytes += windowItems(counts) * types::sizeOf(graph.edges[graph.input].type) + 8;
    if (graph.output != graph::kNone)
        bytes += pendingItems(counts) * types::sizeOf(graph.edges[graph.output].type) + 8;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::string printHandle(Source& source, const Functions& functions) {
    std::string fields;
    for (std::size_t k = 0; k < source.fieldNames.size(); ++k)
        if (!source.fieldNames[k].empty())
            fields += "    " +
                      source.types.variable(source.kernel.fieldTypes[k], source.fieldNames[k]) +
                      ";\n";
    if (fields.empty() && source.kernel.code.startsLate) fields = "    uint8_t none;\n";
    const bool isLate = source.kernel.code.startsLate;
    std::string text = parameterFields(source);
    if (isLate)
        text += named(source, "/* The filter's fields. */\ntypedef struct @_fields {\n" + fields +
                                  "} @_fields;\n\n");
    if (Shape(source, functions).fails)
        text += named(source,
                      "/* A check that failed. */\ntypedef struct @_failure {\n    int site, "
                      "instance;\n    int64_t numbers[2];\n} @_failure;\n\n");
    text += named(source, "struct @_handle {\n");
    if (!source.parameters.empty()) text += named(source, "    @_parameters parameters;\n");
    if (isLate)
        text += named(source, "    @_fields fields, beside;\n");
    else if (!fields.empty())
        text += "    /* The filter's fields. */\n" + fields;
    text += runFields(source, Shape(source, functions)) + "};\n";
    return text +
           named(
               source,
               "_Static_assert(sizeof(struct @_handle) <= @_BYTES, \"a handle is too large\");\n\n"
               "#ifndef @_HANDLES\n#define @_HANDLES 1\n#endif\n"
               "static @_handle @_handles[@_HANDLES];\nstatic uint8_t @_used[@_HANDLES];\n");
}

std::string printLife(Source& source) { return resetText(source) + makeText(source); }

}  // namespace strc::csource
