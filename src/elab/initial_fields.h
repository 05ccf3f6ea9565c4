#pragma once
/// What the ints in fields of a kernel may be before the first firing. By field: its int, or all ints of its array; empty where nothing is
/// known: those of other types, and all if init runs only when the program starts.

#include <optional>
#include <string>
#include <vector>

#include "elab/elaborate.h"
#include "ir/bounds.h"

namespace strc::elab {

using IntsOfFields = std::vector<std::optional<ir::Range>>;

/// In the instance with that state.
IntsOfFields initialInts(const Kernel&, const std::string& state);

class InitialFields {
public:
    /// Of a program that outlives it.
    explicit InitialFields(const Elaboration&);
    /// In one instance or another.
    IntsOfFields of(graph::KernelId) const;

private:
    const Elaboration& program;
    std::vector<std::vector<graph::NodeId>> instances;  ///< by kernel
};

}  // namespace strc::elab
