#pragma once
/// From kernels that know the shapes of their tensors back to the code that has tensors. Private to opt.

#include <map>
#include <vector>

#include "elab/elaborate.h"

namespace strc::opt {

class OriginalKernels {
public:
    OriginalKernels(const elab::Elaboration&, types::TypeTable&);

    /// The kernel before elab::inferShapes made one for what arrives, with loops around its items written out where
    /// their iterations are known, and without what it requires; null: it has nothing to do with tensors.
    const elab::Kernel* of(graph::KernelId) const;
    bool haveSameCode(graph::KernelId, graph::KernelId) const;

private:
    const elab::Kernel* originalOf(graph::KernelId) const;
    void unroll(const graph::Node&, types::TypeTable&);

    const elab::Elaboration& program;
    std::map<std::uint32_t, std::vector<graph::KernelId>> byStream;
    std::map<graph::KernelId, elab::Kernel>
        unrolledKernels;  ///< without loops and branches around items or tensors, and without demands
};

}  // namespace strc::opt
