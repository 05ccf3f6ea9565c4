#include "csource/detail/source.h"

#include <fmt/format.h>

#include "csource/detail/literals.h"
#include "elab/initial_fields.h"
#include "graph/hierarchy.h"

namespace strc::csource {
namespace {

const elab::Kernel& kernelOf(const elab::Elaboration& program) {
    return program.kernels[program.graph.nodes[0].kernel];
}

ir::BoundsInput boundsOf(const elab::Kernel& kernel, const std::string& state) {
    ir::BoundsInput input;
    input.constants = kernel.constants;
    input.workPeek = kernel.work.peek.max;
    input.preworkPeek = (kernel.prework ? *kernel.prework : kernel.work).peek.max;
    input.fields = elab::initialInts(kernel, state);
    return input;
}

}  // namespace

Source::Source(const Program& wanted)
    : program(wanted),
      kernel(kernelOf(wanted.elaboration)),
      types(wanted.mainStream),
      helpers(wanted.mainStream) {
    if (program.checks && ir::hasChecks(kernel.code))
        proofs = ir::proveBounds(kernel.code, boundsOf(kernel, *program.elaboration.states[0]));
    for (const char* word :
         {"create",       "destroy",       "process",   "drain",        "reset",
          "set",          "message",       "make",      "handle",       "in",
          "out",          "fault",         "random",    "handles",      "used",
          "parameters",   "begin",         "fire",      "hand_over",    "begin",
          "fields",       "compute_again", "sites",     "min",          "max",
          "round",        "divide",        "remainder", "divide_long",  "remainder_long",
          "to_int",       "to_long",       "OK",        "FAULT",        "MEMORY",
          "PROCESSOR",    "CALL",          "HANDLES",   "BYTES",        "BLOCK_IN",
          "BLOCK_OUT",    "FIRST_IN",      "FIRST_OUT", "LATENCY",      "BOUND",
          "process_many", "state_size",    "save",      "restore",      "clone",
          "head",         "own_head",      "sum",       "look_at",      "TRUNCATED",
          "DAMAGED",      "OTHER_PROGRAM", "NEWER",     "process_ends", "drain_ends",
          "process_all",  "drain_all",     "input",     "output",       "INPUTS",
          "OUTPUTS",      "PIECE",         "in_turns",  "out_turns",    "end_at",
          "gather",       "room",          "scatter",   "settle",       "refuses_ends"})
        names.reserve(own(word));
    for (const ir::OpenParameter& parameter : program.module.open) {
        names.reserve(own("set_" + parameter.name));
        names.reserve(own("parameter_" + parameter.name));
    }
    nameFields();
    const graph::Graph& graph = program.elaboration.graph;
    if (graph.input != graph::kNone) types.declareItem(graph.edges[graph.input], "in");
    if (graph.output != graph::kNone) types.declareItem(graph.edges[graph.output], "out");
    for (const types::Value& value : program.elaboration.openValues) types.name(value.type);
    types.text.clear();  // the header has these
}

void Source::nameFields() {
    Names local;
    for (const char* word :
         {"random",     "depth",         "iteration",     "window",    "first",       "held",
          "pending",    "pending_first", "pending_count", "has_begun", "is_draining", "has_failed",
          "parameters", "message",       "fields",        "beside",    "changed",     "text",
          "fault",      "end",           "done",          "rounds",    "drains_first"})
        local.reserve(word);
    for (std::size_t k = 0; k < kernel.fieldTypes.size(); ++k) {
        const bool isEmpty = types::sizeOf(kernel.fieldTypes[k]) == 0;
        const std::string name = isEmpty ? "" : local.take(kernel.code.fields[k].name);
        fieldNames.push_back(name);
        fields.push_back((kernel.code.startsLate && !isEmpty ? "fields." : "") + name);
    }
    Names open;
    for (const ir::OpenParameter& parameter : program.module.open)
        parameters.push_back(open.take(parameter.name));
}

std::string Source::own(std::string_view word) const {
    return fmt::format("{}_{}", program.mainStream, word);
}

namespace {

std::string placeOf(const base::SourceManager& sources, base::SourceRange range) {
    if (!range.valid()) return {};
    const base::LineColumn at = sources.position(range.buffer, range.begin);
    return fmt::format("{}:{}:{}", sources.name(range.buffer), at.line, at.column);
}

/// As runtime/library/message.c ends a message.
std::string instanceOf(const Program& program, const graph::Graph& graph, graph::NodeId node,
                       base::SourceRange where) {
    const base::SourceManager& sources = program.context.sources;
    std::string text = " in " + graph::path(graph, node);
    if (!sources.isLibrary(where.buffer)) return text;
    return text + ", added at " + placeOf(sources, graph::addedBy(sources, graph, node).range);
}

}  // namespace

std::size_t Source::site(const Site& site) {
    std::vector<std::string> words = site.words;
    words.insert(words.end(), static_cast<std::size_t>(site.numbers), std::string(1, '\1'));
    const base::SourceManager& sources = program.context.sources;
    const graph::Graph& graph = program.elaboration.graph;
    std::string place = placeOf(sources, site.range);
    // What filters require has no place of its own: that of the instance counts.
    if (place.empty() && !program.instances)
        place = placeOf(sources, graph::addedBy(sources, graph, 0).range);
    std::string text = fmt::format("{}: error: {} [{}]", place, base::message(site.id, words),
                                   base::info(site.id).name);
    if (!program.instances) text += instanceOf(program, graph, 0, kernel.code.header);
    const auto [found, isNew] = siteNumbers.emplace(text, texts.size());
    if (isNew) texts.push_back(text);
    return found->second;
}

std::size_t Source::instance(graph::NodeId node) {
    const auto [found, isNew] = instanceNumbers.emplace(node, instances.size());
    if (isNew) {
        const base::SourceManager& sources = program.context.sources;
        instances.push_back(
            instanceOf(program, *program.instances, node, program.instances->nodes[node].range));
        places.push_back(placeOf(sources, graph::addedBy(sources, *program.instances, node).range));
    }
    return found->second;
}

std::string Source::native(const ir::Native& native) {
    std::string parameters;
    for (const Type* type : native.params) {
        const char* star = type->is(types::TypeKind::Struct) ? "*" : "";
        parameters += (parameters.empty() ? "" : ", ") + types.variable(type, star);
    }
    const std::string name = native.package + '_' + native.name;
    nativePrototypes.insert(fmt::format("extern {} {}({});\n",
                                        native.result && !native.result->is(types::TypeKind::Void)
                                            ? types.name(native.result)
                                            : "void",
                                        name, parameters.empty() ? "void" : parameters));
    return name;
}

std::string Source::table(const Type* type, const char* bytes, std::string_view wanted) {
    const std::string contents(bytes, static_cast<std::size_t>(types::sizeOf(type)));
    std::string& name = tableNames[{type, contents}];
    if (!name.empty()) return name;
    name = names.take(own(wanted));
    tableText += fmt::format("static const {} = {};\n", types.variable(type, name),
                             initialiser(type, bytes));
    return name;
}

}  // namespace strc::csource
