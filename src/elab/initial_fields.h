#pragma once
/// What the int fields of a kernel hold before the first firing, in one instance or another.

#include <optional>
#include <vector>

#include "elab/elaborate.h"
#include "ir/bounds.h"

namespace strc::elab {

class InitialFields {
public:
    /// Of a program that outlives it.
    explicit InitialFields(const Elaboration&);
    /// By field; empty where nothing is known: those that are no ints, and all if init runs only when the program starts.
    std::vector<std::optional<ir::Range>> of(graph::KernelId) const;

private:
    const Elaboration& program;
    std::vector<std::vector<graph::NodeId>> instances;  ///< by kernel
};

}  // namespace strc::elab
