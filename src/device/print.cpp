// Splits and segments as texts, for --emit-after and tests.

#include <fmt/format.h>

#include "device/offload.h"
#include "graph/hierarchy.h"
#include "ir/text.h"
#include "types/type.h"

namespace strc::device {
namespace {

std::string textOf(const Array& array) {
    static constexpr const char* kNames[] = {"scratch", "own",   "field",
                                             "stored",  "input", "output"};
    const std::string offset = array.offset == 0 ? "" : fmt::format(" + {}", array.offset);
    return fmt::format("{} {}{}", kNames[static_cast<int>(array.home)], array.index, offset);
}

std::string textOf(const ir::Contraction& how) {
    std::string text;
    for (const ir::ContractionLoop& loop : how.loops)
        text += fmt::format(" {}({} {} {})", loop.trips, loop.out, loop.a, loop.b);
    return text;
}

std::string textOf(const ir::Attention& how) {
    std::string text = fmt::format(" {} queries, {} keys, {} x {}", how.queries.trips,
                                   how.keys.trips, how.width.trips, how.values.trips);
    for (const ir::AttentionLoop& loop : how.outer)
        text +=
            fmt::format(" {}({} {} {} {})", loop.trips, loop.out, loop.query, loop.key, loop.value);
    return text + (how.isCausal ? " causal" : "") + (how.hasMask ? " masked" : "");
}

std::string textOf(const Persist& all) {
    std::string text = fmt::format("at once {} times, {} blocks:", all.count, all.blocks);
    for (const Stage& stage : all.stages)
        text += fmt::format(" {} x {}{}", stage.kernel.name, stage.kernel.threads,
                            stage.waits ? ", wait;" : ",");
    return text + " or";
}

void add(std::string& text, const Actions& actions, const Firing& firing, int indent) {
    for (const Action& action : actions) {
        text += std::string(static_cast<std::size_t>(indent), ' ');
        if (const auto* launch = std::get_if<Launch>(&action.what)) {
            const Kernel& kernel = firing.kernels[launch->kernel];
            text += fmt::format("launch {} x {}\n", kernel.name, kernel.threads);
        } else if (const auto* sum = std::get_if<Contract>(&action.what)) {
            std::string rest;
            for (const Array& array : sum->added) rest += " + " + textOf(array);
            if (sum->how.bounds.areAny())
                rest += fmt::format(" in [{}, {}]", sum->how.bounds.low, sum->how.bounds.high);
            if (sum->isForTensorCores) rest += " on tensor cores";
            text += fmt::format("contract {} = {} * {}{}:{}\n", textOf(sum->out), textOf(sum->a),
                                textOf(sum->b), rest, textOf(sum->how));
        } else if (const auto* attend = std::get_if<Attend>(&action.what)) {
            std::string arrays;
            for (const Array& array : attend->arrays)
                arrays += (arrays.empty() ? "" : ", ") + textOf(array);
            text += fmt::format("attend ({}){}\n", arrays, textOf(attend->how));
        } else if (const auto* copy = std::get_if<Copy>(&action.what)) {
            text += fmt::format("copy {} from {}, {} bytes\n", textOf(copy->to), textOf(copy->from),
                                copy->bytes);
        } else if (const auto* zero = std::get_if<Zero>(&action.what)) {
            text += fmt::format("zero {}, {} bytes\n", textOf(zero->to), zero->bytes);
        } else if (const auto* all = std::get_if<Persist>(&action.what)) {
            text += textOf(*all) + "\n";
            add(text, all->otherwise, firing, indent + 4);
        } else if (const auto* loop = std::get_if<Repeat>(&action.what)) {
            text += fmt::format("{} times:\n", loop->count);
            add(text, loop->body, firing, indent + 4);
        }
    }
}

std::string textOf(const Kernel& kernel) {
    std::string arrays;
    for (std::size_t k = 0; k < kernel.arrays.size(); ++k)
        arrays += fmt::format("{}{}{}", k == 0 ? "" : ", ", kernel.isWritten[k] ? "to " : "",
                              textOf(kernel.arrays[k]));
    return fmt::format("kernel {} x {} ({})\n{}", kernel.name, kernel.threads, arrays,
                       ir::print(kernel.body));
}

std::string textOf(const Address& address) {
    static constexpr const char* kNames[] = {"state", "scratch", "weights"};
    std::string text = fmt::format("{} {}", kNames[static_cast<int>(address.memory)], address.at);
    if (address.perFiring != 0) text += fmt::format(" + {}*firing", address.perFiring);
    for (std::size_t d = 0; d < address.perIteration.size(); ++d)
        if (address.perIteration[d] != 0)
            text += fmt::format(" + {}*i{}", address.perIteration[d], d);
    return text;
}

class Printer {
public:
    explicit Printer(const Offloaded& of) : made(of) {}

    std::string run() {
        if (!made.why.empty()) return "; nothing is for a device: " + made.why + "\n";
        for (const FilterKernel& kernel : made.kernels) text += device::textOf(kernel.kernel);
        for (std::size_t k = 0; k < made.segments.size(); ++k) {
            const std::size_t parts = made.segments[k].parts;
            const std::string cut = parts > 1 ? fmt::format(" in {} parts", parts) : "";
            text += fmt::format("segment {}{}:\n", k, cut);
            operations(made.segments[k].operations, 0, made.segments[k].operations.size(), 4);
        }
        text += fmt::format("weights: {} bytes, scratch: {} bytes\n", made.weightsSize,
                            made.scratchSize);
        for (const Range& range : made.kept)
            text += fmt::format("kept: {} bytes at {}\n", range.size, range.at);
        for (const Stay& stay : made.stays)
            text += fmt::format("on the processor: {}, since {}\n",
                                graph::path(made.plan.program->graph, stay.node), stay.why);
        return std::move(text);
    }

private:
    void operations(const std::vector<Operation>& list, std::size_t from, std::size_t to,
                    std::size_t indent) {
        for (std::size_t k = from; k < to; ++k) {
            text += std::string(indent, ' ') + textOf(list[k]) + "\n";
            if (list[k].kind != OperationKind::Repeat) continue;
            operations(list, k + 1, k + 1 + list[k].what, indent + 4);
            k += list[k].what;
        }
    }

    std::string textOf(const Operation& each) const {
        std::string addresses;
        for (const Address& address : each.addresses)
            addresses += (addresses.empty() ? "" : ", ") + device::textOf(address);
        const std::string times = each.count == 1 ? "" : fmt::format("{} x ", each.count);
        switch (each.kind) {
            case OperationKind::Launch:
                return fmt::format("{}launch {} ({})", times, made.kernels[each.what].kernel.name,
                                   addresses);
            case OperationKind::Contract:
                return fmt::format(
                    "{}contract{} ({}){}", times, device::textOf(made.contractions[each.what].how),
                    addresses,
                    made.contractions[each.what].isForTensorCores ? " on tensor cores" : "");
            case OperationKind::Attend:
                return fmt::format("{}attend{} ({})", times,
                                   device::textOf(made.attentions[each.what]), addresses);
            case OperationKind::Copy:
                return fmt::format("{}copy {} bytes ({})", times, each.bytes, addresses);
            case OperationKind::Zero:
                return fmt::format("{}zero {} bytes ({})", times, each.bytes, addresses);
            case OperationKind::Upload:
                return fmt::format("upload {} bytes ({})", each.bytes, addresses);
            case OperationKind::Download:
                return fmt::format("download {} bytes ({})", each.bytes, addresses);
            case OperationKind::Persist:
                return fmt::format("{}{} ({})", times,
                                   device::textOf(made.persists[each.what].kernel), addresses);
            case OperationKind::Repeat: return fmt::format("{} times:", each.count);
        }
        return "";
    }

    const Offloaded& made;
    std::string text;
};

}  // namespace

std::string print(const Firing& firing, const std::string& name) {
    std::string text = name + ":\n";
    add(text, firing.actions, firing, 4);
    for (const Kernel& kernel : firing.kernels) text += textOf(kernel);
    return text;
}

std::string print(const Offloaded& made) { return Printer(made).run(); }

}  // namespace strc::device
