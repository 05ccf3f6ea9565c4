// What ranks share of large products, as a text (`strc graph --ranks N --split DIM:PLACES`).
#include "strc/mesh.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "graph/hierarchy.h"
#include "ir/contraction.h"
#include "session/detail/split.h"

namespace strc::session {
namespace {

using ir::Contraction;
using ir::ContractionLoop;
using types::TensorSplit;

class MeshPrinter {
public:
    MeshPrinter(const Compilation& compiled, const Settings& wanted)
        : program(compiled), settings(wanted), ranks(wanted.ranks) {}

    std::string print() {
        const elab::Elaboration& planned = program.plannedProgram();
        const std::vector<std::string> names = graph::allPaths(planned.graph).nodes;
        for (std::size_t id = 0; id < planned.graph.nodes.size(); ++id) {
            const graph::Node& node = planned.graph.nodes[id];
            if (node.kind != graph::NodeKind::Filter || !planned.kernels[node.kernel].code.work)
                continue;
            firings = program.plannedQuota().steady[id];
            for (const ir::Block& block : planned.kernels[node.kernel].code.work->blocks)
                for (const ir::Instr& instr : block.instrs)
                    if (instr.op == ir::Op::Contract)
                        add(names[id], ir::contractionOf(instr),
                            types::sizeOf(planned.kernels[node.kernel]
                                              .code.work->regs[instr.operands[0]]
                                              .type->element));
        }
        const std::string head = fmt::format(
            "{} ranks share large products, '--split {}', {:g} us from one to another, {:g} bytes "
            "in a us\n",
            ranks, splitName(*settings.split), settings.network.latency / 1e3,
            settings.network.pace * 1e3);
        if (rows.empty()) return head + "there is no product of tensors\n";
        return head + rows +
               fmt::format(
                   "in a steady state {} bytes come to each rank; the products should be "
                   "done {:.2f} times as fast\n",
                   bytes, alone / shared);
    }

private:
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
        if (dim == TensorSplit::kAuto) return "one rank does it as soon";
        if (dim == TensorSplit::kSums) return fmt::format("no more than {} are summed up", places);
        return fmt::format(
            "it has no more than {} places in dimension {}, or they cannot be parted "
            "there",
            places, dim);
    }

    void add(const std::string& name, const Contraction& how, std::int64_t elementBytes) {
        const double time = static_cast<double>(ir::countProducts(how)) / types::kProductsInNs *
                            static_cast<double>(firings);
        alone += time;
        if (!how.parts) {
            shared += time;
            rows += fmt::format("  {}: whole on each rank, as {}\n", name, whyWhole(how));
            return;
        }
        const ContractionLoop& loop = how.loops[how.parts->loop];
        const std::int64_t parts = (loop.trips + how.parts->trips - 1) / how.parts->trips;
        const std::int64_t most = (parts + ranks - 1) / ranks;
        const std::int64_t crossing = crossingOf(how, most) * elementBytes;
        const double messages = loop.out == 0 ? 2 : 1;
        bytes += crossing * firings;
        shared +=
            time * static_cast<double>(most * how.parts->trips) / loop.trips +
            static_cast<double>(firings) * (messages * settings.network.latency +
                                            static_cast<double>(crossing) / settings.network.pace);
        rows += fmt::format(
            "  {}: {} parts of {} {}, at most {} on a rank{}; {} bytes to each rank in each of {} "
            "firing{}\n",
            name, parts, how.parts->trips, nameOf(loop), most,
            loop.b != 0 ? " with their weights alone" : " with all weights", crossing, firings,
            firings == 1 ? "" : "s");
        if (parts < ranks) rows += fmt::format("    {} of the ranks have no part\n", ranks - parts);
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
    std::string rows;
};

}  // namespace

std::string splitName(const TensorSplit& split) {
    if (split.dim == TensorSplit::kSums) return fmt::format("sums:{}", split.places);
    if (split.dim == TensorSplit::kAuto) return fmt::format("auto:{}", split.places);
    return fmt::format("{}:{}", split.dim, split.places);
}

std::string meshText(const Compilation& program, const Settings& settings) {
    return MeshPrinter(program, settings).print();
}

}  // namespace strc::session
