// Programs as blocks of GNU Radio.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "executable/detail/python_modules.h"
#include "executable/library.h"
#include "executable/plugin.h"

namespace strc::executable {
namespace {

using graph::kNone;
using plugins::RadioBlock;
using plugins::RadioEnd;
using types::Type;
using types::TypeKind;

/// "FmRadio" as modules of Python are called: "fm_radio".
std::string moduleName(const std::string& stream) {
    std::string name;
    char before = '\0';
    for (const char c : stream) {
        const bool isUpper = std::isupper(static_cast<unsigned char>(c)) != 0;
        if (isUpper && std::islower(static_cast<unsigned char>(before)) != 0) name += '_';
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        before = c;
    }
    // Python looks beside the flow graph first: a `copy.py` there would be everybody's `copy`.
    return isPythonModule(name) ? name + "_block" : name;
}

/// What the samples of a block can be, and parameters. By numpy, as ports, as parameters.
struct Sample {
    TypeKind kind;
    const char *numpy, *port, *parameter;
};
constexpr Sample kSamples[] = {{TypeKind::Float, "float32", "float", "real"},
                               {TypeKind::Complex, "complex64", "complex", "complex"},
                               {TypeKind::Int, "int32", "int", "int"},
                               {TypeKind::Boolean, "uint8", "byte", "bool"},
                               {TypeKind::Bit, "uint8", "byte", "bool"},
                               {TypeKind::Double, "float64", "", "real"}};

const Sample* sampleOf(const Type* type) {
    for (const Sample& each : kSamples)
        if (type->is(each.kind)) return &each;
    return nullptr;
}

std::string valueText(const types::Value& value) {
    switch (value.type->kind) {
        case TypeKind::Int: return std::to_string(value.toInt());
        case TypeKind::Float: return fmt::format("{}", value.as<float>());
        case TypeKind::Double: return fmt::format("{}", value.as<double>());
        case TypeKind::Complex:
            return fmt::format("complex({}, {})", value.as<std::array<float, 2>>()[0],
                               value.as<std::array<float, 2>>()[1]);
        default: return value.bytes[0] == 0 ? "False" : "True";
    }
}

/// Words of Python, names that the module has, and what YAML takes for a truth or for nothing: none of them is a parameter there, and no stream is called so.
constexpr std::string_view kTakenNames[] = {
    "False",  "None",  "True",     "and",    "as",        "assert",   "async", "await",
    "break",  "class", "continue", "ctypes", "def",       "del",      "elif",  "else",
    "except", "false", "finally",  "for",    "from",      "global",   "gr",    "if",
    "import", "in",    "is",       "lambda", "no",        "nonlocal", "not",   "null",
    "numpy",  "off",   "on",       "or",     "pass",      "pathlib",  "raise", "relative_rate",
    "return", "self",  "status",   "sys",    "threading", "true",     "try",   "while",
    "with",   "yes",   "yield"};

bool isTaken(std::string_view name) {
    return std::find(std::begin(kTakenNames), std::end(kTakenNames), name) != std::end(kTakenNames);
}

class RadioDescription {
public:
    RadioDescription(const Program& wanted, const plugins::Annotations& said)
        : program(wanted), graph(wanted.plan.program->graph), annotations(said) {}

    std::optional<RadioBlock> make() {
        result.stream = program.mainStream;
        result.module = moduleName(program.mainStream);
        result.title = annotations.title.empty() ? program.mainStream : annotations.title;
        result.library = "lib" + result.module + ".so";
        result.in = endOf(graph.input, "takes");
        result.out = endOf(graph.output, "gives");
        if (!program.plan.demand) {
            const Rates rates = ratesOf(program.plan);
            result.inputItems = rates.in;
            result.outputItems = rates.out;
        }
        checkName("its module would be", result.module);
        for (std::uint32_t slot = 0; slot < program.module.open.size(); ++slot) addParameter(slot);
        if (!fine) return std::nullopt;
        return std::move(result);
    }

private:
    RadioEnd endOf(graph::EdgeId edge, const char* does) {
        if (edge == kNone) return {};
        const Type* type = graph.edges[edge].type;
        const Type* of = type->is(TypeKind::Array) ? types::innermost(type) : type;
        const Sample* sample = sampleOf(of);
        if (sample && *sample->port)
            return {sample->numpy, sample->port, types::sizeOf(type) / types::sizeOf(of)};
        refuse(
            fmt::format("it {} items of type '{}', and blocks have complex, float, int, bit, or "
                        "arrays of these",
                        does, types::toString(type)));
        return {};
    }

    void checkName(std::string_view what, const std::string& name) {
        if (isTaken(name))
            refuse(
                fmt::format("{} '{}', which means something else in Python or YAML", what, name));
    }

    void refuse(const std::string& why) {
        fine = false;
        const base::SourceRange range =
            graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header;
        program.context.diags.add(base::Diag::PluginEnds, range)
            << program.mainStream << "a block of GNU Radio" << why;
    }

    void addParameter(std::uint32_t slot) {
        const types::Value& value = program.plan.program->openValues[slot];
        const Sample* sample = sampleOf(value.type);
        if (!sample) return;  // checkLibrary has refused texts
        plugins::RadioParameter made{program.module.open[slot].name,
                                     "",
                                     "",
                                     sample->numpy,
                                     sample->parameter,
                                     valueText(value)};
        checkName("its parameter is", made.name);
        made.label = made.name;
        for (const plugins::Range& each : annotations.ranges)
            if (each.parameter == made.name) {
                made.label = each.label;
                made.unit = each.unit;
            }
        result.parameters.push_back(std::move(made));
    }

    const Program& program;
    const graph::Graph& graph;
    const plugins::Annotations& annotations;
    RadioBlock result;
    bool fine = true;
};

}  // namespace

std::optional<RadioBlock> radioBlockOf(const Program& program,
                                       const plugins::Annotations& annotations) {
    return RadioDescription(program, annotations).make();
}

}  // namespace strc::executable
