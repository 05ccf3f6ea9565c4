#include "opt/detail/original_kernels.h"

#include <algorithm>

#include "ir/specialize.h"
#include "opt/detail/unroll.h"
#include "tensor/expand.h"

namespace strc::opt {
namespace {

/// Code is made of a declaration, the constants, and the values of fields that are known; tensors among these are stored.
bool haveSameCode(const elab::Kernel& a, const elab::Kernel& b) {
    auto isSame = [](const ir::StoredArray& x, const ir::StoredArray& y) {
        return x.bytes == y.bytes;
    };
    return a.stream == b.stream && a.firings == b.firings && a.constants == b.constants &&
           a.fieldTypes == b.fieldTypes && a.tensors == b.tensors &&
           a.storedTensors == b.storedTensors &&
           std::equal(a.code.stored.begin(), a.code.stored.end(), b.code.stored.begin(),
                      b.code.stored.end(), isSame);
}

constexpr std::size_t kMany = 1 << 16, kFew = 512;

bool isExtent(const ir::Instr& instr) {
    return instr.op == ir::Op::Tensor &&
           (instr.tensor == types::TensorFn::Size || instr.tensor == types::TensorFn::Rank);
}

/// Of a body as one block. Tensors that come or go in loops or branches are worth many, for others could not be composed with it;
/// operations there, and extents, are worth a few, which passes see then.
std::size_t mostInstructions(const ir::Body& body) {
    std::size_t most = 0;
    for (ir::BlockId id = 0; id < body.blocks.size(); ++id)
        for (const ir::Instr& instr : body.blocks[id].instrs) {
            if (isExtent(instr)) most = kFew;
            if (id == body.entry) continue;
            const bool moves = instr.op == ir::Op::Pop || instr.op == ir::Op::Push;
            if (moves && instr.type->is(types::TypeKind::Tensor)) return kMany;
            if (instr.op == ir::Op::Tensor) most = kFew;
        }
    return most;
}

/// They hold, or there would be no graph.
ir::Body withoutDemands(ir::Body body) {
    for (ir::Block& block : body.blocks)
        std::erase_if(block.instrs,
                      [](const ir::Instr& instr) { return instr.op == ir::Op::Require; });
    ir::fold(body);
    return body;
}

}  // namespace

OriginalKernels::OriginalKernels(const elab::Elaboration& whole, types::TypeTable& types)
    : program(whole) {
    for (graph::KernelId id = 0; id < program.kernels.size(); ++id) {
        const elab::Kernel& kernel = program.kernels[id];
        if (kernel.stream != ir::kNone && tensor::usesTensors(kernel.code))
            byStream[kernel.stream].push_back(id);
    }
    for (const graph::Node& node : program.graph.nodes)
        if (node.kind == graph::NodeKind::Filter) unroll(node, types);
}

void OriginalKernels::unroll(const graph::Node& node, types::TypeTable& types) {
    const elab::Kernel* original = originalOf(node.kernel);
    if (!original || unrolledKernels.contains(node.kernel) || !original->code.work) return;
    const bool demands = tensor::makesDemands(*original->code.work);
    const std::size_t most = mostInstructions(*original->code.work);
    std::optional<ir::Body> body;
    if (most > 0) {
        static const std::vector<const types::Type*> none;
        const auto& arriving =
            node.inputs.empty() ? none : program.graph.edges[node.inputs[0]].tensors;
        body = unrolled(*original, arriving, most, types);
    }
    if (!body && !demands) return;
    elab::Kernel made = *original;
    if (body) made.code.work = std::move(body);
    if (demands) made.code.work = withoutDemands(std::move(*made.code.work));
    unrolledKernels.emplace(node.kernel, std::move(made));
}

const elab::Kernel* OriginalKernels::of(graph::KernelId id) const {
    auto found = unrolledKernels.find(id);
    return found == unrolledKernels.end() ? originalOf(id) : &found->second;
}

bool OriginalKernels::haveSameCode(graph::KernelId a, graph::KernelId b) const {
    if (a == graph::kNone || b == graph::kNone) return a == b;  // splitters and joiners
    return a == b || opt::haveSameCode(program.kernels[a], program.kernels[b]);
}

const elab::Kernel* OriginalKernels::originalOf(graph::KernelId id) const {
    const elab::Kernel& kernel = program.kernels[id];
    auto found = byStream.find(kernel.stream);
    if (kernel.stream == ir::kNone || found == byStream.end()) return nullptr;
    for (graph::KernelId original : found->second)
        if (opt::haveSameCode(program.kernels[original], kernel)) return &program.kernels[original];
    return nullptr;
}

}  // namespace strc::opt
