#pragma once
/// From kernels that know the shapes of their tensors back to the code that has tensors. Private to opt.

#include <map>
#include <vector>

#include "elab/elaborate.h"

namespace strc::opt {

class Generals {
public:
    explicit Generals(const elab::Elaboration&);

    /// The kernel before elab::inferShapes made one for what arrives; null: it has nothing to do with tensors.
    const elab::Kernel* of(graph::KernelId) const;

private:
    const elab::Elaboration& program;
    std::map<std::uint32_t, std::vector<graph::KernelId>> byStream;
};

}  // namespace strc::opt
