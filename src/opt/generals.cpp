#include "opt/generals.h"

#include <algorithm>

#include "tensor/expand.h"

namespace strc::opt {
namespace {

/// Code is made of a declaration, the constants, and the values of fields that are known; tensors among these are stored.
bool haveSameCode(const elab::Kernel& a, const elab::Kernel& b) {
    auto isSame = [](const ir::StoredArray& x, const ir::StoredArray& y) {
        return x.bytes == y.bytes;
    };
    return a.stream == b.stream && a.constants == b.constants && a.fieldTypes == b.fieldTypes &&
           a.tensors == b.tensors && a.storedTensors == b.storedTensors &&
           std::equal(a.code.stored.begin(), a.code.stored.end(), b.code.stored.begin(),
                      b.code.stored.end(), isSame);
}

}  // namespace

Generals::Generals(const elab::Elaboration& whole) : program(whole) {
    for (graph::KernelId id = 0; id < program.kernels.size(); ++id) {
        const elab::Kernel& kernel = program.kernels[id];
        if (kernel.stream != ir::kNone && tensor::usesTensors(kernel.code))
            byStream[kernel.stream].push_back(id);
    }
}

const elab::Kernel* Generals::of(graph::KernelId id) const {
    const elab::Kernel& kernel = program.kernels[id];
    auto found = byStream.find(kernel.stream);
    if (kernel.stream == ir::kNone || found == byStream.end()) return nullptr;
    for (graph::KernelId general : found->second)
        if (haveSameCode(program.kernels[general], kernel)) return &program.kernels[general];
    return nullptr;
}

}  // namespace strc::opt
