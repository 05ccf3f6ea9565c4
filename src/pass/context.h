#pragma once
/// What a pass is given beside the program.

#include <optional>

#include "base/context.h"
#include "ir/ir.h"
#include "target/model.h"
#include "types/tensor_split.h"

namespace strc::pass {

struct Options {
    bool fastMath = false;  ///< sums of float, double and complex items may be rounded otherwise
    bool forDevice = false;  ///< --device: what a device does at once is told as a whole
    std::optional<types::TensorSplit> split = std::nullopt;  ///< --split
};

struct Context {
    base::Context& base;  ///< limits, switches, diagnostics
    const ir::Module& module;  ///< that the program was elaborated from
    types::TypeTable& types;
    const Options& options;
    const target::Model& target;  ///< the processor that code is made for

    base::Passes& passes() const { return base.passes; }
};

}  // namespace strc::pass
