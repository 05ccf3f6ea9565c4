#include "plan/detail/fuse.h"

#include <numeric>
#include <utility>

#include "ir/affine_state.h"
#include "ir/varying.h"

namespace strc::plan {
namespace {

using sched::Loop;

constexpr std::size_t kShort = 200;  ///< instructions of a body
constexpr std::int64_t kFewestTrips = 16;
constexpr std::int64_t kMostFirings = 32;  ///< of an iteration

/// A sum of products is a loop, too, and its weights are best used for one firing after the other.
bool isLong(ir::Op op) {
    return op == ir::Op::Loop || op == ir::Op::Contract || op == ir::Op::Call;
}

bool isShort(const ir::Body& body) {
    std::size_t size = 0;
    for (const ir::Block& block : body.blocks) {
        size += block.instrs.size();
        for (const ir::Instr& instr : block.instrs)
            if (isLong(instr.op)) return false;
    }
    return size <= kShort;
}

bool isSequential(const elab::Kernel& kernel) {
    if (kernel.builtin != ir::BuiltinStream::None || !kernel.code.work) return false;
    const ir::Body& work = *kernel.code.work;
    return isShort(work) && !ir::findVarying(work).whyNot.empty() &&
           !ir::firingsThatSkipAhead(work);
}

/// Leaves from `first` on that go round together.
struct Group {
    std::size_t end = 0;
    std::int64_t trips = 0;
};

Group groupAt(const std::vector<Loop>& list, std::size_t first,
              const std::vector<bool>& sequential) {
    Group group{first, 0};
    std::int64_t firings = 0;  // of all iterations
    for (; group.end < list.size(); ++group.end) {
        const Loop& next = list[group.end];
        if (!next.isLeaf() || !sequential[next.node]) break;
        const std::int64_t trips = std::gcd(group.trips, next.count);
        firings += next.count;
        if (trips < kFewestTrips || firings / trips > kMostFirings) break;
        group.trips = trips;
    }
    return group;
}

}  // namespace

std::vector<bool> findSequential(const elab::Elaboration& program) {
    std::vector<bool> kernels;
    for (const elab::Kernel& kernel : program.kernels) kernels.push_back(isSequential(kernel));
    std::vector<bool> nodes;
    for (const graph::Node& node : program.graph.nodes)
        nodes.push_back(node.kernel != graph::kNone && kernels[node.kernel]);
    return nodes;
}

void fuse(const std::vector<bool>& sequential, Loop& phase) {
    std::vector<Loop> made;
    for (std::size_t k = 0; k < phase.children.size();) {
        const Group group = groupAt(phase.children, k, sequential);
        if (group.end < k + 2) {
            made.push_back(std::move(phase.children[k++]));
            continue;
        }
        Loop loop;
        loop.count = group.trips;
        for (; k < group.end; ++k) {
            loop.children.push_back(std::move(phase.children[k]));
            loop.children.back().count /= group.trips;
        }
        made.push_back(std::move(loop));
    }
    phase.children = std::move(made);
}

}  // namespace strc::plan
