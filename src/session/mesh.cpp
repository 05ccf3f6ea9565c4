// What ranks share of large products (`strc graph --ranks N --split DIM:PLACES`).
#include "strc/mesh.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "elab/replace.h"
#include "graph/hierarchy.h"
#include "ir/contraction.h"
#include "session/detail/split.h"

namespace strc::session {
namespace {

using ir::Contraction;
using ir::ContractionLoop;
using types::TensorSplit;

using graph::SharedProducts;

class Finder {
public:
    Finder(const Compilation& compiled, const Settings& wanted)
        : program(compiled), settings(wanted), ranks(wanted.ranks) {}

    SharedProducts find() {
        const elab::Elaboration& planned = program.plannedProgram();
        made.products.resize(planned.graph.nodes.size());
        for (graph::NodeId id = 0; id < planned.graph.nodes.size(); ++id) {
            const graph::Node& node = planned.graph.nodes[id];
            if (node.kind == graph::NodeKind::Filter && planned.kernels[node.kernel].code.work)
                addAll(id, *planned.kernels[node.kernel].code.work);
        }
        made.who = fmt::format(
            "{} ranks share large products, '--split {}', {:g} us from one to another, {:g} bytes "
            "in a us",
            ranks, splitName(*settings.split), settings.network.latency / 1e3,
            settings.network.pace * 1e3);
        made.summary = alone == 0 ? "there is no product of tensors" : summary();
        return std::move(made);
    }

private:
    void addAll(graph::NodeId id, const ir::Body& work) {
        firings = program.plannedQuota().steady[id];
        for (const ir::Block& block : work.blocks)
            for (const ir::Instr& instr : block.instrs)
                if (instr.op == ir::Op::Contract)
                    made.products[id].push_back(
                        add(ir::contractionOf(instr),
                            types::sizeOf(work.regs[instr.operands[0]].type->element)));
    }

    std::string summary() const {
        return fmt::format(
            "in a steady state {} bytes come to each rank; the products should be done {:.2f} "
            "times as fast",
            bytes, alone / shared);
    }

    /// In the words of --split, without numbers of dimensions, which a product has no more.
    static const char* nameOf(const ContractionLoop& loop) {
        if (loop.out == 0) return "sums";
        if (loop.a == 0) return "columns";
        return loop.b == 0 ? "rows" : "places";
    }

    std::string whyWhole(const Contraction& how) const {
        const std::int64_t products = ir::countProducts(how);
        const auto [dim, places] = *settings.split;
        if (products < types::kLeastSplit)
            return fmt::format("it has {} multiplications, fewer than {}", products,
                               types::kLeastSplit);
        if (!elab::mayReplace(program.elaboration)) return kKeptWhole;
        if (dim == TensorSplit::kAuto) return "one rank does it as soon";
        if (dim == TensorSplit::kSums) return fmt::format("no more than {} are summed up", places);
        if (dim == TensorSplit::kPairs)
            return fmt::format("it has no more than {} columns", places);
        return fmt::format(
            "it has no more than {} places in dimension {}, or they cannot be parted "
            "there",
            places, dim);
    }

    SharedProducts::Product add(const Contraction& how, std::int64_t elementBytes) {
        const double time = static_cast<double>(ir::countProducts(how)) / types::kProductsInNs *
                            static_cast<double>(firings);
        alone += time;
        if (!how.parts) {
            shared += time;
            SharedProducts::Product whole;
            whole.whyWhole = whyWhole(how);
            return whole;
        }
        const ContractionLoop& loop = how.loops[how.parts->loop];
        const std::int64_t parts = (loop.trips + how.parts->trips - 1) / how.parts->trips;
        const std::int64_t most = (parts + ranks - 1) / ranks;
        const bool staysApart = how.parts->isPaired && loop.out != 0;
        const std::int64_t crossing = staysApart ? 0 : crossingOf(how, most) * elementBytes;
        const double messages = staysApart ? 0 : loop.out == 0 ? 2 : 1;
        bytes += crossing * firings;
        shared +=
            time * static_cast<double>(most * how.parts->trips) / loop.trips +
            static_cast<double>(firings) * (messages * settings.network.latency +
                                            static_cast<double>(crossing) / settings.network.pace);
        return {.what = nameOf(loop),
                .parts = parts,
                .places = how.parts->trips,
                .most = most,
                .dividesWeights = loop.b != 0,
                .staysApart = staysApart,
                .bytes = crossing,
                .whyWhole = {}};
    }

    /// Elements that come to a rank: all blocks but its own, which are as large as the largest one.
    std::int64_t crossingOf(const Contraction& how, std::int64_t most) const {
        const ContractionLoop& loop = how.loops[how.parts->loop];
        std::int64_t result = 1;
        for (const ContractionLoop& each : how.loops)
            if (each.out != 0) result *= each.trips;
        const std::int64_t others = ranks - 1;
        if (loop.out == 0) return others * ((result + ranks - 1) / ranks) * (most + 1);
        const std::int64_t places = std::min<std::int64_t>(loop.trips, most * how.parts->trips);
        return others * (result / loop.trips * places);
    }

    const Compilation& program;
    const Settings& settings;
    const std::int64_t ranks;
    std::int64_t firings = 0;  ///< of the filter that is looked at, in a steady state
    std::int64_t bytes = 0;
    double alone = 0, shared = 0;  ///< ns
    SharedProducts made;
};

std::string row(const std::string& name, const SharedProducts::Product& product,
                std::int64_t firings, std::int64_t ranks) {
    if (!product.whyWhole.empty())
        return fmt::format("  {}: whole on each rank, as {}\n", name, product.whyWhole);
    std::string text =
        fmt::format("  {}: {} parts of {} {}, at most {} on a rank{}; ", name, product.parts,
                    product.places, product.what, product.most,
                    product.dividesWeights ? " with their weights alone" : " with all weights");
    text += product.staysApart ? "they stay there for the next product\n"
                               : fmt::format("{} bytes to each rank in each of {} firing{}\n",
                                             product.bytes, firings, firings == 1 ? "" : "s");
    if (product.parts < ranks)
        text += fmt::format("    {} of the ranks have no part\n", ranks - product.parts);
    return text;
}

}  // namespace

std::string splitName(const TensorSplit& split) {
    if (split.dim == TensorSplit::kSums) return fmt::format("sums:{}", split.places);
    if (split.dim == TensorSplit::kAuto) return fmt::format("auto:{}", split.places);
    if (split.dim == TensorSplit::kPairs) return fmt::format("pairs:{}", split.places);
    return fmt::format("{}:{}", split.dim, split.places);
}

SharedProducts sharedProducts(const Compilation& program, const Settings& settings) {
    return Finder(program, settings).find();
}

std::string print(const SharedProducts& shared, const Compilation& program,
                  const Settings& settings) {
    const graph::Graph& planned = program.plannedProgram().graph;
    const std::vector<std::string> names = graph::allPaths(planned).nodes;
    std::string text = shared.who + '\n';
    for (graph::NodeId id = 0; id < planned.nodes.size(); ++id)
        for (const SharedProducts::Product& each : shared.products[id])
            text += row(names[id], each, program.plannedQuota().steady[id], settings.ranks);
    return text + shared.summary + '\n';
}

}  // namespace strc::session
