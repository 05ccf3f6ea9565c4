// What a program says of the sounds that it takes: the rates that it tells streams of the library, and whether it keeps
// samples.
#include <algorithm>

#include "elab/detail/tree.h"

namespace strc::elab {
namespace {

constexpr const char* kRate = "rate";  ///< of all streams of the library: samples a second

std::optional<double> toNumber(const Value& value) {
    if (!value.type) return std::nullopt;
    switch (value.type->kind) {
        case types::TypeKind::Int: return value.toInt();
        case types::TypeKind::Float: return value.as<float>();
        case types::TypeKind::Double: return value.as<double>();
        default: return std::nullopt;
    }
}

/// Only the run knows parameters that stay open.
bool isOpen(const Instance& instance, std::uint32_t constant) {
    const bool isMarked = constant < instance.marks.size() && instance.marks[constant] != 0;
    return isMarked || instance.code->openSlot(constant) != ir::kNone;
}

void addRate(const Instance& instance, std::vector<double>& rates) {
    const std::optional<double> rate = rateOf(instance);
    if (rate && *rate > 0 && std::find(rates.begin(), rates.end(), *rate) == rates.end())
        rates.push_back(*rate);
}

bool changesFields(const ir::Body& work) {
    for (const ir::Block& block : work.blocks)
        for (const ir::Instr& instr : block.instrs)
            if (instr.op == ir::Op::Store && instr.var.space == ir::Space::Field) return true;
    return false;
}

bool keepsSamples(const Kernel& kernel) {
    if (kernel.builtin != ir::BuiltinStream::None) return false;
    return kernel.prework || kernel.work.peek.max > kernel.work.pop.max ||
           (kernel.code.work && changesFields(*kernel.code.work));
}

}  // namespace

std::optional<double> rateOf(const Instance& instance) {
    if (!instance.code) return std::nullopt;
    const ir::StreamCode& code = *instance.code;
    for (std::uint32_t k = 0; k < code.params && k < instance.constants.size(); ++k)
        if (code.constants[k].name == kRate && !isOpen(instance, k))
            return toNumber(instance.constants[k]);
    return std::nullopt;
}

void noteSounds(const base::SourceManager& sources, const Tree& tree, graph::Graph& graph) {
    for (const Instance& instance : tree.instances) {
        if (!instance.code || !sources.isLibrary(instance.code->header.buffer)) continue;
        const Instance* parent =
            instance.parent == ir::kNone ? nullptr : &tree.instances[instance.parent];
        if (!parent || !parent->code || !sources.isLibrary(parent->code->header.buffer))
            addRate(instance, graph.soundRates);
    }
    if (const auto input = tree.sounds.find({}); input != tree.sounds.end()) {
        graph.assumedRate = input->second.rate;
        graph.assumedChannels = input->second.channels;
    }
    graph.keepsSamples = std::any_of(tree.kernels.begin(), tree.kernels.end(), keepsSamples);
    noteMixedSounds(sources, tree, graph);
}

void requireSounds(types::TypeTable& types, Tree& tree) {
    for (Kernel& kernel : tree.kernels) {
        if (kernel.builtin != ir::BuiltinStream::WavReader) continue;
        const auto found = tree.sounds.find(kernel.constants[0].bytes);
        if (found == tree.sounds.end()) continue;
        const int taken[] = {found->second.rate, found->second.channels};
        for (std::size_t k = 0; k < std::size(taken); ++k)
            if (kernel.constants[k + 1].toInt() == 0)
                kernel.constants[k + 1] = Value::of(types.intType(), std::int32_t{taken[k]});
    }
}

ir::FileQuestion::What soundOf(const Instance& main, std::uint32_t constant) {
    using ir::FileQuestion;
    const bool isDefault =
        std::find(main.defaulted.begin(), main.defaulted.end(), constant) != main.defaulted.end();
    if (!isDefault || !main.code->defaults[constant]) return FileQuestion::Items;
    FileQuestion::What what = FileQuestion::Items;
    for (const ir::Block& block : main.code->defaults[constant]->blocks)
        for (const ir::Instr& instr : block.instrs) {
            if (instr.op == ir::Op::Const || instr.op == ir::Op::Convert ||
                instr.op == ir::Op::Return)
                continue;
            if (instr.op != ir::Op::FileNumber) return FileQuestion::Items;
            const FileQuestion asked = FileQuestion::at(instr.index);
            if (asked.reader == ir::BuiltinStream::None) what = asked.what;
        }
    return what;
}

}  // namespace strc::elab
