#include <algorithm>
#include <cctype>

#include "base/assert.h"
#include "ir/text.h"
#include "pass/detail/text_words.h"
#include "pass/text.h"

namespace strc::pass {
namespace {

using detail::builtinWord;
using detail::kMain;
using detail::kNothing;
using detail::nodeWords;
using graph::kNone;

std::string numberOr(std::uint32_t number) {
    return number == kNone ? kNothing : std::to_string(number);
}
std::string nameOr(const std::string& name) { return name.empty() ? kNothing : name; }

std::string text(const graph::Rate& rate) {
    if (!rate.dynamic) return std::to_string(rate.max);
    return std::to_string(rate.min) + ".." + std::to_string(rate.max) + "~" +
           std::to_string(rate.average);
}
std::string text(const graph::Rates& rates) {
    return " " + text(rates.pop) + " " + text(rates.peek) + " " + text(rates.push);
}
template <typename Number>
std::string list(const std::vector<Number>& numbers) {
    std::string all;
    for (Number each : numbers) all += " " + std::to_string(each);
    return all;
}

/// ": int = 3", as the text of the IR has it.
std::string typed(const types::Type* type, const types::Value* value = nullptr) {
    ir::Module one;
    one.globals.push_back({"x", type, {}});
    if (value) one.globalValues.push_back(*value);
    const std::string all = ir::print(one);  // structures stand before it
    const std::size_t at = all.rfind("\nglobal x");
    return all.substr((at == std::string::npos ? 0 : at + 1) + std::string_view("global x").size());
}
std::string typed(const types::Value& value) { return typed(value.type, &value); }

/// Can the text of the IR have it as a name? Passes join names by other signs.
bool isWord(const std::string& name) {
    return std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
}

class Printer {
public:
    Printer(const ir::Module& lowered, const Program& whole)
        : module(lowered), program(whole), elaboration(*whole.elaboration) {}

    std::string run() {
        out = ir::print(codeOfKernels());
        out += kMain + std::string("\n");
        for (const elab::Kernel& each : elaboration.kernels) kernel(each);
        for (const graph::Composite& each : graph().composites) composite(each);
        for (graph::NodeId id = 0; id < graph().nodes.size(); ++id) node(id);
        for (const graph::Edge& each : graph().edges) edge(each);
        world();
        return std::move(out);
    }

private:
    const graph::Graph& graph() const { return elaboration.graph; }
    void line(const std::string& words) { out += words + "\n"; }
    void part(const std::string& words) { out += "    " + words; }
    ir::Module codeOfKernels() const {
        ir::Module made = module;
        made.streams.clear();
        for (const elab::Kernel& each : elaboration.kernels) {
            made.streams.push_back(each.code);
            ir::StreamCode& code = made.streams.back();
            if (!isWord(code.name)) code.name.clear();
            code.setup = {};  // has been run
            if (!code.input && each.input && each.output) {  // so that their structures are told
                code.input = each.input;
                code.output = each.output;
            }
            if (!each.blocks) continue;
            made.streams.push_back(made.streams.back());
            made.streams.back().work = each.blocks->work;
        }
        return made;
    }

    void kernel(const elab::Kernel& it) {
        line("kernel " + nameOr(it.code.name) + " " + std::string(builtinWord(it.builtin)) + " " +
             numberOr(it.stream) + " " + std::to_string(it.firings) + " " +
             std::to_string(it.stateSize));
        if (it.input) part("input" + typed(it.input));
        if (it.output) part("output" + typed(it.output));
        part("work" + text(it.work) + "\n");
        if (it.prework) part("prework" + text(*it.prework) + "\n");
        for (const types::Value& each : it.constants) part("constant" + typed(each));
        for (std::size_t k = 0; k < it.fieldTypes.size(); ++k)
            part("field " + std::to_string(it.fieldOffsets[k]) + typed(it.fieldTypes[k]));
        tensors(it);
        for (const ir::StoredArray& each : it.code.stored) stored(each);
        if (it.blocks)
            part("blocks " + std::to_string(it.blocks->firings) + text(it.blocks->rates) + "\n");
    }
    void tensors(const elab::Kernel& it) {
        if (!it.tensors.empty()) part("tensors\n");
        for (std::size_t k = 0; k < it.tensors.size(); ++k)
            if (it.tensors[k])
                part("tensor " + std::to_string(k) + " " + numberOr(it.storedTensors[k]) +
                     typed(it.tensors[k]));
        if (!it.declaredTensors.empty()) part("declared\n");
        for (std::size_t k = 0; k < it.declaredTensors.size(); ++k)
            if (it.declaredTensors[k])
                part("declaration " + std::to_string(k) + typed(it.declaredTensors[k]));
    }
    void stored(const ir::StoredArray& it) {
        const auto size = static_cast<std::size_t>(types::sizeOf(it.type));
        const types::Value value{it.type, {reinterpret_cast<const char*>(it.bytes.get()), size}};
        part(std::string(it.isInFile ? "weights " : "array ") + detail::hex(it.name) +
             typed(value));
    }

    void composite(const graph::Composite& it) {
        std::string children;
        for (const graph::Child& each : it.children)
            children += (each.isComposite ? " c" : " n") + std::to_string(each.id);
        line(std::string(detail::compositeWords[static_cast<std::size_t>(it.kind)]) + " " +
             nameOr(it.name) + " " + std::to_string(it.index) + " " + numberOr(it.parent) + " " +
             numberOr(it.splitter) + " " + numberOr(it.joiner) + children);
    }
    void node(graph::NodeId id) {
        const graph::Node& it = graph().nodes[id];
        line(std::string(nodeWords[static_cast<std::size_t>(it.kind)]) + " " + nameOr(it.name) +
             " " + std::to_string(it.index) + " " + numberOr(it.parent) + " " +
             std::to_string(it.order) + " " + numberOr(it.kernel) + " " +
             std::to_string(it.effects));
        if (it.kind == graph::NodeKind::Filter) part("work" + text(it.work) + "\n");
        if (it.prework) part("prework" + text(*it.prework) + "\n");
        if (!it.weights.empty()) part("weights" + list(it.weights) + "\n");
        if (!it.inputs.empty()) part("inputs" + list(it.inputs) + "\n");
        if (!it.outputs.empty()) part("outputs" + list(it.outputs) + "\n");
        if (!it.file.empty()) part("file " + detail::hex(it.file) + "\n");
        const graph::Repetitions& quota = program.repetitions;
        part("quota " + std::to_string(quota.init[id]) + " " + std::to_string(quota.steady[id]) +
             " " + std::to_string(quota.island[id]) + "\n");
        if (const auto& state = elaboration.states[id]) part("state " + detail::hex(*state) + "\n");
        if (!elaboration.origin.empty()) part("origin " + numberOr(elaboration.origin[id]) + "\n");
    }
    void edge(const graph::Edge& it) {
        line("edge " + numberOr(it.from) + " " + std::to_string(it.fromPort) + " " +
             numberOr(it.to) + " " + std::to_string(it.toPort));
        part("items" + typed(it.type));
        for (const types::Type* each : it.tensors) part("tensor" + typed(each));
        if (it.inFiles) part("infiles" + typed(it.inFiles));
        for (const types::Value& each : it.initial) part("item" + typed(each));
    }
    void world() {
        line("ends " + numberOr(graph().input) + " " + numberOr(graph().output));
        if (graph().keepsSamples) line("keeps-samples");
        line("islands " + std::to_string(program.repetitions.islands));
        line("random " + std::to_string(elaboration.random.state));
    }

    const ir::Module& module;
    const Program& program;
    const elab::Elaboration& elaboration;
    std::string out;
};

}  // namespace

namespace {

/// The text of the IR has no values of such a type.
bool isMute(const types::Type* type) { return type && type->is(types::TypeKind::Tensor); }
bool isMute(const types::Value& value) { return isMute(value.type); }

bool hasMuteValues(const ir::Module& module, const elab::Elaboration& it) {
    const auto any = [](const std::vector<types::Value>& values) {
        return std::any_of(values.begin(), values.end(),
                           [](const types::Value& each) { return isMute(each); });
    };
    return any(module.globalValues) ||
           std::any_of(it.kernels.begin(), it.kernels.end(),
                       [&](const elab::Kernel& each) { return any(each.constants); }) ||
           std::any_of(it.graph.edges.begin(), it.graph.edges.end(),
                       [&](const graph::Edge& each) { return any(each.initial); });
}

bool hasLongArrays(const elab::Elaboration& it) {
    for (const elab::Kernel& kernel : it.kernels)
        for (const ir::StoredArray& array : kernel.code.stored)
            if (!array.bytes || types::sizeOf(array.type) > detail::kMostBytes) return true;
    return false;
}

}  // namespace

std::string whyNoText(const ir::Module& module, const Program& program) {
    const elab::Elaboration& it = *program.elaboration;
    if (it.dynamicShape || it.compiled) return "only the run can tell the shapes of its tensors";
    if (!it.openValues.empty()) return "it has parameters whose values are open";
    if (!it.graph.messages.empty() || !it.portals.empty()) return "it sends messages";
    if (!it.graph.soundRates.empty() || !it.graph.mixedSounds.empty() || it.graph.assumedRate != 0)
        return "what it does depends on the sound that it reads";
    if (hasMuteValues(module, it)) return "it has tensors among its constants";
    if (hasLongArrays(it)) return "its weights are too many to be written out";
    return {};
}

std::string print(const ir::Module& module, const Program& program) {
    const std::string why = whyNoText(module, program);
    STRC_ASSERT(why.empty(), why);
    return Printer(module, program).run();
}

}  // namespace strc::pass
